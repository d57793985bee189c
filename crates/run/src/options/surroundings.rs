//! The things outside a command line that it refers to: files, environment variables, the terminal.
//!
//! Reading a command line is a function of its words and of one value of [`Surroundings`], so that tests need neither a
//! terminal nor a home directory. Nothing else in `cli` accesses the system.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use brunt_feed::{access, file};
use brunt_net::secret::Secret;

use super::prompt;

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

    /// The content of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The content of a file that contains a secret.
    fn secret(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read(path)
    }

    /// Whether a plan may refer to this file; the error says why not.
    fn permits(&self, path: &Path) -> Result<(), String> {
        let _ = path;
        Ok(())
    }

    /// Whether a user can be prompted.
    fn interactive(&self) -> bool;

    /// Prompts for a password, without showing what is typed.
    fn ask(&self, prompt: &str) -> io::Result<Secret>;

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

/// The variables that locate our own configuration, which no command line or plan refers to.
const AMBIENT: [&str; 3] = ["HOME", "XDG_CONFIG_HOME", "BRUNT_LAB"];

/// The variables that were read by name.
static VARIABLES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The environment variables that command lines and plans have referred to in this process.
pub fn asked_for() -> Vec<String> {
    VARIABLES.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
}

/// The real system.
#[derive(Clone, Copy, Debug)]
pub struct Machine;

impl Surroundings for Machine {
    fn variable(&self, name: &str) -> Option<String> {
        if !AMBIENT.contains(&name) {
            VARIABLES.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        }
        let stands_in = || access::stands_in() && !AMBIENT.contains(&name);
        std::env::var(name).ok().or_else(|| stands_in().then(|| "x".to_owned()))
    }

    fn ambient(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        file::read(path, file::DATA_MAX)
    }

    fn secret(&self, path: &Path) -> io::Result<Vec<u8>> {
        file::read_secret(path, file::WRITTEN_MAX)
    }

    fn interactive(&self) -> bool {
        io::stdin().is_terminal()
    }

    fn ask(&self, prompt: &str) -> io::Result<Secret> {
        prompt::password(prompt)
    }
}
