//! [`Mix`]: which scenario a user's next iteration executes.

use super::plan::{Order, Repeat};
use brunt_exchange::chance::mix;

/// A user's progress through the scenarios.
#[derive(Clone, Debug, Default)]
pub(super) struct Mix {
    /// The number of rounds the user has completed.
    round: usize,
    entry: usize,
    done: u64,
}

impl Mix {
    /// The scenario of iteration `number`; `None` if the user has completed its rounds.
    pub(super) fn next(
        &mut self,
        order: &Order,
        scenarios: usize,
        seed: u64,
        number: u64,
    ) -> Option<usize> {
        match order {
            _ if scenarios == 0 => None,
            Order::Turns => Some((number % scenarios as u64) as usize),
            Order::Weights(weights) => weighted(weights, mix(seed, number)),
            Order::Rounds(rounds) => self.next_of(rounds),
        }
    }

    fn next_of(&mut self, rounds: &[Vec<Repeat>]) -> Option<usize> {
        loop {
            let round = rounds.get(self.round)?;
            match round.get(self.entry) {
                None => (self.round, self.entry, self.done) = (self.round + 1, 0, 0),
                Some(repeat) if self.done >= repeat.times => {
                    (self.entry, self.done) = (self.entry + 1, 0);
                }
                Some(repeat) => {
                    self.done += 1;
                    return Some(repeat.scenario);
                }
            }
        }
    }
}

/// The weight that a random number selects.
pub(super) fn weighted(weights: &[u32], draw: u64) -> Option<usize> {
    let all: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
    // The upper half of the product is uniform in 0..all.
    let mut at = ((u128::from(draw) * u128::from(all)) >> 64) as u64;
    for (scenario, weight) in weights.iter().enumerate() {
        let weight = u64::from(*weight);
        if at < weight {
            return Some(scenario);
        }
        at -= weight;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_run_in_order_and_end() {
        let repeat = |scenario, times| Repeat { scenario, times };
        let round = vec![repeat(0, 5), repeat(1, 1), repeat(2, 0)];
        let order = Order::Rounds(vec![round.clone(), Vec::new(), round]);
        let mut way = Mix::default();
        let taken: Vec<_> = std::iter::from_fn(|| way.next(&order, 3, 0, 0)).collect();
        assert_eq!(taken, [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
        assert_eq!(way.next(&order, 3, 0, 0), None);
    }

    #[test]
    fn weights_are_kept_and_depend_on_seed_and_number() {
        let order = Order::Weights(vec![1, 0, 3]);
        let scenario = |number| Mix::default().next(&order, 3, 9, number);
        let counts = (0..40_000).fold([0_u32; 3], |mut counts, number| {
            counts[scenario(number).unwrap()] += 1;
            counts
        });
        assert_eq!(counts[1], 0);
        // Three quarters of 40,000, plus or minus four standard deviations of 87.
        assert!((f64::from(counts[2]) - 30_000.0).abs() < 350.0, "{counts:?}");
        assert_eq!(scenario(7), scenario(7));
    }

    #[test]
    fn weights_of_zero_choose_nothing() {
        assert_eq!(weighted(&[0, 0], u64::MAX), None);
        assert_eq!(weighted(&[1], u64::MAX), Some(0));
        assert_eq!(Mix::default().next(&Order::Turns, 0, 0, 5), None);
    }
}
