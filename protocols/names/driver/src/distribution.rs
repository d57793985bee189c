//! Which keys are looked up and how often: a [`Distribution`], and the [`Sampler`] prepared from it.
//!
//! "Each key once" does not use the order of the list: a flat file finds its first users soonest, and a directory has
//! neighbouring entries in one page. The order is a walk in steps of the golden ratio, of which every prefix is spread
//! evenly over all keys (Weyl), so that the first thousand of many are a fair sample.
//!
//! Zipf's distribution is drawn from a table of aliases (Walker, Electronics Letters 1974; Vose, IEEE Transactions on
//! Software Engineering 1991): each draw takes one random number and one table lookup, for any number of keys. It is
//! exact, and does not need a variable number of attempts as rejection sampling does.

use brunt_net::chance::mix;

/// How far from the golden ratio a step is searched.
const NEAR: u64 = 300;

/// Which keys are looked up and how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Each key once, then each again, in an order that is spread over all of them from the start.
    Once,
    /// Each key with the same probability.
    Uniform,
    /// The key at place k, counted from 1, in proportion to 1 / k^s.
    Zipf(f64),
}

/// A distribution over a number of keys.
#[derive(Clone, Debug)]
pub struct Sampler {
    count: u64,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Once { stride: u64 },
    Uniform,
    Aliases(Vec<Slot>),
}

/// A place of the table of aliases: a drawn number below `keeps` selects this place, any other the alias.
#[derive(Clone, Copy, Debug)]
struct Slot {
    keeps: u32,
    alias: u32,
}

impl Sampler {
    /// A sampler of `count` keys, of which there is at least one.
    pub fn new(distribution: Distribution, count: usize) -> Self {
        let count = count.max(1);
        let kind = match distribution {
            Distribution::Once => Kind::Once { stride: stride(count as u64) },
            Distribution::Uniform => Kind::Uniform,
            Distribution::Zipf(exponent) => Kind::Aliases(aliases(
                (1..=count).map(|rank| (rank as f64).powf(-exponent)).collect(),
            )),
        };
        Self { count: count as u64, kind }
    }

    /// The place of the key for question `number`, drawn with this seed.
    pub fn place(&self, seed: u64, number: u64) -> usize {
        let place = match &self.kind {
            Kind::Once { stride } => {
                let from = below(mix(seed), self.count);
                (from + number % self.count * stride) % self.count
            }
            Kind::Uniform => below(drawn(seed, number), self.count),
            Kind::Aliases(slots) => {
                let drawn = drawn(seed, number);
                // The upper half selects the slot, the lower half one of its two places.
                let slot = ((drawn >> 32) * self.count) >> 32;
                match slots.get(slot as usize) {
                    Some(Slot { keeps, alias }) if drawn as u32 >= *keeps => u64::from(*alias),
                    _ => slot,
                }
            }
        };
        place as usize
    }
}

/// The step of a walk that visits each of `count` places and is spread evenly at any time: of the steps near the golden
/// ratio, the one whose continued fraction has the smallest numbers.
fn stride(count: u64) -> u64 {
    let golden = (count as f64 * 0.618_033_988_749_895).round() as u64;
    let near = golden.saturating_sub(NEAR).max(1)..=(golden + NEAR).min(count.max(1));
    let best = near.filter_map(|stride| Some((largest_quotient(stride, count)?, stride))).min();
    best.map_or(1, |(_, stride)| stride)
}

/// The largest number in the continued fraction of `a / b`; `None` if they have a common factor.
fn largest_quotient(mut a: u64, mut b: u64) -> Option<u64> {
    let mut most = 0;
    while b != 0 {
        most = most.max(a / b);
        (a, b) = (b, a % b);
    }
    (a == 1).then_some(most)
}

/// A pseudorandom number, determined by a seed and a number.
pub(super) const fn drawn(seed: u64, number: u64) -> u64 {
    mix(mix(seed) ^ number)
}

/// A random number of 64 bits, scaled to a number below `count`.
fn below(drawn: u64, count: u64) -> u64 {
    ((u128::from(drawn) * u128::from(count)) >> 64) as u64
}

