// The view that is shown, the selected operation, and access to the data of its rows.

let view = null;
/** The number of the selected operation, or null for all operations together. */
let chosen = null;

/** The column with this key; undefined if the selection has no such column. */
function column(key) {
  return (chosen === null ? view.columns : view.own).find((known) => known.key === key);
}

/** The values of a column, one for each row; null if the selection has no such column. */
function values(key) {
  const place = (chosen === null ? view.columns : view.own).findIndex((known) => known.key === key);
  if (place < 0) return null;
  const value = (row) => (chosen === null ? row.v[place] : (row.o[chosen] || [])[place]);
  return view.rows.map((row) => value(row) ?? null);
}

/** The latencies of a row for the selected operation: the first non-empty class, then the counts from that class on. */
function taken(row) {
  return chosen === null || !row.g ? row.h : row.g[chosen] || [];
}

/** The lines of a plot that have data. Among the rates, a line that is always zero, such as errors, is left out. */
function lines(plot) {
  const seen = (values) => values.some((value) => value !== null && (value > 0 || plot.id !== "rates"));
  return plot.lines
    .map((line) => ({ ...line, ...column(line.column), values: values(line.column) }))
    // The title of the chart says that these are response times.
    .map((line) => ({ ...line, brief: plot.id === "latencies" ? line.name?.replace("response ", "") : line.name }))
    .filter((line) => line.values && (seen(line.values) || line.column === "achieved"));
}

/** The middle of each row, in seconds. */
function middles() {
  return view.rows.map((row) => row.t + row.d / 2);
}

/** The start of the first row and the end of the last, in seconds. */
function reach() {
  const last = view.rows[view.rows.length - 1];
  return last ? [view.rows[0].t, last.t + last.d] : [0, 1];
}

function isLong() {
  return reach()[1] > 600;
}

const PHASES = ["prepare", "warm-up", "ramp", "steady", "drain"];

/** The phases over time: from the view or, while the run is in progress, from its rows. */
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

/** The time and the phase of a row, as text. */
function when(row) {
  const end = row.t + row.d;
  const text = isLong()
    ? `${clock(row.t, true)} to ${clock(end, true)}`
    : `${significant(row.t, 6)} to ${significant(end, 6)} s`;
  return `${text}, ${PHASES[row.p]}`;
}
