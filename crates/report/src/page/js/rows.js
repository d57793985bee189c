// What is shown: a view, the operation that was chosen of it, and its columns.

let view = null;
/** The number of an operation of the view, or null for all together. */
let chosen = null;

/** The column of this key, as far as what is chosen has one. */
function column(key) {
  return (chosen === null ? view.columns : view.own).find((known) => known.key === key);
}

/** The values of a column, one for each row. */
function values(key) {
  const place = (chosen === null ? view.columns : view.own).findIndex((known) => known.key === key);
  if (place < 0) return null;
  const value = (row) => (chosen === null ? row.v[place] : (row.o[chosen] || [])[place]);
  return view.rows.map((row) => value(row) ?? null);
}

/** How many exchanges of a row took how long, of what is chosen: the first class that has any, then the counts. */
function taken(row) {
  return chosen === null || !row.g ? row.h : row.g[chosen] || [];
}

/** The lines of a plot that there is something to see of. Errors that never happened are no line. */
function lines(plot) {
  const seen = (values) => values.some((value) => value !== null && (value > 0 || plot.id !== "rates"));
  return plot.lines
    .map((line) => ({ ...line, ...column(line.column), values: values(line.column) }))
    .filter((line) => line.values && (seen(line.values) || line.column === "achieved"));
}

/** The middle of each row, in seconds. */
function middles() {
  return view.rows.map((row) => row.t + row.d / 2);
}

/** When the first row began and the last ended. */
function reach() {
  const last = view.rows[view.rows.length - 1];
  return last ? [view.rows[0].t, last.t + last.d] : [0, 1];
}

function isLong() {
  return reach()[1] > 600;
}

const PHASES = ["prepare", "warm-up", "ramp", "steady", "drain"];

/** The phases in time: as the view tells them, or as its rows do while a run goes on. */
function spans() {
  if (view.spans.length > 0) return view.spans;
  const found = [];
  for (const row of view.rows) {
    const last = found[found.length - 1];
    if (last && last.name === PHASES[row.p]) last.to_s = row.t + row.d;
    else found.push({ name: PHASES[row.p], from_s: row.t, to_s: row.t + row.d });
  }
  return found;
}

/** When a row was, in words. */
function when(row) {
  const end = row.t + row.d;
  const text = isLong()
    ? `${clock(row.t, true)} to ${clock(end, true)}`
    : `${significant(row.t, 6)} to ${significant(end, 6)} s`;
  return `${text}, ${PHASES[row.p]}`;
}
