// The forms of a plan. For each change, the server returns the new forms and the new text. The text is the source of
// truth: saving a plan saves the text.
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
  let shown = "form";
  let drawn = 0;
  let drawing = false;
  let ids = 0;
  const { same } = places;
  const make = (name, content = "", more = {}) =>
    Object.assign(document.createElement(name), { textContent: content }, more);
  const button = (content, act, label) => {
    const made = make("button", content, { type: "button" });
    if (label) made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  };
  // The forms are not redrawn while the user drags an element or presses a button.
  let pressed = Promise.resolve();
  builder.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.target.closest("button,.grip")) return;
    pressed = new Promise((resolve) => {
      const release = () => setTimeout(resolve);
      for (const end of ["pointerup", "pointercancel"]) addEventListener(end, release, { once: true, capture: true });
    });
  });

  const changes = planChanges(form, { draw, pressed: () => pressed, status, undo });
  const { ask, edits } = changes;
  const fieldOf = (key) => [...builder.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  // The current key of a drawn element, after the changes since it was drawn.
  function keyNow(key) {
    const from = key ? key.indexOf("[") : -1;
    if (from < 0) return key;
    const path = changes.now(JSON.parse(key.slice(from)), drawn);
    return path ? key.slice(0, from) + JSON.stringify(path) : "";
  }

  function draw(said, focus, asker) {
    names.dataset.all = JSON.stringify(said.names);
    if (!said.form) {
      outline.replaceChildren();
      part.replaceChildren(make("p", `The form cannot be shown because the text has an error: ${said.fault}.`));
      drawn = changes.count;
      return;
    }
    const { at } = changes;
    const active = document.activeElement;
    const { value, selectionStart: from, selectionEnd: to } = active;
    const key = builder.contains(active) ? keyNow(active.dataset.key) : "";
    // Values that were chosen in order to add something, and were not added yet, are kept.
    const toAdd = () => [...part.querySelectorAll(".adding [data-key]")];
    const chosen = new Map(toAdd().map((field) => [keyNow(field.dataset.key), field.value]));
    drawing = true;
    drawn = changes.count;
    outline.replaceChildren(entries(said.outline));
    const heading = make("h3", said.form.label, { tabIndex: -1 });
    heading.dataset.key = "heading";
    part.replaceChildren(heading, ...body(said.form, true));
    toAdd().forEach((field) => choose(field, chosen.get(field.dataset.key)));
    keep.disabled = !(at.length === 4 && at[2] === "steps");
    insert.disabled = library.options.length === 0;
    // If the user has moved to another field, the focus stays there.
    const isAsker = active === asker || (active.dataset.key && active.dataset.key === asker?.dataset.key);
    const isElsewhere = !isAsker && active.matches("input,select,textarea");
    const wanted = focus && !isElsewhere ? focus : key;
    const field = typeof wanted === "function" ? wanted() : fieldOf(wanted);
    if (field) field.focus({ preventScroll: wanted === key });
    if (field && wanted === key && field.value === value && Number.isInteger(from)) field.setSelectionRange(from, to);
    drawing = false;
  }
  function choose(field, value) {
    if (!value || (field.options && ![...field.options].some((option) => option.value === value))) return;
    field.value = value;
    field.dispatchEvent(new Event("change"));
  }

  const open = (path) => ask(path, (place) => ({ to: place, focus: "heading" }));
  const flush = () => {
    if (!drawing && changes.isUnsent()) ask([], () => null);
  };

  // Opens the form of a path and moves to its field.
  function lead(path) {
    if (shown !== "form") tab("form");
    return ask([], () => {
      const { last } = changes;
      const all = last && last.form ? last.outline.map((entry) => entry.path) : [];
      const above = all.filter((one) => one.length > 0 && same(one, path.slice(0, one.length)));
      const to = above.length > 0 ? above[above.length - 1] : path.slice(0, path.length > 1 ? 1 : 0);
      return { to, focus: () => nearest(path) };
    });
  }
  // The field of a path, or where it is added, or the field of the part that contains it.
  function nearest(path) {
    const { at } = changes;
    for (let length = path.length; length >= at.length; length -= 1) {
      const key = JSON.stringify(path.slice(0, length));
      const adding = fieldOf(`name ${key}`);
      if (adding && adding.options && length < path.length) choose(adding, path[length]);
      const isMore = adding && (!adding.options || adding.value);
      const within = length > at.length ? `${key.slice(0, -1)},` : "nothing";
      const inside = [...part.querySelectorAll("[data-key]")].find((one) => one.dataset.key.startsWith(within));
      const found = fieldOf(key) || (isMore ? adding : null) || fieldOf(`kind ${key}`) || fieldOf(`add ${key}`) || inside;
      if (found) return found;
    }
    return fieldOf("heading");
  }

  function entries(all) {
    const list = make("ul");
    all.forEach((entry) => {
      const item = make("li");
      item.className = `level${entry.level}`;
      const go = button(entry.label, () => open(entry.path));
      go.dataset.key = `go ${JSON.stringify(entry.path)}`;
      if (same(entry.path, changes.at)) go.setAttribute("aria-current", "true");
      item.append(go);
      item.dataset.path = JSON.stringify(entry.path);
      if (entry.of > 1) item.append(grip(item, entry.path), ...movers(entry.path, entry.of, entry.label));
      list.append(item);
    });
    const more = make("li");
    more.className = "more";
    if (all.some(isScenario)) {
      more.append(button("Add a step", () => addStep({ op: "add" })));
    }
    more.append(button("Add a scenario", () => ask([], () => {
      const to = ["scenario", changes.last.outline.filter(isScenario).length];
      return { change: { op: "add", path: ["scenario"] }, moves: [{ op: "insert", at: to }], to, focus: "heading" };
    })));
    list.append(more);
    return list;
  }

  const isScenario = ({ path }) => path.length === 2 && path[0] === "scenario";

  // Adds a step after the open one, or at the end of the open scenario.
  const addStep = (change) => ask([], () => {
    const { at, last } = changes;
    const scenario = at[0] === "scenario" && at.length >= 2 ? at[1] : 0;
    const path = ["scenario", scenario, "steps"];
    const count = last.outline.filter((entry) => entry.path.length === 4 && entry.path[1] === scenario).length;
    const place = at.length === 4 ? at[3] + 1 : count;
    const to = [...path, place];
    return { change: { ...change, path, at: place }, moves: [{ op: "insert", at: to }], to, focus: "heading" };
  });

  // Moves a part to another place in its list. The place is computed from the position of the part when the request is
  // sent.
  const move = (path, place, focus) => ask(path, (from, later) => {
    const to = place(from[from.length - 1], later);
    if (!(to >= 0) || to === from[from.length - 1]) return null;
    const key = `${focus} ${JSON.stringify([...from.slice(0, -1), to])}`;
    return { change: { op: "move", path: from, to }, moves: [{ op: "move", at: from, to }], focus: key };
  });

  const remove = (path) => ask(path, (at) => (
    { change: { op: "unset", path: at }, moves: [{ op: "remove", at }], focus: "heading" }
  ));

  // Dragging works by mouse, pen or finger; the buttons beside it do the same from the keyboard.
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
      if (was > 0 && place !== from) move(path, (_, later) => later([...above, place])?.pop(), "go");
    });
    made.addEventListener("pointercancel", end);
    return made;
  }

  function movers(path, of, label) {
    const index = path[path.length - 1];
    const mover = (by, way) => {
      const place = (from) => (from + by < of ? from + by : from);
      const made = button(way === "up" ? "↑" : "↓", () => move(path, place, way), `Move ${label} ${way}`);
      made.className = "quiet";
      made.disabled = index + by < 0 || index + by >= of;
      made.dataset.key = `${way} ${JSON.stringify(path)}`;
      return made;
    };
    return [mover(-1, "up"), mover(1, "down")];
  }

  // Text in which backticks mark code.
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
      kinds.addEventListener("change", () => ask(one.path, (path) => (
        { change: { op: "choose", path, kind: Number(kinds.value) }, moves: [{ op: "replace", at: path }] }
      )));
      head.append(kinds);
    }
    if (one.of > 1) head.append(...movers(one.path, one.of, one.label));
    if (one.removable) {
      const away = button("Remove", () => remove(one.path), `Remove ${one.label}`);
      away.className = "quiet";
      head.append(away);
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
        const away = button("Remove all of this", () => remove(one.path));
        away.className = "danger";
        parts.push(away);
      }
      return parts;
    }
    return [...parts, ...leaf(one, key, id)];
  }

  function adding(one, key) {
    if (one.widget === "list") {
      const add = (path) => (
        { change: { op: "add", path }, moves: [{ op: "insert", at: [...path, one.parts.length] }] }
      );
      const more = button("Add one", () => ask(one.path, add), `Add one to ${one.label}`);
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
      ask(one.path, (path) => {
        const added = [...path, name];
        const moves = [{ op: "insert", at: added }];
        return { change: { op: "add", path, key: name }, moves, focus: JSON.stringify(added) };
      });
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
      if (one.widget === "secret") Object.assign(field, { type: "password", placeholder: "set, but not shown" });
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
    field.addEventListener("input", () => typed(one, field));
    field.addEventListener("change", () => {
      typed(one, field);
      flush();
    });
    const edit = edits.get(key);
    if (edit) {
      edit.was = one.value;
      field.value = edit.text;
    }
    if (edit && !edit.why && edit.text === edit.was) edits.delete(key);
    if (!edit || !edit.why) return [field];
    const why = make("p", `${edit.why}.`, { className: "missed", id: `${field.id}-why` });
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", why.id);
    return [field, why];
  }

  // Typed values are kept until the server has applied them. A focused field that is redrawn fires a change event when
  // it is removed: the event is ignored, since the value is already kept.
  function typed(one, field) {
    if (drawing) return;
    const key = JSON.stringify(one.path);
    const edit = edits.get(key);
    if (edit ? edit.text === field.value : field.value === one.value) return;
    edits.set(key, { path: one.path, text: field.value, was: edit ? edit.was : one.value });
    field.removeAttribute("aria-invalid");
    document.getElementById(`${field.id}-why`)?.remove();
    changes.say("");
  }
  builder.addEventListener("focusout", flush);

  // Completions for a "${" that is not closed yet.
  function complete(field) {
    const from = field.value.lastIndexOf("${");
    const isOpen = from >= 0 && !field.value.slice(from).includes("}");
    const all = isOpen ? JSON.parse(names.dataset.all || "[]") : [];
    names.replaceChildren(...all.map((name) => new Option("", `${field.value.slice(0, from)}\${${name}}`)));
  }

  // Enter leaves a field and does not save the plan.
  builder.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.matches("button,textarea")) return;
    event.preventDefault();
    event.target.dispatchEvent(new Event("change"));
  });

  insert.addEventListener("click", () => addStep({ op: "paste", text: library.value }));
  keep.addEventListener("click", async () => {
    await ask([], () => null);
    const { at, last } = changes;
    const entry = last.outline.find(({ path }) => same(path, at));
    const name = prompt("Name of the step in the library:", entry ? entry.label : "");
    if (!name || !last.own) return;
    const kept = new URLSearchParams({ form: form.elements.form.value, name, text: last.own });
    const answer = await fetch("/steps", { method: "POST", body: kept });
    const why = "The step was not kept: it needs a short name on one line, and at most 16 KiB.";
    changes.say(answer.ok ? `Kept as ${name}.` : why);
    if (!answer.ok) return;
    const known = [...library.options].find((option) => option.textContent === name);
    if (known) known.value = last.own;
    else library.append(new Option(name, last.own));
    insert.disabled = false;
  });
  // Refused values are dropped first: they were typed last, and are not part of the text.
  undo.addEventListener("click", () => ask([], () => {
    if (!changes.refused()) return changes.undoes ? { back: true } : null;
    changes.drop();
    return {};
  }));

  // Saving and running wait until the text contains all typed values. A refused value prevents both.
  const forms = [form, ...document.querySelectorAll("#find form")];
  const TWICE_MS = 3000;
  let isHeld = false;
  let passes = false;
  let left = -Infinity;
  document.addEventListener("submit", async (event) => {
    const { target, submitter } = event;
    if (!forms.includes(target)) return;
    const isTwice = isHeld || event.timeStamp - left < TWICE_MS;
    if (!isTwice && (passes || changes.isIdle())) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isTwice) return;
    isHeld = true;
    const goes = await changes.settled();
    if (changes.refused()) await lead(changes.refused().path);
    isHeld = false;
    if (!goes) return;
    passes = true;
    target.requestSubmit(submitter);
    passes = false;
  }, true);
  addEventListener("submit", (event) => {
    if (forms.includes(event.target) && !event.defaultPrevented) left = event.timeStamp;
  });
  addEventListener("pageshow", () => { left = -Infinity; });
  // What is typed and not yet in the text is unsaved too.
  addEventListener("beforeunload", (event) => {
    if (changes.isTyped()) event.preventDefault();
  });

  function tab(name) {
    shown = name;
    builder.hidden = name !== "form";
    source.hidden = name === "form";
    tabs.querySelectorAll("[data-tab]").forEach((one) => one.setAttribute("aria-pressed", one.dataset.tab === name));
    if (name === "form") ask([], () => ({}));
    else flush();
  }
  tabs.hidden = false;
  tabs.addEventListener("click", (event) => {
    const name = event.target.dataset.tab;
    if (!name) return;
    localStorage.setItem("builder", name);
    tab(name);
  });
  // A fault links to its line, for which the text is shown, or to its field.
  document.getElementById("checked").addEventListener("click", (event) => {
    const field = event.target.closest("[data-field]");
    if (event.target.closest("[data-line]") && shown === "form") tab("source");
    if (!field) return;
    event.preventDefault();
    lead(JSON.parse(field.dataset.field));
  }, true);
  tab(localStorage.getItem("builder") || "form");
})();
