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

/** The scale of values. A limit is visible, unless it is so far above the values that these could not be seen. */
function valueScale(logarithmic, limit) {
  const near = (high) => (limit && (logarithmic || limit.value < 6 * high) ? Math.max(high, limit.value) : high);
  if (!logarithmic) {
    return { range: (_, low, high) => [0, high > 0 ? near(high) * 1.08 : 1] };
  }
  const range = (_, low, high) => {
    if (!(low > 0) || !(high > 0)) return [0.1, 10];
    const least = limit ? Math.min(low, limit.value) : low;
    const [from, to] = [round125(least, false), round125(near(high), true)];
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

/** The axis of lines whose unit is not that of the chart, on the other side. */
function otherAxis() {
  return { ...valueAxis(false), scale: "n", side: 1, size: 40, grid: { show: false } };
}

/** The axis of time. The last of several charts below each other has its label. */
function timeAxis(isLabelled = true) {
  const label = isLong() ? "hours, minutes and seconds since the beginning" : "since the beginning";
  const values = (_, ticks) => ticks.map((tick) => clock(tick, isLong()));
  if (!isLabelled) return axis({ size: 26, space: 70, values });
  return axis({ size: 26, space: 70, values, label, labelSize: 18, labelFont: FONT, labelGap: 0 });
}

/** The style of a line: lines differ by dash as well as by colour. Reference lines are thin and dotted. */
function look(line) {
  return {
    label: line.name,
    stroke: line.faint ? colour("ink") : colour(`series${line.series}`),
    width: line.faint ? 1.25 : 2,
    dash: line.faint ? [2, 4] : DASHES[line.series % DASHES.length],
    points: { show: () => view.rows.length <= 40 && !line.faint, size: 5 },
    show: !line.hidden,
    fill: line.area ? colour("wash") : undefined,
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

/** Draws the limit of an objective. What lies above it is red. */
function limited(plot) {
  return (chart) => {
    const number = chart.series.findIndex((series) => series.key === plot.limit.column);
    const { ctx, bbox } = chart;
    const y = chart.valToPos(plot.limit.value, "y", true);
    if (number < 1 || y < bbox.top) return;
    const xs = chart.data[0];
    const points = chart.data[number]
      .map((value, at) => [value, at])
      .filter(([value]) => value > 0)
      .map(([value, at]) => [chart.valToPos(xs[at], "x", true), chart.valToPos(value, "y", true)]);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, y - bbox.top);
    ctx.clip();
    ctx.beginPath();
    points.forEach(([x, high]) => ctx.lineTo(x, high));
    if (points.length > 0) {
      ctx.lineTo(points[points.length - 1][0], y);
      ctx.lineTo(points[0][0], y);
    }
    ctx.fillStyle = colour("over");
    if (chart.series[number].show) ctx.fill();
    ctx.restore();
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour("ink");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([7 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = "right";
    ctx.fillText(plot.limit.text, bbox.left + bbox.width - 4 * devicePixelRatio, y - 5 * devicePixelRatio);
    ctx.restore();
  };
}

/** Writes the names of lines at their ends, where there is room beside the chart. */
function named(shown) {
  return (chart) => {
    const { ctx, bbox } = chart;
    const ends = shown.map((line, at) => [line, chart.series[at + 1], chart.data[at + 1]])
      .filter(([, series, values]) => series.show && values.some((value) => value > 0))
      .map(([line, series, values]) => {
        const last = values.findLast((value) => value !== null && value > 0);
        const y = chart.valToPos(last, series.scale, true);
        return { name: line.brief, y, stroke: series.stroke };
      })
      .sort((a, b) => a.y - b.y);
    ctx.save();
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    let free = -Infinity;
    for (const end of ends) {
      end.y = Math.max(end.y, free);
      free = end.y + 14 * devicePixelRatio;
    }
    const other = chart.axes[2]?._show ? chart.axes[2]._size * devicePixelRatio : 0;
    const over = ends.length > 0 ? Math.max(0, ends[ends.length - 1].y - bbox.top - bbox.height) : 0;
    for (const end of ends) {
      ctx.fillStyle = end.stroke(chart);
      const x = bbox.left + bbox.width + other + 6 * devicePixelRatio;
      ctx.fillText(end.name, x, end.y - over + 4 * devicePixelRatio);
    }
    ctx.restore();
  };
}

/** What happened outside of the run, where the page says so: seconds from its beginning, and a label. */
const happened = JSON.parse(document.getElementById("annotations")?.textContent ?? "[]");

/** Draws a line with a label for each thing that happened. */
function annotate({ ctx, bbox }, place) {
  ctx.strokeStyle = ctx.fillStyle = colour("link");
  ctx.setLineDash([5 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const [number, one] of happened.entries()) {
    const at = place(one.t);
    ctx.beginPath();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
    // On the side where there is more room, on one of three lines.
    const isRight = at > bbox.left + bbox.width / 2;
    ctx.textAlign = isRight ? "right" : "left";
    const y = bbox.top + bbox.height - (18 + 13 * (number % 3)) * devicePixelRatio;
    ctx.fillText(one.label, at + (isRight ? -4 : 4) * devicePixelRatio, y);
  }
}

/** Shades the phases that are not measured, and shows what happened. */
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
  annotate(chart, (t) => chart.valToPos(t, "x", true));
  ctx.restore();
}
