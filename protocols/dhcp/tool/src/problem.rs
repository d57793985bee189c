//! [`Problem`]: why a run cannot be carried out, and the exit code of the program.

use std::fmt::Display;

use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

/// Why a run cannot be carried out.
#[derive(Debug)]
pub struct Problem {
    why: String,
    exit: Exit,
}

impl Problem {
    /// The command line makes no sense.
    pub fn usage(why: impl Into<String>) -> Self {
        Self { why: why.into(), exit: Exit::Usage }
    }

    /// The message and the exit code.
    pub fn refusal(self) -> Refusal {
        let text = match self.exit {
            Exit::Usage => format!("ERROR: parsing command line options: {}\n", self.why),
            _ => format!("ERROR: running perfdhcp: {}\n", self.why),
        };
        Refusal { text, exit: self.exit }
    }
}

/// The message, for a caller whose errors are text.
impl From<Problem> for String {
    fn from(problem: Problem) -> Self {
        problem.why
    }
}

/// A problem with something that the command line refers to: a file, an interface, a socket.
impl From<String> for Problem {
    fn from(why: String) -> Self {
        Self { why, exit: Exit::Failed }
    }
}

/// An error as the end of a sentence that begins with what failed.
pub(crate) fn failed(error: impl Display) -> String {
    format!("failed to {error}")
}
