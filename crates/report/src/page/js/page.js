// The page: draws the charts of a view, and updates them when rows are added. The interface is documented in
// crates/report/src/view/mod.rs.

// Sections come from the program, which escapes their content. With Trusted Types, a server can require that only this
// policy turns text into elements.
const RULES = { createHTML: (html) => html };
const made = window.trustedTypes ? trustedTypes.createPolicy("brunt", RULES) : RULES;

let charts = [];
let drawing = null;

const MADE = { lines: linesOf, heat: heatOf, spectrum: spectrumOf };

/** Applies the zoom of one chart to all other charts over time. */
function link(from) {
  const { min, max } = from.scales.x;
  for (const { chart, over } of charts) {
    const other = chart.scales.x;
    if (over && chart !== from && (other.min !== min || other.max !== max)) chart.setScale("x", { min, max });
  }
  lookAt(min, max);
}

/** Whether a chart has no data to show. */
function isEmpty(plot) {
  if (plot.kind === "spectrum") return view.spectra.every((spectrum) => spectrum.response.length === 0);
  if (plot.kind === "heat") return view.rows.every((row) => taken(row).length === 0);
  return lines(plot).every((line) => line.values.every((value) => !value));
}

/** Rebuilds all charts. */
function draw() {
  charts.forEach((one) => one.end());
  charts = [];
  if (view === null) return;
  for (const figure of document.querySelectorAll("figure[data-plot]")) {
    const plot = view.plots.find((known) => known.id === figure.dataset.plot);
    if (!plot) continue;
    const host = figure.querySelector(".drawn");
    figure.hidden = isEmpty(plot);
    if (figure.hidden) host.replaceChildren();
    else charts.push(frame(host, plot, () => MADE[plot.kind](plot)));
  }
}

/** Draws added rows. Existing charts are updated in place, so that they keep the cursor and the focus; all charts are
 *  rebuilt if the set of charts or the lines of one of them have changed. */
function redraw() {
  drawing = null;
  if (view === null) return;
  const shown = view.plots.filter((plot) => place(plot.id) && !isEmpty(plot)).map((plot) => plot.id);
  const same = shown.length === charts.length && charts.every((one) => shown.includes(one.plot.id));
  if (!same || !charts.every((one) => one.chart.root.isConnected && one.refresh())) draw();
}

/** The figure element of a chart. */
function place(id) {
  return document.querySelector(`figure[data-plot="${CSS.escape(id)}"]`);
}

function soon() {
  if (drawing === null) drawing = requestAnimationFrame(redraw);
}

/** Adds the menus for selecting an operation. */
function choices() {
  for (const place of document.querySelectorAll("[data-choice]:empty")) {
    if (!view || view.operations.length < 2) continue;
    const options = view.operations.map((name, number) => element("option", { value: number }, name));
    const groups = options.splice(options.length - (view.groups || 0));
    // Exchanges of a group are also those of an operation.
    if (groups.length > 0) options.push(element("optgroup", { label: "groups of steps" }, ...groups));
    const select = element("select", {}, element("option", { value: "all" }, "all operations"), ...options);
    select.value = chosen === null ? "all" : String(chosen);
    select.addEventListener("change", () => {
      chosen = select.value === "all" ? null : Number(select.value);
      document.querySelectorAll("[data-choice] select").forEach((other) => { other.value = select.value; });
      draw();
    });
    place.append(element("label", {}, "Charts of ", select));
  }
}

const brunt = {
  /** Replaces the view. */
  show(next) {
    view = next;
    chosen = null;
    document.querySelectorAll("[data-choice]").forEach((place) => place.replaceChildren());
    choices();
    draw();
    whole();
  },
  /** Adds one row or an array of rows. */
  append(rows) {
    if (view === null) return;
    view.rows.push(...(Array.isArray(rows) ? rows : [rows]));
    soon();
  },
  /** Replaces texts and tables: the inner HTML of sections, by their ids. */
  sections(parts) {
    for (const [id, html] of Object.entries(parts)) {
      const section = document.getElementById(id);
      if (!section) continue;
      section.innerHTML = made.createHTML(html);
      enliven(section);
    }
    choices();
    soon();
  },
  /** The current charts, for tests and debugging. */
  charts: () => charts.map(({ plot, chart }) => ({ id: plot.id, chart })),
};
window.brunt = brunt;

document.documentElement.classList.add("js");
enliven(document);
const island = document.getElementById("view");
if (island) brunt.show(JSON.parse(island.textContent));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
