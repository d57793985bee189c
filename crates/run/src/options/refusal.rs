//! [`Refusal`]: what is not carried out, why, and the exit code.

use std::fmt::Display;

use super::exit::Exit;

/// A command line that is not carried out: the message for standard error, and the exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The message, newline included.
    pub text: String,
    /// The exit code.
    pub exit: Exit,
}

impl Refusal {
    /// The command line is wrong.
    pub fn usage(why: impl Display) -> Self {
        Self { text: format!("{why}\n"), exit: Exit::Usage }
    }

    /// The command could not be carried out.
    pub fn failed(why: impl Display) -> Self {
        Self { text: format!("{why}\n"), exit: Exit::Failed }
    }
}
