//! [`Waiting`]: what a run waits for while nothing becomes due, so that users see why it does not begin, or end.
//!
//! It is computed outside the workers, from the plan and the clock: a worker that waits for a dead target reports
//! nothing. The view that shows it chooses the words.

use crate::plan::Plan;
use crate::start::Start;
use crate::stop::{Stop, Urgency};
use brunt_exchange::{Clock, Moment};
use std::cell::Cell;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The least wait that is reported, and the least remaining time.
const WORTH_SAYING: Duration = Duration::from_secs(1);

/// What a run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// For sessions to become ready, before it begins.
    ToBegin,
    /// For answers to exchanges in flight, since nothing becomes due any more.
    ForAnswers {
        /// How long it will wait at most.
        at_most: Duration,
    },
}

/// When a run begins and ends, as far as it is known.
pub(crate) struct Waits<'a, C> {
    clock: C,
    began: Moment,
    origin: Arc<OnceLock<Moment>>,
    plan: &'a Plan,
    stop: &'a Stop,
    /// When it was first seen that the run is to stop.
    stopped: Cell<Option<Moment>>,
}

impl<'a, C: Clock> Waits<'a, C> {
    /// The waits of a run that begins to prepare now.
    pub(crate) fn new(
        clock: C,
        origin: Arc<OnceLock<Moment>>,
        plan: &'a Plan,
        stop: &'a Stop,
    ) -> Self {
        Self { began: clock.now(), clock, origin, plan, stop, stopped: Cell::new(None) }
    }

    /// What the run waits for now, if it has waited long enough to be reported.
    pub(crate) fn now(&self) -> Option<Waiting> {
        let now = self.clock.now();
        let urgency = self.stop.urgency();
        if urgency > Urgency::Run && self.stopped.get().is_none() {
            self.stopped.set(Some(now));
        }
        if urgency == Urgency::Abort {
            return None;
        }
        let Some(origin) = self.origin.get() else {
            // A run that begins at a time of day was announced before, and one that begins on a signal reports what is
            // ready.
            let untold = self.plan.settings().start == Start::WhenReady;
            let preparing = untold && urgency == Urgency::Run && now - self.began >= WORTH_SAYING;
            return preparing.then_some(Waiting::ToBegin);
        };
        let lasting = self.plan.lasting().map(|lasting| *origin + lasting);
        let end = lasting.into_iter().chain(self.stopped.get()).min()?;
        let at_most = self.plan.drain().ends(end, self.stopped.get()) - now;
        let is_long = now >= end + WORTH_SAYING && at_most >= WORTH_SAYING;
        is_long.then_some(Waiting::ForAnswers { at_most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Settings;
    use brunt_exchange::ThinkTime;

    struct Set<'a>(&'a Cell<u64>);

    impl Clock for Set<'_> {
        fn now(&self) -> Moment {
            Moment::ZERO + Duration::from_millis(self.0.get())
        }
    }

    #[test]
    fn waiting_is_reported_after_a_second() {
        let mut settings = Settings::closed(ThinkTime::None, 1);
        settings.stop.time = Some(Duration::from_secs(5));
        let (plan, stop, at) = (Plan::new(settings, 1).unwrap(), Stop::new(), Cell::new(0));
        let origin: Arc<OnceLock<Moment>> = Arc::default();
        let waits = Waits::new(Set(&at), Arc::clone(&origin), &plan, &stop);
        let now = |millis| {
            at.set(millis);
            waits.now()
        };
        let answers = |millis| Some(Waiting::ForAnswers { at_most: Duration::from_millis(millis) });
        assert_eq!((now(900), now(1_000)), (None, Some(Waiting::ToBegin)));
        origin.set(Moment::ZERO + Duration::from_secs(2)).unwrap();
        assert_eq!((now(2_000), now(7_900)), (None, None));
        assert_eq!((now(8_000), now(16_000)), (answers(9_000), answers(1_000)));
        // The end is near enough.
        assert_eq!(now(16_001), None);
        stop.request();
        assert_eq!((now(3_000), now(4_000)), (None, answers(9_000)));
        stop.request();
        assert_eq!(now(4_000), None);
    }
}
