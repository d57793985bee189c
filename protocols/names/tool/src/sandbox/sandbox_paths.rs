//! Paths and addresses in a sandbox.

use std::path::PathBuf;

use super::sandbox_error::SandboxError;
use super::spec::Isolation;
use super::tools;

/// Programs that `useradd` and `userdel` start to notify caches of a change, which takes a quarter of a second each
/// time.
pub(super) const MASKED: &[&str] = &["sss_cache", "nscd"];

/// The directories and the port of one sandbox.
#[derive(Clone, Debug)]
pub(super) struct SandboxPaths {
    /// How much is isolated.
    pub isolation: Isolation,
    /// The directory for temporary data: sockets, logs, configurations of our own.
    pub root: PathBuf,
    /// The directory for durable data: a database.
    pub data: PathBuf,
    /// The directory that the name service uses as `/etc`: `/etc` itself in isolation.
    pub etc: PathBuf,
    /// The port of the directory on 127.0.0.1.
    pub port: u16,
}

impl SandboxPaths {
    /// The address of the directory.
    pub(super) fn url(&self) -> String {
        format!("ldap://127.0.0.1:{}", self.port)
    }

    /// The path of a program: that of its copy in the sandbox, or the system's.
    pub(super) fn program(&self, name: &str) -> Result<PathBuf, SandboxError> {
        let lent = self.lent(name);
        if lent.exists() {
            return Ok(lent);
        }
        // A masked program without a copy is not what its name says: unscd is installed as nscd.
        let masked = self.isolation != Isolation::None && MASKED.contains(&name);
        let found = tools::find(name).filter(|_| !masked);
        found.ok_or_else(|| SandboxError::Missing(name.to_owned()))
    }

    /// The path of the copy of a program that is masked, or confined by its path.
    pub(super) fn lent(&self, name: &str) -> PathBuf {
        self.root.join("bin").join(name)
    }

    /// Whether the sandbox has a name service of its own that can be used.
    pub(super) fn resolves(&self) -> bool {
        self.isolation != Isolation::None
    }
}
