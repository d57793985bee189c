//! [`Measured`]: what a run has measured so far, by phase and over time.

use brunt_exchange::{Class, Outcome};
use brunt_record::{Counts, Interval, Phase, Series, Totals};

/// The intervals of a run.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// By phase.
    pub(crate) totals: Totals,
    /// Over time.
    pub(crate) series: Series,
}

impl Measured {
    /// Adds an interval.
    pub(super) fn absorb(&mut self, interval: &Interval) {
        self.totals.absorb(interval);
        self.series.push(interval);
    }
}

/// Whether exchanges were asked for and not one of them did what it should.
pub(super) fn nothing_worked(counts: &Counts) -> bool {
    counts.planned > 0 && counts.ok == 0
}

/// How many exchanges of the steady phase ended for want of a connection.
pub(crate) fn lost(measured: &Measured) -> u64 {
    let Some(steady) = measured.totals.phase(Phase::Steady) else { return 0 };
    let codes = steady.operations.iter().flat_map(|operation| operation.codes.sorted());
    codes
        .filter(|(outcome, _)| {
            matches!(outcome, Outcome::Failed(Class::Connect | Class::Closed | Class::Tls, _))
        })
        .map(|(_, count)| count)
        .sum()
}
