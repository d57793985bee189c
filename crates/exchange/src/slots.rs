//! Which exchanges of a run belong to a node: its [`Slots`].
//!
//! Numbers are assigned in rounds of a fixed number of slots. A node owns some of the slots, and with them the
//! exchanges whose numbers fall on them. Its share depends only on its rank and the weights, so nothing is assigned
//! during the run. The slots of a node are spread over the round (smooth weighted round robin), so each share is even
//! in time. Everything that is counted is assigned by the same rule: exchanges, sessions, clients. Shares are therefore
//! disjoint and complete, and add up.

/// A node's slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The number of slots in a round.
    of: u64,
    /// Those of this node, in order.
    own: Box<[u64]>,
    /// Those of the nodes with lower ranks, in order.
    before: Box<[u64]>,
}

/// Why weights cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotsError {
    /// No node has this rank.
    Rank,
    /// A node with weight 0 would do nothing.
    Zero,
    /// No round of at most [`Slots::ROUND_MAX`] slots has shares close enough to the weights.
    Apart,
}

impl std::fmt::Display for SlotsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Rank => "there is no such node; ranks are counted from 0",
            Self::Zero => "a weight of 0 gives a node nothing to do; leave the node out",
            Self::Apart => {
                "the weights are too far apart; the smallest share would be less than 1 % exact"
            }
        })
    }
}

impl std::error::Error for SlotsError {}

impl Default for Slots {
    fn default() -> Self {
        Self::even(0, 1)
    }
}

impl Slots {
    /// The maximum length of a round.
    pub const ROUND_MAX: u64 = 1 << 16;

    /// The share of node `rank` of this number of nodes with equal shares. A rank above the last node's gets a separate
    /// share that belongs to no node; plans refuse it.
    pub fn even(rank: u32, nodes: u32) -> Self {
        let before = (0..u64::from(rank)).collect();
        Self { of: u64::from(nodes.max(1)), own: [u64::from(rank)].into(), before }
    }

    /// The share of node `rank`, where each node's share matches its weight, to within 1 %.
    pub fn weighted(rank: u32, weights: &[u32]) -> Result<Self, SlotsError> {
        let rank = rank as usize;
        if rank >= weights.len() {
            return Err(SlotsError::Rank);
        }
        if weights.contains(&0) {
            return Err(SlotsError::Zero);
        }
        let counts = round(weights).ok_or(SlotsError::Apart)?;
        let owners = dealt(&counts);
        let of = |owned: &dyn Fn(usize) -> bool| {
            let slots = (0_u64..).zip(&owners).filter(|(_, owner)| owned(**owner));
            slots.map(|(slot, _)| slot).collect()
        };
        Ok(Self {
            of: owners.len() as u64,
            own: of(&|owner| owner == rank),
            before: of(&|owner| owner < rank),
        })
    }

    /// The fraction of the whole that belongs to this node, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.own.len() as f64 / self.of as f64
    }

    /// The length of a round: each node has at least one of its numbers.
    pub fn round(&self) -> u64 {
        self.of
    }

    /// The number of this node's exchange `place`, counted from 0 among its own.
    #[inline]
    pub fn number(&self, place: u64) -> u64 {
        if let [only] = *self.own {
            return place.wrapping_mul(self.of).wrapping_add(only);
        }
        let own = self.own.len() as u64;
        (place / own).wrapping_mul(self.of).wrapping_add(self.own[(place % own) as usize])
    }

    /// How many of this node's exchanges precede `number`: its place, if it is one of them.
    #[inline]
    pub fn place(&self, number: u64) -> u64 {
        count(&self.own, self.of, number)
    }

    /// How many of the first `count` belong to this node.
    pub fn of(&self, count: u64) -> u64 {
        self.place(count)
    }

    /// How many of the first `total` belong to nodes with lower ranks.
    pub fn before(&self, total: u64) -> u64 {
        count(&self.before, self.of, total)
    }

    /// The numbers of every `step`th exchange of this node, beginning with the one at this place.
    pub fn numbers(&self, place: u64, step: u64) -> Numbers {
        Numbers { slots: self.clone(), place, step }
    }
}

/// The endless sequence of numbers of a node's exchanges. See [`Slots::numbers`].
#[derive(Clone, Debug)]
pub struct Numbers {
    slots: Slots,
    place: u64,
    step: u64,
}

impl Numbers {
    /// The next number; there always is one.
    #[inline]
    pub fn following(&mut self) -> u64 {
        let number = self.slots.number(self.place);
        self.place = self.place.wrapping_add(self.step);
        number
    }
}

impl Iterator for Numbers {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        Some(self.following())
    }
}

/// How many of the first `count` numbers fall on these slots of a round of `of`.
fn count(slots: &[u64], of: u64, count: u64) -> u64 {
    let (rounds, rest) = (count / of, count % of);
    rounds * slots.len() as u64 + slots.partition_point(|slot| *slot < rest) as u64
}

