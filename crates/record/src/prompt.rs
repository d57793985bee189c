//! Exchanges of one operation that were sent at the very moment they became due: [`Prompt`].
//!
//! In the closed model without think time nearly all exchanges are like this. They have one latency where others have
//! four. So during a step that latency is recorded once, and it is copied into the other distributions at the end of
//! the step: a call into a library on the same machine takes little longer than recording it. A `Prompt` never leaves
//! its recorder; an [`Interval`] does not depend on it.

use crate::{Codes, Histogram, Interval};
use brunt_exchange::Outcome;
use std::time::Duration;

/// Exchanges that were sent at the moment they became due, and succeeded.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    took: Histogram,
    codes: Codes,
    items: u64,
}

impl Prompt {
    /// No exchanges yet, with room for any number.
    pub fn new() -> Self {
        Self { took: Histogram::new(), codes: Codes::new(), items: 0 }
    }

    /// Records one exchange that succeeded with this code.
    #[inline]
    pub fn record(&mut self, code: u32, took: Duration, items: u64) {
        self.took.record(took);
        self.codes.record(Outcome::Ok(code));
        self.items += items;
    }

    /// Records all of them in `interval`, as if each had been recorded there, and clears them.
    pub fn settle(&mut self, operation: u16, interval: &mut Interval) {
        let count = self.took.count();
        let Some(measured) = interval.operations.get_mut(usize::from(operation)) else {
            debug_assert!(count == 0, "operation {operation} is not in the catalogue");
            return;
        };
        if count == 0 {
            return;
        }
        measured.counts.planned += count;
        measured.counts.sent += count;
        measured.counts.ok += count;
        measured.counts.items += self.items;
        measured.codes.merge(&self.codes);
        measured.response.record_prompt(&self.took);
        measured.service.merge(&self.took);
        interval.lag.record_zero(count);
        interval.lateness.record_zero(count);
        self.took.reset();
        self.codes.reset();
        self.items = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Own;
    use brunt_exchange::{Moment, Stamps};

    #[test]
    fn batch_recording_equals_single_recording() {
        let (mut together, mut one_by_one) = (Interval::new(2, 0), Interval::new(2, 0));
        let mut prompt = Prompt::new();
        prompt.settle(1, &mut together);
        assert_eq!(together, one_by_one, "there was nothing yet");
        let late = Stamps {
            due: Moment::from_nanos(5),
            free: Moment::from_nanos(6),
            sent: Moment::from_nanos(900),
            ended: Moment::from_nanos(5_000),
        };
        for interval in [&mut together, &mut one_by_one] {
            interval.record(1, Outcome::TimedOut, &late, 0, Own::default());
        }
        for (code, nanos, items) in [(0, 700, 1), (1, 0, 0), (0, 70_000_000_000, 5), (0, 810, 0)] {
            let at = Moment::from_nanos(40);
            let ended = Moment::from_nanos(40 + nanos);
            let stamps = Stamps { due: at, free: at, sent: at, ended };
            one_by_one.record(1, Outcome::Ok(code), &stamps, items, Own::default());
            prompt.record(code, Duration::from_nanos(nanos), items);
        }
        prompt.settle(1, &mut together);
        assert_eq!(together, one_by_one);
        prompt.settle(1, &mut together);
        assert_eq!(together, one_by_one, "they were settled already");
    }
}
