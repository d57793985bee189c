//! [`TableWriter`]: the destination of the table, which is the terminal, a file, or both.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use brunt_run::{Console, ObserverError, ObserverFailure, RunClock, World, print};

use crate::options::rate::table_options::TableOptions;

/// The file of the table cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write --outputFile {}: {source}", path.display())]
pub(crate) struct TableFileError {
    path: PathBuf,
    source: io::Error,
}

/// Writes the lines of the table.
pub(crate) struct TableWriter {
    pub console: Console,
    /// What stamps the rows.
    pub clock: RunClock,
    terminal: bool,
    file: Option<(PathBuf, File)>,
    /// Why one of the two destinations is no longer written to.
    lost: Option<ObserverError>,
}

impl TableWriter {
    /// Opens the file, if one is requested.
    pub(crate) fn open(shown: &TableOptions, world: &World) -> Result<Self, TableFileError> {
        let open = |path: &PathBuf| {
            let mut options = OpenOptions::new();
            options.create(true).write(true).append(shown.append).truncate(!shown.append);
            options.mode(0o600);
            match options.open(path) {
                Ok(file) => Ok((path.clone(), file)),
                Err(source) => Err(TableFileError { path: path.clone(), source }),
            }
        };
        let file = shown.file.as_ref().map(open).transpose()?;
        Ok(Self {
            console: world.console.clone(),
            clock: world.clock,
            terminal: file.is_none() || shown.tee,
            file,
            lost: None,
        })
    }

    /// Writes text unchanged, at once. If one of two destinations fails, the other is still written.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), ObserverFailure> {
        if let Some((path, file)) = &mut self.file
            && let Err(source) = file.write_all(text.as_bytes())
        {
            let error = TableFileError { path: path.clone(), source };
            self.file = None;
            self.lose(error.into())?;
        }
        if !self.terminal {
            return Ok(());
        }
        match print(text, &self.console) {
            Err(ObserverFailure::Failed(why)) => {
                self.terminal = false;
                self.lose(why)
            }
            printed => printed,
        }
    }

    /// Writes text to standard error, also where that is otherwise kept free, and to the file.
    pub(crate) fn report(&mut self, text: &str) -> Result<(), ObserverFailure> {
        if self.terminal {
            self.console.write_at_once(text);
        }
        let terminal = std::mem::replace(&mut self.terminal, false);
        let written = self.write(text);
        self.terminal = terminal;
        written
    }

    /// Reports a failure that happened earlier.
    pub(crate) fn finish(&mut self) -> Result<(), ObserverFailure> {
        self.lost.take().map_or(Ok(()), |why| Err(ObserverFailure::Failed(why)))
    }

    /// Keeps the error if another destination still receives the table.
    fn lose(&mut self, why: ObserverError) -> Result<(), ObserverFailure> {
        if !self.terminal && self.file.is_none() {
            return Err(ObserverFailure::Failed(why));
        }
        self.console.note(&format!("{why}; the table continues without it"));
        self.lost = Some(why);
        Ok(())
    }
}
