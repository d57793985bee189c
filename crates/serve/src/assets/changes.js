// What the forms of a plan have the server change, one thing after the other, and what was typed and is in no text yet.
// Who draws the forms gives what draws them, and a promise that is kept when they may be drawn.
function planChanges(form, { draw, pressed, status, undo }) {
  const text = form.elements.text;
  // What Undo takes back: each text before a change of a form, with the parts that it moved.
  const before = [];
  // Every change of the parts there was, in order. What was drawn before some of them has paths of before them.
  const moved = [];
  // What was typed and is not in the text yet, by its path as it is now; with why, where it cannot be.
  const edits = new Map();
  let at = [];
  let last = null;
  let notice = "";
  let writing = false;
  let turn = Promise.resolve();
  let waiting = 0;
  let failures = 0;
  const now = (path, since) => moved.slice(since).reduce((place, one) => place && places.after(place, one), path);
  const isNew = (edit) => !edit.why && edit.text !== edit.was;
  const isUnsent = () => [...edits.values()].some(isNew);
  const refused = () => [...edits.values()].find((edit) => edit.why);

  function say(words) {
    notice = words;
    tell();
  }
  function tell() {
    const wrong = [...edits.values()].filter((edit) => edit.why);
    const all = wrong.map(({ path, why }) => `Not changed: ${places.name(path)}: ${why}.`);
    const words = [...all, notice].filter(Boolean).join(" ");
    if (status.textContent !== words) status.textContent = words;
    undo.disabled = before.length === 0 && wrong.length === 0;
  }

  // One after the other, so that none is made of a text that another is changing. What is wanted is said when its turn
  // comes, of the path as it is then; whoever wants nothing has what was typed sent.
  function ask(path, want) {
    const [since, asker] = [moved.length, document.activeElement];
    waiting += 1;
    turn = turn.then(() => act(path, want, since, asker)).then(() => true, (error) => {
      fail(error.message || "the server does not answer");
      return false;
    });
    turn = turn.finally(() => { waiting -= 1; });
    return turn;
  }
  function fail(why) {
    failures += 1;
    say(`Not changed: ${why}.`);
  }

  async function act(path, want, since, asker) {
    let said = await send();
    const place = now(path, since);
    if (!place) fail("it no longer exists");
    const wanted = place && want(place, (one) => now(one, since));
    if (wanted && (wanted.change || wanted.back || wanted.to || !said)) said = await changed(wanted);
    if (!said) return;
    last = said;
    if (said.form) at = said.form.path;
    draw(said, wanted ? wanted.focus : "", asker);
    tell();
  }

  // What the server makes of a text; nothing if somebody changed the text by hand meanwhile.
  async function told(changes, where, from = text.value) {
    const sent = text.value;
    const headers = { "content-type": "application/json", "x-brunt-form": form.elements.form.value };
    const body = JSON.stringify({ text: from, changes, at: where });
    const answer = await fetch("/api/v1/edit", { method: "POST", headers, body });
    const said = await answer.json();
    if (!answer.ok) throw new Error(said.detail);
    await pressed();
    return text.value === sent ? said : null;
  }

  // Sends what was typed. What is typed on meanwhile waits for the next time.
  async function send() {
    let said = null;
    let left = [...edits].filter(([, edit]) => isNew(edit));
    while (left.length > 0) {
      const sent = left.slice(0, 100);
      const heard = await told(sent.map(([, one]) => ({ op: "set", path: one.path, text: one.text })), at);
      if (!heard) continue;
      said = heard;
      take(said.text, []);
      const done = said.refused ?? sent.length;
      sent.slice(0, done).forEach(([key, edit]) => accept(key, edit));
      if (done < sent.length) Object.assign(sent[done][1], { why: said.fault });
      left = left.slice(Math.min(done + 1, sent.length)).filter(([key, edit]) => edits.get(key) === edit);
    }
    return said;
  }
  function accept(key, edit) {
    if (edits.get(key) === edit) edits.delete(key);
    else if (edits.has(key)) edits.get(key).was = edit.text;
  }

  // Makes a change of the parts, or takes the last one back, or only goes somewhere.
  async function changed({ change, back, moves = [], to }) {
    const where = to || moves.reduce((place, one) => (place && places.after(place, one)) || place, at);
    const undone = back ? before[before.length - 1] : null;
    const said = await told(change ? [change] : [], where, undone ? undone.text : text.value);
    if (!said) {
      if (change || back) fail("the text was changed in the meantime");
      return changed({});
    }
    if (change && said.fault) {
      fail(said.fault);
    } else if (undone) {
      before.pop();
      write(undone.text);
      settle([...undone.moves].reverse().map(places.back));
    } else if (change) {
      take(said.text, moves);
      settle(moves);
    }
    return said;
  }

  // The text that the server has made.
  function take(made, moves) {
    if (made === text.value) return;
    before.push({ text: text.value, moves });
    notice = "";
    write(made);
  }
  function write(made) {
    const caret = [text.selectionStart, text.selectionEnd];
    text.value = made;
    if (document.activeElement === text) text.setSelectionRange(...caret);
    writing = true;
    text.dispatchEvent(new Event("input"));
    writing = false;
  }
  // What was typed goes where its part went, and away with it.
  function settle(moves) {
    const kept = [...edits.values()];
    edits.clear();
    for (const edit of kept) {
      const path = moves.reduce((place, one) => place && places.after(place, one), edit.path);
      if (path) edits.set(JSON.stringify(path), { ...edit, path });
    }
    moved.push(...moves);
  }
  function drop() {
    for (const [key, edit] of edits) if (edit.why) edits.delete(key);
  }
  // Whoever changes the text by hand changes what could not be there.
  text.addEventListener("input", () => {
    if (writing) return;
    drop();
    tell();
  });

  // Has the text say all that was typed and pressed: whether it does.
  async function settled() {
    const failed = failures;
    for (const edit of edits.values()) edit.why = "";
    do {
      if (!await ask([], () => null)) return false;
    } while (waiting > 0 || isUnsent());
    return failures === failed && !refused();
  }

  return {
    ask,
    drop,
    edits,
    isIdle: () => waiting === 0 && !refused() && !isUnsent(),
    isUnsent,
    now,
    refused,
    say,
    settled,
    get at() { return at; },
    get count() { return moved.length; },
    get last() { return last; },
    get undoes() { return before.length > 0; },
  };
}
