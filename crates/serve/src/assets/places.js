// Paths of parts of a plan: converts a path from before a change to the path after parts were added, removed or moved.
const places = (() => {
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  // The new place of an element of a list when another element is moved.
  function beside(place, from, to) {
    if (place === from) return to;
    if (from < place && place <= to) return place - 1;
    return to <= place && place < from ? place + 1 : place;
  }

  // The path after a change of the parts: null if the part no longer exists.
  function after(path, { op, at, to }) {
    const depth = at.length - 1;
    if (path.length <= depth || !same(path.slice(0, depth), at.slice(0, depth))) return path;
    const [place, from] = [path[depth], at[depth]];
    if (place === from && (op === "remove" || op === "replace")) return null;
    if (typeof from !== "number") return path;
    const put = (index) => [...path.slice(0, depth), index, ...path.slice(depth + 1)];
    if (op === "insert") return place >= from ? put(place + 1) : path;
    if (op === "remove") return place > from ? put(place - 1) : path;
    return op === "move" ? put(beside(place, from, to)) : path;
  }

  // The change that reverses a change of the parts.
  function back({ op, at, to }) {
    if (op === "insert") return { op: "remove", at };
    if (op === "remove") return { op: "insert", at };
    return op === "move" ? { op, at: [...at.slice(0, -1), to], to: at[at.length - 1] } : { op, at };
  }

  // A path as it appears in messages about a plan, with elements counted from 1.
  const name = (path) =>
    path.map((part) => (typeof part === "number" ? `[${part + 1}]` : `.${part}`)).join("").replace(/^\./, "");

  return { after, back, name, same };
})();
