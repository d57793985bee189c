//! The directory of a run and the names of its files, as the server and its children use them.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use brunt_record::replace;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The plan that was run.
pub const PLAN: &str = "plan.toml";
/// The request, and who made it.
pub const REQUEST: &str = "request.json";
/// The state of the run.
pub const STATE: &str = "state.json";
/// How the run ended, as the child reports it in its last step.
pub const OUTCOME: &str = "outcome.json";
/// What the child printed on its standard error.
pub const LOG: &str = "log.txt";
/// The events of a running run.
pub const EVENTS: &str = "events.ndjson";
/// The progress of a running search for the highest rate.
pub const PROGRESS: &str = "progress.json";
/// The record as the run wrote it.
pub const RECORD: &str = "record.json";
/// The record, stored compressed.
pub const RECORD_KEPT: &str = "record.json.gz";
/// The events, stored compressed.
pub const EVENTS_KEPT: &str = "intervals.gz";
/// The rows for charts, stored compressed.
pub const VIEW_KEPT: &str = "view.json.gz";
/// Text and tables of the page of the run, stored compressed.
pub const PAGE_KEPT: &str = "page.json.gz";
/// The figures of the run that comparisons and trends need, so that neither reads its record.
pub const FIGURES: &str = "figures.json";
/// How these figures varied within the run, stored compressed.
pub const STEPS_KEPT: &str = "steps.json.gz";
/// The run in a few figures.
pub const SUMMARY: &str = "summary.json";
/// What people write about it.
pub const ABOUT: &str = "about.json";
/// LoadGen's report of a run whose plan contains what a LoadGen job contains.
pub const LOADGEN: &str = "loadgen.txt";
/// The directory of the files that the plan refers to.
pub const DATA: &str = "data";
/// An uploaded document, until it has been read.
pub const BROUGHT: &str = "brought";

/// The most bytes of a small file.
pub const SMALL_MAX: u64 = 1 << 20;
/// The most bytes of a view or a page, uncompressed.
pub const PAGE_MAX: u64 = 64 << 20;

/// The directory of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFiles(PathBuf);

impl RunFiles {
    /// The files in this directory.
    pub fn new(directory: PathBuf) -> Self {
        Self(directory)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// The path of one of its files.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Reads a file as text; `None` if it does not exist.
    pub fn text(&self, name: &str, most: u64) -> io::Result<Option<String>> {
        let Some(file) = opened(&self.path(name))? else { return Ok(None) };
        bounded(file, most).map(Some)
    }

    /// Reads a compressed file.
    pub fn packed(&self, name: &str, most: u64) -> io::Result<Option<String>> {
        let Some(file) = opened(&self.path(name))? else { return Ok(None) };
        bounded(GzDecoder::new(file), most).map(Some)
    }

    /// Reads a file that this program wrote, as JSON.
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        let Some(text) = self.text(name, SMALL_MAX)? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(io::Error::other)
    }

    /// Writes a value as JSON, atomically.
    pub fn write(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        replace(&self.path(name), |mut out| {
            serde_json::to_writer_pretty(&mut out, value)?;
            out.write_all(b"\n")
        })
    }

    /// Writes text as it is, atomically.
    pub fn write_text(&self, name: &str, text: &str) -> io::Result<()> {
        replace(&self.path(name), |out| out.write_all(text.as_bytes()))
    }

    /// Writes a file compressed, atomically.
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

/// Reads everything, if it has `most` bytes at most.
pub fn bounded(from: impl io::Read, most: u64) -> io::Result<String> {
    let mut text = String::new();
    from.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        let words = format!("it has more than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    Ok(text)
}
