// The live part of a run's page: applies the events of the run, and shows whether it is still in progress.
(() => {
  const main = document.querySelector("main");
  const state = document.createElement("p");
  state.id = "live";
  state.setAttribute("role", "status");
  state.style.cssText = "margin:0 0 1rem;padding:.4rem .75rem;border-left:4px solid var(--link);background:var(--stripe)";
  main.prepend(state);
  const title = document.title;

  function say(words, mark) {
    state.textContent = words;
    document.title = mark + title;
  }

  const clock = (seconds) => {
    const whole = Math.floor(seconds);
    const two = (number) => String(number).padStart(2, "0");
    return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
  };
  let reached = 0;
  let isReport = false;
  // The view that the page draws. The page keeps this object, so that a change to it takes effect at the next redraw.
  let shown = null;
  const live = () => say(`Live: the run has gone on for ${clock(reached)}.`, "\u25cf ");

  // The content of each section. A section whose content does not change keeps its charts, with the reader's settings.
  const told = new Map();

  /** Creates new sections in the right order, and removes those that no longer exist. */
  function arrange(ids) {
    for (const section of main.querySelectorAll("section")) {
      if (!ids.includes(section.id)) section.remove();
    }
    ids.forEach((id, place) => {
      if (document.getElementById(id)) return;
      const section = document.createElement("section");
      section.id = id;
      const before = place > 0 ? document.getElementById(ids[place - 1]) : state;
      const links = before.nextElementSibling;
      const isTitled = !["result", "objectives", "next"].includes(id);
      (isTitled && links?.matches("nav") ? links : before).after(section);
    });
  }

  function contents() {
    const list = document.querySelector("nav ul");
    if (!list) return;
    const links = [...main.querySelectorAll("section:not(#objectives, #next) > h2")].map((heading) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = "#" + heading.parentElement.id;
      link.textContent = heading.textContent;
      item.append(link);
      return item;
    });
    list.replaceChildren(...links);
  }

  /** Whether the reader has opened a collapsed part of a section, outside its figures. The section is then left
   *  unchanged until the part is closed or the run is over. */
  function isRead(id) {
    const folded = document.querySelectorAll(`#${CSS.escape(id)} details[open]`);
    return !isReport && [...folded].some((one) => !one.closest("figure"));
  }

  function sections(parts) {
    arrange(parts.map(([id]) => id));
    const changed = parts.filter(([id, html]) => told.get(id) !== html && !isRead(id));
    const figures = () => [...main.querySelectorAll("figure[data-plot]")];
    const drawn = new Map(figures().map((figure) => [figure.dataset.plot, figure]));
    changed.forEach(([id, html]) => told.set(id, html));
    brunt.sections(Object.fromEntries(changed));
    // The text is replaced. Charts that were drawn stay, with the reader's zoom and cursor.
    for (const figure of figures()) {
      const old = drawn.get(figure.dataset.plot);
      if (!old || old === figure) continue;
      old.querySelector(".still").replaceChildren(...figure.querySelector(".still").childNodes);
      figure.replaceWith(old);
    }
    contents();
  }

  const reach = (row) => { reached = Math.max(reached, row.t + row.d); };
  const source = new EventSource("events");
  const on = (name, act) => source.addEventListener(name, (event) => act(event.data && JSON.parse(event.data)));
  on("view", (view) => {
    isReport = view.over;
    shown = view;
    brunt.show(view);
    view.rows.forEach(reach);
    live();
  });
  on("rows", (rows) => {
    brunt.append(rows);
    rows.forEach(reach);
    live();
  });
  on("sections", (told) => {
    sections(told.sections);
    if (!shown) return;
    shown.spectra = told.spectra;
    // Redraws the charts, because the spectra have changed.
    brunt.append([]);
  });
  on("end", () => {
    source.close();
    say(isReport
      ? "The run is over: this is its report. It stays until this tab is closed."
      : "The run failed: this is what it had told by then. brunt says why where it was started.", "");
  });
  source.onopen = live;
  source.onerror = () => {
    const gone = source.readyState === EventSource.CLOSED;
    say(gone
      ? "The connection to the run is lost, and it takes no more: this is what it had told by then."
      : "The connection to the run is lost. Trying again.", "\u25cb ");
  };
})();
