//! [`FilePosition`]: a place in a file that a fault may have to name after the file has been dropped.

use std::fmt;
use std::path::PathBuf;

use super::document::Value;
use super::job_error::{JobError, Position};

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePosition {
    file: PathBuf,
    place: Position,
    key: String,
}

impl FilePosition {
    /// The place of a value.
    pub fn new(value: &Value<'_>) -> Self {
        Self {
            file: value.document.path.clone(),
            place: value.document.place(value.node.at),
            key: value.key.clone(),
        }
    }

    /// A fault there.
    pub fn fault(&self, what: impl Into<String>, remedy: impl Into<String>) -> JobError {
        JobError {
            file: self.file.clone(),
            place: Some(self.place),
            key: self.key.clone(),
            what: what.into(),
            remedy: remedy.into(),
        }
    }
}

/// The file and the line.
impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.file.display(), self.place.line)
    }
}
