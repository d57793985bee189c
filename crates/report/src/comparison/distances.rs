//! How far a value lies from those before and after it, without visiting each: [`Sums`].
//!
//! The distance to all lesser values is their number times the value, less their sum, and likewise for the greater
//! ones. Numbers and sums by size are kept in a tree (Fenwick 1994) to which the values are added one after another.

/// The values of a series that have moved to its left, by size, and how far each lies from all.
pub(super) struct Sums {
    /// The values minus the least of them, so that equal ones have a distance of exactly zero.
    values: Vec<f64>,
    /// By place in the series: the place by size, counted from 1.
    ranks: Vec<usize>,
    /// By place in the series: the sum of its distances to all.
    to_all: Vec<f64>,
    /// By place by size: how many have moved, and their sum.
    tree: Vec<(f64, f64)>,
    /// The same for all values.
    whole: (f64, f64),
}

impl Sums {
    /// For a series of which no value has moved.
    pub(super) fn from_values(values: &[f64]) -> Self {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let values: Vec<f64> = values.iter().map(|value| value - least).collect();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
        let total: f64 = order.iter().map(|place| values[*place]).sum();
        let (mut ranks, mut to_all) = (vec![0; values.len()], vec![0.0; values.len()]);
        let mut below = (0.0, 0.0);
        let count = values.len() as f64;
        for (rank, &place) in (1..).zip(&order) {
            ranks[place] = rank;
            let value = values[place];
            to_all[place] = apart(value, below, (count, total));
            below = (below.0 + 1.0, below.1 + value);
        }
        let tree = vec![(0.0, 0.0); values.len() + 1];
        Self { values, ranks, to_all, tree, whole: (0.0, 0.0) }
    }

    /// The sum of the distances of all pairs.
    pub(super) fn all(&self) -> f64 {
        self.to_all.iter().sum::<f64>() / 2.0
    }

    /// Moves the value at this place to the left. Returns the sums of its distances to the values there, and to those
    /// that are not there.
    pub(super) fn moved(&mut self, place: usize) -> (f64, f64) {
        let (value, rank) = (self.values[place], self.ranks[place]);
        let mut below = (0.0, 0.0);
        let mut node = rank;
        while node > 0 {
            below = (below.0 + self.tree[node].0, below.1 + self.tree[node].1);
            node &= node - 1;
        }
        let to_left = apart(value, below, self.whole);
        node = rank;
        while let Some((count, sum)) = self.tree.get_mut(node) {
            *count += 1.0;
            *sum += value;
            node += node & node.wrapping_neg();
        }
        self.whole = (self.whole.0 + 1.0, self.whole.1 + value);
        (to_left, self.to_all[place] - to_left)
    }
}

/// The sum of the distances of a value to all values, where `below` are those that are no greater; each is their number
/// and their sum.
fn apart(value: f64, below: (f64, f64), all: (f64, f64)) -> f64 {
    let above = (all.0 - below.0, all.1 - below.1);
    (value * below.0 - below.1) + (above.1 - value * above.0)
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    #[test]
    fn distances_equal_the_naive_sum() {
        let mut random = Random::new(5);
        let mut values: Vec<f64> = (0..60).map(|_| 7.0 + random.normal()).collect();
        // Some are the same.
        (0..20).for_each(|place| values[place * 3] = values[place]);
        let distances = |of: f64, to: &[f64]| to.iter().map(|to| (of - to).abs()).sum::<f64>();
        let mut sums = Sums::from_values(&values);
        let all = values.iter().map(|of| distances(*of, &values)).sum::<f64>() / 2.0;
        assert!((sums.all() - all).abs() < 1e-9);
        for (place, value) in values.iter().enumerate() {
            let (left, right) = sums.moved(place);
            assert!((left - distances(*value, &values[..place])).abs() < 1e-9);
            assert!((right - distances(*value, &values[place..])).abs() < 1e-9);
        }
    }

    #[test]
    fn distance_of_equal_values_is_zero() {
        let mut sums = Sums::from_values(&[0.1 + 0.2; 9]);
        assert!(sums.all().abs() < f64::MIN_POSITIVE);
        assert!((0..9).all(|place| sums.moved(place) == (0.0, 0.0)));
        Sums::from_values(&[]);
    }
}
