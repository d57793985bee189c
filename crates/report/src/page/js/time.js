// Charts over time: lines, and the heat map of latencies.

/** The scale of charts over time. Zoomed out, it covers all steps whole, and not only from middle to middle. */
function timeScale() {
  const xs = middles();
  const [from, to] = reach();
  const isAll = (low, high) => low === null || (low <= xs[0] && high >= xs[xs.length - 1]);
  return { time: false, range: (_, low, high) => (isAll(low, high) ? [from, to] : [low, high]) };
}

/** Whether there is room for names beside a chart. */
function isRoomy() {
  return innerWidth > 700;
}

function linesOf(plot) {
  const shown = lines(plot);
  const figures = () => [
    ["from_s", "to_s", "phase", ...shown.map((line) => (line.unit ? `${line.name} (${line.unit})` : line.name))],
    ...view.rows.map((row, number) => [
      row.t, Number((row.t + row.d).toFixed(3)), PHASES[row.p], ...shown.map((line) => line.values[number]),
    ]),
  ];
  // Those at the top of the page are below each other, and so have the same room beside them.
  const ends = ["rates", "waiting", "latencies"].includes(plot.id);
  const beside = (line) => line.unit !== plot.unit;
  const above = [plot.limit && chosen === null && limited(plot), ends && isRoomy() && named(shown)].filter(Boolean);
  return {
    group: GROUP, lines: shown, figures,
    data: [middles(), ...shown.map((line) => line.values)],
    series: shown.map((line) => ({ ...look(line), key: line.column, scale: beside(line) ? "n" : "y" })),
    x: timeScale(), y: valueScale(plot.logarithmic, chosen === null && plot.limit),
    // It is there while one of its lines is.
    n: shown.some(beside) && { range: (_, low, high) => (high === null ? [null, null] : [0, high * 1.08 || 1]) },
    axes: [timeAxis(plot.id !== "rates" && plot.id !== "waiting"), valueAxis(plot.logarithmic), ...(shown.some(beside) ? [otherAxis()] : [])],
    padding: [8, ends && isRoomy() ? 86 : 8, 0, 0],
    height: ends ? 150 : 200,
    below: shade,
    above: (chart) => above.forEach((draw) => draw(chart)),
    place: (row) => when(view.rows[row]),
  };
}

/** The number of shades of a heat map. */
const SHADES = 32;

/** The lower bound of a latency class, in milliseconds. */
function edge(number) {
  return view.heat.least_ms * 10 ** (number / view.heat.per_decade);
}

/** The number of exchanges of a row in a class. */
function inClass(row, number) {
  const [first, ...counts] = taken(row);
  return counts[number - first] ?? 0;
}

/** The range of classes that occur in any row: the first, and one past the last. */
function classes() {
  const rows = view.rows.map(taken).filter((counts) => counts.length > 0);
  if (rows.length === 0) return [0, 1];
  return [Math.min(...rows.map((counts) => counts[0])), Math.max(...rows.map((counts) => counts[0] + counts.length - 1))];
}

/** The colours of a heat map, from the fewest exchanges to the most. */
function heatColours(steps) {
  const parts = (name) => [1, 3, 5].map((at) => parseInt(colour(name).slice(at, at + 2), 16));
  const [least, most] = [parts("heat-least"), parts("heat-most")];
  const mixed = (share) => least.map((part, at) => Math.round(part + (most[at] - part) * share));
  return Array.from({ length: steps + 1 }, (_, step) => `rgb(${mixed(step / steps).join()})`);
}

function heatOf() {
  const [first, last] = classes();
  const counts = (row) => taken(row).slice(1);
  const most = Math.max(1, ...view.rows.flatMap((row) => counts(row).map((count) => count / row.d)));
  const colours = heatColours(SHADES);
  const paint = (chart) => {
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const row of view.rows) {
      const from = Math.floor(chart.valToPos(row.t, "x", true));
      const to = Math.ceil(chart.valToPos(row.t + row.d, "x", true));
      counts(row).forEach((count, number) => {
        if (count === 0) return;
        const place = (number) => Math.round(chart.valToPos(edge(taken(row)[0] + number), "y", true));
        const [bottom, top] = [place(number), place(number + 1)];
        ctx.fillStyle = colours[Math.round(SHADES * Math.log1p(count / row.d) / Math.log1p(most))];
        ctx.fillRect(from, top, to - from, bottom - top);
      });
    }
    ctx.restore();
  };
  const range = [edge(first), edge(last)];
  const numbers = Array.from({ length: last - first }, (_, number) => first + number);
  const figures = () => [
    ["from_s", "to_s", "phase", ...numbers.map((number) => `from ${significant(edge(number), 3)} ms`)],
    ...view.rows.map((row) => [
      row.t, Number((row.t + row.d).toFixed(3)), PHASES[row.p],
      ...numbers.map((number) => inClass(row, number)),
    ]),
  ];
  return {
    group: GROUP, lines: [], figures,
    data: [middles(), view.rows.map(() => null)],
    series: [{ show: true, paths: () => null, points: { show: false } }],
    x: timeScale(), y: { distr: 3, range: () => range },
    axes: [timeAxis(), valueAxis(true)],
    below: shade, above: paint,
    place: (row) => when(view.rows[row]),
    pointed: (chart, at) => {
      const row = view.rows[chart.cursor.idx];
      if (!row || chart.cursor.top < 0) return;
      const under = chart.posToVal(chart.cursor.top, "y");
      const number = Math.floor(Math.log10(under / view.heat.least_ms) * view.heat.per_decade + 1e-9);
      const [least, most] = [number, number + 1].map((number) => significant(edge(number), 3));
      at.textContent += `: ${inClass(row, number).toLocaleString("en")} ${view.noun} took ${least} to ${most} ms`;
    },
  };
}
