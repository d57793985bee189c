// The progress of an active run, wherever a page shows it: a bar, and words that the server has made.
function progress(status) {
  for (const place of document.querySelectorAll("[data-shown]")) {
    const text = status.shown[place.dataset.shown];
    if (place.textContent !== text) place.textContent = text;
  }
  const bar = document.querySelector("progress");
  if (!bar) return;
  bar.value = Math.min(status.reached_s, bar.max);
  bar.hidden = status.state === "queued";
}

// The panel of the active run on other pages than its own. A page that is hidden does not occupy a connection.
document.addEventListener("DOMContentLoaded", () => {
  const panel = document.querySelector("[data-going]");
  if (!panel) return;
  let source = null;
  let begun = null;
  // Other runs and results have changed with it. What somebody is typing is not taken away.
  function again() {
    source.close();
    const field = document.activeElement;
    if (!field || !field.matches("input,textarea,select")) setTimeout(() => location.reload(), 500);
  }
  function follow() {
    source?.close();
    if (document.hidden) return;
    source = new EventSource(panel.dataset.going);
    source.addEventListener("state", (event) => {
      const status = JSON.parse(event.data);
      const waits = status.state === "queued";
      begun = begun ?? waits;
      if (begun !== waits) again();
      else progress(status);
    });
    source.addEventListener("end", again);
  }
  document.addEventListener("visibilitychange", follow);
  follow();
});

// The moment that is marked is that at which its form was opened, and not that at which its label was typed.
document.addEventListener("DOMContentLoaded", () => {
  const menu = document.querySelector("[data-moment]");
  if (!menu) return;
  const form = menu.querySelector("form");
  // A form that was not accepted was opened on the page before.
  let opened = performance.now() - 1000 * Number(form.elements.ago.value);
  menu.querySelector("summary").addEventListener("click", () => { if (!menu.open) opened = performance.now(); });
  menu.addEventListener("toggle", () => { if (menu.open) form.elements.label.focus(); });
  form.addEventListener("submit", () => {
    form.elements.ago.value = Math.round((performance.now() - opened) / 1000);
  });
});

// The page of a run in progress: shows its events, and is replaced by the page of the finished run when it is over.
document.addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector("[data-live]");
  if (!place || !window.brunt) return;
  const state = document.querySelector("[data-state]");
  const reason = document.querySelector("[data-reason]");
  // The content of each section. A section whose content does not change keeps its charts.
  const told = new Map();
  let shown = null;

  function arrange(ids) {
    for (const section of place.querySelectorAll("section")) {
      if (!ids.includes(section.id)) section.remove();
    }
    ids.forEach((id, number) => {
      if (document.getElementById(id)) return;
      const section = document.createElement("section");
      section.id = id;
      let before = number > 0 ? document.getElementById(ids[number - 1]) : null;
      // The buttons and the progress come after what is at the top.
      while (before?.nextElementSibling?.matches("div")) before = before.nextElementSibling;
      if (before) before.after(section);
      else place.prepend(section);
    });
  }

  function sections(parts) {
    arrange(parts.map(([id]) => id));
    const changed = parts.filter(([id, html]) => told.get(id) !== html);
    const figures = () => [...place.querySelectorAll("figure[data-plot]")];
    const drawn = new Map(figures().map((figure) => [figure.dataset.plot, figure]));
    changed.forEach(([id, html]) => told.set(id, html));
    window.brunt.sections(Object.fromEntries(changed));
    // The record names the command; the site knows what the run is called.
    const title = place.querySelector("#top h1");
    if (title && title.textContent !== place.dataset.name) title.textContent = place.dataset.name;
    for (const figure of figures()) {
      const old = drawn.get(figure.dataset.plot);
      if (old && old !== figure) figure.replaceWith(old);
    }
  }

  const source = new EventSource(place.dataset.live);
  const on = (name, act) => source.addEventListener(name, (event) => act(event.data && JSON.parse(event.data)));
  on("view", (view) => {
    shown = view;
    window.brunt.show(view);
  });
  on("rows", (rows) => window.brunt.append(rows));
  on("sections", (parts) => {
    sections(parts.sections);
    if (!shown) return;
    shown.spectra = parts.spectra;
    window.brunt.append([]);
  });
  on("state", (status) => {
    // The state is only written when it changes, so that screen readers do not announce it every second.
    if (state.textContent !== status.state) state.textContent = status.state;
    progress(status);
    const moment = place.querySelector("[data-moment]");
    if (moment) moment.hidden = status.state === "queued";
    reason.textContent = status.reason || "";
  });
  on("end", () => {
    source.close();
    // The finished run has a separate page, which is available shortly after the end.
    setTimeout(() => location.reload(), 300);
  });
  source.onerror = () => {
    reason.textContent = source.readyState === EventSource.CLOSED
      ? "The connection is lost. Reload the page."
      : "The connection is lost. Trying again.";
  };
  source.onopen = () => { reason.textContent = ""; };
});
