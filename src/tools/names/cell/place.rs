//! Where things are in a cell.

use std::path::PathBuf;

use super::fault::Fault;
use super::spec::Walls;
use super::tools;

/// What `useradd` and `userdel` start to tell caches of a change, at a quarter of a second each time.
pub(super) const MASKED: &[&str] = &["sss_cache", "nscd"];

/// The directories and the port of one cell.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// How much is private.
    pub(super) walls: Walls,
    /// What need not last: sockets, logs, configurations of our own.
    pub(super) root: PathBuf,
    /// What must last: a database.
    pub(super) data: PathBuf,
    /// What is `/etc` to the name service: `/etc` itself within walls.
    pub(super) etc: PathBuf,
    /// The port of the directory on 127.0.0.1.
    pub(super) port: u16,
}

impl Place {
    /// The address of the directory.
    pub(super) fn url(&self) -> String {
        format!("ldap://127.0.0.1:{}", self.port)
    }

    /// A program: under the name it was lent to the cell, or where the system has it.
    pub(super) fn program(&self, name: &str) -> Result<PathBuf, Fault> {
        let lent = self.lent(name);
        if lent.exists() {
            return Ok(lent);
        }
        // What is masked and was not lent is not what it is called: unscd is installed as nscd.
        let masked = self.walls != Walls::None && MASKED.contains(&name);
        let found = tools::find(name).filter(|_| !masked);
        found.ok_or_else(|| Fault::Missing(name.to_owned()))
    }

    /// Where a program that is masked, or confined by its path, is to be found.
    pub(super) fn lent(&self, name: &str) -> PathBuf {
        self.root.join("bin").join(name)
    }

    /// Whether a system of names of its own can be asked here.
    pub(super) fn resolves(&self) -> bool {
        self.walls != Walls::None
    }
}
