// Tables that can be sorted and copied.

/** Rows that belong together: one, and those beneath it that say more of the same. */
function groups(body) {
  const found = [];
  for (const row of body.rows) {
    if (row.classList.contains("beside") && found.length > 0) found[found.length - 1].push(row);
    else found.push([row]);
  }
  return found;
}

/** What a cell is sorted by: its number where it has one. What was not measured comes last. */
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

/** Lets the tables within an element be sorted and copied. */
function enliven(root) {
  for (const table of root.querySelectorAll("table.data")) {
    if (table.dataset.alive) continue;
    table.dataset.alive = "yes";
    const figures = () => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
    // What stands above the first heading is short.
    if (!table.closest("#top")) {
      const button = copier("Copy CSV", () => csv(figures()));
      table.closest(".scroll").after(element("div", { class: "tools" }, button));
    }
    if (groups(table.tBodies[0]).length < 2) continue;
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
