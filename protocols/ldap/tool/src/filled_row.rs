//! [`FilledRow`]: the row of a table that is being filled.

use std::time::Duration;

use brunt_record::Interval;

/// Steps may end a little before or after their second; a row is due when nearly all of it has been measured.
pub(crate) const SLACK: Duration = Duration::from_millis(500);

/// A row of a table. The engine provides one step a second, and a row covers several.
pub(crate) struct FilledRow {
    every: Duration,
    row: Option<Interval>,
}

impl FilledRow {
    /// An empty row that covers this much time.
    pub(crate) const fn new(every: Duration) -> Self {
        Self { every, row: None }
    }

    /// Adds a step, and returns the row if it is full.
    pub(crate) fn add(&mut self, step: &Interval) -> Option<Interval> {
        let row = match self.row.take() {
            Some(mut row) => {
                row.append(step);
                row
            }
            None => step.clone(),
        };
        if row.lasted() + SLACK >= self.every {
            return Some(row);
        }
        self.row = Some(row);
        None
    }

    /// What there is of a row that is not full.
    pub(crate) const fn rest(&mut self) -> Option<Interval> {
        self.row.take()
    }
}
