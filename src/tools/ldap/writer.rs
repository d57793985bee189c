//! [`TableWriter`]: where the table goes, which is the terminal, a file, or both.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use crate::cli::rate::output::Output;
use crate::console;
use crate::run::{Trouble, print};

/// Takes the lines of the table.
pub(super) struct TableWriter {
    terminal: bool,
    file: Option<(PathBuf, File)>,
    /// Why one of them gets nothing any more.
    lost: Option<String>,
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
        Ok(Self { terminal: file.is_none() || output.tee, file, lost: None })
    }

    /// Writes text as it is, at once. Where one of two places fails, the other goes on alone.
    pub(super) fn write(&mut self, text: &str) -> Result<(), Trouble> {
        if let Some((path, file)) = &mut self.file
            && let Err(error) = file.write_all(text.as_bytes())
        {
            let why = format!("failed to write --outputFile {}: {error}", path.display());
            self.file = None;
            self.lose(why)?;
        }
        if !self.terminal {
            return Ok(());
        }
        match print(text) {
            Err(Trouble::Failed(why)) => {
                self.terminal = false;
                self.lose(why)
            }
            printed => printed,
        }
    }

    /// Says what failed on the way.
    pub(super) fn finish(&mut self) -> Result<(), Trouble> {
        self.lost.take().map_or(Ok(()), |why| Err(Trouble::Failed(why)))
    }

    /// Keeps what went wrong, if somebody else gets the table.
    fn lose(&mut self, why: String) -> Result<(), Trouble> {
        if !self.terminal && self.file.is_none() {
            return Err(Trouble::Failed(why));
        }
        console::note(&format!("{why}; the table continues without it"));
        self.lost = Some(why);
        Ok(())
    }
}
