//! [`Reason`]: one thing that speaks against the figures of a run, as data and in words.
//!
//! Whatever is decided by a reason is decided by its data. The words are composed here and nowhere else, once, when the
//! verdict is made, and are for readers.

use super::{Cause, Effect, Remedy, Status};
use crate::Noun;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that speaks against the figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The status that it gives them.
    pub status: Status,
    /// All of it in words: the figures that show it, and what to do about it.
    pub text: String,
    /// What speaks against the figures; absent in a record of an older version, which has only the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Why, as far as it was observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// What would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// The node whose figures it is about, in a record that was merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<ReasonNode>,
}

/// The node that a reason is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReasonNode {
    /// Its rank.
    pub rank: u32,
    /// How many nodes there are.
    pub of: u32,
    /// The name of the node, or of its host; empty if neither is known.
    pub name: String,
    /// Its share of the load, from 0 to 1.
    pub share: f64,
    /// How it compares with the others, if it alone was limited by its machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
}

/// How a node that its machine limited compares with the others, which were not limited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Compared {
    /// It sent later than the others.
    Later {
        /// How late at the 99th percentile, in milliseconds.
        late_ms: f64,
        /// The same of the latest of the others.
        others_ms: f64,
    },
    /// It was limited, and no other was.
    Alone,
    /// A comparison that another version of the program writes.
    #[serde(other)]
    Other,
}

impl Reason {
    /// A reason; exchanges are called by this noun.
    pub fn new(
        status: Status,
        effect: Effect,
        (cause, remedy): (Option<Cause>, Option<Remedy>),
        noun: &Noun,
    ) -> Self {
        let mut reason =
            Self { effect: Some(effect), cause, remedy, ..Self::from_text(status, "") };
        reason.text = reason.composed(noun).unwrap_or_default();
        reason
    }

    /// A reason of which only the words are known, as in a record of an older version.
    pub fn from_text(status: Status, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { status, text, effect: None, cause: None, remedy: None, node: None }
    }

    /// The same reason as one of a node.
    #[must_use]
    pub(crate) fn of_node(&self, node: ReasonNode) -> Self {
        let text = format!("{}: {}", node.words(), self.text);
        Self { text, node: Some(node), ..self.clone() }
    }

    /// What happened and why, without what would help and without details.
    pub fn brief(&self, noun: &Noun) -> String {
        match (self.what_and_why(noun), &self.node) {
            (Some(brief), Some(node)) => format!("{}: {brief}", node.words()),
            (Some(brief), None) => brief,
            // Where only the words are known, details and remedies follow the first semicolon.
            (None, _) => {
                self.text.split_once("; ").map_or(&*self.text, |(what, _)| what).to_owned()
            }
        }
    }

    /// All of it in words.
    fn composed(&self, noun: &Noun) -> Option<String> {
        let what = self.what_and_why(noun)?;
        let details = self.effect.as_ref().map(|effect| effect.details(noun)).unwrap_or_default();
        let remedy =
            self.remedy.as_ref().and_then(Remedy::words).map_or_else(String::new, |words| {
                let between = if self.cause.is_some() { "; " } else { ": " };
                format!("{between}{words}")
            });
        Some(format!("{what}{details}{remedy}"))
    }

    fn what_and_why(&self, noun: &Noun) -> Option<String> {
        let effect = self.effect.as_ref()?;
        let what = effect.words(noun)?;
        let Some(why) = self.cause.as_ref().and_then(Cause::words) else { return Some(what) };
        Some(match effect {
            Effect::NoDescriptor { .. } => format!("{why}: {what}"),
            Effect::MissedWhilePaused { .. } => format!("{why}; {what}"),
            Effect::NotBegun => format!("{what}, because {why}"),
            _ => format!("{what}: {why}"),
        })
    }
}

impl ReasonNode {
    /// The node, and how it compares with the others.
    pub(crate) fn words(&self) -> String {
        let Self { rank, of, name, share, .. } = self;
        let on = if name.is_empty() { String::new() } else { format!(" on {name}") };
        let compared = match &self.compared {
            Some(Compared::Later { late_ms, others_ms }) => {
                format!(" sent {late_ms:.1} ms late at p99, the others at most {others_ms:.1} ms")
            }
            Some(Compared::Alone) => {
                " was limited by its own machine, the others were not".to_owned()
            }
            Some(Compared::Other) | None => String::new(),
        };
        format!("node {rank} of {of}{on} ({:.0}% of the load){compared}", 100.0 * share)
    }
}
