//! Why something could not be done inside a cell.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What went wrong, reading after "failed to".
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// The system refused something.
    #[error("{act}: {source}")]
    System {
        /// What was tried.
        act: String,
        /// What it said.
        source: io::Error,
    },
    /// A program that is not installed.
    #[error("find {0}: it is not installed")]
    Missing(String),
    /// A program that ended badly.
    #[error("run {program} ({how}): {complaints}")]
    Program {
        /// The program.
        program: String,
        /// Its exit.
        how: String,
        /// The end of what it wrote to standard error.
        complaints: String,
    },
    /// A daemon that did not come up.
    #[error("start {daemon} within {patience:?}; its log ends:\n{log}")]
    NotReady {
        /// The daemon.
        daemon: &'static str,
        /// How long was waited.
        patience: Duration,
        /// The end of its log.
        log: String,
    },
    /// A directory that refused an operation.
    #[error("{act}: the directory answered {code} ({name}) {text}")]
    Directory {
        /// What was asked.
        act: String,
        /// The result code.
        code: u32,
        /// Its name.
        name: &'static str,
        /// What the directory said.
        text: String,
    },
    /// A message of a directory that is none.
    #[error("understand the directory: {0}")]
    Garbled(#[from] brunt_wire::ber::DecodeError),
    /// Asked of a cell that has not got it.
    #[error("{0}")]
    Unfit(String),
}

impl Fault {
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
