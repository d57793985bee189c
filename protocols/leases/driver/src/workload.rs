//! What sessions do with leases: [`Work`], and the lease of each numbered exchange.
//!
//! Every choice of a phase is a pure function of the seed and the number of the operation, so that many sessions share
//! a phase without communication, and a repeated phase is identical. Nothing here depends on a store.

use brunt_net::chance::mix;

/// What a run does.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Writes leases `first`, `first + 1`, …
    Create {
        /// The number of the first.
        first: u64,
    },
    /// Looks leases up.
    Search(Search),
    /// Renews leases drawn at random from those below `population`.
    Update {
        /// How many leases there are.
        population: u64,
    },
    /// Deletes leases `first`, `first + 1`, …
    Delete {
        /// The number of the first.
        first: u64,
    },
    /// The typical operations of a server, each as often as its weight says.
    Mix(Mix),
}

/// How leases are looked up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// How many leases there are: those below this number.
    pub population: u64,
    /// The column by which they are searched.
    pub by: By,
    /// Which leases are searched.
    pub draw: Draw,
}

/// The column by which leases are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// The address.
    #[default]
    Address,
    /// The client identifier; for IPv6, the DUID.
    ClientId,
    /// The hardware address.
    Hardware,
}

/// Which leases are searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// With this probability a lease that exists, otherwise one that does not. A search with another result than was
    /// drawn is a failed check.
    Ratio(f64),
    /// A lease from a range that is larger than the number of leases, so that about this share of the searches finds
    /// one, as in 2012. The result of a single search is not known in advance, so misses are counted and nothing is
    /// checked.
    Guide(f64),
}

/// A mixed workload: the weights of a server's operations on its leases.
///
/// Every session has its own share of the pool. It knows which leases of it are held, so a store's answers can be
/// checked. At the time that the mix uses as the present, leases that were never renewed count as expired, and renewed
/// ones do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// How often a lease is written that did not exist.
    pub allocate: u32,
    /// How often a lease is renewed.
    pub renew: u32,
    /// How often a lease is released.
    pub release: u32,
    /// How often expired leases are searched and deleted.
    pub expire: u32,
    /// How often a lease that is held is looked up.
    pub search: u32,
    /// The column by which it is looked up.
    pub by: By,
    /// How many leases the pool has: those below this number.
    pub pool: u64,
    /// How many of them exist from the beginning: those below this number.
    pub held: u64,
    /// The most that are deleted at once as expired.
    pub reclaim: u32,
}

/// The kind of an operation of a mix. The order is that of [`operations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Allocate,
    Renew,
    Release,
    Expire,
    Search,
}

/// The names of a run's operations, in the order of the numbers that sessions report.
pub fn operations(work: &Work) -> &'static [&'static str] {
    match work {
        Work::Mix(_) => &["allocate", "renew", "release", "expire", "search"],
        _ => &["create", "search", "update", "delete"],
    }
}

/// The name of the code of a success: an operation hits its lease, or does not find it.
pub fn outcome_name(code: u32) -> &'static str {
    if code == MISS { "miss" } else { "hit" }
}

/// The code of an operation that succeeded on its lease.
pub const HIT: u32 = 0;
/// The code of an operation that found nothing, where that is not a failure.
pub const MISS: u32 = 1;

impl Work {
    /// The number of this work's operation; a mix has five, and each exchange reports which.
    pub(super) fn operation(&self) -> u16 {
        match self {
            Self::Create { .. } | Self::Mix(_) => 0,
            Self::Search(_) => 1,
            Self::Update { .. } => 2,
            Self::Delete { .. } => 3,
        }
    }
}

impl Search {
    /// The number of the lease of search `number`, and whether it exists, if that is known.
    pub(super) fn pick(&self, seed: u64, number: u64) -> (u64, Option<bool>) {
        let draw = mix(seed ^ mix(number));
        match self.draw {
            Draw::Guide(ratio) => {
                let span = (self.population as f64 / ratio) as u64;
                (below(draw, span), None)
            }
            Draw::Ratio(ratio) => {
                // The lower half of the draw decides whether the lease exists, the upper half which lease it is: the
                // two are independent.
                let there = self.population > 0 && unit(draw) < ratio;
                let place = below(draw, self.population.max(1));
                (if there { place } else { self.population + place }, Some(there))
            }
        }
    }
}

