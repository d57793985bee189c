// The changes that the forms of a plan request from the server, one after the other, and typed values that are not in
// the text yet. The caller supplies `draw`, which draws the forms, and `pressed`, a promise that resolves when they may
// be drawn.
function planChanges(form, { draw, pressed, status, undo }) {
  const text = form.elements.text;
  // The history for Undo: each text before a change by a form, with the parts that the change moved.
  const before = [];
  // Every change of the parts so far, in order. Elements that were drawn before some of them have the paths of that
  // time.
  const moved = [];
  // Typed values that are not in the text yet, by their current paths; with the reason, if they were refused.
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

  // Requests run one after the other, so that none starts from a text that another is changing. `want` is called when
  // the request is sent, with the current path. If it returns nothing, the request only sends typed values.
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

  // The server's answer to changes of a text; null if the user edited the text in the meantime.
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

  // Sends typed values. Values that are typed in the meantime wait for the next request.
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

  // Changes the parts, undoes the last change, or only opens another part.
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

  // Applies a text that the server has returned.
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
  // Updates the paths of typed values after parts were moved. Values of removed parts are dropped.
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
  // An edit of the text by the user drops the refused values.
  text.addEventListener("input", () => {
    if (writing) return;
    drop();
    tell();
  });

  // Waits until the text contains all typed values and requested changes. Returns whether this succeeded.
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
    isTyped: () => Boolean(refused()) || isUnsent(),
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
