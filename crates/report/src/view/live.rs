//! [`LiveView`]: the view of a run that goes on, as whoever shows it hands it out: a row with each interval, and now
//! and then the whole anew.

use super::{ROWS_MAX, Row, Slice, View};
use brunt_record::{Head, Interval, Step};
use std::time::Duration;

/// The most rows that are added to a view before it is made anew of fewer.
const APPENDED_MAX: usize = 2 * ROWS_MAX;

/// What was handed out of a run so far.
#[derive(Clone, Debug, Default)]
pub struct LiveView {
    /// How many rows the view has, and when the last of them ended.
    rows: usize,
    shown_to: Duration,
}

/// What changes with an interval.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// The whole view.
    View(Box<View>),
    /// A row more.
    Row(Row),
}

impl LiveView {
    /// What an interval changes, which is the newest of these steps.
    pub fn interval(&mut self, head: &Head, interval: &Interval, steps: &[Step]) -> Update {
        // What ends late of an earlier phase lies beside a row that was handed out; and there may be too many rows.
        let update = if interval.from < self.shown_to || self.rows >= APPENDED_MAX {
            let view = View::so_far(head, steps);
            self.rows = view.rows.len();
            Update::View(Box::new(view))
        } else {
            let operations = View::begun(head).operations.len();
            let numbers: Vec<usize> = (0..operations).collect();
            self.rows += 1;
            Update::Row(Slice::of_interval(interval).row(&numbers))
        };
        self.shown_to = self.shown_to.max(interval.to);
        update
    }
}
