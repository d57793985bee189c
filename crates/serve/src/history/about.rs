//! [`About`]: what people say of a run, beside what was measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The most tags of a run.
pub const TAGS_MAX: usize = 32;
/// The most bytes of a name or a tag.
pub const WORDS_MAX: usize = 200;
/// The most bytes of a note.
pub const NOTE_MAX: usize = 16 << 10;
/// The most marks of a run.
pub const MARKS_MAX: usize = 200;

/// What people say of a run: `about.json`. Everything may be changed but where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// What it is called.
    pub name: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What somebody noted of it.
    pub note: String,
    /// Whether it is kept whatever becomes old.
    pub pin: bool,
    /// Whether other runs of its load are compared with it.
    pub baseline: bool,
    /// Moments that somebody marked.
    pub marks: Vec<Mark>,
    /// Where it comes from.
    pub origin: Origin,
}

/// A moment that somebody marked while the run went on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// When, in seconds since the origin of the run.
    pub at_s: f64,
    /// Why.
    pub text: String,
    /// By whom.
    pub by: String,
}

/// Where a run comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// Who started it, or brought its record.
    pub by: String,
    /// Whether its record was brought here. Then it says what somebody else wrote into it.
    pub brought: bool,
    /// The plan it was made from and its revision, where it was.
    pub plan: Option<String>,
    /// Which target was loaded, as the administrator calls it.
    pub target: Option<String>,
    /// The agents that carried it out and their pool, where it was not this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<String>,
    /// The commit that was tested.
    pub commit: Option<String>,
    /// When it came to this history, in RFC 3339.
    pub at: String,
    /// Anything else whoever submitted it wants to find again.
    pub labels: BTreeMap<String, String>,
}

/// Why something cannot be said of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AboutError {
    /// A text is too long.
    #[error("change what is said of a run: {what} has more than {most} bytes; shorten it")]
    Long {
        /// Which.
        what: &'static str,
        /// The most it may have.
        most: usize,
    },
    /// There are too many.
    #[error("change what is said of a run: it has more than {most} {what}; remove some")]
    Many {
        /// Of what.
        what: &'static str,
        /// The most there may be.
        most: usize,
    },
}

impl About {
    /// Whether everything is within its bounds.
    pub fn check(&self) -> Result<(), AboutError> {
        let words = [("the name", &self.name), ("who started it", &self.origin.by)];
        let tags = self.tags.iter().map(|tag| ("a tag", tag));
        let marks = self.marks.iter().map(|mark| ("a mark", &mark.text));
        for (what, text) in words.into_iter().chain(tags).chain(marks) {
            if text.len() > WORDS_MAX {
                return Err(AboutError::Long { what, most: WORDS_MAX });
            }
        }
        if self.note.len() > NOTE_MAX {
            return Err(AboutError::Long { what: "the note", most: NOTE_MAX });
        }
        for (what, count, most) in
            [("tags", self.tags.len(), TAGS_MAX), ("marks", self.marks.len(), MARKS_MAX)]
        {
            if count > most {
                return Err(AboutError::Many { what, most });
            }
        }
        Ok(())
    }
}
