//! [`Levels`]: the levels of figures that were followed lately, since finding them takes long and their runs rarely
//! change.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use brunt_report::comparison::{Figure, Level, levels};

/// The most series that are remembered.
const KEPT_MAX: usize = 64;

/// The levels of the series that were asked for last, by what they were found from.
#[derive(Debug, Default)]
pub(crate) struct Levels(Mutex<VecDeque<(u64, Vec<Level>)>>);

impl Levels {
    /// The levels of a figure over runs.
    pub(crate) fn of(&self, figure: Figure, values: &[Option<f64>], chance: f64) -> Vec<Level> {
        let mut hasher = DefaultHasher::new();
        (figure, chance.to_bits()).hash(&mut hasher);
        for value in values {
            value.map(f64::to_bits).hash(&mut hasher);
        }
        let key = hasher.finish();
        let known = |all: &VecDeque<(u64, Vec<Level>)>| {
            all.iter().find(|(one, _)| *one == key).map(|(_, found)| found.clone())
        };
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known(&kept()) {
            return found;
        }
        // Others may look meanwhile.
        let found = levels(figure, values, chance, figure as u64);
        let mut all = kept();
        all.truncate(KEPT_MAX - 1);
        all.push_front((key, found.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_remembered_as_long_as_the_runs_are_the_same() {
        let kept = Levels::default();
        let values: Vec<Option<f64>> =
            (0..20).map(|at| Some(if at < 10 { 1.0 } else { 2.0 })).collect();
        let found = kept.of(Figure::P99, &values, 0.05);
        assert_eq!((found.len(), kept.of(Figure::P99, &values, 0.05)), (2, found));
        kept.of(Figure::Goodput, &values, 0.05);
        kept.of(Figure::P99, &values[1..], 0.05);
        assert_eq!(kept.0.lock().unwrap().len(), 3);
        for number in 0..KEPT_MAX + 5 {
            kept.of(Figure::P99, &[Some(number as f64)], 0.05);
        }
        assert_eq!(kept.0.lock().unwrap().len(), KEPT_MAX);
    }
}
