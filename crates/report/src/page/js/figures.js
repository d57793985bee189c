// Formatting of figures. A figure that was not measured is shown as a dash.

const NONE = "–";

/** At most `digits` significant digits, without trailing zeros. */
function significant(value, digits) {
  if (value === 0) return "0";
  return String(Number(value.toPrecision(digits)));
}

/** For an axis: `0.031`, `26.3`, `9.45k`. */
function short(value) {
  if (value === null || value === undefined || !isFinite(value)) return NONE;
  const size = Math.abs(value);
  if (size >= 999.5e6) return significant(value / 1e9, 3) + "G";
  if (size >= 999.5e3) return significant(value / 1e6, 3) + "M";
  if (size >= 999.5) return significant(value / 1e3, 3) + "k";
  return significant(value, 3);
}

/** For the value at the cursor: four significant digits, or a whole number from 10,000 up, with its unit. */
function exact(value, unit) {
  if (value === null || value === undefined || !isFinite(value)) return NONE;
  const digits = Math.abs(value) >= 1e4 ? Math.round(value).toLocaleString("en") : significant(value, 4);
  return unit ? digits + (unit === "/s" ? "" : " ") + unit : digits;
}

/** Seconds of a run as `75 s`, or as `1:02:05` in a run of more than ten minutes. */
function clock(seconds, long) {
  if (!long) return significant(seconds, 6) + " s";
  const whole = Math.round(seconds);
  const two = (number) => String(number).padStart(2, "0");
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

/** A field of CSV (RFC 4180). Text from a target is escaped so that a spreadsheet does not read it as a formula. */
function field(value) {
  if (value === null || value === undefined) return "";
  let text = String(value);
  if (typeof value === "string" && /^[=+@\t\r-]/.test(text) && isNaN(Number(text))) text = "'" + text;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(rows) {
  return rows.map((row) => row.map(field).join(",")).join("\n") + "\n";
}
