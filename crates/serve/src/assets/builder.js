// The forms of a plan. What they show and what a change makes of the text is said by the server for each change; the
// text is the truth, and what is saved.
(() => {
  const form = document.querySelector("form[data-plan]");
  const builder = document.getElementById("builder");
  if (!form || !builder) return;
  const text = form.elements.text;
  const tabs = form.querySelector("[data-tabs]");
  const source = document.getElementById("source");
  const outline = builder.querySelector("[data-outline]");
  const part = builder.querySelector("[data-part]");
  const names = document.getElementById("names");
  const library = document.getElementById("library");
  const keep = builder.querySelector("[data-keep]");
  const insert = builder.querySelector("[data-insert]");
  const undo = tabs.querySelector("[data-undo]");
  const status = tabs.querySelector("[data-edited]");
  const before = [];
  let at = [];
  let last = null;
  let shown = "form";
  let ids = 0;
  // Settled while nothing is dragged.
  let dragged = Promise.resolve();
  let released = () => {};
  const make = (name, content = "", more = {}) =>
    Object.assign(document.createElement(name), { textContent: content }, more);
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const button = (content, act, label) => {
    const made = make("button", content, { type: "button" });
    if (label) made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  };

  // One after the other, so that none is made of a text that another is changing.
  let turn = Promise.resolve();
  let asked = 0;
  const ask = (changes, focus) => {
    const [number, where] = [++asked, at];
    turn = turn.then(() => told(changes, focus, number, where));
    return turn;
  };
  async function told(changes, focus, number, where) {
    let said;
    const sent = text.value;
    try {
      const headers = { "content-type": "application/json", "x-brunt-form": form.elements.form.value };
      const body = JSON.stringify({ text: sent, changes, at: where });
      const answer = await fetch("/api/v1/edit", { method: "POST", headers, body });
      said = await answer.json();
      if (!answer.ok) throw new Error(said.detail);
    } catch (error) {
      status.textContent = `Not changed: ${error.message || "the server does not answer"}`;
      return;
    }
    // What is being dragged is not drawn anew under somebody's hand.
    await dragged;
    // What somebody typed meanwhile is not written over.
    if (text.value !== sent) {
      if (changes.length > 0) status.textContent = "Not changed: the text was changed meanwhile.";
      ask([], focus);
      return;
    }
    if (said.text !== sent) {
      before.push(text.value);
      text.value = said.text;
      text.dispatchEvent(new Event("input"));
    }
    undo.disabled = before.length === 0;
    status.textContent = said.fault ? `Not changed: ${said.fault}.` : "";
    last = said;
    // Where somebody wants to be who has asked for more meanwhile is said by what they asked last.
    if (said.form && number === asked) at = said.form.path;
    draw(said, focus);
  }

  function draw(said, focus) {
    const active = document.activeElement;
    const key = focus || (builder.contains(active) && active.dataset ? active.dataset.key : "");
    names.dataset.all = JSON.stringify(said.names);
    if (!said.form) {
      outline.replaceChildren();
      part.replaceChildren(make("p", "There is no form while the text cannot be read."));
      return;
    }
    outline.replaceChildren(entries(said.outline));
    // What is chosen to be added, and was not added yet, stays.
    const toAdd = () => [...part.querySelectorAll(".adding [data-key]")];
    const chosen = new Map(toAdd().map((field) => [field.dataset.key, field.value]));
    const heading = make("h3", said.form.label, { tabIndex: -1 });
    heading.dataset.key = "heading";
    part.replaceChildren(heading, ...body(said.form, true));
    toAdd().forEach((field) => {
      const value = chosen.get(field.dataset.key);
      if (!value || (field.options && ![...field.options].some((option) => option.value === value))) return;
      field.value = value;
      field.dispatchEvent(new Event("change"));
    });
    keep.disabled = !(at.length === 4 && at[2] === "steps");
    insert.disabled = library.options.length === 0;
    if (key) [...builder.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key)?.focus();
  }

  const open = (path) => { at = path; return ask([], "heading"); };

  function entries(all) {
    const list = make("ul");
    all.forEach((entry) => {
      const item = make("li");
      item.className = `level${entry.level}`;
      const go = button(entry.label, () => open(entry.path));
      go.dataset.key = `go ${JSON.stringify(entry.path)}`;
      if (same(entry.path, at)) go.setAttribute("aria-current", "true");
      item.append(go);
      item.dataset.path = JSON.stringify(entry.path);
      if (entry.of > 1) item.append(grip(item, entry.path), ...movers(entry.path, entry.of, entry.label));
      list.append(item);
    });
    const more = make("li");
    more.className = "more";
    const scenario = at[0] === "scenario" && at.length >= 2 ? at[1] : 0;
    const steps = all.filter((entry) => entry.path.length === 4 && entry.path[1] === scenario).length;
    const scenarios = all.filter((entry) => entry.path.length === 2 && entry.path[0] === "scenario").length;
    if (scenarios > 0) {
      more.append(button("Add a step", () => {
        const place = at.length === 4 ? at[3] + 1 : steps;
        const path = ["scenario", scenario, "steps"];
        at = [...path, place];
        ask([{ op: "add", path, at: place }], "heading");
      }));
    }
    more.append(button("Add a scenario", () => {
      at = ["scenario", scenarios];
      ask([{ op: "add", path: ["scenario"] }], "heading");
    }));
    list.append(more);
    return list;
  }

  // Moves a part to another place among its likes. What is open stays open, wherever it comes to be.
  function move(path, to, focus) {
    const [above, from] = [path.slice(0, -1), path[path.length - 1]];
    if (same(at.slice(0, above.length), above) && at.length >= path.length) {
      let place = at[above.length];
      if (place === from) place = to;
      else if (from < place && place <= to) place -= 1;
      else if (to <= place && place < from) place += 1;
      at = [...above, place, ...at.slice(path.length)];
    }
    return ask([{ op: "move", path, to }], `${focus} ${JSON.stringify([...above, to])}`);
  }

  // By mouse, pen or finger; the buttons beside it do the same by keys.
  function grip(item, path) {
    const made = make("span", "⠿", { className: "grip", title: "Drag to move" });
    made.setAttribute("aria-hidden", "true");
    const [above, from] = [path.slice(0, -1), path[path.length - 1]];
    const middle = (one) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2;
    let likes = [];
    let to = from;
    const mark = () => likes.forEach((one, place) => {
      one.classList.toggle("above", place === to && to < from);
      one.classList.toggle("below", place === to && to > from);
    });
    const end = () => {
      released();
      to = from;
      mark();
      likes = [];
      item.classList.remove("moving");
      document.removeEventListener("keydown", cancel, true);
    };
    const cancel = (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      end();
    };
    made.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      made.setPointerCapture(event.pointerId);
      const isLike = (one) => same(JSON.parse(one.dataset.path).slice(0, -1), above);
      likes = [...outline.querySelectorAll("li[data-path]")].filter(isLike);
      likes = likes.filter((one) => JSON.parse(one.dataset.path).length === path.length);
      item.classList.add("moving");
      dragged = new Promise((resolve) => { released = resolve; });
      document.addEventListener("keydown", cancel, true);
    });
    made.addEventListener("pointermove", (event) => {
      if (likes.length === 0) return;
      to = likes.filter((one) => one !== item && middle(one) < event.clientY).length;
      mark();
    });
    made.addEventListener("pointerup", () => {
      const place = to;
      const was = likes.length;
      end();
      if (was > 0 && place !== from) move(path, place, "go");
    });
    made.addEventListener("pointercancel", end);
    return made;
  }

  function movers(path, of, label) {
    const index = path[path.length - 1];
    const mover = (to, way) => {
      const made = button(way === "up" ? "↑" : "↓", () => move(path, to, way), `Move ${label} ${way}`);
      made.className = "quiet";
      made.disabled = to < 0 || to >= of;
      made.dataset.key = `${way} ${JSON.stringify(path)}`;
      return made;
    };
    return [mover(index - 1, "up"), mover(index + 1, "down")];
  }

  // Words with what is code in them between backticks.
  function words(said, name = "p") {
    const made = make(name);
    made.className = "note";
    said.split("`").forEach((piece, number) => made.append(number % 2 ? make("code", piece) : piece));
    return made;
  }

  function node(one) {
    const field = make("div");
    field.className = ["object", "map", "list"].includes(one.widget) ? "group" : "field";
    const key = JSON.stringify(one.path);
    const id = `f${++ids}`;
    const head = make("div");
    head.className = "head";
    const inner = body(one, false, id);
    const isGroup = field.className === "group";
    const label = isGroup ? make("strong", one.label) : make("label", one.label, { htmlFor: id });
    head.append(label);
    if (one.loadgen) head.append(make("span", `LoadGen: ${one.loadgen}`, { className: "also" }));
    if (one.kinds.length > 1) {
      const kinds = make("select");
      kinds.setAttribute("aria-label", `Kind of ${one.label}`);
      kinds.dataset.key = `kind ${key}`;
      one.kinds.forEach((kind, number) => kinds.append(new Option(kind, number, false, number === one.kind)));
      kinds.addEventListener("change", () => ask([{ op: "choose", path: one.path, kind: Number(kinds.value) }]));
      head.append(kinds);
    }
    if (one.of > 1) head.append(...movers(one.path, one.of, one.label));
    if (one.removable) {
      const remove = button("Remove", () => ask([{ op: "unset", path: one.path }], "heading"), `Remove ${one.label}`);
      remove.className = "quiet";
      head.append(remove);
    }
    field.append(head, ...inner);
    return field;
  }

  function body(one, top, id) {
    const key = JSON.stringify(one.path);
    const parts = [];
    if (one.what) parts.push(words(one.what));
    if (one.widget === "link") {
      const go = button("Open", () => open(one.path), `Open ${one.label}`);
      go.id = id;
      return [...parts, go];
    }
    if (["object", "map", "list"].includes(one.widget)) {
      parts.push(...one.parts.map((inner) => node(inner)), ...adding(one, key));
      if (top && one.removable) {
        const away = button("Remove all of this", () => ask([{ op: "unset", path: one.path }], "heading"));
        away.className = "danger";
        parts.push(away);
      }
      return parts;
    }
    return [...parts, leaf(one, key, id)];
  }

  function adding(one, key) {
    if (one.widget === "list") {
      const more = button("Add one", () => ask([{ op: "add", path: one.path }]), `Add one to ${one.label}`);
      more.dataset.key = `add ${key}`;
      return [more];
    }
    if (one.widget === "object" && one.add.length === 0) return [];
    const line = make("div");
    line.className = "adding";
    let field;
    if (one.widget === "map") {
      field = make("input", "", { autocomplete: "off", placeholder: "name" });
      field.setAttribute("aria-label", `Name to add to ${one.label}`);
    } else {
      field = make("select");
      field.setAttribute("aria-label", `Setting to add to ${one.label}`);
      field.append(new Option("Add a setting", ""), ...one.add.map(({ word }) => new Option(word, word)));
    }
    field.dataset.key = `name ${key}`;
    const meaning = words("");
    const put = () => {
      const name = field.value.trim();
      if (!name) return;
      field.value = "";
      const added = JSON.stringify([...one.path, name]);
      ask([{ op: "add", path: one.path, key: name }], added);
    };
    const add = button("Add", put, `Add to ${one.label}`);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") put();
    });
    field.addEventListener("change", () => {
      const found = one.add.find(({ word }) => word === field.value);
      meaning.replaceChildren(...(found ? words(found.what).childNodes : []));
    });
    line.append(field, add, meaning);
    return [line];
  }

  function leaf(one, key, id) {
    let field;
    if (one.widget === "choice") {
      field = make("select");
      const known = one.options.some(({ word }) => word === one.value);
      if (!known) field.append(new Option(one.value, one.value, false, true));
      one.options.forEach(({ word, what }) => {
        const label = what ? `${word}: ${what.replace(/`/g, "")}` : word;
        field.append(new Option(label, word, false, word === one.value));
      });
    } else if (one.widget === "long" || one.widget === "toml") {
      field = make("textarea", "", { value: one.value, rows: Math.min(12, one.value.split("\n").length + 1) });
      field.spellcheck = false;
    } else {
      field = make("input", "", { value: one.value, autocomplete: "off", spellcheck: false });
      if (one.widget === "secret") Object.assign(field, { type: "password", placeholder: "given, and not shown" });
      if (one.widget === "number") field.inputMode = "numeric";
      if (one.widget === "time") field.placeholder = "such as 500ms, 30s or 5m";
      if (one.widget === "size") field.placeholder = "such as 65536 or 64KiB";
      if (one.widget === "text") {
        field.setAttribute("list", "names");
        field.addEventListener("input", () => complete(field));
      }
    }
    field.id = id || `f${++ids}`;
    field.dataset.key = key;
    field.addEventListener("change", () => ask([{ op: "set", path: one.path, text: field.value }]));
    return field;
  }

  // What may follow a "${" that is not closed yet.
  function complete(field) {
    const from = field.value.lastIndexOf("${");
    const isOpen = from >= 0 && !field.value.slice(from).includes("}");
    const all = isOpen ? JSON.parse(names.dataset.all || "[]") : [];
    names.replaceChildren(...all.map((name) => new Option("", `${field.value.slice(0, from)}\${${name}}`)));
  }

  // A field is left by Enter, which does not save the plan.
  builder.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.matches("button,textarea")) return;
    event.preventDefault();
    event.target.dispatchEvent(new Event("change"));
  });

  insert.addEventListener("click", () => {
    const scenario = at[0] === "scenario" && at.length >= 2 ? at[1] : 0;
    const path = ["scenario", scenario, "steps"];
    const count = last.outline.filter((entry) => entry.path.length === 4 && entry.path[1] === scenario).length;
    const place = at.length === 4 ? at[3] + 1 : count;
    at = [...path, place];
    ask([{ op: "paste", path, text: library.value, at: place }], "heading");
  });
  keep.addEventListener("click", async () => {
    const entry = last.outline.find(({ path }) => same(path, at));
    const name = prompt("What should the step be called in the library?", entry ? entry.label : "");
    if (!name || !last.own) return;
    const kept = new URLSearchParams({ form: form.elements.form.value, name, text: last.own });
    const answer = await fetch("/steps", { method: "POST", body: kept });
    status.textContent = answer.ok ? `Kept as ${name}.` : "The step was not kept: it needs a short name.";
    if (!answer.ok) return;
    const known = [...library.options].find((option) => option.textContent === name);
    if (known) known.value = last.own;
    else library.append(new Option(name, last.own));
    insert.disabled = false;
  });
  undo.addEventListener("click", () => {
    text.value = before.pop();
    text.dispatchEvent(new Event("input"));
    ask([]);
  });

  function tab(name) {
    shown = name;
    builder.hidden = name !== "form";
    source.hidden = name === "form";
    tabs.querySelectorAll("[data-tab]").forEach((one) => one.setAttribute("aria-pressed", one.dataset.tab === name));
    if (name === "form") ask([]);
  }
  tabs.hidden = false;
  tabs.addEventListener("click", (event) => {
    const name = event.target.dataset.tab;
    if (!name) return;
    localStorage.setItem("builder", name);
    tab(name);
  });
  // A fault leads to its line, which is in the text.
  document.getElementById("checked").addEventListener("click", (event) => {
    if (event.target.closest("[data-line]") && shown === "form") tab("source");
  }, true);
  tab(localStorage.getItem("builder") || "form");
})();
