//! [`Levels`]: the levels of figures that were followed lately, since finding them takes long and their runs rarely
//! change.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use brunt_report::comparison::{Figure, Level, levels};

use crate::cache::Cache;

/// The most series that are remembered.
const KEPT_MAX: usize = 64;

/// The levels of the series that were requested last.
#[derive(Debug, Default)]
pub(crate) struct Levels(Cache<Vec<Level>, KEPT_MAX>);

impl Levels {
    /// The levels of a figure over runs.
    pub(crate) fn of(&self, figure: Figure, values: &[Option<f64>], chance: f64) -> Vec<Level> {
        let mut hasher = DefaultHasher::new();
        (figure, chance.to_bits()).hash(&mut hasher);
        for value in values {
            value.map(f64::to_bits).hash(&mut hasher);
        }
        let found = || Ok::<_, Infallible>(levels(figure, values, chance, figure as u64));
        let Ok(found) = self.0.of(hasher.finish(), found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_cached_per_figure_and_runs() {
        let kept = Levels::default();
        let values: Vec<Option<f64>> =
            (0..20).map(|at| Some(if at < 10 { 1.0 } else { 2.0 })).collect();
        let found = kept.of(Figure::P99, &values, 0.05);
        assert_eq!((found.len(), kept.of(Figure::P99, &values, 0.05)), (2, found));
        assert_eq!(kept.of(Figure::P99, &values[10..], 0.05).len(), 1);
    }
}
