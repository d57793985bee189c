//! [`Screen`]: shows how a run goes, and keeps what its record needs.
//!
//! Results are printed when the run is over, so what is shown meanwhile goes to standard error, and only on a terminal
//! does it move.

use std::io::{IsTerminal as _, stderr};
use std::time::Duration;

use brunt_engine::{Sink, Stop};
use brunt_record::{Catalogue, Histogram, Interval, Phase};

use crate::cli::output::{Output, Progress};
use crate::console;
use crate::measured::{IntervalLog, Measured};

/// Shows and keeps intervals.
pub(crate) struct Screen<'a> {
    stop: &'a Stop,
    log: IntervalLog,
    measured: Measured,
    shows: bool,
    lasting: Option<Duration>,
    trouble: Option<String>,
}

impl<'a> Screen<'a> {
    /// A screen for this run. The interval log is opened here, so that a wrong path stops the run before it starts.
    pub(crate) fn new(
        catalogue: &Catalogue,
        output: &Output,
        stop: &'a Stop,
        progress: Progress,
        lasting: Option<Duration>,
    ) -> Result<Self, String> {
        Ok(Self {
            stop,
            log: IntervalLog::open(output.hlog.as_deref(), catalogue)?,
            measured: Measured::default(),
            shows: progress == Progress::Figures && stderr().is_terminal(),
            lasting,
            trouble: None,
        })
    }

    /// What was measured; closes the files.
    pub(crate) fn finish(mut self) -> Result<Measured, String> {
        if self.shows {
            console::tell("\r\x1b[K");
        }
        self.log.finish()?;
        self.trouble.take().map_or(Ok(self.measured), Err)
    }

    fn show(&self, interval: &Interval) {
        let counts = interval.counts();
        let seconds = interval.lasted().as_secs_f64().max(f64::MIN_POSITIVE);
        let mut response = Histogram::new();
        interval.operations.iter().for_each(|operation| response.merge(&operation.response.due()));
        let at = |quantile| {
            let time = response.quantile(quantile).unwrap_or_default();
            format!("{:.3} ms", time.as_secs_f64() * 1e3)
        };
        let of = self.lasting.map_or(String::new(), |all| format!(" of {:.0}", all.as_secs_f64()));
        let doing = if interval.phase == Phase::Steady { "" } else { " (warm-up)" };
        console::tell(&format!(
            "\r\x1b[K{:.0}{of} s{doing}: {:.0}/s, p50 {}, p99 {}, {} in flight, {} errors",
            interval.to.as_secs_f64(),
            counts.completed() as f64 / seconds,
            at(0.5),
            at(0.99),
            interval.in_flight,
            counts.errors(),
        ));
    }
}

impl Sink for Screen<'_> {
    fn interval(&mut self, interval: &Interval) {
        self.measured.absorb(interval);
        if self.shows {
            self.show(interval);
        }
        if interval.phase == Phase::Steady
            && let Err(trouble) = self.log.push(interval)
        {
            self.trouble.get_or_insert(trouble);
            self.stop.request();
        }
    }
}
