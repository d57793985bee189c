// Sorting and copying of tables.

/** Groups of rows that stay together: a row, and the rows of class `beside` that follow it with more details. */
function groups(body) {
  const found = [];
  for (const row of body.rows) {
    if (row.classList.contains("beside") && found.length > 0) found[found.length - 1].push(row);
    else found.push([row]);
  }
  return found;
}

/** The sort key of a cell: its number or else its text; null, which is sorted last, if nothing was measured. */
function rank(text) {
  const bare = text.replace(/[,>%\s]/g, "");
  if (text === "" || text === "-") return null;
  return bare !== "" && !isNaN(Number(bare)) ? Number(bare) : text;
}

function compared(one, other, down) {
  if (one === null || other === null) return (one === null) - (other === null);
  const both = typeof one === "number" && typeof other === "number";
  const order = both ? one - other : String(one).localeCompare(String(other), "en", { numeric: true });
  return down ? -order : order;
}

function sort(table, place) {
  const titles = [...table.tHead.rows[0].cells];
  const down = titles[place].getAttribute("aria-sort") !== "descending";
  titles.forEach((title) => title.removeAttribute("aria-sort"));
  titles[place].setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = table.tBodies[0];
  const key = (group) => rank(group[0].cells[place].textContent.trim());
  const sorted = groups(body).map((group) => [key(group), group]).sort((a, b) => compared(a[0], b[0], down));
  body.append(...sorted.flatMap(([, group]) => group));
}

/** Adds buttons to an element: for sorting and copying its tables, and for copying its commands. */
function enliven(root) {
  for (const table of root.querySelectorAll("table:is(.data,.tree)")) {
    if (table.dataset.alive) continue;
    table.dataset.alive = "yes";
    const figures = () => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
    const tools = table.className === "tree" ? foldable(table) : [];
    // Tables above the first heading are short and need no button.
    if (!table.closest("#top")) {
      const button = copier("Copy CSV", () => csv(figures()));
      table.closest(".scroll").after(element("div", { class: "tools" }, ...tools, button));
    }
    if (table.className === "tree" || groups(table.tBodies[0]).length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((title, place) => {
      const button = element("button", { type: "button", class: "sort", onclick: () => sort(table, place) });
      button.append(...title.childNodes);
      title.append(button);
    });
  }
  for (const command of root.querySelectorAll("pre.command")) {
    if (command.nextElementSibling?.classList.contains("tools")) continue;
    command.after(element("div", { class: "tools" }, copier("Copy", () => command.textContent.trim())));
  }
}
