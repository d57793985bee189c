//! Where a series changed its level or its spread: [`change_points`].
//!
//! E-divisive (Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data",
//! JASA 2014), which assumes no distribution: the split is where the energy distance of both sides is greatest, and a
//! permutation test shows whether a random order would have one as great. Hunter finds regressions in series of
//! benchmarks in the same way.
//!
//! Thousands of orders are tried, so the distances of a value to all values before and after it are looked up
//! ([`Sums`]) and not added up: for 500 runs this is fifty times as fast.

use super::distances::Sums;
use super::random::Random;

/// A level needs at least this many values.
pub(super) const LEVEL_MIN: usize = 3;
/// The fewest permutations of a test.
const PERMUTATIONS_MIN: usize = 999;
/// Energies of two orders that differ by a smaller share are taken as equal: the difference is a rounding error.
const ROUNDING: f64 = 1e-9;

/// The places at which a new level begins, ascending. `chance` is the chance of reporting any in a series that has
/// none.
pub(super) fn change_points(values: &[f64], chance: f64, seed: u64) -> Vec<usize> {
    let mut random = Random::new(seed);
    let mut bounds = vec![0, values.len()];
    while let Some(split) = best(values, &bounds) {
        if split.energy <= 0.0 || !significant(values, &bounds, split.energy, chance, &mut random) {
            break;
        }
        bounds.push(split.at);
        bounds.sort_unstable();
    }
    bounds[1..bounds.len() - 1].to_vec()
}

/// Where a series might be split, and how far apart both sides are.
#[derive(Clone, Copy, Debug)]
struct Split {
    at: usize,
    energy: f64,
}

/// The best split of any of the segments between these bounds.
fn best(values: &[f64], bounds: &[usize]) -> Option<Split> {
    let splits = bounds.windows(2).filter_map(|pair| {
        let split = best_of(&values[pair[0]..pair[1]])?;
        Some(Split { at: split.at + pair[0], ..split })
    });
    splits.max_by(|a, b| a.energy.total_cmp(&b.energy))
}

fn best_of(values: &[f64]) -> Option<Split> {
    let count = values.len();
    if count < 2 * LEVEL_MIN {
        return None;
    }
    // Sums of distances within the left, within the right, and between them.
    let mut sums = Sums::from_values(values);
    let (mut left, mut between, mut right) = (0.0, 0.0, sums.all());
    let mut found: Option<Split> = None;
    for at in 1..count {
        let (to_left, to_right) = sums.moved(at - 1);
        left += to_left;
        right -= to_right;
        between += to_right - to_left;
        if at < LEVEL_MIN || count - at < LEVEL_MIN {
            continue;
        }
        let (n, m) = (at as f64, (count - at) as f64);
        let pairs = |count: f64| count * (count - 1.0) / 2.0;
        let apart = 2.0 * between / (n * m) - left / pairs(n) - right / pairs(m);
        let energy = n * m / (n + m) * apart;
        if found.is_none_or(|best| energy > best.energy) {
            found = Some(Split { at, energy });
        }
    }
    found
}

/// Whether only few random orders of the values in each segment have a split as good.
fn significant(
    values: &[f64],
    bounds: &[usize],
    energy: f64,
    chance: f64,
    random: &mut Random,
) -> bool {
    let permutations = PERMUTATIONS_MIN.max((2.0 / chance).ceil() as usize);
    let most = (chance * (permutations as f64 + 1.0)) as usize;
    let as_great = energy * (1.0 - ROUNDING);
    let mut shuffled = values.to_vec();
    let mut as_good = 1;
    for _ in 0..permutations {
        for pair in bounds.windows(2) {
            random.shuffle(&mut shuffled[pair[0]..pair[1]]);
        }
        let split = best(&shuffled, bounds);
        as_good += usize::from(split.is_some_and(|split| split.energy >= as_great));
        if as_good > most {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around levels, each level with a number of values.
    fn around(levels: &[(usize, f64)], noise: f64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let level = |(count, level): &(usize, f64)| vec![*level; *count];
        let levels = levels.iter().flat_map(level);
        levels.map(|level| level + noise * random.normal()).collect()
    }

    #[test]
    fn energy_statistic_equals_its_definition() {
        let values = [1.0, 2.0, 1.5, 9.0, 9.5, 8.0, 9.1];
        let split = best_of(&values).unwrap();
        let mean = |a: &[f64], b: &[f64]| {
            let all = a.iter().flat_map(|a| b.iter().map(move |b| (a - b).abs()));
            all.sum::<f64>()
        };
        let (a, b) = values.split_at(3);
        let expected = 12.0 / 7.0
            * (2.0 * mean(a, b) / 12.0 - mean(a, a) / (3.0 * 2.0) - mean(b, b) / (4.0 * 3.0));
        assert_eq!(split.at, 3);
        assert!((split.energy - expected).abs() < 1e-9, "{split:?} {expected}");
    }

    #[test]
    fn change_point_is_found_in_500_runs() {
        let values = around(&[(250, 0.0), (250, 0.1)], 0.03, 3);
        let places = change_points(&values, 0.005, 1);
        assert!(places.len() == 1 && places[0].abs_diff(250) <= 2, "{places:?}");
    }

    #[test]
    fn change_point_is_found_at_its_place() {
        // Steps of 10 % in noise of 3 %.
        let found = (0..40).filter(|seed| {
            let values = around(&[(15, 0.0), (15, 0.1)], 0.03, *seed);
            let places = change_points(&values, 0.01, 1);
            places.len() == 1 && places[0].abs_diff(15) <= 1
        });
        assert!(found.count() >= 34);
        let values = around(&[(12, 0.0), (12, 0.2), (12, 0.05)], 0.02, 7);
        assert_eq!(change_points(&values, 0.01, 1), [12, 24]);
    }

    #[test]
    fn change_points_are_absent_without_a_step() {
        let alarms = (0..100)
            .filter(|seed| !change_points(&around(&[(24, 0.0)], 0.03, *seed), 0.02, 1).is_empty());
        assert!(alarms.count() <= 5);
        assert!(change_points(&[1.0; 40], 0.05, 1).is_empty());
        assert!(change_points(&[1.0, 1.0, 9.0, 9.0, 9.0], 0.5, 1).is_empty());
        assert!(change_points(&[], 0.5, 1).is_empty());
    }
}
