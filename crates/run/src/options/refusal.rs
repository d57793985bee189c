//! [`Refusal`]: what is not carried out, why, and the exit code.

use std::fmt::{self, Display};

use super::exit::Exit;

/// A command line that is not carried out: the message for standard error, and the exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The message, newline included.
    pub text: String,
    /// The exit code.
    pub exit: Exit,
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

/// So that the refusal of a command can be the cause of another error.
impl std::error::Error for Refusal {}

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
