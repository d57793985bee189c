//! The result of a step for its rate: [`Verdict`].

use std::fmt;

/// The result of a step for its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All objectives are met.
    Pass,
    /// An objective is not met, or the queue grows.
    Fail,
    /// The evidence is not sufficient for either.
    Undecided,
    /// The step measured the generator or its connections, and does not measure the target.
    Void,
    /// The step was not made to be judged: baseline, settling, calm.
    None,
}

impl Verdict {
    /// The word used in a collection.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undecided => "undecided",
            Self::Void => "void",
            Self::None => "none",
        }
    }

    /// The verdict with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Pass, Self::Fail, Self::Undecided, Self::Void, Self::None]
            .into_iter()
            .find(|verdict| verdict.word() == word)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
