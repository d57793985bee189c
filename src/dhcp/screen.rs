//! [`Screen`]: shows the interim lines of a run, and keeps what the report and the record need.
//!
//! Counts are cumulative in the old tool's lines, so a line is made from everything measured so far but the warm-up;
//! what a line covers is what the report covers. Results go to standard output; the progress of a long run without
//! interim lines goes to standard error, on a terminal only.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use brunt_engine::{Sink, Stop};
use brunt_record::{Catalogue, Interval, Phase};
use brunt_report::dhcp::{Asked, Dress, Exchanges, Waiting, interim};

use crate::cli::dhcp::args::{DhcpArgs, Scenario, Style};
use crate::console;
use crate::measured::{IntervalLog, Measured};

/// Steps may end a little before or after their time; a line is due when nearly all of it has passed.
const SLACK: Duration = Duration::from_millis(20);
/// How long a run may be silent.
const SILENCE_MAX: Duration = Duration::from_secs(2);

/// Shows and keeps intervals.
pub(super) struct Screen<'a> {
    args: &'a DhcpArgs,
    asked: &'a Asked,
    catalogue: &'a Catalogue,
    stop: &'a Stop,
    log: IntervalLog,
    measured: Measured,
    /// When the last line was shown; before the first, when what lines cover began.
    shown: Option<Duration>,
    /// Messages sent again in each stage by the time of the last line.
    resent: Vec<u64>,
    progress: bool,
    quiet: bool,
    trouble: Option<String>,
}

impl<'a> Screen<'a> {
    /// A screen for this run; the interval log is opened here.
    pub(super) fn new(
        args: &'a DhcpArgs,
        asked: &'a Asked,
        catalogue: &'a Catalogue,
        stop: &'a Stop,
        quiet: bool,
    ) -> Result<Self, String> {
        Ok(Self {
            args,
            asked,
            catalogue,
            stop,
            log: IntervalLog::open(args.output.hlog.as_deref(), catalogue)?,
            measured: Measured::default(),
            shown: None,
            resent: Vec::new(),
            progress: !quiet && io::stderr().is_terminal(),
            quiet,
            trouble: None,
        })
    }

    /// What was measured; closes the files.
    pub(super) fn finish(mut self) -> Result<Measured, String> {
        if self.progress {
            console::tell("\r\x1b[K");
        }
        self.log.finish()?;
        self.trouble.take().map_or(Ok(self.measured), Err)
    }

    fn line(&mut self) {
        let figures = Exchanges::of_run(self.asked, self.catalogue, &self.measured.totals);
        let text = match self.args.scenario {
            Scenario::Avalanche => self.waiting(&figures),
            Scenario::Basic | Scenario::Fleet(_) => interim(&figures, self.dress()),
        };
        self.print(&text);
    }

    fn dress(&self) -> Dress<'a> {
        match (&self.args.output.separator, self.args.output.style) {
            (Some(separator), _) => Dress::Bare(separator),
            (None, Style::Kea) => Dress::Kea,
            (None, Style::Guide) => Dress::Guide,
        }
    }

    /// Who still waits, in each stage in which something was sent again.
    fn waiting(&mut self, figures: &Exchanges) -> String {
        self.resent.resize(figures.stages.len(), 0);
        let mut text = String::new();
        for (stage, before) in figures.stages.iter().zip(&mut self.resent) {
            let ended = stage.received + stage.naks + stage.unusable + stage.drops + stage.cut_off;
            let answers = stage.sent.saturating_sub(ended + stage.unasked);
            if answers > 0 && stage.resent > 0 {
                let resent = stage.resent - *before;
                let retrying = stage.retried;
                let waiting = Waiting { title: &stage.title, answers, resent, retrying };
                text.push_str(&waiting.line(console::now()));
            }
            *before = stage.resent;
        }
        text
    }

    /// One line that is written over again and again, so that a long run is seen to live.
    fn show_progress(&self, interval: &Interval) {
        let figures = Exchanges::of_run(self.asked, self.catalogue, &self.measured.totals);
        let sent: u64 = figures.stages.iter().map(|stage| stage.sent).sum();
        let counts = self.measured.totals.counts();
        let seconds = interval.lasted().as_secs_f64();
        let rate = if seconds > 0.0 { interval.counts().ok as f64 / seconds } else { 0.0 };
        console::tell(&format!(
            "\r\x1b[K{:>6.0} s  {rate:.0} exchanges/s, {} done, {} packets sent, {} dropped",
            interval.to.as_secs_f64(),
            counts.ok,
            sent,
            figures.drops(),
        ));
    }

    fn print(&mut self, text: &str) {
        if self.quiet {
            return;
        }
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match written {
            Ok(()) => {}
            Err(error) => {
                if error.kind() != io::ErrorKind::BrokenPipe {
                    let why = format!("failed to write to standard output: {error}");
                    self.trouble.get_or_insert(why);
                }
                self.quiet = true;
                self.stop.request();
            }
        }
    }
}

impl Sink for Screen<'_> {
    fn interval(&mut self, interval: &Interval) {
        self.measured.absorb(interval);
        if interval.phase == Phase::Steady
            && let Err(trouble) = self.log.push(interval)
        {
            self.trouble.get_or_insert(trouble);
            self.stop.request();
        }
        if matches!(interval.phase, Phase::Prepare | Phase::WarmUp) {
            return;
        }
        let shown = *self.shown.get_or_insert(interval.from);
        let since = interval.to.saturating_sub(shown);
        match self.args.output.interim {
            Some(every) if since + SLACK >= every => {
                self.shown = Some(interval.to);
                self.line();
            }
            None if self.progress && since + SLACK >= SILENCE_MAX / 2 => {
                self.shown = Some(interval.to);
                self.show_progress(interval);
            }
            _ => {}
        }
    }
}
