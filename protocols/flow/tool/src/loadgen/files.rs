//! [`Files`]: the files of a job, each read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::directories::Directories;
use super::document::{Document, Value};
use super::fields::nearest;
use super::file_position::FilePosition;
use super::job_error::JobError;

/// The files of a job, and the notes about them.
#[derive(Debug)]
pub(super) struct Files {
    directories: Directories,
    readable: brunt_feed::Files,
    documents: BTreeMap<PathBuf, Rc<Document>>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Files {
    /// The files of a job file.
    pub(super) fn new(job: &Path, readable: &brunt_feed::Files) -> Self {
        let (directories, readable) = (Directories::new(job), readable.clone());
        Self { directories, readable, documents: BTreeMap::new(), notes: Vec::new() }
    }

    /// A file by its path.
    pub(super) fn document(&mut self, path: &Path) -> Result<Rc<Document>, JobError> {
        if let Some(known) = self.documents.get(path) {
            return Ok(Rc::clone(known));
        }
        let document = Rc::new(Document::read(path, &self.readable)?);
        self.documents.insert(path.to_owned(), Rc::clone(&document));
        Ok(document)
    }

    /// The file of a workload or task of this key; `named_by` is where the key stands.
    pub(super) fn named(
        &mut self,
        directory: &str,
        key: &str,
        named_by: &Value<'_>,
    ) -> Result<Rc<Document>, JobError> {
        let path = Path::new(directory).join(format!("{key}.json"));
        match self.directories.find(&path) {
            Ok(path) => self.document(&path),
            Err(missing) => {
                let known = self.directories.names(directory);
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let remedy = match nearest(key, &known) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => format!("create that file, or correct the name \"{key}\""),
                };
                Err(named_by.fault(missing.to_string(), remedy))
            }
        }
    }

    /// The path of a file of values that a job, workload or task names.
    pub(super) fn values(&mut self, name: &str, spot: &FilePosition) -> Result<PathBuf, JobError> {
        self.directories.find(Path::new(name)).map_err(|missing| {
            spot.fault(
                missing.to_string(),
                "create that file, with one value per line, or correct its name",
            )
        })
    }

    /// Notes for the user, each once.
    pub(super) fn take_notes(&mut self) -> Vec<String> {
        let mut notes: Vec<String> = self.directories.notes().collect();
        for note in self.notes.drain(..) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }
}
