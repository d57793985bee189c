//! [`History`]: finished runs, as a directory of ordinary records.
//!
//! Each run has a directory of its own with all its data: a record that `brunt report` reads without a server, its
//! events, the files from which charts and pages are made, and what people wrote about it. The database is an index of
//! these directories and can be rebuilt. Records are read only by children; the files that this module reads were
//! written by them.

use std::collections::HashMap;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use brunt_history::{
    ABOUT, About, AboutError, BROUGHT, FIGURES, PAGE_KEPT, PAGE_MAX, PLAN, PageParts, RunFiles,
    RunId, STEPS_KEPT, SUMMARY, Summary, VIEW_KEPT, sha256,
};
use brunt_report::comparison::FIGURES_SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;

use crate::child::{ChildError, Children};

/// The most bytes of an uploaded document, as it is received.
pub const BROUGHT_MAX: usize = 64 << 20;

/// The runs that are over.
#[derive(Debug)]
pub struct History {
    directory: PathBuf,
    /// Which run has the record with this hash.
    known: Mutex<HashMap<String, RunId>>,
    /// Held while what people wrote about a run is read and written.
    editing: Mutex<()>,
}

/// A run of the history.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Run")]
pub struct Entry {
    /// Its name in addresses.
    pub id: RunId,
    /// The run in a few figures.
    pub summary: Summary,
    /// What people write about it.
    pub about: About,
}

/// An uploaded record.
#[derive(Clone, Debug, PartialEq)]
pub struct Put {
    /// The run.
    pub entry: Entry,
    /// Whether it was unknown before.
    pub is_new: bool,
}

/// A failed operation on a history.
#[derive(Debug, thiserror::Error)]
#[error("{act} {}: {source}", path.display())]
pub struct HistoryError {
    act: &'static str,
    path: PathBuf,
    source: io::Error,
}

