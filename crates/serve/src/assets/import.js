// Reads files that are dropped or chosen into the text of the form: a single file unchanged, a LoadGen directory as
// JSON with the paths and texts of its files.
(() => {
  const form = document.querySelector("form[data-import]");
  if (!form) return;
  const drop = form.querySelector("[data-drop]");
  const told = form.querySelector("[data-dropped]");
  const { text, kind, job } = form.elements;
  drop.hidden = false;
  const MOST = 32 << 20;

  async function take(files) {
    files = files.filter(([path]) => !path.split("/").some((part) => part.startsWith(".")));
    const bytes = files.reduce((sum, [, file]) => sum + file.size, 0);
    if (files.length === 0 || bytes > MOST) {
      told.textContent = files.length === 0 ? "There is no file in it." : "It has more than 32 MiB.";
      return;
    }
    const isTree = files.length > 1 || files[0][0].split("/").includes("jobs");
    if (!isTree) {
      const [[path, file]] = files;
      text.value = await file.text();
      kind.value = path.endsWith(".har") ? "har" : "auto";
      told.textContent = `${file.name}: ${text.value.length} characters`;
      return;
    }
    const tree = {};
    for (const [path, file] of files) tree[path] = await file.text();
    text.value = JSON.stringify(tree);
    kind.value = "loadgen";
    const jobs = Object.keys(tree).filter((path) => /(^|\/)jobs\/[^/]+\.json$/.test(path)).sort();
    const named = jobs.map((path) => path.slice(path.lastIndexOf("jobs/")));
    document.getElementById("jobs").replaceChildren(...named.map((value) => new Option("", value)));
    if (named.length > 0 && !named.includes(job.value)) job.value = named[0];
    const others = named.length > 1 ? `; jobs: ${named.join(", ")}` : "";
    told.textContent = `${files.length} files${others}`;
  }

  form.querySelectorAll("[data-file]").forEach((input) => input.addEventListener("change", () => {
    take([...input.files].map((file) => [file.webkitRelativePath || file.name, file]));
  }));

  const children = (entry) => new Promise((done, failed) => {
    const reader = entry.createReader();
    const all = [];
    const more = () => reader.readEntries((some) => {
      if (some.length === 0) return done(all);
      all.push(...some);
      return more();
    }, failed);
    more();
  });
  async function within(entry, above) {
    const path = above + entry.name;
    if (entry.isFile) return [[path, await new Promise((done, failed) => entry.file(done, failed))]];
    const found = [];
    for (const child of await children(entry)) {
      if (found.length > 2000) break;
      found.push(...await within(child, `${path}/`));
    }
    return found;
  }
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  form.addEventListener("dragleave", () => drop.classList.remove("over"));
  form.addEventListener("drop", async (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const files = [];
    for (const entry of entries) files.push(...await within(entry, ""));
    if (files.length > 0) await take(files);
    else take([...event.dataTransfer.files].map((file) => [file.name, file]));
  });
})();
