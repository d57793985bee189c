//! [`Paper`]: where the table goes, which is the terminal, a file, or both.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::cli::rate::output::Output;

/// Takes the lines of the table.
pub(super) struct Paper {
    terminal: bool,
    file: Option<(PathBuf, File)>,
}

/// Why the table ends.
#[derive(Debug)]
pub(super) enum Torn {
    /// Whoever read it has seen enough.
    Closed,
    /// It could not be written.
    Failed(String),
}

impl Paper {
    /// Opens the file, if one is asked for.
    pub(super) fn open(output: &Output) -> Result<Self, String> {
        let open = |path: &PathBuf| {
            let mut options = OpenOptions::new();
            options.create(true).write(true).append(output.append).truncate(!output.append);
            let file = options.open(path);
            let file = file.map_err(|error| {
                format!("failed to write --outputFile {}: {error}", path.display())
            })?;
            Ok::<_, String>((path.clone(), file))
        };
        let file = output.file.as_ref().map(open).transpose()?;
        Ok(Self { terminal: file.is_none() || output.tee, file })
    }

    /// Paper that keeps nothing.
    pub(super) const fn none() -> Self {
        Self { terminal: false, file: None }
    }

    /// Writes text as it is, at once.
    pub(super) fn write(&mut self, text: &str) -> Result<(), Torn> {
        if let Some((path, file)) = &mut self.file {
            file.write_all(text.as_bytes()).map_err(|error| {
                Torn::Failed(format!("failed to write {}: {error}", path.display()))
            })?;
        }
        if !self.terminal {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
            match error.kind() {
                io::ErrorKind::BrokenPipe => Torn::Closed,
                _ => Torn::Failed(format!("failed to write to standard output: {error}")),
            }
        })
    }
}
