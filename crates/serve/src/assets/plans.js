// Checks a plan while it is edited, and shows its faults beside it, each with a link to its line.
(() => {
  const form = document.querySelector("form[data-plan]");
  const preview = document.getElementById("checked");
  if (!form || !preview) return;
  const text = form.elements.text;
  const make = (name, content) => Object.assign(document.createElement(name), { textContent: content });

  function go(line) {
    const lines = text.value.split("\n");
    const from = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    text.focus();
    text.setSelectionRange(from, from + (lines[line - 1] || "").length);
    text.scrollTop = (line - 3) * parseFloat(getComputedStyle(text).lineHeight);
  }

  // A link to the field of a fault, or to the text if there are no forms.
  function place({ field, path }) {
    const code = make("code", field);
    if (path.length === 0) return code;
    const link = make("a", "");
    link.href = "#text";
    link.dataset.field = JSON.stringify(path);
    link.append(code);
    return link;
  }

  function show({ findings, notes, preview: shown }) {
    const parts = [];
    const verdict = make("p", findings.length === 0 ? "The plan can be run." : "The plan cannot be run yet:");
    verdict.className = findings.length === 0 ? "met" : "missed";
    parts.push(verdict);
    const list = make("ul", "");
    list.className = "plain";
    for (const finding of findings) {
      const item = make("li", "");
      if (finding.line) {
        const link = make("a", `Line ${finding.line}`);
        link.href = "#text";
        link.dataset.line = finding.line;
        item.append(link, ": ");
      }
      if (finding.field) item.append(place(finding), " ");
      item.append(finding.text);
      list.append(item);
    }
    if (findings.length > 0) parts.push(list);
    for (const note of notes) parts.push(Object.assign(make("p", note), { className: "note" }));
    if (shown) parts.push(Object.assign(make("pre", shown), { tabIndex: 0 }));
    preview.replaceChildren(...parts);
  }

  // A run uses the saved revision, so unsaved changes need a confirmation.
  const question = "The plan has unsaved changes. Run the saved revision?";
  const isUnsaved = () => form.hasAttribute("data-unsaved") || text.value !== text.defaultValue;
  for (const one of [form, ...document.querySelectorAll("#find form")]) {
    one.addEventListener("submit", (event) => {
      const saves = one === form && !(event.submitter && event.submitter.closest("#run"));
      if (saves || !isUnsaved()) return;
      if (confirm(question)) form.dataset.left = "";
      else event.preventDefault();
    });
  }
  // Enter in a setting of the run runs it; the first button of the form would save the plan.
  const run = document.querySelector("#run button.main");
  if (run) {
    run.closest("section").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("input")) return;
      event.preventDefault();
      form.requestSubmit(run);
    });
  }

  let asked = 0;
  async function check() {
    const number = ++asked;
    const body = new URLSearchParams({ form: form.elements.form.value, text: text.value });
    body.set("plan", location.pathname.split("/")[2]);
    const target = document.getElementById("target");
    if (target) body.set("target", target.value);
    try {
      const answer = await fetch("/check", { method: "POST", body });
      const said = await answer.json();
      if (number === asked && answer.ok) show(said);
    } catch {
      // Without the server nothing is checked; saving reports the failure.
    }
  }
  let waiting = null;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, 300);
  };
  text.addEventListener("input", soon);
  const target = document.getElementById("target");
  if (target) target.addEventListener("change", soon);
  preview.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (!link) return;
    event.preventDefault();
    go(Number(link.dataset.line));
  });
})();
