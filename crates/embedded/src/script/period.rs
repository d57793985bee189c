//! Durations in the notation that people use: `250us`, `10ms`, `2s`, and ranges of them: `1ms..5ms`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de::Error};

/// A duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period(pub Duration);

/// A shortest and a longest duration, which may be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    shortest: Duration,
    longest: Duration,
}

impl Range {
    /// A range, if it does not end before it begins.
    pub fn new(shortest: Duration, longest: Duration) -> Option<Self> {
        (shortest <= longest).then_some(Self { shortest, longest })
    }

    /// The duration in the range that a random number chooses.
    pub fn choose(self, random: u64) -> Duration {
        let width = self.longest.saturating_sub(self.shortest).as_nanos() as u64;
        let offset = (u128::from(random) * (u128::from(width) + 1)) >> 64;
        self.shortest + Duration::from_nanos(offset as u64)
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).map(Self).ok_or_else(|| D::Error::custom(wrong(&text)))
    }
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (shortest, longest) = text.split_once("..").unwrap_or((&text, &text));
        let (Some(shortest), Some(longest)) = (parse(shortest), parse(longest)) else {
            return Err(D::Error::custom(wrong(&text)));
        };
        Self::new(shortest, longest)
            .ok_or_else(|| D::Error::custom(format!("{text} ends before it begins")))
    }
}

fn wrong(text: &str) -> String {
    format!("{text} is not a time; write a whole number and us, ms or s, such as 250us")
}

fn parse(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = text[..digits].parse().ok()?;
    // A day is longer than any test.
    let most = 86_400_000_000;
    let micros = match &text[digits..] {
        "us" => number,
        "ms" => number.checked_mul(1000)?,
        "s" => number.checked_mul(1_000_000)?,
        _ => return None,
    };
    (micros <= most).then(|| Duration::from_micros(micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn period_needs_a_unit() {
        assert_eq!(parse("250us"), Some(Duration::from_micros(250)));
        assert_eq!(parse("10ms"), Some(Duration::from_millis(10)));
        assert_eq!(parse("2s"), Some(Duration::from_secs(2)));
        for wrong in
            ["", "5", "s", "1.5s", "1 s", "-1s", "999999999s", "99999999999999999999s", "1m"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn period_range_reaches_both_ends() {
        let range = Range { shortest: Duration::from_nanos(5), longest: Duration::from_nanos(7) };
        assert_eq!(range.choose(0), Duration::from_nanos(5));
        assert_eq!(range.choose(u64::MAX), Duration::from_nanos(7));
        assert_eq!(range.choose(u64::MAX / 2), Duration::from_nanos(6));
    }
}
