//! The directory of a run and the names of what is in it, as the server and its children use them.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use brunt_record::replace;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The plan that was carried out.
pub const PLAN: &str = "plan.toml";
/// What was asked for, by whom.
pub const REQUEST: &str = "request.json";
/// How far the run is.
pub const STATE: &str = "state.json";
/// What the child says of how it ended: its last act.
pub const OUTCOME: &str = "outcome.json";
/// What the child said on its standard error.
pub const LOG: &str = "log.txt";
/// The events of a run that goes on.
pub const EVENTS: &str = "events.ndjson";
/// How far a search for the highest rate is that goes on.
pub const PROGRESS: &str = "progress.json";
/// The record as the run wrote it.
pub const RECORD: &str = "record.json";
/// The record, kept.
pub const RECORD_KEPT: &str = "record.json.gz";
/// The events, kept.
pub const EVENTS_KEPT: &str = "intervals.gz";
/// The rows for charts, kept.
pub const VIEW_KEPT: &str = "view.json.gz";
/// Words and tables of the page of the run, kept.
pub const PAGE_KEPT: &str = "page.json.gz";
/// The figures of the run as comparisons and trends take them, so that neither reads its record.
pub const FIGURES: &str = "figures.json";
/// How these varied within the run, kept.
pub const STEPS_KEPT: &str = "steps.json.gz";
/// The run in a few figures.
pub const SUMMARY: &str = "summary.json";
/// What people say of it.
pub const ABOUT: &str = "about.json";
/// LoadGen's report of a run whose plan says what a job says.
pub const LOADGEN: &str = "loadgen.txt";
/// The directory of files that the plan names.
pub const DATA: &str = "data";
/// A document that somebody brought, until it was read.
pub const BROUGHT: &str = "brought";

/// The most bytes of a small file.
pub const SMALL_MAX: u64 = 1 << 20;
/// The most bytes of a view or a page, unpacked.
pub const PAGE_MAX: u64 = 64 << 20;

/// The directory of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFiles(PathBuf);

impl RunFiles {
    /// Those in this directory.
    pub fn new(directory: PathBuf) -> Self {
        Self(directory)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// The path of one of them.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Reads one as text; `None` where it does not exist.
    pub fn text(&self, name: &str, most: u64) -> io::Result<Option<String>> {
        let Some(file) = opened(&self.path(name))? else { return Ok(None) };
        bounded(file, most).map(Some)
    }

    /// Reads one that is packed.
    pub fn packed(&self, name: &str, most: u64) -> io::Result<Option<String>> {
        let Some(file) = opened(&self.path(name))? else { return Ok(None) };
        bounded(GzDecoder::new(file), most).map(Some)
    }

    /// Reads one of ours as JSON.
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        let Some(text) = self.text(name, SMALL_MAX)? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(io::Error::other)
    }

    /// Writes one as JSON, whole or not at all.
    pub fn write(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        replace(&self.path(name), |mut out| {
            serde_json::to_writer_pretty(&mut out, value)?;
            out.write_all(b"\n")
        })
    }

    /// Writes text as it is, whole or not at all.
    pub fn write_text(&self, name: &str, text: &str) -> io::Result<()> {
        replace(&self.path(name), |out| out.write_all(text.as_bytes()))
    }

    /// Writes one packed, whole or not at all.
    pub fn pack(&self, name: &str, mut from: impl io::Read) -> io::Result<()> {
        replace(&self.path(name), |out| {
            let mut packed = GzEncoder::new(out, Compression::new(6));
            io::copy(&mut from, &mut packed)?;
            packed.finish().map(drop)
        })
    }
}

fn opened(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// All there is to read, if that is no more than `most`.
pub fn bounded(from: impl io::Read, most: u64) -> io::Result<String> {
    let mut text = String::new();
    from.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        let words = format!("it has more than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    Ok(text)
}
