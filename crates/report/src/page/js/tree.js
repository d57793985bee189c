// Folding of tables whose rows have parts below them.

/** The names of rows that a reader folded or unfolded, and which: a live page makes its tables anew each second. */
const folds = new Map();
/** A longer table shows at first only the parts of its outermost rows. */
const LONG = 24;

/** Adds buttons that fold the parts of a row to a table. Returns buttons for the whole table. */
function foldable(table) {
  const rows = [...table.tBodies[0].rows];
  const level = (row) => Number(row.dataset.level);
  const whole = rows.filter((row, place) => place + 1 < rows.length && level(rows[place + 1]) > level(row));
  const buttons = new Map();
  const isFolded = (name, row) => folds.get(name) ?? (rows.length > LONG && level(row) > 0);
  const show = () => {
    let under = Infinity;
    for (const row of rows) {
      const hidden = level(row) > under;
      row.classList.toggle("folded", hidden);
      if (hidden) continue;
      under = Infinity;
      const button = buttons.get(row);
      if (!button) continue;
      const folded = isFolded(button.textContent, row);
      button.setAttribute("aria-expanded", String(!folded));
      if (folded) under = level(row);
    }
  };
  for (const row of whole) {
    const name = row.cells[0].textContent;
    const button = element("button", { type: "button", class: "fold", onclick: () => {
      folds.set(name, !isFolded(name, row));
      show();
    } }, name);
    buttons.set(row, button);
    row.cells[0].replaceChildren(button);
  }
  show();
  const all = (label, folded) => element("button", { type: "button", onclick: () => {
    whole.forEach((row) => folds.set(row.cells[0].textContent, folded));
    show();
  } }, label);
  return whole.length > 0 ? [all("Fold all", true), all("Unfold all", false)] : [];
}
