//! Why a request failed inside a sandbox.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What went wrong, reading after "failed to".
#[derive(Debug, thiserror::Error)]
pub(super) enum SandboxError {
    /// The system refused something.
    #[error("{act}: {source}")]
    System {
        /// What was attempted.
        act: String,
        /// The system's error.
        source: io::Error,
    },
    /// A program that is not installed.
    #[error("find {0}: it is not installed")]
    Missing(String),
    /// A program that failed.
    #[error("run {program} ({how}): {complaints}")]
    Program {
        /// The program.
        program: String,
        /// How it ended.
        how: String,
        /// The end of what it wrote to standard error.
        complaints: String,
    },
    /// A daemon that did not start in time.
    #[error("start {daemon} within {patience:?}; its log ends:\n{log}")]
    NotReady {
        /// The daemon.
        daemon: &'static str,
        /// How long the sandbox waited.
        patience: Duration,
        /// The end of its log.
        log: String,
    },
    /// A directory that refused an operation.
    #[error("{act}: the directory answered {code} ({name}) {text}")]
    Directory {
        /// The operation.
        act: String,
        /// The result code.
        code: u32,
        /// Its name.
        name: &'static str,
        /// The directory's message.
        text: String,
    },
    /// An invalid message from a directory.
    #[error("understand the directory: {0}")]
    Garbled(#[from] brunt_ldap_wire::ber::DecodeError),
    /// A request that this sandbox cannot carry out.
    #[error("{0}")]
    Unfit(String),
}

impl SandboxError {
    /// The system refused `act`.
    pub(super) fn system(act: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let act = act.into();
        move |source| Self::System { act, source }
    }

    /// The system refused to do `verb` to a file.
    pub(super) fn file(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path: PathBuf = path.to_owned();
        move |source| Self::System { act: format!("{verb} {}", path.display()), source }
    }
}
