//! [`Observer`]: watches a run while it is in progress, and [`Stream`], which shows the intervals to all observers.
//!
//! Tables, progress lines and files are observers of the one stream of intervals. The measurements are kept here once,
//! so an observer that shows sums over the whole run need not add anything up. Each observer fails separately: the
//! others continue, and so does the run, unless the reader of a table has closed its end.

use std::io;

use brunt_engine::{Ready, Sink, Stop, Waiting};
use brunt_record::{Interval, Measured};

use super::files::Logs;
use super::start;
use super::write_failures::WriteFailures;
use crate::console::Console;

/// Watches a run while it is in progress.
pub trait Observer {
    /// Whether this observer prints nothing during the run, so that nothing else must be printed either.
    fn is_quiet(&self) -> bool {
        false
    }

    /// Called before the first connection is made.
    fn begin(&mut self) -> Result<(), ObserverFailure> {
        Ok(())
    }

    /// An interval is over; `so_far` includes it and all before it.
    fn interval(&mut self, interval: &Interval, so_far: &Measured) -> Result<(), ObserverFailure>;

    /// The last interval was shown.
    fn finish(&mut self, so_far: &Measured) -> Result<(), ObserverFailure> {
        let _ = so_far;
        Ok(())
    }
}

/// Why an observer can show nothing more.
#[derive(Debug)]
pub enum ObserverFailure {
    /// The reader has closed its end, which is not a failure: the run ends in good order.
    Closed,
    /// What it watches decides that the run ends, which is not a failure either: a condition, or a step of a search
    /// whose result is known.
    Decided,
    /// A write failed. The run continues without this observer.
    Failed(ObserverError),
}

/// What failed in an observer. Each has errors of its own, and a run only reports them.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

impl ObserverFailure {
    /// A write failed for this reason.
    pub fn failed(error: impl Into<ObserverError>) -> Self {
        Self::Failed(error.into())
    }
}

/// Standard output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write to standard output: {0}")]
struct OutputError(#[source] io::Error);

/// Prints a part of a table to standard output at once.
pub fn print(text: &str, console: &Console) -> Result<(), ObserverFailure> {
    console.print_at_once(text).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => ObserverFailure::Closed,
        _ => ObserverFailure::failed(OutputError(error)),
    })
}

/// Shows the intervals of a run to its observers, and keeps the measurements.
pub(crate) struct Stream<'a, 'b, 'c> {
    stop: &'a Stop,
    logs: &'a mut Logs<'c>,
    observers: &'a mut [&'b mut dyn Observer],
    /// Which observers can show nothing more.
    troubled: Vec<bool>,
    measured: Measured,
    losses: WriteFailures,
    console: &'a Console,
    quiet: bool,
    at_once: Option<AtOnce<'a>>,
}

/// What is done with the measurements and the logs of a run that must end at once and does not.
pub(crate) type AtOnce<'a> = &'a dyn Fn(&Measured, Logs<'_>);

impl<'a, 'b, 'c> Stream<'a, 'b, 'c> {
    /// A stream of a run that `stop` ends.
    pub(crate) fn new(
        stop: &'a Stop,
        logs: &'a mut Logs<'c>,
        observers: &'a mut [&'b mut dyn Observer],
        console: &'a Console,
    ) -> Self {
        let troubled = vec![false; observers.len()];
        let (measured, losses) = (Measured::default(), WriteFailures::new(console));
        Self {
            stop,
            logs,
            observers,
            troubled,
            measured,
            losses,
            console,
            quiet: false,
            at_once: None,
        }
    }

    /// Prints nothing about what the run waits for, if it is quiet.
    pub(crate) const fn quiet(mut self, quiet: bool) -> Self {
        self.quiet = quiet;
        self
    }

    /// Sets what is done if the run must end at once and does not.
    pub(crate) fn at_once(mut self, act: AtOnce<'a>) -> Self {
        self.at_once = Some(act);
        self
    }

    /// Starts every observer. A failure here stops the run before it starts.
    pub(crate) fn begin(&mut self) -> Result<(), ObserverError> {
        let mut failed = None;
        self.each(|observer, _| observer.begin(), |_, why| failed = failed.take().or(Some(why)));
        failed.map_or(Ok(()), Err)
    }

    /// The measurements, and what could not be shown of them.
    pub(crate) fn finish(mut self) -> (Measured, WriteFailures) {
        self.each(
            |observer, measured| observer.finish(measured),
            |losses, why| losses.keep(Err(why)),
        );
        (self.measured, self.losses)
    }

    fn each(
        &mut self,
        mut show: impl FnMut(&mut dyn Observer, &Measured) -> Result<(), ObserverFailure>,
        mut failed: impl FnMut(&mut WriteFailures, ObserverError),
    ) {
        for (observer, troubled) in self.observers.iter_mut().zip(&mut self.troubled) {
            if *troubled {
                continue;
            }
            if let Err(failure) = show(*observer, &self.measured) {
                *troubled = true;
                match failure {
                    ObserverFailure::Closed | ObserverFailure::Decided => drop(self.stop.request()),
                    ObserverFailure::Failed(why) => failed(&mut self.losses, why),
                }
            }
        }
    }
}

