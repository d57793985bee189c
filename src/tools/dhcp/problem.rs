//! [`Problem`]: why a run cannot be carried out, and how the program ends for it.

use std::fmt::Display;

use crate::cli::Refusal;
use crate::cli::exit::Exit;

/// Why there is no run.
#[derive(Debug)]
pub(super) struct Problem {
    why: String,
    exit: Exit,
}

impl Problem {
    /// What the command line asks for cannot be meant.
    pub(super) fn usage(why: impl Into<String>) -> Self {
        Self { why: why.into(), exit: Exit::Usage }
    }

    /// What is said, and how the program ends.
    pub(super) fn refusal(self) -> Refusal {
        let text = match self.exit {
            Exit::Usage => format!("ERROR: parsing command line options: {}\n", self.why),
            _ => format!("ERROR: running perfdhcp: {}\n", self.why),
        };
        Refusal { text, exit: self.exit }
    }
}

/// What went wrong, for a caller whose errors are words.
impl From<Problem> for String {
    fn from(problem: Problem) -> Self {
        problem.why
    }
}

/// Something that the command line refers to is not as it should be: a file, an interface, a socket.
impl From<String> for Problem {
    fn from(why: String) -> Self {
        Self { why, exit: Exit::Failed }
    }
}

/// The words of an error as the end of a sentence that begins with what failed.
pub(super) fn failed(error: impl Display) -> String {
    format!("failed to {error}")
}
