//! The files that a run writes: the record, the page and the percentile distribution when it is over, and the interval
//! log and events while it is in progress.

use std::fs::{canonicalize, metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use brunt_engine::Ready;
use brunt_record::events::EventLog;
use brunt_record::{
    Ending, Growing, Head, Histogram, HistogramError, Hlog, Interval, Measured, Names, Phase,
    Record, WriteError, check_writable, replace, write_hgrm,
};
use brunt_report::junit;

use super::world::World;
use super::write_failures::WriteFailures;
use crate::options::output::Output;

/// Why a file of a run cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be written.
    #[error("failed to write {option} {}: {source}; name another file", path.display())]
    Unwritable {
        /// The option that names it.
        option: String,
        /// Its path.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Two options name it.
    #[error("failed to write {option} {}: {other} names the same file; name another file", path.display())]
    Same {
        /// The second option.
        option: String,
        /// Its path.
        path: PathBuf,
        /// The first option.
        other: String,
    },
    /// The log of events that is shared with other runs cannot be written.
    #[error("failed to write --events: {0}")]
    Events(#[source] io::Error),
}

impl FileError {
    /// The file of an option cannot be written.
    pub fn unwritable(option: &str, path: &Path, source: io::Error) -> Self {
        Self::Unwritable { option: option.to_owned(), path: path.to_owned(), source }
    }
}

/// Why a result was not written.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// The record.
    #[error("failed to {0}")]
    Record(#[from] WriteError),
    /// The page cannot be made.
    #[error("failed to write --html {}: {source}", path.display())]
    Page {
        /// Its path.
        path: PathBuf,
        /// What is wrong with the record.
        source: HistogramError,
    },
    /// Another file.
    #[error("failed to write {option} {}: {source}", path.display())]
    File {
        /// The option that names it.
        option: &'static str,
        /// Its path.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// A log that can no longer be written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write {option}: {source}")]
struct LogError {
    option: &'static str,
    source: io::Error,
}

/// Makes sure before a run that its files can be written, and that no two of them are the same.
pub fn check(files: &[(&str, Option<&Path>)]) -> Result<(), FileError> {
    let mut seen: Vec<(&str, FileIdentity)> = Vec::new();
    for (name, path) in files {
        let Some(path) = path else { continue };
        check_writable(path).map_err(|error| FileError::unwritable(name, path, error))?;
        let Some(identity) = FileIdentity::new(path) else { continue };
        if let Some((other, _)) = seen.iter().find(|(_, taken)| *taken == identity) {
            let (option, other) = ((*name).to_owned(), (*other).to_owned());
            return Err(FileError::Same { option, path: path.to_path_buf(), other });
        }
        seen.push((name, identity));
    }
    Ok(())
}

/// Identifies a file, so that two names of one file compare equal.
#[derive(Debug, PartialEq, Eq)]
enum FileIdentity {
    /// A device and a number on it.
    There(u64, u64),
    /// The full path of a file that does not exist yet.
    New(PathBuf),
}

impl FileIdentity {
    /// For a file or a pipe; a device, such as a terminal, accepts any number of writers.
    fn new(path: &Path) -> Option<Self> {
        match metadata(path) {
            Ok(found) if found.is_file() || found.file_type().is_fifo() => {
                Some(Self::There(found.dev(), found.ino()))
            }
            Ok(_) => None,
            Err(_) => {
                let name = path.file_name()?;
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let parent = canonicalize(parent.unwrap_or(Path::new("."))).ok()?;
                Some(Self::New(parent.join(name)))
            }
        }
    }
}

/// Writes the record, the page and the percentile distribution to the requested paths. Returns the path of the record,
/// if it was written.
pub fn write<'o>(
    record: &Record,
    measured: &Measured,
    output: &'o Output,
    losses: &mut WriteFailures,
) -> Option<&'o Path> {
    losses.written(output.run.hgrm.as_deref(), |path| distribution(measured, path));
    losses.written(output.run.html.as_deref(), |path| page(record, path));
    losses.written(output.run.junit.as_deref(), |path| objectives(record, path));
    losses.written(output.run.record.as_deref(), |path| {
        record.write(path)?;
        Ok::<_, ResultError>(())
    })
}

/// Writes the run as a page.
fn page(record: &Record, path: &Path) -> Result<(), ResultError> {
    let page = brunt_report::run::page(record);
    let page = page.map_err(|source| ResultError::Page { path: path.to_owned(), source })?;
    write_page(&page.html(), path)
}

/// Writes a page, whole or not at all.
pub fn write_page(html: &str, path: &Path) -> Result<(), ResultError> {
    replace(path, |out| out.write_all(html.as_bytes())).map_err(|source| ResultError::File {
        option: "--html",
        path: path.to_owned(),
        source,
    })
}

/// Writes objectives and verdict as JUnit XML.
fn objectives(record: &Record, path: &Path) -> Result<(), ResultError> {
    let text = junit(record);
    replace(path, |out| out.write_all(text.as_bytes())).map_err(|source| ResultError::File {
        option: "--junit",
        path: path.to_owned(),
        source,
    })
}

/// Writes the percentile distribution of the response times of the steady phase.
fn distribution(measured: &Measured, path: &Path) -> Result<(), ResultError> {
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
        .map_err(|source| ResultError::File { option: "--hgrm", path: path.to_owned(), source })
}

/// The files that grow during a run: the interval log and the events. They are opened before the run, so that a wrong
/// path stops it before it starts; one that fails later is closed, and the other continues.
#[derive(Default)]
pub struct Logs<'a> {
    intervals: Option<Hlog<Growing>>,
    events: Option<EventLog<'a>>,
}

impl<'a> Logs<'a> {
    /// Opens those that are requested.
    pub fn open(
        output: &Output,
        head: &Head,
        names: Names<'a>,
        world: &World,
    ) -> Result<Self, FileError> {
        let mut logs = Self::default();
        if let Some(path) = &output.run.hlog {
            let file = Growing::create(path);
            let log = file.and_then(|file| Hlog::new(file, world.now(), &head.catalogue));
            logs.intervals = Some(log.map_err(|it| FileError::unwritable("--hlog", path, it))?);
        }
        if let Some(among) = &output.among {
            let log = EventLog::new(Box::new(among.clone()), head.clone(), names);
            logs.events = Some(log.map_err(FileError::Events)?);
        } else if let Some(path) = &output.run.events {
            let log = if path.as_os_str() == "-" {
                EventLog::new(Box::new(world.console.writer()), head.clone(), names)
            } else {
                EventLog::create(path, head.clone(), names)
            };
            logs.events = Some(log.map_err(|it| FileError::unwritable("--events", path, it))?);
        }
        Ok(logs)
    }

    /// Writes that the run waits for its start time.
    pub fn ready(&mut self, ready: &Ready, losses: &mut WriteFailures) {
        let (sessions, ready, unready) = (ready.sessions, ready.ready, &ready.unready);
        if let Some(log) = &mut self.events
            && let Err(error) = log.ready(sessions.into(), ready.into(), unready)
        {
            self.events = None;
            lost("--events", error, |why| losses.meanwhile(why));
        }
    }

    /// Adds an interval; the interval log contains only those of the steady phase.
    pub fn interval(&mut self, interval: &Interval, losses: &mut WriteFailures) {
        if interval.phase == Phase::Steady
            && let Some(log) = &mut self.intervals
            && let Err(error) = log.push(interval)
        {
            self.intervals = None;
            lost("--hlog", error, |why| losses.meanwhile(why));
        }
        if let Some(log) = &mut self.events
            && let Err(error) = log.interval(interval)
        {
            self.events = None;
            lost("--events", error, |why| losses.meanwhile(why));
        }
    }

    /// Writes what is known only at the end.
    pub fn end(self, ending: &Ending, record: &Record, losses: &mut WriteFailures) {
        if let Some(Err(error)) = self.intervals.map(Hlog::finish) {
            lost("--hlog", error, |why| losses.keep(Err(why)));
        }
        if let Some(Err(error)) = self.events.map(|log| log.end(ending, record)) {
            lost("--events", error, |why| losses.keep(Err(why)));
        }
    }
}

/// Reports a log that can no longer be written, unless its reader has closed its end.
fn lost(option: &'static str, source: io::Error, report: impl FnOnce(LogError)) {
    if source.kind() != io::ErrorKind::BrokenPipe {
        report(LogError { option, source });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn output_files_must_differ() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("there"), "older").unwrap();
        symlink(at("there"), at("link")).unwrap();
        fs::create_dir(at("below")).unwrap();
        let both = |one: &Path, other: &Path| {
            check(&[("--record", Some(one)), ("--html", None), ("--hgrm", Some(other))])
        };
        for (one, other) in [("new", "new"), ("new", "below/../new"), ("there", "link")] {
            let why = both(&at(one), &at(other)).unwrap_err().to_string();
            assert!(why.contains("--hgrm") && why.contains("--record names the same"), "{why}");
        }
        both(&at("new"), &at("there")).unwrap();
        both(Path::new("/dev/null"), Path::new("/dev/null")).unwrap();
        assert!(!at("new").exists());
        assert_eq!(fs::read_to_string(at("there")).unwrap(), "older");
    }
}
