//! The notation of a duration, as people write it in a schedule, a think time or a plan.

use std::time::Duration;

/// Parses a duration such as `500ms`, `30s`, `1.5s`, `1h30m`; units are us, ms, s, m or min, h and
/// d.
pub fn duration(word: &str) -> Option<Duration> {
    let mut rest = word;
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (figure, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let nanos: u64 = match unit.to_ascii_lowercase().as_str() {
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            _ => return None,
        };
        let (digits, scale) = decimal(figure)?;
        sum = sum.checked_add(Duration::from_nanos(digits.checked_mul(nanos)? / scale))?;
        rest = tail;
    }
    (!word.is_empty()).then_some(sum)
}

/// A decimal number as an integer and the power of ten by which it must be divided.
pub fn decimal(text: &str) -> Option<(u64, u64)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let legal = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > 6 || !legal(whole) || !legal(fraction) {
        return None;
    }
    let scale = 10_u64.pow(fraction.len() as u32);
    Some((format!("{whole}{fraction}").parse().ok()?, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_one_or_more_units() {
        let ms = |text| duration(text).map(|time| time.as_millis());
        let read = ["500ms", "1.5s", "1h30m", "2min", "1d"].map(ms);
        assert_eq!(read, [500, 1_500, 5_400_000, 120_000, 86_400_000].map(Some));
        assert_eq!(["", "5", "s", "1.s5", "-1s", "1 s", "1w"].map(duration), [None; 7]);
    }
}
