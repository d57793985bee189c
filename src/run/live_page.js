// The live part of a run's page: takes what the run has to tell, and says whether it still does.
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
  // The view that the page has, and reads again whenever it draws.
  let shown = null;
  const live = () => say(`Live: the run has gone on for ${clock(reached)}.`, "\u25cf ");

  // What each section says. One whose words stay keeps its charts as they are, with what a reader has chosen there.
  const told = new Map();

  /** Makes room for sections that came up since, where they belong, and removes those that are no more. */
  function arrange(ids) {
    for (const section of main.querySelectorAll("section")) {
      if (!ids.includes(section.id)) section.remove();
    }
    ids.forEach((id, place) => {
      if (document.getElementById(id)) return;
      const section = document.createElement("section");
      section.id = id;
      const before = place > 0 ? document.getElementById(ids[place - 1]) : state;
      before.after(section);
    });
  }

  function contents() {
    const list = document.querySelector("nav ul");
    if (!list) return;
    const links = [...main.querySelectorAll("section > h2")].map((heading) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = "#" + heading.parentElement.id;
      link.textContent = heading.textContent;
      item.append(link);
      return item;
    });
    list.replaceChildren(...links);
  }

  /** Whether somebody reads what is folded in a section: that stays as it is until it is closed, or the run is over. */
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
    // Words change, and charts stay, with the zoom and the cursor that a reader has there.
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
    // Draws what has changed.
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