/// The number of slots of each node in the shortest round in which every share is within 1 % of its weight.
fn round(weights: &[u32]) -> Option<Vec<u64>> {
    let sum: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
    let nodes = weights.len() as u64;
    (nodes..=Slots::ROUND_MAX).find_map(|slots| {
        let counts = apportioned(weights, sum, slots);
        let near = |(count, weight): (&u64, &u32)| {
            let (is, wanted) = (u128::from(*count) * u128::from(sum), wanted(*weight, slots));
            is.abs_diff(wanted) * 100 <= wanted
        };
        counts.iter().zip(weights).all(near).then_some(counts)
    })
}

fn wanted(weight: u32, slots: u64) -> u128 {
    u128::from(weight) * u128::from(slots)
}

/// Distributes this number of slots by the largest remainder method.
fn apportioned(weights: &[u32], sum: u64, slots: u64) -> Vec<u64> {
    let sum = u128::from(sum);
    let mut counts: Vec<u64> =
        weights.iter().map(|weight| (wanted(*weight, slots) / sum) as u64).collect();
    let left = slots - counts.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(wanted(weights[*at], slots) % sum), *at));
    order.iter().take(left as usize).for_each(|at| counts[*at] += 1);
    counts
}

/// Which node owns each slot of a round, by smooth weighted round robin: the slots of each node are as far apart as
/// possible.
fn dealt(counts: &[u64]) -> Vec<usize> {
    let slots: u64 = counts.iter().sum();
    let mut credit = vec![0_i64; counts.len()];
    let mut next = || {
        credit.iter_mut().zip(counts).for_each(|(credit, count)| *credit += count.cast_signed());
        let most = (0..counts.len()).max_by_key(|at| (credit[*at], std::cmp::Reverse(*at)));
        let owner = most.unwrap_or_default();
        credit[owner] -= slots.cast_signed();
        owner
    };
    (0..slots).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers, without a dependency on a crate.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % bound
        }
    }

    fn all(weights: &[u32]) -> Vec<Slots> {
        (0..weights.len() as u32).map(|rank| Slots::weighted(rank, weights).unwrap()).collect()
    }

    #[test]
    fn even_weights_take_every_nth_number() {
        for nodes in 1..8 {
            let weighted = all(&vec![7; nodes]);
            let even = (0..nodes as u32).map(|rank| Slots::even(rank, nodes as u32));
            assert!(weighted.iter().cloned().eq(even));
        }
        let third: Vec<u64> = Slots::even(2, 4).numbers(1, 2).take(3).collect();
        assert_eq!(third, [6, 14, 22]);
    }

    #[test]
    fn slots_of_a_heavy_node_are_spread() {
        let heavy = Slots::weighted(0, &[3, 1, 1, 1]).unwrap();
        // Smooth weighted round robin: 0 1 0 2 3 0.
        assert_eq!((heavy.of, &*heavy.own), (6, &[0, 2, 5][..]));
        assert!((heavy.share() - 0.5).abs() < 1e-12);
        // The shortest round is sufficient, whatever weights are given.
        assert_eq!(Slots::weighted(0, &[48_000, 16_000, 16_000, 16_000]).unwrap().of, 6);
    }

    #[test]
    fn random_splits_are_disjoint_and_complete() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..400 {
            let nodes = 1 + random.below(8);
            let weights: Vec<u32> = (0..nodes).map(|_| 1 + random.below(99) as u32).collect();
            let shares = all(&weights);
            let round = shares[0].of;
            let mut numbers: Vec<u64> = shares
                .iter()
                .flat_map(|slots| (0..2 * slots.own.len() as u64).map(|place| slots.number(place)))
                .collect();
            numbers.sort_unstable();
            assert!(numbers.iter().copied().eq(0..2 * round), "{weights:?}");
            let sum: u32 = weights.iter().sum();
            for count in [0, 1, nodes, random.below(round), random.below(1 << 40), 3 * round] {
                let parts = shares.iter().map(|slots| slots.of(count));
                assert_eq!(parts.clone().sum::<u64>(), count, "{weights:?}");
                let before: Vec<u64> = shares.iter().map(|slots| slots.before(count)).collect();
                let sums = parts.scan(0, |sum, part| Some(std::mem::replace(sum, *sum + part)));
                assert!(sums.eq(before), "{weights:?}");
            }
            for (slots, weight) in shares.iter().zip(&weights) {
                let wanted = f64::from(*weight) / f64::from(sum);
                assert!((slots.share() / wanted - 1.0).abs() <= 0.0101, "{weights:?}");
                let place = random.below(10_000);
                assert_eq!(slots.place(slots.number(place)), place);
                let (first, step) = (random.below(5), 1 + random.below(5));
                let stepped: Vec<u64> = slots.numbers(first, step).take(9).collect();
                let expected = (0..9).map(|turn| slots.number(first + turn * step));
                assert!(stepped.iter().copied().eq(expected));
            }
        }
    }

    #[test]
    fn invalid_weights_are_refused() {
        assert_eq!(Slots::weighted(2, &[1, 1]), Err(SlotsError::Rank));
        assert_eq!(Slots::weighted(0, &[]), Err(SlotsError::Rank));
        assert_eq!(Slots::weighted(0, &[1, 0]), Err(SlotsError::Zero));
        assert_eq!(Slots::weighted(0, &[u32::MAX, 1]), Err(SlotsError::Apart));
    }
}
