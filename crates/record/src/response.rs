//! Response times by how their exchanges ended: [`Responses`].
//!
//! Every exchange that was due waited, answered or not. An exchange without an answer is *censored*: its true response
//! time is unknown and at least as long as it had waited at the last observation. So each kind of end has its own
//! histogram, and figures are made from them as needed: of successes, of all that ended, or of all that was due. The
//! four are disjoint, so their sum is exact. This type must not judge anything.

use crate::Histogram;
use brunt_exchange::Outcome;
use std::time::Duration;

/// Response times of one operation, by how the exchanges ended.
#[derive(Clone, Debug, Default)]
pub struct Responses {
    /// Of exchanges that succeeded.
    pub ok: Histogram,
    /// Of exchanges that failed.
    pub failed: Histogram,
    /// Least response times of exchanges that exceeded their time-out.
    pub timed_out: Histogram,
    /// Least response times of exchanges that were in flight when the run ended.
    pub cut_off: Histogram,
    /// Of exchanges that succeeded, without the generator's own part; none while that has made no difference.
    cleared: Option<Box<Histogram>>,
}

/// An own part below a hundredth of a response time affects no judgement, and does not justify a second entry.
const OWN_SHARE_MIN: u64 = 100;

impl Responses {
    /// Records one response time, of which the generator caused `own`.
    #[inline]
    pub fn record(&mut self, outcome: Outcome, took: Duration, own: Duration) {
        match outcome {
            Outcome::Ok(_) => {
                if self.cleared.is_some() || nanos(own).saturating_mul(OWN_SHARE_MIN) > nanos(took)
                {
                    let ok = &self.ok;
                    let cleared = self.cleared.get_or_insert_with(|| Box::new(ok.clone()));
                    cleared.record(took.saturating_sub(own));
                }
                self.ok.record(took);
            }
            Outcome::Failed(..) => self.failed.record(took),
            Outcome::TimedOut => self.timed_out.record(took),
            Outcome::CutOff => self.cut_off.record(took),
            Outcome::Skipped => {}
        }
    }

    /// Records many successes at once, none of which had an own part.
    pub fn record_prompt(&mut self, took: &Histogram) {
        if let Some(cleared) = &mut self.cleared {
            cleared.merge(took);
        }
        self.ok.merge(took);
    }

    /// All response times that are known: ok and failed.
    pub fn answered(&self) -> Histogram {
        let mut all = self.ok.clone();
        all.merge(&self.failed);
        all
    }

    /// All exchanges that ended by themselves: ok, failed and timed out. The tables of the original tools use these.
    pub fn ended(&self) -> Histogram {
        let mut all = self.answered();
        all.merge(&self.timed_out);
        all
    }

    /// All exchanges that were due and sent. Those without an answer count with the least they can have taken.
    pub fn due(&self) -> Histogram {
        let mut all = self.ended();
        all.merge(&self.cut_off);
        all
    }

    /// Exchanges without an answer: the least their response times can have been.
    pub fn censored(&self) -> Histogram {
        let mut all = self.timed_out.clone();
        all.merge(&self.cut_off);
        all
    }

    /// Successes without the generator's own part.
    pub fn cleared(&self) -> &Histogram {
        self.cleared.as_deref().unwrap_or(&self.ok)
    }

    /// The same with these response times of successes without the generator's own part.
    pub(crate) fn with_cleared(self, cleared: Option<Histogram>) -> Self {
        Self { cleared: cleared.map(Box::new), ..self }
    }

    /// Adds the response times of another.
    pub fn merge(&mut self, other: &Self) {
        if self.cleared.is_some() || other.cleared.is_some() {
            let ok = &self.ok;
            let mine = self.cleared.get_or_insert_with(|| Box::new(ok.clone()));
            mine.merge(other.cleared.as_deref().unwrap_or(&other.ok));
        }
        self.ok.merge(&other.ok);
        self.failed.merge(&other.failed);
        self.timed_out.merge(&other.timed_out);
        self.cut_off.merge(&other.cut_off);
    }

    /// Clears everything and keeps its memory.
    pub fn reset(&mut self) {
        self.ok.reset();
        self.failed.reset();
        self.timed_out.reset();
        self.cut_off.reset();
        // Later exchanges of the same run will differ as well, so the memory is kept.
        if let Some(cleared) = &mut self.cleared {
            cleared.reset();
        }
    }
}

impl PartialEq for Responses {
    fn eq(&self, other: &Self) -> bool {
        self.ok == other.ok
            && self.failed == other.failed
            && self.timed_out == other.timed_out
            && self.cut_off == other.cut_off
            && self.cleared() == other.cleared()
    }
}

fn nanos(took: Duration) -> u64 {
    took.as_secs().saturating_mul(1_000_000_000).saturating_add(u64::from(took.subsec_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Class;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn responses_are_separate_by_outcome_and_add_up() {
        let mut responses = Responses::default();
        responses.record(Outcome::Ok(0), MS, Duration::ZERO);
        responses.record(Outcome::Failed(Class::Result, 49), 2 * MS, Duration::ZERO);
        responses.record(Outcome::TimedOut, 3 * MS, Duration::ZERO);
        responses.record(Outcome::CutOff, 4 * MS, Duration::ZERO);
        responses.record(Outcome::Skipped, 5 * MS, Duration::ZERO);
        let sums =
            [responses.ended(), responses.due(), responses.censored()].map(|h| h.sum_nanos());
        assert_eq!(sums, [6, 10, 7].map(|millis| millis * MS.as_nanos()));
        assert_eq!(responses.cleared(), &responses.ok);
    }

    #[test]
    fn cleared_responses_exclude_time_of_the_generator() {
        let mut responses = Responses::default();
        responses.record(Outcome::Ok(0), 10 * MS, Duration::from_nanos(5));
        assert!(
            responses.cleared.is_none(),
            "five nanoseconds of ten milliseconds change no bucket"
        );
        responses.record(Outcome::Ok(0), 10 * MS, 4 * MS);
        responses.record(Outcome::Ok(0), 10 * MS, Duration::ZERO);
        let cleared = responses.cleared();
        assert_eq!((cleared.count(), cleared.sum_nanos()), (3, 26 * MS.as_nanos()));
        let mut plain = Responses::default();
        plain.record(Outcome::Ok(0), 7 * MS, Duration::ZERO);
        let mut other_way = responses.clone();
        other_way.merge(&plain);
        plain.merge(&responses);
        assert_eq!(plain, other_way);
        assert_eq!(plain.cleared().sum_nanos(), 33 * MS.as_nanos());
    }
}
