//! [`CompileEnvironment`]: the files and environment variables that a plan refers to.

use std::path::{Path, PathBuf};

use brunt_feed::Files;
use brunt_net::secret::Secret;
use brunt_run::options::surroundings::Surroundings;

use crate::key_error::KeyError;
use crate::path::KeyPath;

/// The source of files and variables.
#[derive(Clone, Copy)]
pub struct CompileEnvironment<'a> {
    /// The machine.
    pub surroundings: &'a dyn Surroundings,
    /// The directory that relative file names start from: that of the plan.
    pub base: &'a Path,
}

impl CompileEnvironment<'_> {
    /// The path of a file that a plan names.
    pub fn path(&self, at: &KeyPath, path: &Path) -> Result<PathBuf, KeyError> {
        let permitted = self.surroundings.permits(path);
        permitted.map(|()| self.base.join(path)).map_err(|why| {
            KeyError::new(at, format!("names the file {}, which {why}", path.display()))
        })
    }

    /// The files that may be read.
    pub fn files(&self) -> Files {
        self.surroundings.files()
    }

    /// The bytes of a file that a plan names.
    pub fn read(&self, at: &KeyPath, path: &Path) -> Result<Vec<u8>, KeyError> {
        let path = self.path(at, path)?;
        self.surroundings.read(&path).map_err(|error| unreadable(at, &path, &error))
    }

    /// The secret in a file, without the line's end.
    pub fn secret(&self, at: &KeyPath, path: &Path) -> Result<Secret, KeyError> {
        let path = self.path(at, path)?;
        let read = self.surroundings.secret(&path);
        let mut bytes = read.map_err(|error| unreadable(at, &path, &error))?;
        while bytes.last().is_some_and(|byte| b"\r\n".contains(byte)) {
            bytes.pop();
        }
        Ok(Secret::new(bytes))
    }

    /// The secret in an environment variable.
    pub fn env(&self, at: &KeyPath, name: &str) -> Result<Secret, KeyError> {
        let value = self.surroundings.hidden(name);
        value.map(Secret::from).ok_or_else(|| {
            KeyError::new(
                at,
                format!("names the environment variable {name}, which is not set; set it"),
            )
        })
    }
}

fn unreadable(at: &KeyPath, path: &Path, error: &std::io::Error) -> KeyError {
    let what = format!("names the file {}, which cannot be read: {error}", path.display());
    KeyError::new(at, what)
}
