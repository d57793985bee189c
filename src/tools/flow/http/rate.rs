//! [`Rate`]: requests a second as other tools write them: `1000`, `10k`, `200/s`, `90/m`.

use std::time::Duration;

/// So many in such a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    /// How many.
    count: u64,
    /// In how many seconds.
    seconds: u64,
}

impl Rate {
    /// Reads a rate.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("understand the rate '{text}': write it as 1000, 10k, 200/s or 90/m");
        let (number, per) = text.trim().split_once('/').unwrap_or((text.trim(), "s"));
        let seconds = match per {
            "s" | "1s" => 1,
            "m" | "1m" | "min" => 60,
            "h" | "1h" => 3_600,
            _ => return Err(wrong()),
        };
        let (digits, factor) = match number.char_indices().last() {
            Some((at, 'k' | 'K')) => (&number[..at], 1_000),
            Some((at, 'm' | 'M')) => (&number[..at], 1_000_000),
            _ => (number, 1),
        };
        let count = digits.parse::<u64>().ok().and_then(|count| count.checked_mul(factor));
        let count = count.filter(|count| (1..=1_000_000_000).contains(count)).ok_or_else(wrong)?;
        Ok(Self { count, seconds })
    }

    /// As a plan writes it.
    pub(super) fn words(self) -> String {
        let per = match self.seconds {
            60 => "m",
            3_600 => "h",
            _ => "s",
        };
        format!("{}/{per}", self.count)
    }

    /// The time within which so many fall due: the moment at which one more would.
    pub(super) fn time_of(self, requests: u64) -> Duration {
        let nanos = u128::from(requests) * u128::from(self.seconds) * 1_000_000_000
            / u128::from(self.count);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_engine::schedule::Schedule;

    #[test]
    fn rates_are_read_as_plans_read_them() {
        for (text, words) in [
            ("1000", "1000/s"),
            ("10k", "10000/s"),
            ("200/s", "200/s"),
            ("90/m", "90/m"),
            ("5/h", "5/h"),
        ] {
            let rate = Rate::parse(text).unwrap();
            assert_eq!(rate.words(), words);
            let schedule = Schedule::parse(words).unwrap();
            let per_second = rate.count as f64 / rate.seconds as f64;
            let peak = schedule.peak_per_second().unwrap();
            assert!((peak - per_second).abs() < 1e-9, "{words}: {peak}");
        }
        for wrong in ["", "0", "k", "1/d", "-1", "1.5", "x/s", "99999999999"] {
            assert!(Rate::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_number_of_requests_is_a_time() {
        assert_eq!(Rate::parse("3").unwrap().time_of(10), Duration::from_nanos(3_333_333_333));
        assert_eq!(Rate::parse("90/m").unwrap().time_of(90), Duration::from_secs(60));
        // Of three a second, ten are due before 3.333.. s: the last at 3 s, one more at the end.
        let last = Rate::parse("3").unwrap().time_of(9);
        assert!(last < Duration::from_nanos(3_333_333_333));
    }
}
