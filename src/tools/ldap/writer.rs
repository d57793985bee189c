//! [`TableWriter`]: where the table goes, which is the terminal, a file, or both.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use crate::cli::rate::output::Output;
use crate::run::{Trouble, print};

/// Takes the lines of the table.
pub(super) struct TableWriter {
    terminal: bool,
    file: Option<(PathBuf, File)>,
}

impl TableWriter {
    /// Opens the file, if one is asked for.
    pub(super) fn open(output: &Output) -> Result<Self, String> {
        let open = |path: &PathBuf| {
            let mut options = OpenOptions::new();
            options.create(true).write(true).append(output.append).truncate(!output.append);
            options.mode(0o600);
            let file = options.open(path);
            let file = file.map_err(|error| {
                format!("failed to write --outputFile {}: {error}", path.display())
            })?;
            Ok::<_, String>((path.clone(), file))
        };
        let file = output.file.as_ref().map(open).transpose()?;
        Ok(Self { terminal: file.is_none() || output.tee, file })
    }

    /// Writes text as it is, at once.
    pub(super) fn write(&mut self, text: &str) -> Result<(), Trouble> {
        if let Some((path, file)) = &mut self.file {
            file.write_all(text.as_bytes()).map_err(|error| {
                Trouble::Failed(format!("failed to write {}: {error}", path.display()))
            })?;
        }
        if !self.terminal {
            return Ok(());
        }
        print(text)
    }
}
