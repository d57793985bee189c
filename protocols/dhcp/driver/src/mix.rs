//! A [`Mix`]: which kind the exchange with a given number is.
//!
//! Acquiring, renewing and releasing each have a rate, and share one schedule of due times. The
//! kind is a pure function of the number. The kinds are spread as evenly as whole exchanges can be:
//! any range of numbers as long as the sum of the rates contains exactly as many of each kind as
//! its rate says, wherever the range begins. It must not depend on when anything is due.

use super::Kind;

/// Three rates that share the numbers of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    acquire: u64,
    renew: u64,
    release: u64,
}

/// The kind of an exchange, and its number within that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixedExchange {
    /// Its kind.
    pub kind: Kind,
    /// Its number among the exchanges of its kind, counted from 0.
    pub rank: u64,
}

impl Mix {
    /// Only acquiring.
    pub const ACQUIRE: Self = Self { acquire: 1, renew: 0, release: 0 };

    /// Creates a mix with these rates, all in the same unit; a fractional rate is given as a count
    /// per million seconds. If all rates are 0, the mix only acquires.
    pub fn new(acquire: u64, renew: u64, release: u64) -> Self {
        let common = divisor(divisor(acquire, renew), release);
        if common == 0 {
            return Self::ACQUIRE;
        }
        Self { acquire: acquire / common, renew: renew / common, release: release / common }
    }

    /// The kind of exchange `number`, and its number within that kind.
    pub fn turn(&self, number: u64) -> MixedExchange {
        let whole = self.acquire + self.renew + self.release;
        let acquired = before(number, self.acquire, whole);
        if before(number + 1, self.acquire, whole) > acquired {
            return MixedExchange { kind: Kind::Acquire, rank: acquired };
        }
        let others = number - acquired;
        let renewed = before(others, self.renew, self.renew + self.release);
        if before(others + 1, self.renew, self.renew + self.release) > renewed {
            return MixedExchange { kind: Kind::Renew, rank: renewed };
        }
        MixedExchange { kind: Kind::Release, rank: others - renewed }
    }

    /// How many exchanges there are up to and including the one that acquires lease number
    /// `acquired`.
    pub fn until_acquired(&self, acquired: u64) -> u64 {
        if self.acquire == 0 || acquired == 0 {
            return 0;
        }
        let whole = u128::from(self.acquire + self.renew + self.release);
        let before = u128::from(acquired - 1) * whole / u128::from(self.acquire);
        u64::try_from(before + 1).unwrap_or(u64::MAX)
    }
}

/// How many of the first `count` are chosen, if `part` of each `whole` are, beginning with the
/// first.
fn before(count: u64, part: u64, whole: u64) -> u64 {
    if whole == 0 {
        return 0;
    }
    let product = u128::from(count) * u128::from(part);
    u64::try_from(product.div_ceil(u128::from(whole))).unwrap_or(u64::MAX)
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn counted(mix: &Mix, from: u64, count: u64) -> [u64; 3] {
        let mut counts = [0; 3];
        for number in from..from + count {
            counts[mix.turn(number).kind as usize] += 1;
        }
        counts
    }

    #[test]
    fn mix_keeps_its_rates_in_every_second() {
        for (acquire, renew, release) in [(100, 30, 7), (1000, 0, 1000), (3, 1, 0), (7, 3, 4)] {
            let mix = Mix::new(acquire, renew, release);
            let second = acquire + renew + release;
            for from in [0, second, 17 * second, 1 << 40] {
                assert_eq!(counted(&mix, from, second), [acquire, renew, release], "from {from}");
            }
        }
    }

    #[test]
    fn mix_of_fractional_rates_is_exact_over_its_period() {
        let mix = Mix::new(2_500_000, 500_000, 0);
        assert_eq!(counted(&mix, 0, 6), [5, 1, 0]);
        assert_eq!(counted(&mix, 6_000_000, 6), [5, 1, 0]);
    }

    #[test]
    fn mix_ranks_have_no_gap() {
        let mix = Mix::new(10, 4, 3);
        let mut next: HashMap<Kind, u64> = HashMap::new();
        for number in 0..10_000 {
            let turn = mix.turn(number);
            let next = next.entry(turn.kind).or_default();
            assert_eq!(turn.rank, *next, "exchange {number}");
            *next += 1;
        }
    }

    #[test]
    fn mix_spreads_kinds_evenly() {
        let mix = Mix::new(90, 10, 0);
        let renewals: Vec<u64> =
            (0..1000).filter(|number| mix.turn(*number).kind == Kind::Renew).collect();
        assert_eq!(renewals.len(), 100);
        assert!(renewals.windows(2).all(|pair| pair[1] - pair[0] == 10), "{renewals:?}");
    }

    #[test]
    fn mix_limit_of_leases_becomes_a_limit_of_exchanges() {
        let mix = Mix::new(10, 4, 3);
        for acquired in 1..500 {
            let until = mix.until_acquired(acquired);
            assert_eq!(counted(&mix, 0, until)[0], acquired);
            assert_eq!(
                mix.turn(until - 1),
                MixedExchange { kind: Kind::Acquire, rank: acquired - 1 }
            );
        }
        assert_eq!(mix.until_acquired(0), 0);
    }

    #[test]
    fn mix_without_other_rates_only_acquires() {
        for mix in [Mix::ACQUIRE, Mix::new(0, 0, 0), Mix::new(500, 0, 0)] {
            let turn = mix.turn(u64::MAX / 2);
            assert_eq!(turn, MixedExchange { kind: Kind::Acquire, rank: u64::MAX / 2 });
        }
    }
}
