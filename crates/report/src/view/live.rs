//! [`LiveView`]: the view of a run in progress, in the pieces in which it is sent out: a row with each interval, and
//! from time to time the whole view again.

use super::{ROWS_MAX, Row, Shown, Slice, View};
use brunt_record::{Head, Interval, Step};
use std::time::Duration;

/// The most rows that are added to a view before it is rebuilt with fewer.
const APPENDED_MAX: usize = 2 * ROWS_MAX;

/// What was sent out of a run so far.
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
    /// One more row.
    Row(Row),
}

impl LiveView {
    /// The change caused by an interval, which is the newest of these steps.
    pub fn interval(&mut self, head: &Head, interval: &Interval, steps: &[Step]) -> Update {
        // Exchanges of an earlier phase that end late overlap a row that was sent; also, there may be too many rows.
        let update = if interval.from < self.shown_to || self.rows >= APPENDED_MAX {
            let view = View::so_far(head, steps);
            self.rows = view.rows.len();
            Update::View(Box::new(view))
        } else {
            self.rows += 1;
            Update::Row(Slice::of_interval(interval).row(&Shown::first(&head.catalogue)))
        };
        self.shown_to = self.shown_to.max(interval.to);
        update
    }
}
