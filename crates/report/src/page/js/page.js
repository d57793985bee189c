// The page: draws what a view holds, and what is added to it. The contract is told in crates/report/src/view/mod.rs.

// Sections are made by the program, which escapes what is in them. A server may ask that only this makes elements of text.
const RULES = { createHTML: (html) => html };
const made = window.trustedTypes ? trustedTypes.createPolicy("brunt", RULES) : RULES;

let charts = [];
let drawing = null;

const MADE = { lines: linesOf, heat: heatOf, spectrum: spectrumOf };

/** Shows the part of the run that one chart shows in all the others over time. */
function link(from) {
  const { min, max } = from.scales.x;
  for (const { chart, over } of charts) {
    const other = chart.scales.x;
    if (over && chart !== from && (other.min !== min || other.max !== max)) chart.setScale("x", { min, max });
  }
}

/** Whether there is anything to see in a chart. */
function isEmpty(plot) {
  if (plot.kind === "spectrum") return view.spectra.every((spectrum) => spectrum.response.length === 0);
  if (plot.kind === "heat") return view.rows.every((row) => taken(row).length === 0);
  return lines(plot).every((line) => line.values.every((value) => !value));
}

/** Draws every chart anew. */
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

/** Draws what was added: new data into charts that stay, so that nobody loses a cursor or the focus; all anew where
 *  another line or chart has come up. */
function redraw() {
  drawing = null;
  if (view === null) return;
  const shown = view.plots.filter((plot) => place(plot.id) && !isEmpty(plot)).map((plot) => plot.id);
  const same = shown.length === charts.length && charts.every((one) => shown.includes(one.plot.id));
  if (!same || !charts.every((one) => one.chart.root.isConnected && one.refresh())) draw();
}

/** Where a chart belongs. */
function place(id) {
  return document.querySelector(`figure[data-plot="${CSS.escape(id)}"]`);
}

function soon() {
  if (drawing === null) drawing = requestAnimationFrame(redraw);
}

/** Lets a reader choose an operation. */
function choices() {
  for (const place of document.querySelectorAll("[data-choice]:empty")) {
    if (!view || view.operations.length < 2) continue;
    const options = view.operations.map((name, number) => element("option", { value: number }, name));
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
  /** Replaces what is shown. */
  show(next) {
    view = next;
    chosen = null;
    document.querySelectorAll("[data-choice]").forEach((place) => place.replaceChildren());
    choices();
    draw();
  },
  /** Adds a row, or several. */
  append(rows) {
    if (view === null) return;
    view.rows.push(...(Array.isArray(rows) ? rows : [rows]));
    soon();
  },
  /** Replaces words and tables: the inner HTML of sections, by their ids. */
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
  /** What is drawn, for tests and for those who look behind the page. */
  charts: () => charts.map(({ plot, chart }) => ({ id: plot.id, chart })),
};
window.brunt = brunt;

document.documentElement.classList.add("js");
enliven(document);
const island = document.getElementById("view");
if (island) brunt.show(JSON.parse(island.textContent));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
