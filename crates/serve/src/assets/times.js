// Times in the time zone of the browser, or in UTC for whoever chose that. Pages are made in UTC, which the title of a
// time keeps.
(() => {
  const isUtc = document.cookie.split("; ").includes("brunt-times=utc");
  const zoned = isUtc ? { timeZone: "UTC" } : {};
  const part = (at, options) => new Intl.DateTimeFormat("en-GB", { ...zoned, ...options }).format(at);
  const day = (at) => part(at, { day: "numeric", month: "numeric", year: "numeric" });
  const year = (at) => part(at, { year: "numeric" });
  const today = new Date();
  const word = isUtc ? " UTC" : "";
  function shown(at) {
    const clock = part(at, { hour: "2-digit", minute: "2-digit" }) + word;
    if (day(at) === day(today)) return `today ${clock}`;
    const date = `${part(at, { day: "numeric" })} ${part(at, { month: "short" })}`;
    if (year(at) !== year(today)) return `${date} ${year(at)}, ${clock}`;
    return `${part(at, { weekday: "short" })} ${date}, ${clock}`;
  }
  // Where there is little room, a page says how much of a time it shows.
  function brief(at, grain) {
    const seconds = grain === "second" ? { second: "2-digit" } : {};
    const clock = part(at, { hour: "2-digit", minute: "2-digit", ...seconds });
    const date = `${part(at, { day: "numeric" })} ${part(at, { month: "short" })}`;
    return { day: date, clock }[grain] ?? `${date}, ${clock}`;
  }
  function show() {
    for (const time of document.querySelectorAll("time[title$=UTC],text[data-time]")) {
      const at = new Date(time.dateTime ?? time.dataset.time);
      // The title of a text in a drawing is an element after its words.
      if (!Number.isNaN(at.getTime())) {
        time.firstChild.data = time.dataset.as ? brief(at, time.dataset.as) : shown(at);
      }
    }
  }
  show();
  // Parts of a page that a script replaces have the times of the server.
  new MutationObserver(show).observe(document.querySelector("main"), { childList: true, subtree: true });
  // A new schedule is in the time zone of its author, unless they say otherwise.
  for (const field of document.querySelectorAll("input[data-own-zone]")) {
    if (!field.value) field.defaultValue = new Intl.DateTimeFormat("en-GB", zoned).resolvedOptions().timeZone || "";
  }
  const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" }).formatToParts(today);
  const name = zone.find((it) => it.type === "timeZoneName");
  for (const place of document.querySelectorAll("[data-zone]")) {
    if (name && !isUtc) place.textContent = `Times are those of this browser (${name.value}).`;
  }
})();
