// The frame of every chart: a legend that shows values and toggles lines, a cursor that the keyboard can move, a zoom
// that all charts over time share, and a table of the data.

const HEIGHT = 260;
const GROUP = "time";

/** Builds a chart in its element. `make` returns the parts that depend on the kind of chart: lines, data, scales, axes,
 *  what is drawn below and above the lines, a label for the position of the cursor, and the data as rows. It is called
 *  again when rows were added. */
function frame(host, plot, make) {
  let parts = make();
  const over = parts.group === GROUP;
  const at = element("span", { class: "at" });
  const spoken = element("span", { class: "away", "aria-live": "polite" });
  const legend = element("div", { class: "legend" }, at, spoken);
  const canvas = element("div", {
    class: "canvas", tabindex: "0", role: "group",
    "aria-label": `${plot.title}, chart. Arrow keys move the cursor, plus and minus zoom, 0 shows all.`,
  });
  host.replaceChildren(legend, canvas, behind(plot, () => parts.figures()));
  const entries = parts.lines.map((line, number) => entry(line, number + 1));
  legend.append(...entries.map((one) => one.button));

  const read = (chart) => {
    const place = chart.cursor.idx;
    const known = place !== null && place !== undefined;
    at.textContent = known ? parts.place(place) : "";
    entries.forEach((one, number) => {
      one.value.textContent = known ? exact(chart.data[number + 1][place], parts.lines[number].unit) : "";
    });
    if (parts.pointed) parts.pointed(chart, at);
  };
  const linked = (chart, key) => {
    if (over && key === "x") link(chart);
  };
  // `range` is looked up in the current parts on each call, so that a scale includes rows that were added later.
  const scale = (name) => {
    const { range, ...rest } = parts[name];
    return range ? { ...rest, range: (...given) => parts[name].range(...given) } : rest;
  };
  const chart = new uPlot({
    width: width(canvas), height: parts.height || HEIGHT,
    legend: { show: false },
    padding: parts.padding,
    cursor: {
      sync: over ? { key: GROUP } : undefined,
      drag: { x: true, y: false, dist: 6 },
      focus: { prox: 16 },
      points: { size: 6, width: 2 },
    },
    scales: { x: scale("x"), y: scale("y"), ...(parts.n && { n: scale("n") }) },
    axes: parts.axes,
    series: [{}, ...parts.series],
    hooks: {
      drawClear: [(chart) => parts.below && parts.below(chart)],
      draw: [(chart) => parts.above && parts.above(chart)],
      setCursor: [read],
      setScale: [linked],
    },
  }, parts.data, canvas);
  entries.forEach((one) => one.bind(chart));
  canvas.addEventListener("keydown", (event) => {
    if (keyed(chart, event.key, event.shiftKey)) {
      event.preventDefault();
      const shown = entries.filter((one) => one.isShown()).map((one) => one.button.textContent);
      spoken.textContent = [at.textContent, ...shown].join(", ");
    }
  });
  const resized = new ResizeObserver(() => chart.setSize({ width: width(canvas), height: parts.height || HEIGHT }));
  resized.observe(canvas);
  /** Updates the chart after rows were added. Returns false if its lines have changed: it must then be rebuilt. */
  const refresh = () => {
    const next = make();
    const names = (parts) => parts.lines.map((line) => line.name).join();
    if (names(next) !== names(parts)) return false;
    const all = isWhole(chart);
    parts = next;
    chart.setData(parts.data, all);
    if (!all) chart.redraw();
    return true;
  };
  const end = () => {
    resized.disconnect();
    chart.destroy();
  };
  return { plot, chart, over, refresh, end };
}

/** Whether the whole run is visible. */
function isWhole(chart) {
  const xs = chart.data[0];
  return xs.length < 2 || (chart.scales.x.min <= xs[0] && chart.scales.x.max >= xs[xs.length - 1]);
}

function width(canvas) {
  return Math.max(280, canvas.clientWidth);
}

/** A legend entry: a button that toggles its line and shows the value at the cursor. */
function entry(line, number) {
  const value = element("b", {});
  const button = element("button", { type: "button", "aria-pressed": String(!line.hidden) },
    swatch(line), `${line.brief ?? line.name} `, value);
  const isShown = () => button.getAttribute("aria-pressed") === "true";
  const bind = (chart) => button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(!isShown()));
    chart.setSeries(number, { show: isShown() });
  });
  return { value, button, isShown, bind };
}

/** Moves the cursor or changes the zoom by a key. Returns whether the key was handled. */
function keyed(chart, key, far) {
  const xs = chart.data[0];
  const { min, max } = chart.scales.x;
  const middle = chart.cursor.idx === null || chart.cursor.idx === undefined ? (min + max) / 2 : xs[chart.cursor.idx];
  const move = (index) => {
    const place = Math.min(xs.length - 1, Math.max(0, index));
    const left = chart.valToPos(xs[place], "x");
    chart.setCursor({ left, top: chart.over.clientHeight / 2 }, true, true);
  };
  const zoom = (factor) => {
    const half = ((max - min) / 2) * factor;
    chart.setScale("x", { min: Math.max(xs[0], middle - half), max: Math.min(xs[xs.length - 1], middle + half) });
  };
  const here = chart.cursor.idx ?? (key === "ArrowLeft" ? xs.length : -1);
  const acts = {
    ArrowLeft: () => move(here - (far ? 10 : 1)),
    ArrowRight: () => move(here + (far ? 10 : 1)),
    Home: () => move(0),
    End: () => move(xs.length - 1),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    0: () => chart.setScale("x", { min: xs[0], max: xs[xs.length - 1] }),
    Escape: () => chart.setScale("x", { min: xs[0], max: xs[xs.length - 1] }),
  };
  if (xs.length === 0 || !acts[key]) return false;
  acts[key]();
  return true;
}

/** The data of a chart: a table that is built when it is opened, and a button that copies the data as CSV. */
function behind(plot, figures) {
  const details = element("details", { class: "behind" }, element("summary", {}, "Figures"));
  details.addEventListener("toggle", () => {
    details.querySelector(".scroll")?.remove();
    if (!details.open) return;
    const [titles, ...rows] = figures();
    const head = element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)));
    const body = rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, String(cell ?? NONE)))));
    const table = element("table", {},
      element("caption", { class: "away" }, plot.title), element("thead", {}, head), element("tbody", {}, ...body));
    details.append(element("div", {
      class: "scroll tall", tabindex: "0", role: "region", "aria-label": `${plot.title}, figures`,
    }, table));
  });
  return element("div", { class: "tools" }, details, copier("Copy CSV", () => csv(figures())));
}
