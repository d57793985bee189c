//! [`About`]: what people write about a run, in addition to what was measured.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most tags of a run.
pub const TAGS_MAX: usize = 32;
/// The most bytes of a name or a tag.
pub const WORDS_MAX: usize = 200;
/// The most bytes of a note.
pub const NOTE_MAX: usize = 16 << 10;
/// The most marks of a run.
pub const MARKS_MAX: usize = 200;

/// What people write about a run: `about.json`. Everything except its origin may be changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// A note about it.
    pub note: String,
    /// Whether it is kept when old runs are removed.
    pub pin: bool,
    /// Whether other runs of its load are compared with it.
    pub baseline: bool,
    /// Moments that a person marked.
    pub marks: Vec<Mark>,
    /// Where it comes from.
    pub origin: Origin,
}

/// A moment that a person marked while the run was running.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// The time, in seconds since the origin of the run.
    pub at_s: f64,
    /// The reason.
    pub text: String,
    /// The person who marked it.
    pub by: String,
}

/// Where a run comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Origin {
    /// The user who started it, or who uploaded its record.
    pub by: String,
    /// Whether its record was uploaded. Its content is then whatever the uploader wrote into it.
    pub brought: bool,
    /// The plan that it was made from, with its revision, if there is one.
    pub plan: Option<String>,
    /// The target that was loaded, by the name that the administrator gave it.
    pub target: Option<String>,
    /// The agents that made the load and their pool, if it was not this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<String>,
    /// The commit that was tested.
    pub commit: Option<String>,
    /// When it was added to this history, in RFC 3339.
    pub at: String,
    /// Further labels from the submitter, to find the run by.
    pub labels: BTreeMap<String, String>,
}

/// Why what people wrote about a run is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AboutError {
    /// A text is too long.
    #[error("change what is said of a run: {what} has more than {most} bytes; shorten it")]
    Long {
        /// The text.
        what: &'static str,
        /// The most bytes it may have.
        most: usize,
    },
    /// There are too many of something.
    #[error("change what is said of a run: it has more than {most} {what}; remove some")]
    Many {
        /// The kind of thing.
        what: &'static str,
        /// The most there may be.
        most: usize,
    },
}

impl AboutError {
    /// The name of the text that it is about, as forms name it.
    pub fn field(&self) -> Option<&'static str> {
        let (Self::Long { what, .. } | Self::Many { what, .. }) = self;
        match *what {
            "the name" => Some("name"),
            "the note" => Some("note"),
            "a tag" | "tags" => Some("tags"),
            _ => None,
        }
    }
}

impl About {
    /// Checks that everything is within its limits.
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
