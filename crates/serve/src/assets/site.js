// Optional behaviour of the site's pages: the pages work without it. Text is only ever set as text.
"use strict";

(() => {
  const all = (css) => [...document.querySelectorAll(css)];
  const make = (name, text) => Object.assign(document.createElement(name), { textContent: text });

  // The secret of a link is after its #, so it reaches no server and no log.
  for (const field of all("[data-fragment]")) {
    if (location.hash.length > 1) {
      field.value = location.hash.slice(1);
      field.closest(".field").hidden = true;
      history.replaceState(null, "", location.pathname);
      // A link that signs in needs no further input.
      if (field.form.matches("[data-enter]")) field.form.requestSubmit();
    }
  }
  for (const place of all("[data-origin]")) place.textContent = location.origin;
  for (const place of all("[data-link]")) place.textContent = location.origin + place.textContent;

  // A link to a part of the page that is folded unfolds it.
  function unfold(name) {
    const part = document.getElementById(decodeURIComponent(name));
    const folded = part?.matches("details") ? part : part?.querySelector(":scope > details:first-child");
    if (folded) folded.open = true;
  }
  unfold(location.hash.slice(1));
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link) unfold(link.hash.slice(1));
  });

  if (document.querySelector("[data-again]")) setTimeout(() => location.reload(), 2000);

  for (const text of all("[data-copy]")) {
    const button = make("button", "Copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Selected: press Ctrl+C";
      }
    });
    text.after(button);
  }

  // Leaving a page asks first if a form has text that was typed and not sent. A form that was not accepted has it from
  // the beginning. Passwords, which browsers fill in, are no text.
  let sent = null;
  function isTyped(field) {
    if (!field.name || ["hidden", "password", "file", "submit"].includes(field.type)) return false;
    if (field.type === "checkbox") return field.checked !== field.defaultChecked;
    if (!field.options) return field.value !== field.defaultValue;
    const stored = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(stored, 0);
  }
  function isUnsent(form) {
    // Only a form of somebody who is signed in has a token.
    if (form === sent || form.dataset.left !== undefined || form.method !== "post" || !form.elements.form) return false;
    return form.dataset.unsaved !== undefined || [...form.elements].some(isTyped);
  }
  addEventListener("submit", (event) => { if (!event.defaultPrevented) sent = event.target; });
  document.addEventListener("input", () => {
    sent = null;
    all("form[data-left]").forEach((form) => delete form.dataset.left);
  });
  addEventListener("beforeunload", (event) => {
    if (!all("form").some(isUnsent)) return;
    event.preventDefault();
    event.returnValue = true;
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-confirm]");
    if (button && !confirm(button.dataset.confirm)) event.preventDefault();
  });

  // The chosen runs, in the order in which they were chosen: the others are compared with the first.
  const boxes = all("table.runs input[name=run]");
  const FIRST = "The others are compared with the first one chosen.";
  const chosen = [];
  const told = document.querySelector("[data-chosen]");
  function choose(box) {
    const at = chosen.indexOf(box);
    if (at >= 0) chosen.splice(at, 1);
    if (box.checked) chosen.push(box);
    if (told) told.textContent = chosen.length === 0 ? before : `${chosen.length} chosen. ${FIRST}`;
  }
  const before = told ? told.textContent : "";
  boxes.forEach((box) => {
    if (box.checked) choose(box);
    box.addEventListener("change", () => choose(box));
  });
  function compare() {
    const query = chosen.map((box) => `run=${encodeURIComponent(box.value)}`).join("&");
    location.assign(`/compare?${query}`);
  }
  const list = document.getElementById("runs");
  if (list && list.matches("form")) {
    list.addEventListener("submit", (event) => {
      event.preventDefault();
      if (chosen.length >= 2 && chosen.length <= 6) compare();
      else if (told) told.textContent = `Choose two to six runs; ${chosen.length} chosen.`;
    });
  }
  // The boxes belong to the form that compares; another form copies them when it is submitted.
  for (const form of all("[data-with-runs]")) {
    form.addEventListener("submit", () => {
      form.querySelectorAll("input[data-taken]").forEach((taken) => taken.remove());
      for (const box of chosen) {
        const taken = make("input", "");
        Object.assign(taken, { type: "hidden", name: "run", value: box.value });
        taken.dataset.taken = "";
        form.append(taken);
      }
    });
  }

  // Keyboard shortcuts, unless the user is typing or has switched them off.
  const KEYS = [
    ["/", "search"], ["j k", "next and previous run"], ["x", "choose it"], ["Enter", "open it"],
    ["c", "compare what is chosen"], ["?", "show or hide this"],
  ];
  const off = () => localStorage.getItem("keys") === "off";
  let at = -1;
  function go(by) {
    const rows = all("table.runs tbody tr");
    if (rows.length === 0) return;
    rows.forEach((row) => row.classList.remove("at"));
    at = Math.min(Math.max(at + by, 0), rows.length - 1);
    rows[at].classList.add("at");
    rows[at].querySelector("a").focus();
  }
  function help() {
    const shown = document.querySelector(".help");
    if (shown) {
      shown.remove();
      return;
    }
    const box = make("div", "");
    box.className = "help";
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-label", "Keys");
    const terms = make("dl", "");
    for (const [key, does] of KEYS) {
      const term = make("dt", "");
      term.append(make("kbd", key));
      terms.append(term, make("dd", does));
    }
    const button = make("button", off() ? "Switch keys on" : "Switch keys off");
    button.addEventListener("click", () => {
      localStorage.setItem("keys", off() ? "on" : "off");
      box.remove();
    });
    box.append(make("strong", "Keys"), terms, button);
    document.querySelector("main").append(box);
    button.focus();
  }
  const acts = {
    "/": () => { const field = document.getElementById("q"); if (field) field.focus(); },
    j: () => go(1),
    k: () => go(-1),
    x: () => { if (boxes[at]) boxes[at].click(); },
    c: () => { if (chosen.length >= 2) compare(); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input,select,textarea,.canvas")) return;
    if (event.key === "?") help();
    else if (event.key === "Escape") document.querySelector(".help")?.remove();
    else if (acts[event.key] && !off()) {
      event.preventDefault();
      acts[event.key]();
    }
  });
})();
