//! [`Measured`]: what a run left behind, and the files it is written to.
//!
//! The front of every protocol shows intervals in its own way and keeps them in the same one. Nothing here knows which
//! protocol it was.

use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use brunt_exchange::{Class, Outcome};
use brunt_record::{
    Catalogue, Counts, Histogram, Hlog, Interval, Phase, Series, Slo, Totals, replace, write_hgrm,
};

use crate::console;

/// The intervals of a run.
#[derive(Default)]
pub(crate) struct Measured {
    /// By phase.
    pub(crate) totals: Totals,
    /// Over time.
    pub(crate) series: Series,
}

impl Measured {
    /// Adds an interval.
    pub(crate) fn absorb(&mut self, interval: &Interval) {
        self.totals.absorb(interval);
        self.series.push(interval);
    }

    /// Writes the percentile distribution of the response times of the steady phase.
    pub(crate) fn write_hgrm(&self, path: &Path) -> Result<(), String> {
        let (mut all, mut censored) = (Histogram::new(), 0);
        if let Some(measured) = self.totals.measured() {
            for operation in &measured.operations {
                all.merge(&operation.response.due());
                censored += operation.response.censored().count();
            }
            all.merge(&measured.dropped_after);
            censored += measured.dropped_after.count();
        }
        replace(path, |mut out| write_hgrm(&mut out, &all, censored))
            .map_err(|error| format!("failed to write --hgrm {}: {error}", path.display()))
    }
}

/// Sees to it before the run that what is written only after it can be written.
pub(crate) fn check(files: [(&str, &Option<PathBuf>); 2]) -> Result<(), String> {
    for (name, path) in files {
        let Some(path) = path else { continue };
        let there = path.exists();
        OpenOptions::new().append(true).create(true).open(path).map_err(|error| {
            format!("failed to write {name} {}: {error}; name another file", path.display())
        })?;
        if !there {
            // Nothing is lost if it stays: the run writes it anew.
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(())
}

/// The log of intervals, opened before the run so that a wrong path stops the run before it starts.
pub(crate) struct IntervalLog(Option<Hlog<BufWriter<File>>>);

impl IntervalLog {
    /// Opens the file, if one is asked for.
    pub(crate) fn open(path: Option<&Path>, catalogue: &Catalogue) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self(None)) };
        let file = File::create(path).map(BufWriter::new);
        file.and_then(|file| Hlog::new(file, console::now(), catalogue))
            .map(|hlog| Self(Some(hlog)))
            .map_err(|error| format!("failed to write --hlog {}: {error}", path.display()))
    }

    /// Adds an interval.
    pub(crate) fn push(&mut self, interval: &Interval) -> Result<(), String> {
        let Some(hlog) = &mut self.0 else { return Ok(()) };
        hlog.push(interval).map_err(|error| format!("failed to write the interval log: {error}"))
    }

    /// Writes what is left.
    pub(crate) fn finish(self) -> Result<(), String> {
        let Some(hlog) = self.0 else { return Ok(()) };
        hlog.finish()
            .map(drop)
            .map_err(|error| format!("failed to write the interval log: {error}"))
    }
}

/// The objectives of `--slo`, checked against the operations of the run.
pub(crate) fn objectives(texts: &[String], operations: &[&str]) -> Result<Vec<Slo>, String> {
    let read = |text: &String| -> Result<Slo, String> {
        let slo: Slo = text.parse().map_err(|error| format!("--slo {text}: {error}"))?;
        slo.check(operations.iter().copied()).map_err(|error| format!("--slo {text}: {error}"))?;
        Ok(slo)
    };
    texts.iter().map(read).collect()
}

/// The percentiles of every record, and those asked for.
pub(crate) fn percentiles(asked: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> =
        brunt_record::Latency::PERCENTILES.iter().chain(asked).copied().collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Whether exchanges were asked for and not one of them did what it should.
pub(crate) fn nothing_worked(counts: &Counts) -> bool {
    counts.planned > 0 && counts.ok == 0
}

/// How many exchanges of the steady phase ended for want of a connection.
pub(crate) fn lost(measured: &Measured) -> u64 {
    let Some(steady) = measured.totals.phase(Phase::Steady) else { return 0 };
    let codes = steady.operations.iter().flat_map(|operation| operation.codes.sorted());
    codes
        .filter(|(outcome, _)| {
            matches!(outcome, Outcome::Failed(Class::Connect | Class::Closed | Class::Tls, _))
        })
        .map(|(_, count)| count)
        .sum()
}
