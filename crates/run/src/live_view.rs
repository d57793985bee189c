//! [`Live`]: the live view as an observer of a run.
//!
//! The cost of an interval here is a digest, and sometimes a provisional verdict. A verdict takes longer the longer a
//! run is, so it is computed less often the longer it takes.

use std::time::Duration;

use brunt_engine::Stop;
use brunt_exchange::{Clock as _, Monotonic};
use brunt_record::{Ending, Head, Interval, Measured, Names, Phase};

use super::job::Job;
use super::observer::{Observer, ObserverFailure};
use crate::console::Console;
use crate::live::{About, Core, Digest, ProvisionalVerdict, View};
use crate::options::output::Progress;

/// A shorter run is not shown unless that is requested: there would be no time to read it.
const LONG: Duration = Duration::from_secs(5);
/// The provisional verdict is computed no more often than this.
const JUDGED_EVERY: Duration = Duration::from_secs(2);
/// It may use one part in this number of the observing thread's time.
const JUDGED_SHARE: u32 = 400;
/// How many words of a command are shown as the name of the run.
const WORDS_MAX: usize = 3;

/// Shows a run on the terminal.
pub(crate) struct Live<'a> {
    view: Option<View>,
    head: &'a Head,
    names: Names<'a>,
    clock: Monotonic,
    /// When the next provisional verdict is due, on the clock.
    judged_at: Duration,
    /// Whether the measured phase has begun.
    measuring: bool,
}

impl<'a> Live<'a> {
    /// A view of the job, if it is wanted and the terminal can show it.
    pub(crate) fn open(
        job: &Job,
        (head, names): (&'a Head, Names<'a>),
        stop: &Stop,
        page: Option<&str>,
        console: &Console,
    ) -> Option<Self> {
        let after = wanted(job)?;
        let settings = job.load.settings();
        let core = Core::beside(job.load.workers(), settings.pin);
        let view = View::open(about(job, page), stop.clone(), (core, after), console);
        if view.is_none() && job.output.run.view.live {
            console.note("--live: standard error is not a terminal that can show the live view");
        }
        let (clock, judged_at) = (Monotonic::new(), Duration::ZERO);
        Some(Self { view: Some(view?), head, names, clock, judged_at, measuring: false })
    }

    /// The verdict that the run would get if it ended now, if it is due.
    fn standing(&mut self, interval: &Interval, so_far: &Measured) -> Option<ProvisionalVerdict> {
        let began = self.clock.now().since_origin();
        // The first measured interval changes everything that is shown.
        let first = !self.measuring && interval.phase == Phase::Steady;
        self.measuring |= first;
        if began < self.judged_at && !first {
            return None;
        }
        let ending = Ending::so_far(&so_far.totals);
        let record = so_far.conclusion(self.head.clone(), self.names, ending).record().ok()?;
        let standing = ProvisionalVerdict::new(&record, interval.to);
        let now = self.clock.now().since_origin();
        self.judged_at = now + JUDGED_EVERY.max(now.saturating_sub(began) * JUDGED_SHARE);
        Some(standing)
    }
}

impl Observer for Live<'_> {
    fn interval(&mut self, interval: &Interval, so_far: &Measured) -> Result<(), ObserverFailure> {
        let standing = self.standing(interval, so_far);
        if let Some(view) = &self.view {
            view.report(Digest { standing, ..Digest::new(interval, self.names) });
        }
        Ok(())
    }

    /// The terminal is restored before any result is printed.
    fn finish(&mut self, _: &Measured) -> Result<(), ObserverFailure> {
        self.view = None;
        Ok(())
    }
}

/// The time after which a view of the job opens; none if no view is wanted.
fn wanted(job: &Job) -> Option<Duration> {
    let view = job.output.run.view;
    let by_default = matches!(job.output.progress, Progress::Line | Progress::Figures);
    match job.output.progress {
        Progress::Quiet => None,
        _ if view.live => Some(Duration::ZERO),
        _ if view.no_live || !by_default => None,
        _ => opens(job.load.lasting(), job.endless),
    }
}

/// If the length of a run is unknown, the view opens only after some time.
fn opens(lasting: Option<Duration>, endless: bool) -> Option<Duration> {
    match lasting {
        Some(lasting) => (lasting > LONG).then_some(Duration::ZERO),
        None if endless => Some(Duration::ZERO),
        None => Some(LONG),
    }
}

fn about(job: &Job, page: Option<&str>) -> About {
    let target = job.requested.target.clone().unwrap_or_default();
    let words = job.command.iter().take_while(|word| !word.starts_with('-') && **word != target);
    let words = || words.take(WORDS_MAX).map(String::as_str).collect::<Vec<_>>().join(" ");
    let title = job.output.title.clone().unwrap_or_else(words);
    About {
        title,
        target,
        operations: job.catalogue.measured().map(str::to_owned).collect(),
        lasting: job.load.lasting(),
        count: job.load.settings().stop.count,
        objectives: job.objectives.len(),
        ports: job.ports.map(|ports| (ports.needed, ports.available)),
        page: page.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_view_opens_only_for_runs_long_enough() {
        let seconds = Duration::from_secs;
        assert_eq!(opens(Some(seconds(5)), false), None);
        assert_eq!(opens(Some(seconds(6)), false), Some(Duration::ZERO));
        assert_eq!(opens(None, true), Some(Duration::ZERO));
        assert_eq!(opens(None, false), Some(LONG));
    }
}