/// Why a record was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum PutError {
    /// It is too long.
    #[error("take the record: it has more than {} MiB", BROUGHT_MAX >> 20)]
    Long,
    /// What people wrote about it exceeds a limit.
    #[error(transparent)]
    About(#[from] AboutError),
    /// It is not a record, or it cannot be read.
    #[error("take the record: {0}")]
    Unfit(String),
    /// The child that reads it failed.
    #[error(transparent)]
    Child(ChildError),
    /// It could not be written.
    #[error(transparent)]
    History(#[from] HistoryError),
}

impl From<ChildError> for PutError {
    fn from(error: ChildError) -> Self {
        match error {
            ChildError::Declined(why) => Self::Unfit(why),
            error => Self::Child(error),
        }
    }
}

/// Why what people write about a run was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// There is no such run.
    #[error("find the run {0}")]
    Unknown(RunId),
    /// It exceeds a limit.
    #[error(transparent)]
    About(#[from] AboutError),
    /// It could not be written.
    #[error(transparent)]
    History(#[from] HistoryError),
}

impl History {
    /// Opens a history, and creates it if it does not exist. Only its owner may read it.
    pub fn open(directory: &Path) -> Result<Self, HistoryError> {
        for part in ["runs", "incoming"] {
            let path = directory.join(part);
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
            made.map_err(failed("make the directory", &path))?;
        }
        // An upload that was in progress when the server ended is incomplete.
        let incoming = directory.join("incoming");
        for left in directories(&incoming)? {
            drop(fs::remove_dir_all(left));
        }
        let history = Self {
            directory: directory.to_owned(),
            known: Mutex::default(),
            editing: Mutex::default(),
        };
        for id in history.ids()? {
            if let Ok(Some(summary)) = history.files(&id).json::<Summary>(SUMMARY) {
                history.known().insert(summary.sha256, id);
            }
        }
        Ok(history)
    }

    /// The directory of the history.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The files of a run, whether there is one of this id or not.
    pub fn files(&self, id: &RunId) -> RunFiles {
        RunFiles::new(self.directory.join("runs").join(id.as_str()))
    }

    /// Every directory of a run: finished, queued or running.
    pub fn ids(&self) -> Result<Vec<RunId>, HistoryError> {
        let all = directories(&self.directory.join("runs"))?;
        let name = |path: &PathBuf| path.file_name()?.to_str()?.parse().ok();
        Ok(all.iter().filter_map(name).collect())
    }

    /// A run that is over; `None` for any other id.
    pub fn entry(&self, id: &RunId) -> Result<Option<Entry>, HistoryError> {
        let files = self.files(id);
        let read = failed("read", files.directory());
        let Some(summary) = files.json(SUMMARY).map_err(&read)? else { return Ok(None) };
        let about = files.json(ABOUT).map_err(&read)?.unwrap_or_default();
        Ok(Some(Entry { id: id.clone(), summary, about }))
    }

    /// Whether its figures are stored, so that comparisons need not read its record.
    pub(crate) fn is_figured(&self, id: &RunId) -> bool {
        #[derive(serde::Deserialize)]
        struct Made {
            schema: String,
        }
        let files = self.files(id);
        let made = files.json::<Made>(FIGURES).ok().flatten();
        made.is_some_and(|made| made.schema == FIGURES_SCHEMA) && files.path(STEPS_KEPT).is_file()
    }

    /// The data of its charts, as JSON on one line (`brunt-view/1`).
    pub fn view(&self, id: &RunId) -> Result<Option<String>, HistoryError> {
        let files = self.files(id);
        files.packed(VIEW_KEPT, PAGE_MAX).map_err(failed("read the view of", files.directory()))
    }

    /// Text and tables of its page.
    pub fn page(&self, id: &RunId) -> Result<Option<PageParts>, HistoryError> {
        let files = self.files(id);
        let read = failed("read the page of", files.directory());
        let Some(text) = files.packed(PAGE_KEPT, PAGE_MAX).map_err(&read)? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(|error| read(io::Error::other(error)))
    }

    /// The plan that it was made from, if it was made here.
    pub fn plan(&self, id: &RunId) -> Result<Option<String>, HistoryError> {
        let files = self.files(id);
        files.text(PLAN, 16 << 20).map_err(failed("read the plan of", files.directory()))
    }

    /// The run whose record has this hash.
    pub fn find(&self, sha256: &str) -> Option<RunId> {
        self.known().get(sha256).cloned()
    }

    /// Accepts an uploaded record, compressed with gzip or not. Uploading the same record again changes nothing.
    pub fn put(&self, children: &Children, bytes: &[u8], about: About) -> Result<Put, PutError> {
        if bytes.len() > BROUGHT_MAX {
            return Err(PutError::Long);
        }
        about.check()?;
        if let Some(known) = self.known_entry(&sha256(bytes))? {
            return Ok(known);
        }
        let incoming = self.incoming()?;
        let taken = self.take(children, &incoming, bytes, about);
        drop(fs::remove_dir_all(incoming.directory()));
        taken
    }

    fn take(
        &self,
        children: &Children,
        incoming: &RunFiles,
        bytes: &[u8],
        mut about: About,
    ) -> Result<Put, PutError> {
        let write = failed("write", incoming.directory());
        brunt_record::replace(&incoming.path(BROUGHT), |out| out.write_all(bytes))
            .map_err(&write)?;
        children.index(incoming.directory())?;
        let read = failed("read", incoming.directory());
        let summary: Option<Summary> = incoming.json(SUMMARY).map_err(&read)?;
        let summary =
            summary.ok_or_else(|| PutError::Unfit("nothing was made of it".to_owned()))?;
        if let Some(known) = self.known_entry(&summary.sha256)? {
            return Ok(known);
        }
        about.origin.brought = true;
        incoming.write(ABOUT, &about).map_err(&write)?;
        drop(fs::remove_file(incoming.path(BROUGHT)));
        let id =
            RunId::of_hash(&summary.sha256).map_err(|error| PutError::Unfit(error.to_string()))?;
        let kept = self.files(&id);
        fs::rename(incoming.directory(), kept.directory())
            .map_err(failed("keep the record as", kept.directory()))?;
        self.known().insert(summary.sha256.clone(), id.clone());
        Ok(Put { entry: Entry { id, summary, about }, is_new: true })
    }

    /// Adds a run that has ended to the history.
    pub(crate) fn keep(&self, id: &RunId, summary: &Summary) {
        self.known().insert(summary.sha256.clone(), id.clone());
    }

    /// Changes what people write about a run, and returns the new state.
    pub fn edit(&self, id: &RunId, change: impl FnOnce(&mut About)) -> Result<About, EditError> {
        let _editing = self.editing.lock().unwrap_or_else(PoisonError::into_inner);
        let files = self.files(id);
        if !files.directory().is_dir() {
            return Err(EditError::Unknown(id.clone()));
        }
        let mut about: About =
            files.json(ABOUT).map_err(failed("read", &files.path(ABOUT)))?.unwrap_or_default();
        let origin = about.origin.clone();
        change(&mut about);
        about.origin = origin;
        about.check()?;
        files.write(ABOUT, &about).map_err(failed("write", &files.path(ABOUT)))?;
        Ok(about)
    }

    /// Removes a run that is over, permanently. Returns whether there was one. Its directory is moved away first, so
    /// that a run is there completely or not at all, whenever the server ends; what was moved is removed at the latest
    /// when the history is opened again.
    pub fn remove(&self, id: &RunId) -> Result<bool, HistoryError> {
        let Some(entry) = self.entry(id)? else { return Ok(false) };
        let files = self.files(id);
        let remove = failed("remove", files.directory());
        let name = RunId::new().map_err(|error| remove(io::Error::other(error)))?;
        let moved = self.directory.join("incoming").join(name.as_str());
        fs::rename(files.directory(), &moved).map_err(&remove)?;
        self.known().remove(&entry.summary.sha256);
        fs::remove_dir_all(&moved).map_err(failed("remove", &moved))?;
        Ok(true)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, RunId>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_entry(&self, sha256: &str) -> Result<Option<Put>, HistoryError> {
        let Some(id) = self.find(sha256) else { return Ok(None) };
        Ok(self.entry(&id)?.map(|entry| Put { entry, is_new: false }))
    }

    /// Calls `act` with a temporary directory, and removes the directory afterwards.
    pub(crate) fn in_scratch<T>(&self, act: impl FnOnce(&Path) -> T) -> Result<T, HistoryError> {
        let incoming = self.incoming()?;
        let done = act(incoming.directory());
        drop(fs::remove_dir_all(incoming.directory()));
        Ok(done)
    }

    /// Creates a directory for an upload.
    fn incoming(&self) -> Result<RunFiles, HistoryError> {
        let directory = self.directory.join("incoming");
        let make = failed("make a directory in", &directory);
        let name = RunId::new().map_err(|error| make(io::Error::other(error)))?;
        let path = directory.join(name.as_str());
        DirBuilder::new().mode(0o700).create(&path).map_err(make)?;
        Ok(RunFiles::new(path))
    }
}

fn failed<'a>(act: &'static str, path: &'a Path) -> impl Fn(io::Error) -> HistoryError + 'a {
    move |source| HistoryError { act, path: path.to_owned(), source }
}

fn directories(within: &Path) -> Result<Vec<PathBuf>, HistoryError> {
    let entries = fs::read_dir(within).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(failed("read the directory", within))?;
    Ok(entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
}