impl Sink for Stream<'_, '_, '_> {
    fn interval(&mut self, interval: &Interval) {
        self.measured.absorb(interval);
        self.logs.interval(interval, &mut self.losses);
        self.each(
            |observer, measured| observer.interval(interval, measured),
            WriteFailures::meanwhile,
        );
    }

    fn waiting(&mut self, waiting: Waiting) {
        if !self.quiet {
            self.console.note(&words(waiting));
        }
    }

    fn ready(&mut self, ready: &Ready) {
        self.logs.ready(ready, &mut self.losses);
        if !self.quiet {
            start::report(ready, self.console);
        }
    }

    fn overdue(&mut self) {
        if let Some(act) = self.at_once.take() {
            act(&self.measured, std::mem::take(self.logs));
        }
    }
}

/// What a run waits for while nothing becomes due, as text.
fn words(waiting: Waiting) -> String {
    match waiting {
        Waiting::ToBegin => {
            "connecting; the run begins when connections are open or have failed".to_owned()
        }
        Waiting::ForAnswers { at_most } => format!(
            "the time is over; waiting up to {:.0} s more for answers; ^C ends it",
            at_most.as_secs_f64()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use brunt_engine::Urgency;
    use brunt_record::Phase;

    use crate::environment::Environment;

    /// An observer that shows this number of intervals and then fails.
    struct Shows {
        left: usize,
        shown: usize,
        failure: ObserverFailure,
    }

    impl Observer for Shows {
        fn interval(&mut self, _: &Interval, so_far: &Measured) -> Result<(), ObserverFailure> {
            if self.left == 0 {
                return Err(std::mem::replace(&mut self.failure, ObserverFailure::Closed));
            }
            self.left -= 1;
            self.shown += 1;
            assert_eq!(so_far.series.steps().len(), self.shown, "what is shown is in the sums");
            Ok(())
        }
    }

    /// The result of a run of four intervals whose first observer shows two, and what its second shows.
    fn observed(failure: ObserverFailure) -> (Measured, WriteFailures, Urgency, [usize; 2]) {
        let (stop, mut logs) = (Stop::new(), Logs::default());
        let mut shows = Shows { left: 2, shown: 0, failure };
        let mut other = Shows { left: 9, shown: 0, failure: ObserverFailure::Closed };
        let mut observers: [&mut dyn Observer; 2] = [&mut shows, &mut other];
        let console = Console::kept(Environment::default());
        let mut stream = Stream::new(&stop, &mut logs, &mut observers, &console);
        for index in 0..4 {
            let mut interval = Interval::new(1, 0);
            let from = std::time::Duration::from_secs(index);
            interval.reset(index, Phase::Steady, from);
            interval.to = from + std::time::Duration::from_secs(1);
            interval.plan();
            stream.interval(&interval);
        }
        let (measured, losses) = stream.finish();
        (measured, losses, stop.urgency(), [shows.shown, other.shown])
    }

    #[test]
    fn observer_closed_ends_the_run_without_loss() {
        let (measured, losses, urgency, shown) = observed(ObserverFailure::Closed);
        assert_eq!((urgency, shown), (Urgency::Finish, [2, 4]));
        assert_eq!(measured.totals.counts().planned, 4);
        assert!(losses.is_empty());
    }

    #[test]
    fn overdue_run_is_written_as_far_as_measured() {
        let (stop, mut logs) = (Stop::new(), Logs::default());
        let planned = std::cell::Cell::new(None);
        let act = |measured: &Measured, _: Logs<'_>| {
            planned.set(Some(measured.totals.counts().planned));
        };
        let console = Console::kept(Environment::default());
        let mut stream = Stream::new(&stop, &mut logs, &mut [], &console).at_once(&act);
        let mut interval = Interval::new(1, 0);
        interval.reset(0, Phase::Steady, std::time::Duration::ZERO);
        interval.to = std::time::Duration::from_secs(1);
        interval.plan();
        stream.interval(&interval);
        assert_eq!(planned.get(), None);
        stream.overdue();
        assert_eq!(planned.take(), Some(1));
        // Once is enough.
        stream.overdue();
        assert_eq!(planned.get(), None);
    }

    #[test]
    fn observer_write_error_is_reported_and_the_run_continues() {
        let (measured, losses, urgency, shown) =
            observed(ObserverFailure::failed("the disk is full"));
        assert_eq!((urgency, shown), (Urgency::Run, [2, 4]));
        assert_eq!(measured.totals.counts().planned, 4);
        assert!(!losses.is_empty());
    }

    #[test]
    fn waiting_texts_fit_a_terminal_line() {
        let answers = Waiting::ForAnswers { at_most: Duration::from_millis(9_750) };
        assert!(words(answers).contains("up to 10 s more"));
        for waiting in [Waiting::ToBegin, answers] {
            assert!(words(waiting).len() + "note: ".len() <= 80, "{}", words(waiting).len());
        }
    }
}
