//! Times as people type and read them: "5 min", "30 s".

/// The units, with what a plan writes.
const UNITS: [(&str, &str); 15] = [
    ("us", "us"),
    ("µs", "us"),
    ("ms", "ms"),
    ("s", "s"),
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("m", "m"),
    ("min", "m"),
    ("minute", "m"),
    ("minutes", "m"),
    ("h", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("d", "d"),
];

/// A time as a plan writes it. The error is what was likely meant.
pub(super) fn read(text: &str) -> Result<String, Vec<String>> {
    let packed: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let mut left = packed.as_str();
    let mut read = String::new();
    while !left.is_empty() {
        let end = left.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(left.len());
        let (number, rest) = left.split_at(end);
        let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (unit, rest) = rest.split_at(end);
        let known = UNITS.iter().find(|(word, _)| *word == unit.to_lowercase());
        let Some((_, unit)) = known.filter(|_| number.parse::<f64>().is_ok()) else {
            return Err(likely(&packed));
        };
        read.push_str(number);
        read.push_str(unit);
        left = rest;
    }
    if read.is_empty() { Err(Vec::new()) } else { Ok(read) }
}

/// What a number without a unit was likely meant to be.
fn likely(packed: &str) -> Vec<String> {
    let Ok(number) = packed.parse::<f64>() else { return Vec::new() };
    let units = if number < 60.0 { ["min", "s"] } else { ["ms", "s"] };
    units.map(|unit| format!("{packed} {unit}")).into()
}

/// Why a time was not accepted.
pub(super) fn refusal(given: &str, likely: &[String]) -> String {
    if likely.is_empty() {
        format!("'{given}' is no time. Give a number with a unit, such as 250 ms, 30 s or 5 min.")
    } else {
        format!("{given} what? Add a unit.")
    }
}

/// A time of a plan for reading.
pub(super) fn pretty(text: &str) -> String {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    match (number.parse::<u64>(), unit) {
        (Ok(minutes), "m") if minutes >= 60 && minutes % 60 == 0 => format!("{} h", minutes / 60),
        (Ok(_), "m") => format!("{number} min"),
        (_, "us" | "ms" | "s" | "h" | "d") if !number.is_empty() => format!("{number} {unit}"),
        _ => text.to_owned(),
    }
}

/// The seconds of a time as a plan writes it, roughly.
pub(super) fn seconds(text: &str) -> f64 {
    let mut left = text;
    let mut sum = 0.0;
    while !left.is_empty() {
        let end = left.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(left.len());
        let (number, rest) = left.split_at(end);
        let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (unit, rest) = rest.split_at(end);
        let length = match unit {
            "us" => 1e-6,
            "ms" => 1e-3,
            "m" | "min" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            _ => 1.0,
        };
        sum += number.parse::<f64>().unwrap_or_default() * length;
        left = rest;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_parsed_as_typed_and_a_unit_proposed() {
        for (typed, plan) in
            [("5 min", "5m"), ("30s", "30s"), ("1 h 30 min", "1h30m"), ("250 ms", "250ms")]
        {
            assert_eq!(read(typed).as_deref(), Ok(plan), "{typed}");
        }
        assert_eq!(read("5"), Err(vec!["5 min".to_owned(), "5 s".to_owned()]));
        assert_eq!(read("soon"), Err(Vec::new()));
        assert_eq!(refusal("5", &likely("5")), "5 what? Add a unit.");
        for (plan, shown) in [("5m", "5 min"), ("240m", "4 h"), ("1m30s", "1m30s"), ("30s", "30 s")]
        {
            assert_eq!(pretty(plan), shown);
        }
        assert!((seconds("1m30s") - 90.0).abs() < 1e-9);
    }
}
