//! What a run has measured so far: [`Measured`].

use crate::{Conclusion, Ending, Head, Interval, Names, Series, Totals, Verdict};

/// The sums of the intervals of a run, in memory that does not grow with it.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// By phase.
    pub totals: Totals,
    /// Over time.
    pub series: Series,
}

impl Measured {
    /// Adds an interval.
    pub fn absorb(&mut self, interval: &Interval) {
        self.totals.absorb(interval);
        self.series.push(interval);
    }

    /// All that a record is made from.
    pub fn conclusion<'a>(
        &'a self,
        head: Head,
        names: Names<'a>,
        ending: Ending,
    ) -> Conclusion<'a> {
        Conclusion { head, names, totals: &self.totals, series: &self.series, ending }
    }

    /// The verdict that the run would get if it ended now.
    pub fn provisional(&self, head: &Head, names: Names<'_>) -> Verdict {
        self.conclusion(head.clone(), names, Ending::so_far(&self.totals)).verdict()
    }
}
