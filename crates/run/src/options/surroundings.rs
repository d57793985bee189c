//! The things outside a command line that it refers to: files, environment variables, the terminal.
//!
//! Reading a command line is a function of its words and of one value of [`Surroundings`], so that tests need neither a
//! terminal nor a home directory. Nothing else in `cli` accesses the system.

use std::io;
use std::path::{Path, PathBuf};

use brunt_feed::Files;
use brunt_net::secret::Secret;

/// Why a plan may not refer to a file. It reads after "which".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileNotPermitted {
    /// Nothing keeps the process within its files.
    #[error(
        "is not read: this kernel cannot confine a process to its own files (Landlock, Linux 5.13)"
    )]
    Unconfined,
    /// It is not below the plan.
    #[error("lies outside the directory of the plan")]
    Outside,
}

/// The source of files, variables and passwords.
pub trait Surroundings {
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// The value of an environment variable that is a secret, and is shown nowhere.
    fn hidden(&self, name: &str) -> Option<String> {
        self.variable(name)
    }

    /// The value of a variable that configures the program for its user. No command line refers to it, so it is not
    /// one that the maker of a command line reads from another's environment.
    fn ambient(&self, name: &str) -> Option<String> {
        self.variable(name)
    }

    /// The files that may be read, for what reads more than the content of one.
    fn files(&self) -> Files;

    /// The content of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The content of a file that contains a secret.
    fn secret(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read(path)
    }

    /// Whether a plan may refer to this file; the error says why not.
    fn permits(&self, path: &Path) -> Result<(), FileNotPermitted> {
        let _ = path;
        Ok(())
    }

    /// Whether a user can be prompted.
    fn interactive(&self) -> bool;

    /// Prompts for a password, without showing what is typed.
    fn prompt(&self, prompt: &str) -> io::Result<Secret>;

    /// The properties files to try if none is named; the first that exists is read.
    fn properties_files(&self) -> Vec<PathBuf> {
        let home = self.variable("HOME").map(PathBuf::from);
        let config = self
            .variable("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| home.as_ref().map(|home| home.join(".config")));
        let ours = config.map(|config| config.join("brunt/tools.properties"));
        let theirs = home.map(|home| home.join(".opendj/tools.properties"));
        ours.into_iter().chain(theirs).collect()
    }
}