impl Mix {
    /// The kind of operation `number`.
    pub(super) fn act(&self, seed: u64, number: u64) -> Operation {
        let acts = [
            (self.allocate, Operation::Allocate),
            (self.renew, Operation::Renew),
            (self.release, Operation::Release),
            (self.expire, Operation::Expire),
        ];
        let all = acts.iter().map(|(weight, _)| u64::from(*weight)).sum::<u64>();
        let mut left = below(mix(seed ^ mix(number)), all + u64::from(self.search));
        for (weight, act) in acts {
            if left < u64::from(weight) {
                return act;
            }
            left -= u64::from(weight);
        }
        Operation::Search
    }
}

/// The number of the lease of update `number`.
pub(super) fn updated(seed: u64, number: u64, population: u64) -> u64 {
    below(mix(seed ^ mix(number)), population)
}

/// A draw as a number below `limit`, with equal probabilities, except for one part in 2^64 / `limit`.
pub(super) fn below(draw: u64, limit: u64) -> u64 {
    ((u128::from(draw) * u128::from(limit)) >> 64) as u64
}

/// The lower half of a draw as a number in [0, 1).
fn unit(draw: u64) -> f64 {
    f64::from(draw as u32) / (1_u64 << 32) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_hit_ratio_is_kept() {
        for ratio in [0.0, 0.25, 0.9, 1.0] {
            let search = Search { population: 1_000, by: By::Address, draw: Draw::Ratio(ratio) };
            let picks: Vec<_> = (0..20_000).map(|number| search.pick(7, number)).collect();
            for (number, there) in &picks {
                assert_eq!(*there, Some(*number < 1_000));
            }
            let hits = picks.iter().filter(|(number, _)| *number < 1_000).count();
            assert!((hits as f64 / 20_000.0 - ratio).abs() < 0.01, "{ratio}: {hits}");
        }
    }

    #[test]
    fn search_draw_of_the_guide_exceeds_the_last_lease() {
        let search = Search { population: 900, by: By::Address, draw: Draw::Guide(0.9) };
        let picks: Vec<_> = (0..20_000).map(|number| search.pick(1, number)).collect();
        assert!(picks.iter().all(|(number, there)| *number < 1_000 && there.is_none()));
        let hits = picks.iter().filter(|(number, _)| *number < 900).count();
        assert!((17_700..18_300).contains(&hits), "{hits}");
    }

    #[test]
    fn update_draws_are_uniform() {
        let mut drawn = [0_u32; 100];
        for number in 0..100_000 {
            drawn[updated(3, number, 100) as usize] += 1;
        }
        // Binomial: mean 1000, deviation 31.5. Five deviations are exceeded once in 17,000 runs of all hundred counts.
        assert!(drawn.iter().all(|count| (842..=1_158).contains(count)), "{drawn:?}");
    }

    #[test]
    fn mix_weights_are_kept() {
        let mix = Mix {
            allocate: 40,
            renew: 45,
            release: 10,
            expire: 5,
            search: 100,
            by: By::Address,
            pool: 10,
            held: 0,
            reclaim: 1,
        };
        let mut counts = [0_u32; 5];
        for number in 0..200_000 {
            counts[mix.act(9, number) as usize] += 1;
        }
        let expected = [40_000, 45_000, 10_000, 5_000, 100_000_u32];
        for (count, expected) in counts.iter().zip(expected) {
            assert!(count.abs_diff(expected) < 1_200, "{counts:?}");
        }
    }

    #[test]
    fn search_without_leases_always_misses() {
        let search = Search { population: 0, by: By::Address, draw: Draw::Ratio(0.9) };
        assert!((0..100).all(|number| search.pick(0, number) == (0, Some(false))));
    }
}
