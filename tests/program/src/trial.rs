//! [`Trial`]: a command line in the making, carried out once in a home directory of its own, where the files are that
//! it names.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::program::{at_home, write_below};
use crate::{Ended, Program, binary, scratch};

/// A command line in the making.
#[derive(Debug)]
pub struct Trial {
    command: Command,
    directory: TempDir,
}

/// A run of brunt with these words, divided at spaces.
pub fn brunt(words: &str) -> Trial {
    Trial::new(Command::new(binary())).typed(words)
}

impl Trial {
    /// A run of a program whose home is empty: the settings of the user who runs the tests must not change it.
    pub fn new(mut command: Command) -> Self {
        let directory = scratch();
        at_home(&mut command, directory.path());
        Self { command, directory }
    }

    /// A further argument.
    #[must_use]
    pub fn arg(self, word: impl AsRef<OsStr>) -> Self {
        self.args([word])
    }

    /// Further arguments.
    #[must_use]
    pub fn args<W: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.command.args(words);
        self
    }

    /// Further arguments, as one would type them, divided at spaces.
    #[must_use]
    pub fn typed(self, words: &str) -> Self {
        self.args(words.split_whitespace())
    }

    /// The option that has its record written.
    #[must_use]
    pub fn recorded(self) -> Self {
        let record = self.record();
        self.arg("--record").arg(record)
    }

    /// A variable of the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// The directory in which it is carried out.
    #[must_use]
    pub fn within(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Has the program's standard input typed by the test ([`Program::write`]).
    #[must_use]
    pub fn typing(mut self) -> Self {
        self.command.stdin(Stdio::piped());
        self
    }

    /// Writes a file that lives as long as the run and gives its path. Its name may have directories in it.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        write_below(self.directory.path(), name, content)
    }

    /// Where the record of the run is.
    pub fn record(&self) -> PathBuf {
        self.directory.path().join("record.json")
    }

    /// Starts the run and does not wait for it.
    pub fn start(mut self) -> Program {
        let record = self.record();
        Program::start(&mut self.command).keeping(self.directory, record)
    }

    /// Executes the run to its end.
    pub fn run(self) -> Ended {
        self.start().wait()
    }
}
