//! A [`Rate`]: a number of exchanges in a given time, as a fraction of two integers.
//!
//! A fraction and not a float, because arrival n of a constant rate is then one multiplication and one division of
//! integers: exact in hour three, and the same on every node. This file must not know what a rate is used for.

use std::fmt;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

/// How often exchanges are due: `count` every `nanos` nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    count: u64,
    nanos: u64,
}

impl Rate {
    /// The highest rate that is allowed: ten million a second, beyond which the steps between due times are no longer
    /// meaningful in nanoseconds.
    pub const MAX_PER_SECOND: u64 = 10_000_000;

    /// `count` exchanges every `time`. `None` if `time` is zero or the rate is above the limit.
    pub fn new(count: u64, time: Duration) -> Option<Self> {
        let nanos = u64::try_from(time.as_nanos()).ok().filter(|nanos| *nanos > 0)?;
        let limit = u128::from(nanos) * u128::from(Self::MAX_PER_SECOND);
        (u128::from(count) * u128::from(SECOND) <= limit).then(|| {
            let shared = greatest_common_divisor(count, nanos);
            Self { count: count / shared, nanos: nanos / shared }
        })
    }

    /// `count` exchanges a second. `None` above the limit.
    pub fn per_second(count: u64) -> Option<Self> {
        Self::new(count, Duration::from_secs(1))
    }

    /// The nearest rate to a figure a second, to a millionth. `None` if it is no rate at all:
    /// negative, not a number, or above the limit.
    pub fn from_per_second(figure: f64) -> Option<Self> {
        let legal = (0.0..=Self::MAX_PER_SECOND as f64).contains(&figure);
        legal.then(|| Self::new((figure * 1e6).round() as u64, Duration::from_secs(1_000_000)))?
    }

    /// Exchanges a second.
    pub fn as_per_second(self) -> f64 {
        self.count as f64 / self.nanos as f64 * SECOND as f64
    }

    /// How long it takes until this many are due: the moment at which one more would be.
    pub fn time_of(self, count: u64) -> Duration {
        Duration::from_nanos(self.offset(count))
    }

    /// Whether nothing is ever due.
    pub const fn is_zero(self) -> bool {
        self.count == 0
    }

    /// The offset of arrival `n` in nanoseconds; beyond the range of time, the end of time.
    pub(super) fn offset(self, n: u64) -> u64 {
        if self.count == 0 {
            return u64::MAX;
        }
        // Most products fit into 64 bits, where a division costs a third.
        if let Some(product) = n.checked_mul(self.nanos) {
            return product / self.count;
        }
        let wide = u128::from(n) * u128::from(self.nanos) / u128::from(self.count);
        u64::try_from(wide).unwrap_or(u64::MAX)
    }

    /// How many arrivals have an offset below `lasting` nanoseconds.
    pub(super) fn arrivals(self, lasting: u64) -> u64 {
        let wide = (u128::from(lasting) * u128::from(self.count)).div_ceil(u128::from(self.nanos));
        u64::try_from(wide).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", self.as_per_second())
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_has_no_drift_after_three_hours() {
        let thirds = Rate::per_second(3).unwrap();
        // 10,800 s of three a second, plus one arrival: a third of a second into the next second.
        assert_eq!(thirds.offset(3 * 10_800 + 1), 10_800 * SECOND + 333_333_333);
        let slow = Rate::new(7, Duration::from_secs(60)).unwrap();
        assert_eq!(slow.offset(7 * 60), 3_600 * SECOND);
    }

    #[test]
    fn rate_arrivals_and_offsets_agree() {
        for (count, seconds) in [(1, 1), (3, 1), (7, 60), (20_000, 1), (999, 7)] {
            let rate = Rate::new(count, Duration::from_secs(seconds)).unwrap();
            for lasting in [1, 999, SECOND, SECOND + 1, 13 * SECOND] {
                let arrivals = rate.arrivals(lasting);
                assert!(rate.offset(arrivals) >= lasting, "{rate} {lasting}");
                assert!(arrivals == 0 || rate.offset(arrivals - 1) < lasting, "{rate} {lasting}");
            }
        }
    }

    #[test]
    fn invalid_rate_is_refused() {
        assert_eq!(Rate::from_per_second(-1.0), None);
        assert_eq!(Rate::from_per_second(f64::NAN), None);
        assert_eq!(Rate::per_second(Rate::MAX_PER_SECOND + 1), None);
        assert_eq!(Rate::new(1, Duration::ZERO), None);
        assert_eq!(Rate::from_per_second(2.5), Rate::new(5, Duration::from_secs(2)));
    }
}
