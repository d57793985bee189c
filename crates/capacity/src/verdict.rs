//! What a step says of its rate: [`Verdict`].

use std::fmt;

/// What a step says of its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All objectives are met.
    Pass,
    /// One is not, or the queue grows.
    Fail,
    /// It could be either.
    Undecided,
    /// It is about the generator or its connections, and says nothing of the target.
    Void,
    /// It was not made to be judged: baseline, settling, calm.
    None,
}

impl Verdict {
    /// The word that a collection uses.
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
    pub fn of(word: &str) -> Option<Self> {
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
