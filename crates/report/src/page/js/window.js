// The part of a run that the charts are zoomed to: its figures in place of those of the whole run, and a table of its
// operations. Rates are exact. Percentiles follow from the classes of the heat map, which are added up over the rows.

/** The rows whose middle is visible; none while the whole run is. */
let inside = [];
let counting = null;

/** Notes what the charts over time are zoomed to. */
function lookAt(from, to) {
  const xs = middles();
  const isAll = xs.length < 2 || (from <= xs[0] && to >= xs[xs.length - 1]);
  inside = isAll ? [] : view.rows.filter((row) => row.t + row.d / 2 >= from && row.t + row.d / 2 <= to);
  if (counting === null) counting = requestAnimationFrame(recount);
}

/** Shows the figures of the whole run again. */
function whole() {
  inside = [];
  recount();
}

/** The mean of a column over rows, each by its length; null if it was never measured. */
function mean(key, of) {
  const place = (of === null ? view.columns : view.own).findIndex((known) => known.key === key);
  let [sum, seconds] = [0, 0];
  for (const row of inside) {
    const value = of === null ? row.v[place] : (row.o[of] || [])[place];
    if (value === null || value === undefined) continue;
    sum += value * row.d;
    seconds += row.d;
  }
  return seconds > 0 ? sum / seconds : null;
}

/** A quantile of the response times of the rows, in milliseconds, from classes that are a fifth wide. */
function quantile(share, of) {
  const counts = new Map();
  let all = 0;
  for (const row of inside) {
    const [first, ...own] = of === null || !row.g ? row.h : row.g[of] || [];
    own.forEach((count, number) => counts.set(first + number, (counts.get(first + number) || 0) + count));
    all += own.reduce((sum, count) => sum + count, 0);
  }
  let before = 0;
  for (const number of [...counts.keys()].sort((a, b) => a - b)) {
    const count = counts.get(number);
    if (count > 0 && before + count >= share * all) return edge(number + (share * all - before) / count);
    before += count;
  }
  return null;
}

/** The name of a row of the table, and its figures. */
function counted(name, of) {
  const figures = [mean("achieved", of), mean("goodput", of), mean("errors", of)];
  return [name, ...figures, quantile(0.5, of), quantile(0.99, of)];
}

/** Fills the four figures and the table, or removes them. */
function recount() {
  counting = null;
  const place = document.getElementById("result");
  if (!place || !view) return;
  let box = place.querySelector(".window");
  const figures = [...place.querySelectorAll("[data-figure]")];
  if (inside.length === 0) {
    if (!box) return;
    box.remove();
    figures.forEach((one) => { if (one.whole !== undefined) one.firstChild.data = one.whole; });
    place.classList.remove("zoomed");
    return;
  }
  if (!box) {
    box = element("div", { class: "window", role: "status" });
    place.querySelector(".four")?.after(box);
    place.classList.add("zoomed");
  }
  const failed = (mean("errors", null) || 0) + (mean("dropped", null) || 0);
  const due = (mean("goodput", null) || 0) + failed;
  const shown = {
    achieved: mean("achieved", null), p50: quantile(0.5, null), p99: quantile(0.99, null),
    failed: due > 0 ? (100 * failed) / due : null,
  };
  for (const one of figures) {
    if (one.whole === undefined) one.whole = one.firstChild.data;
    one.firstChild.data = short(shown[one.dataset.figure]) + " ";
  }
  const last = inside[inside.length - 1];
  const [from, to] = [clock(inside[0].t, isLong()), clock(last.t + last.d, isLong())];
  const rows = view.operations.length > 1 ? view.operations.map(counted) : [];
  const titles = ["operation", "achieved /s", "goodput /s", "errors /s", "about p50 ms", "about p99 ms"];
  const cell = (value, place) => (place === 0
    ? element("th", { scope: "row", class: "name" }, value) : element("td", {}, short(value)));
  const table = element("table", {},
    element("caption", { class: "away" }, "Operations in the window"),
    element("thead", {}, element("tr", {}, ...titles.map((title, place) => (
      element("th", { scope: "col", class: place === 0 ? "name" : null }, title))))),
    element("tbody", {}, ...[counted("all", null), ...rows].map((row) => element("tr", {}, ...row.map(cell)))));
  box.replaceChildren(
    element("p", {}, element("b", {}, `From ${from} to ${to}. `),
      "The figures above are those of this part; percentiles are right to a tenth. ",
      element("button", { type: "button", onclick: showAll }, "Show the whole run")),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Operations in the window" }, table),
  );
}

/** Zooms all charts over time out. */
function showAll() {
  const first = charts.find((one) => one.over);
  if (!first) return;
  const xs = first.chart.data[0];
  first.chart.setScale("x", { min: xs[0], max: xs[xs.length - 1] });
}
