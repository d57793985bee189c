//! What a command line refers to outside itself: files, environment variables, the terminal.
//!
//! Reading a command line is a function of its words and of one value of [`Surroundings`], so that tests need neither a
//! terminal nor a home directory. Nothing else in `cli` touches the world.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use brunt_drivers::secret::Secret;
use brunt_feed::file;

/// Where files, variables and passwords come from.
pub(crate) trait Surroundings {
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// The content of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Whether a plan may name this file; why not.
    fn permits(&self, path: &Path) -> Result<(), String> {
        let _ = path;
        Ok(())
    }

    /// Whether somebody is there to be asked.
    fn interactive(&self) -> bool;

    /// Asks for a password, without showing what is typed.
    fn ask(&self, prompt: &str) -> io::Result<Secret>;

    /// The properties files to look for when none is named, the first that exists being the one that is read.
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

/// The real world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine;

impl Surroundings for Machine {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        file::read(path, file::DATA_MAX)
    }

    fn interactive(&self) -> bool {
        io::stdin().is_terminal()
    }

    fn ask(&self, prompt: &str) -> io::Result<Secret> {
        rpassword::prompt_password(prompt).map(|typed| Secret::new(typed.into_bytes()))
    }
}
