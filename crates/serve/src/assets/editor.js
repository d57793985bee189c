// A plan while it is edited: its form is sent to the server, which keeps it as a draft and answers with the page of it.
// What changed there is put into this page: the drawing, the preview, the reasons beside fields. Nothing here is needed
// to edit a plan.
(() => {
  const form = document.querySelector("form[data-plan]");
  if (!form || !form.elements.form) return;
  const RULES = { createHTML: (text) => text };
  const policy = window.trustedTypes ? trustedTypes.createPolicy("brunt", RULES) : RULES;
  const draft = `${form.getAttribute("action")}/draft`;
  const { text } = form.elements;
  const TYPING_MS = 400;
  const TWICE_MS = 3000;
  let asked = 0;
  let waiting = null;
  let busy = Promise.resolve();
  let isBusy = false;

  // One after the other, so that an earlier one is not kept after a later one.
  function send() {
    clearTimeout(waiting);
    const number = ++asked;
    isBusy = true;
    busy = busy.then(() => number === asked && sent(number)).finally(() => { isBusy = number !== asked; });
  }

  async function sent(number) {
    let page;
    try {
      const answer = await fetch(draft, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), "text/html");
    } catch {
      // Without the server nothing is kept; saving reports the failure.
      return;
    }
    // Only the newest answer is about what stands here.
    if (number === asked && page.getElementById("checked")) take(page);
  }

  function take(page) {
    for (const now of document.querySelectorAll("[data-live]")) {
      const then = page.getElementById(now.id);
      if (!then || then.innerHTML === now.innerHTML) continue;
      now.replaceChildren(...[...then.childNodes].map((one) => document.importNode(one, true)));
    }
    for (const field of form.elements) {
      const then = field.id && page.getElementById(field.id);
      if (!then) continue;
      for (const name of ["aria-invalid", "aria-describedby"]) {
        if (then.hasAttribute(name)) field.setAttribute(name, then.getAttribute(name));
        else field.removeAttribute(name);
      }
    }
    const undo = (of) => of.querySelector("button[value=undo]");
    if (undo(form) && undo(page)) undo(form).disabled = undo(page).disabled;
  }

  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(send, TYPING_MS);
  };
  text.addEventListener("input", soon);
  form.addEventListener("change", ({ target }) => {
    if (target === text) return;
    // What has other fields then is made by the server as a whole.
    const isOther = target.matches("select[data-send],select[name^='kind:']") && target.value !== "";
    const apply = isOther && target.closest(".open,details").querySelector("button[value=apply]");
    if (apply) form.requestSubmit(apply);
    else send();
  });

  // The highest point of the drawn load is dragged up and down. That writes the figure in the sentence, which counts.
  form.classList.add("drags");
  form.addEventListener("pointerdown", (event) => {
    const hand = event.target.closest(".hand");
    const field = hand && form.elements[hand.dataset.field];
    if (!field || field.readOnly) return;
    event.preventDefault();
    const { value, height } = hand.dataset;
    const picture = hand.ownerSVGElement;
    const scale = picture.viewBox.baseVal.height / picture.getBoundingClientRect().height;
    const middle = hand.cy.baseVal.value;
    const drag = (at) => {
      const down = (at.clientY - event.clientY) * scale;
      const dragged = Math.max(value * (1 - down / height), 0.1);
      const isWhole = dragged >= 10 || field.name.endsWith("users");
      field.value = isWhole ? Math.ceil(dragged.toPrecision(2)) : Number(dragged.toPrecision(1));
      hand.setAttribute("cy", middle + down);
    };
    const drop = () => {
      removeEventListener("pointermove", drag);
      field.dispatchEvent(new Event("change", { bubbles: true }));
    };
    addEventListener("pointermove", drag);
    addEventListener("pointerup", drop, { once: true });
  });

  // A step is dragged to another place among its neighbours, with what is in it. Its buttons do the same.
  const list = (step) => JSON.parse(step.dataset.move).slice(0, -1).join("\n");
  const isWithin = (step, group) => step.dataset.move.startsWith(group.dataset.move.slice(0, -1) + ",");
  const EDGE = 60;
  for (const step of form.querySelectorAll("li[data-move]")) {
    const all = [...form.querySelectorAll("li[data-move]")];
    const near = all.filter((other) => list(other) === list(step));
    if (near.length < 2) continue;
    const grip = Object.assign(document.createElement("span"), { className: "grip", title: "Drag to another place" });
    grip.setAttribute("aria-hidden", "true");
    step.querySelector("summary").prepend(grip);
    grip.addEventListener("click", (event) => event.preventDefault());
    grip.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      grip.setPointerCapture(event.pointerId);
      const from = near.indexOf(step);
      const last = (of) => all.findLast((other) => other === of || isWithin(other, of));
      const mark = () => all.forEach((one) => one.classList.remove("into", "after"));
      const moved = all.filter((other) => other === step || isWithin(other, step));
      let to = from;
      const over = ({ clientY }) => {
        if (clientY < EDGE || clientY > innerHeight - EDGE) scrollBy(0, clientY < EDGE ? -12 : 12);
        const middle = (of) => {
          const [top, end] = [of.getBoundingClientRect().top, last(of).getBoundingClientRect().bottom];
          return (top + end) / 2;
        };
        const gap = near.filter((of) => middle(of) < clientY).length;
        to = gap > from ? gap - 1 : gap;
        mark();
        if (to === from) return;
        if (gap < near.length) near[gap].classList.add("into");
        else last(near[gap - 1]).classList.add("after");
      };
      const end = (drops) => {
        grip.removeEventListener("pointermove", over);
        removeEventListener("keydown", escape);
        ends.abort();
        mark();
        moved.forEach((one) => one.classList.remove("dragged"));
        if (drops && to !== from) drop(step, to);
      };
      const ends = new AbortController();
      const escape = ({ key }) => { if (key === "Escape") end(false); };
      moved.forEach((one) => one.classList.add("dragged"));
      grip.addEventListener("pointermove", over);
      grip.addEventListener("pointerup", () => end(true), ends);
      grip.addEventListener("pointercancel", () => end(false), ends);
      addEventListener("keydown", escape);
    });
  }
  function drop(step, to) {
    const make = (name, given) => Object.assign(document.createElement(name), { hidden: true, ...given });
    const value = `move:${step.dataset.move}`;
    const button = make("button", { name: "do", value, formAction: draft, formNoValidate: true });
    form.append(make("input", { name: "to", value: to }), button);
    sessionStorage.setItem(draft, scrollY);
    form.requestSubmit(button);
  }
  const kept = sessionStorage.getItem(draft);
  if (kept !== null) {
    sessionStorage.removeItem(draft);
    scrollTo(0, kept);
  }

  // A fault links to its line.
  function go(line) {
    const lines = text.value.split("\n");
    const from = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    text.focus();
    text.setSelectionRange(from, from + (lines[line - 1] || "").length);
    text.scrollTop = (line - 3) * parseFloat(getComputedStyle(text).lineHeight);
  }
  form.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    const field = document.getElementById(link.hash.slice(1));
    if (link.dataset.line) {
      event.preventDefault();
      go(Number(link.dataset.line));
    } else if (field && form.contains(field)) {
      event.preventDefault();
      for (let at = field.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
      field.scrollIntoView({ block: "center" });
      field.focus();
    }
  });

  // A run of the saved revision, or a search with it, leaves out what is not saved.
  const question = "The plan has unsaved changes. Run the saved revision?";
  const isUnsaved = () => document.getElementById("difference") || text.value !== text.defaultValue;
  let left = -Infinity;
  for (const one of [form, ...document.querySelectorAll("#find form")]) {
    one.addEventListener("submit", (event) => {
      clearTimeout(waiting);
      const { submitter } = event;
      // What is being kept must not be kept after what this button does.
      if (isBusy) {
        event.preventDefault();
        busy.finally(() => one.requestSubmit(submitter));
        return;
      }
      const isSaved = one !== form || submitter && submitter.hasAttribute("data-saved");
      if (event.timeStamp - left < TWICE_MS || isSaved && isUnsaved() && !confirm(question)) {
        event.preventDefault();
        return;
      }
      if (isSaved) form.dataset.left = "";
      left = event.timeStamp;
    });
  }
  addEventListener("pageshow", () => { left = -Infinity; });
})();
