// Scales, axes and line styles for uPlot.

const FONT = "12px system-ui, sans-serif";
const DASHES = [[], [7, 3], [10, 2, 2, 2], [9, 3, 2, 3], [12, 4], [4, 2, 1, 2, 1, 2]];

/** Rounds a value up or down to 1, 2 or 5 times a power of ten. */
function round125(value, up) {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const steps = up ? [1, 2, 5, 10] : [10, 5, 2, 1];
  const fits = (step) => (up ? step * power >= value * 0.9999 : step * power <= value * 1.0001);
  return steps.find(fits) * power;
}

function valueScale(logarithmic) {
  if (!logarithmic) {
    return { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] };
  }
  const range = (_, low, high) => {
    if (!(low > 0) || !(high > 0)) return [0.1, 10];
    const [from, to] = [round125(low, false), round125(high, true)];
    return from < to ? [from, to] : [from / 2, to * 2];
  };
  return { distr: 3, range };
}

function axis(more) {
  return {
    stroke: colour("faint"),
    font: FONT,
    grid: { stroke: colour("rule"), width: 1 },
    ticks: { show: false },
    ...more,
  };
}

/** The ticks of a logarithmic axis: 1, 2 and 5 times powers of ten, or only the powers if there would be too many. */
function powers(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    found.push(...[1, 2, 5].map((step) => step * 10 ** power));
  }
  const within = found.filter((value) => value >= low * 0.9999 && value <= high * 1.0001);
  return within.length <= 10 ? within : within.filter((value) => Math.abs(Math.log10(value) % 1) < 1e-9);
}

function valueAxis(logarithmic) {
  const values = (_, ticks) => ticks.map((tick) => (tick === null ? "" : short(tick)));
  if (!logarithmic) return axis({ size: 52, gap: 6, values });
  const splits = (_, number, low, high) => powers(low, high);
  return axis({ size: 52, gap: 6, values, splits, filter: (_, ticks) => ticks });
}

function timeAxis() {
  return axis({ size: 30, space: 70, values: (_, ticks) => ticks.map((tick) => clock(tick, isLong())) });
}

/** The style of a line: lines differ by dash as well as by colour. Reference lines are thin and dotted. */
function look(line) {
  return {
    label: line.name,
    stroke: colour(`series${line.series}`),
    width: line.faint ? 1.25 : 2,
    dash: line.faint ? [2, 4] : DASHES[line.series % DASHES.length],
    points: { show: () => view.rows.length <= 40 && !line.faint, size: 5 },
  };
}

/** A sample of a line, for the legend. */
function swatch(line) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const set = (node, attributes) => Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  set(picture, { width: 22, height: 8, viewBox: "0 0 22 8", "aria-hidden": "true" });
  const { stroke, width, dash } = look(line);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  set(path, { d: "M0 4h22", stroke, "stroke-width": width, "stroke-dasharray": dash.join(" ") });
  picture.append(path);
  return picture;
}

/** Shades the phases that are not measured. */
function shade(chart) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  for (const span of spans().filter((span) => span.name !== "steady")) {
    const from = chart.valToPos(span.from_s, "x", true);
    const to = chart.valToPos(span.to_s, "x", true);
    ctx.fillStyle = colour("shade");
    ctx.fillRect(from, bbox.top, to - from, bbox.height);
    ctx.fillStyle = colour("faint");
    const padding = 5 * devicePixelRatio;
    if (to - from > ctx.measureText(span.name).width + 2 * padding) {
      ctx.fillText(span.name, from + padding, bbox.top + padding);
    }
  }
  ctx.restore();
}
