//! The files that a run writes: record and percentile distribution when it is over, interval log and events meanwhile.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::Path;

use brunt_record::events::EventLog;
use brunt_record::{
    Ending, Head, Histogram, Hlog, Interval, Measured, Names, Phase, Record, create_private,
    replace, write_hgrm,
};

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
    replace(path, |mut out| write_hgrm(&mut out, &all, censored))
        .map_err(|error| format!("failed to write --hgrm {}: {error}", path.display()))
}

/// The files that grow while a run goes on: the interval log and the events. They are opened before the run, so that a
/// wrong path stops it before it starts.
#[derive(Default)]
pub(super) struct Logs<'a> {
    intervals: Option<Hlog<BufWriter<File>>>,
    events: Option<EventLog<'a>>,
}

impl<'a> Logs<'a> {
    /// Opens those that are asked for.
    pub(super) fn open(output: &Output, head: &Head, names: Names<'a>) -> Result<Self, String> {
        let mut logs = Self::default();
        if let Some(path) = &output.hlog {
            let file = create_private(path).map(BufWriter::new);
            let log = file.and_then(|file| Hlog::new(file, console::now(), &head.catalogue));
            logs.intervals = Some(log.map_err(|error| unwritten("--hlog", path, &error))?);
        }
        if let Some(path) = &output.events {
            let log = EventLog::create(path, head.clone(), names);
            logs.events = Some(log.map_err(|error| unwritten("--events", path, &error))?);
        }
        Ok(logs)
    }

    /// Adds an interval; the interval log holds those of the steady phase.
    pub(super) fn interval(&mut self, interval: &Interval) -> Result<(), String> {
        if let Some(log) = &mut self.intervals
            && interval.phase == Phase::Steady
        {
            log.push(interval).map_err(|error| format!("failed to write --hlog: {error}"))?;
        }
        let Some(log) = &mut self.events else { return Ok(()) };
        log.interval(interval).map_err(|error| format!("failed to write --events: {error}"))
    }

    /// Writes what is known only at the end.
    pub(super) fn end(self, ending: &Ending, record: &Record) -> Result<(), String> {
        if let Some(log) = self.intervals {
            log.finish().map(drop).map_err(|error| format!("failed to write --hlog: {error}"))?;
        }
        let Some(log) = self.events else { return Ok(()) };
        log.end(ending, record).map_err(|error| format!("failed to write --events: {error}"))
    }
}

fn unwritten(option: &str, path: &Path, error: &io::Error) -> String {
    format!("failed to write {option} {}: {error}; name another file", path.display())
}
