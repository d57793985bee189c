//! The files that a run writes beside its table: the record, the interval log and the percentile distribution.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use brunt_record::{Catalogue, Histogram, Hlog, Interval, Record, write_hgrm};

use super::measured::Measured;
use crate::cli::output::Output;
use crate::console;

/// Makes sure before a run that the files which are written after it can be written.
pub(crate) fn check(files: &[(&str, Option<&Path>)]) -> Result<(), String> {
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

/// Writes the record and the percentile distribution where they were asked for.
pub(super) fn write(record: &Record, measured: &Measured, output: &Output) -> Result<(), String> {
    if let Some(path) = &output.record {
        record.write(path).map_err(|error| format!("failed to {error}"))?;
    }
    output.hgrm.as_deref().map_or(Ok(()), |path| distribution(measured, path))
}

/// Writes the percentile distribution of the response times of the steady phase.
fn distribution(measured: &Measured, path: &Path) -> Result<(), String> {
    let (mut all, mut censored) = (Histogram::new(), 0);
    if let Some(measured) = measured.totals.measured() {
        for operation in &measured.operations {
            all.merge(&operation.response.due());
            censored += operation.response.censored().count();
        }
        all.merge(&measured.dropped_after);
        censored += measured.dropped_after.count();
    }
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        write_hgrm(&mut out, &all, censored)?;
        out.flush()
    };
    write().map_err(|error| format!("failed to write --hgrm {}: {error}", path.display()))
}

/// The log of intervals, opened before the run so that a wrong path stops the run before it starts.
pub(super) struct IntervalLog(Option<Hlog<BufWriter<File>>>);

impl IntervalLog {
    /// Opens the file, if one is asked for.
    pub(super) fn open(path: Option<&Path>, catalogue: &Catalogue) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self(None)) };
        let file = File::create(path).map(BufWriter::new);
        file.and_then(|file| Hlog::new(file, console::now(), catalogue))
            .map(|hlog| Self(Some(hlog)))
            .map_err(|error| format!("failed to write --hlog {}: {error}", path.display()))
    }

    /// A log that is not written.
    #[cfg(test)]
    pub(super) const fn none() -> Self {
        Self(None)
    }

    /// Adds an interval of the steady phase.
    pub(super) fn push(&mut self, interval: &Interval) -> Result<(), String> {
        let Some(hlog) = &mut self.0 else { return Ok(()) };
        hlog.push(interval).map_err(|error| format!("failed to write the interval log: {error}"))
    }

    /// Writes what is left.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        let Some(hlog) = self.0.take() else { return Ok(()) };
        hlog.finish()
            .map(drop)
            .map_err(|error| format!("failed to write the interval log: {error}"))
    }
}