/// Vose's construction: fills each slot that is too small from one that is too large.
fn aliases(mut weights: Vec<f64>) -> Vec<Slot> {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for (place, weight) in weights.iter_mut().enumerate() {
        *weight /= mean;
        if *weight < 1.0 { small.push(place) } else { large.push(place) }
    }
    let mut slots: Vec<Slot> =
        (0..weights.len() as u32).map(|alias| Slot { keeps: u32::MAX, alias }).collect();
    while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
        let keeps = (weights[poor] * (f64::from(u32::MAX) + 1.0)) as u32;
        slots[poor] = Slot { keeps, alias: rich as u32 };
        weights[rich] -= 1.0 - weights[poor];
        if weights[rich] < 1.0 {
            large.pop();
            small.push(rich);
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(distribution: Distribution, keys: usize, draws: u64) -> Vec<u64> {
        let sampler = Sampler::new(distribution, keys);
        let mut counts = vec![0; keys];
        for number in 0..draws {
            counts[sampler.place(42, number)] += 1;
        }
        counts
    }

    /// Pearson's test: how far counts are from their expected values, in units of its standard deviation.
    fn deviation(counts: &[u64], shares: &[f64]) -> f64 {
        let draws = counts.iter().sum::<u64>() as f64;
        let chi: f64 = counts
            .iter()
            .zip(shares)
            .map(|(&count, share)| (count as f64 - draws * share).powi(2) / (draws * share))
            .sum();
        let freedom = counts.len() as f64 - 1.0;
        (chi - freedom) / (2.0 * freedom).sqrt()
    }

    #[test]
    fn zipf_frequencies_follow_the_formula() {
        for (exponent, keys) in [(0.5, 100), (1.0, 1000), (1.1, 50), (2.0, 20)] {
            let weights: Vec<f64> = (1..=keys).map(|k| 1.0 / f64::from(k).powf(exponent)).collect();
            let all: f64 = weights.iter().sum();
            let shares: Vec<f64> = weights.iter().map(|weight| weight / all).collect();
            let counts = counts(Distribution::Zipf(exponent), keys as usize, 400_000);
            let strange = deviation(&counts, &shares);
            assert!(strange.abs() < 4.0, "s = {exponent}, {keys} keys: {strange}");
            // The same counts differ clearly from those of a neighbouring exponent.
            let others: Vec<f64> =
                (1..=keys).map(|k| 1.0 / f64::from(k).powf(exponent + 0.1)).collect();
            let all: f64 = others.iter().sum();
            let others: Vec<f64> = others.iter().map(|weight| weight / all).collect();
            assert!(deviation(&counts, &others) > 20.0, "s = {exponent}");
        }
    }

    #[test]
    fn uniform_is_even_and_once_takes_turns() {
        let even = counts(Distribution::Uniform, 500, 500_000);
        let strange = deviation(&even, &[1.0 / 500.0; 500]);
        assert!(strange.abs() < 4.0, "{strange}");
        assert_eq!(counts(Distribution::Once, 7, 21), [3; 7]);
    }

    #[test]
    fn once_is_spread_evenly_from_the_beginning() {
        for keys in [1, 2, 3, 10, 97, 1000, 4096, 11_000] {
            assert_eq!(counts(Distribution::Once, keys, keys as u64), vec![1; keys], "{keys}");
        }
        let sampler = Sampler::new(Distribution::Once, 11_000);
        let mut first: Vec<_> = (0..1000).map(|number| sampler.place(7, number)).collect();
        first.sort_unstable();
        let widest = first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        // An even spread would be 11; steps of the golden ratio leave gaps of three lengths, none three times as wide.
        assert!(widest < 30, "{widest}");
    }

    #[test]
    fn draws_depend_on_seed_and_number() {
        let sampler = Sampler::new(Distribution::Zipf(1.0), 1000);
        let draw = |seed| (0..50).map(|number| sampler.place(seed, number)).collect::<Vec<_>>();
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_eq!(Sampler::new(Distribution::Zipf(1.0), 1).place(9, 9), 0);
    }
}
