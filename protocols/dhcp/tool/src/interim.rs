//! [`Interim`]: the lines that perfdhcp prints while it runs, and the banner before them.
//!
//! Counts in the original tool's lines are cumulative, so a line is made from everything measured so far except the
//! warm-up; a line covers the same exchanges as the report. Results go to standard output; the progress of a long run
//! without interim lines goes to standard error, on a terminal only.

use std::time::Duration;

use brunt_record::{Catalogue, Counts, Interval, Measured, Phase};
use brunt_run::clock;
use brunt_run::console::StatusLine;
use brunt_run::{Console, RunClock};
use brunt_run::{Observer, ObserverFailure, print};

use crate::options::args::{DhcpArgs, Scenario, Style};
use crate::report::{Deltas, Exchanges, LineForm, ReportSettings, Waiting, interim};

/// Steps may end a little before or after their time; a line is due when nearly all of it has passed.
const SLACK: Duration = Duration::from_millis(20);
/// How long a run may print nothing.
const SILENCE_MAX: Duration = Duration::from_secs(2);

/// Shows intervals as lines.
pub(crate) struct Interim<'a> {
    args: &'a DhcpArgs,
    requested: &'a ReportSettings,
    catalogue: &'a Catalogue,
    /// What is printed before anything is sent, and the note that goes with it.
    opening: String,
    note: Option<String>,
    /// When the last line was shown; before the first line, the beginning of what lines cover.
    shown: Option<Duration>,
    /// The counts at the last line.
    deltas: Deltas,
    /// Messages retransmitted in each stage up to the last line.
    resent: Vec<u64>,
    progress: StatusLine,
    console: Console,
    clock: RunClock,
}

impl<'a> Interim<'a> {
    /// The lines of this run, after an opening text and a note.
    pub(crate) fn new(
        args: &'a DhcpArgs,
        requested: &'a ReportSettings,
        catalogue: &'a Catalogue,
        (opening, note): (String, Option<String>),
        (console, clock): (&Console, RunClock),
    ) -> Self {
        Self {
            args,
            requested,
            catalogue,
            opening,
            note,
            shown: None,
            deltas: Deltas::default(),
            resent: Vec::new(),
            progress: StatusLine::new(console),
            clock,
            console: console.clone(),
        }
    }

    /// Prints the line for what was measured so far, and for the time `since` the last one.
    fn line(&mut self, so_far: &Measured, since: Duration) -> Result<(), ObserverFailure> {
        let figures = Exchanges::of_run(self.requested, self.catalogue, &so_far.totals);
        let mut text = match self.args.scenario {
            Scenario::Avalanche => self.waiting(&figures),
            Scenario::Basic | Scenario::Fleet(_) => interim(&figures, self.dress()),
        };
        if self.args.report.deltas {
            let dress = self.dress();
            if let LineForm::Bare(between) = dress {
                text.truncate(text.trim_end_matches('\n').len());
                text.push_str(between);
            }
            let due = (
                offered(so_far, |counts| counts.planned),
                offered(so_far, |counts| counts.dropped),
            );
            text.push_str(&self.deltas.line(&figures, due, since, dress));
        }
        print(&text, &self.console)
    }

    fn dress(&self) -> LineForm<'a> {
        match (&self.args.report.separator, self.args.report.style) {
            (Some(separator), _) => LineForm::Bare(separator),
            (None, Style::Kea) => LineForm::Kea,
            (None, Style::Guide) => LineForm::Guide,
        }
    }

    /// The clients that still wait, in each stage in which something was retransmitted.
    fn waiting(&mut self, figures: &Exchanges) -> String {
        self.resent.resize(figures.stages.len(), 0);
        let mut text = String::new();
        for (stage, before) in figures.stages.iter().zip(&mut self.resent) {
            let ended = stage.received + stage.naks + stage.unusable + stage.drops + stage.cut_off;
            let answers = stage.sent.saturating_sub(ended + stage.no_reply_expected);
            if answers > 0 && stage.resent > 0 {
                let resent = stage.resent - *before;
                let retrying = stage.retried;
                let waiting = Waiting { title: &stage.title, answers, resent, retrying };
                text.push_str(&waiting.line(clock::now(self.clock)));
            }
            *before = stage.resent;
        }
        text
    }

    /// Updates one line in place, so that a long run shows progress.
    fn show_progress(&self, interval: &Interval, so_far: &Measured) {
        let figures = Exchanges::of_run(self.requested, self.catalogue, &so_far.totals);
        let sent: u64 = figures.stages.iter().map(|stage| stage.sent).sum();
        let counts = so_far.totals.counts();
        let seconds = interval.lasted().as_secs_f64();
        let rate = if seconds > 0.0 { interval.counts().ok as f64 / seconds } else { 0.0 };
        self.progress.show(&format!(
            "{:>6.0} s  {rate:.0}/s, {} done, {} packets sent, {} dropped",
            interval.to.as_secs_f64(),
            counts.ok,
            sent,
            figures.drops(),
        ));
    }
}

impl Observer for Interim<'_> {
    fn begin(&mut self) -> Result<(), ObserverFailure> {
        print(&self.opening, &self.console)?;
        self.note.iter().for_each(|note| self.console.note(note));
        Ok(())
    }

    fn interval(&mut self, interval: &Interval, so_far: &Measured) -> Result<(), ObserverFailure> {
        if matches!(interval.phase, Phase::Prepare | Phase::WarmUp) {
            return Ok(());
        }
        let shown = *self.shown.get_or_insert(interval.from);
        let since = interval.to.saturating_sub(shown);
        match self.args.report.interim {
            Some(every) if since + SLACK >= every => {
                self.shown = Some(interval.to);
                return self.line(so_far, since);
            }
            None if self.progress.shows() && since + SLACK >= SILENCE_MAX / 2 => {
                self.shown = Some(interval.to);
                self.show_progress(interval, so_far);
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, _: &Measured) -> Result<(), ObserverFailure> {
        self.progress.clear();
        Ok(())
    }
}

/// How many exchanges had an outcome while lines were shown.
fn offered(so_far: &Measured, pick: fn(Counts) -> u64) -> u64 {
    let counted = so_far.totals.phases().iter();
    let counted =
        counted.filter(|interval| !matches!(interval.phase, Phase::Prepare | Phase::WarmUp));
    counted.map(|interval| pick(interval.counts())).sum()
}
