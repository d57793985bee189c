// The percentile spectrum: latency by percentile, on an axis that is stretched towards the slowest exchanges.

/** Ticks at 0 %, 50 %, 90 %, 99 % and so on. */
const MARKS = [0, Math.log10(2), 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** The position of a quantile on the axis: each whole step adds a nine. */
function nines(quantile) {
  return -Math.log10(1 - quantile);
}

/** The percentile at a position on the axis. */
function percent(place) {
  if (place < 0.01) return "0 %";
  return `${Number((100 * (1 - 10 ** -place)).toFixed(Math.max(1, Math.ceil(place) - 1)))} %`;
}

function pairs(flat) {
  const found = [];
  for (let at = 0; at < flat.length; at += 2) found.push([flat[at], flat[at + 1]]);
  return found;
}

function spectrumOf(plot) {
  const name = chosen === null ? "all" : view.operations[chosen];
  const spectrum = view.spectra.find((one) => one.name === name) || view.spectra[0] || { response: [], service: [] };
  const kinds = [["response", 0], ["service", 1]].filter(([kind]) => spectrum[kind].length > 0);
  const shown = kinds.map(([kind, series]) => ({ name: kind, unit: "ms", series, faint: false }));
  const tables = kinds.map(([kind]) => {
    const points = pairs(spectrum[kind]);
    return [points.map(([quantile]) => nines(quantile)), points.map(([, millis]) => millis)];
  });
  const data = tables.length > 0 ? uPlot.join(tables.map(dropped)) : [[], []];
  // Between two points of a line, the value at the higher percentile is an upper bound.
  for (const line of data.slice(1)) fill(line);
  const figures = () => [
    ["kind", "percentile", "ms"],
    ...kinds.flatMap(([kind]) => pairs(spectrum[kind]).map(
      ([quantile, millis]) => [kind, Number((100 * quantile).toFixed(7)), millis],
    )),
  ];
  const ticks = (_, number, low, high) => MARKS.filter((tick) => tick >= low && tick <= high);
  return {
    group: plot.id, lines: shown, figures, data, height: 320,
    series: shown.map((line) => ({ ...look(line), points: { show: false } })),
    x: { time: false }, y: valueScale(true),
    axes: [
      axis({
        size: 26, splits: ticks, values: (_, ticks) => ticks.map(percent),
        label: "share of requests, logarithmic towards 100 %", labelSize: 18, labelFont: FONT, labelGap: 0,
      }),
      valueAxis(true),
    ],
    place: (row) => `${percent(data[0][row])} took at most`,
  };
}

/** Keeps one value for each position, the greatest: the first steps of a spectrum may share a position. */
function dropped([places, values]) {
  const last = places.map((place, at) => at === places.length - 1 || places[at + 1] !== place);
  return [places.filter((_, at) => last[at]), values.filter((_, at) => last[at])];
}

/** Fills gaps with the value that follows, which is an upper bound there. */
function fill(line) {
  let next = null;
  for (let at = line.length - 1; at >= 0; at -= 1) {
    if (line[at] === null || line[at] === undefined) line[at] = next;
    else next = line[at];
  }
}
