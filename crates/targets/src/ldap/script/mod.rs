//! Misbehaviour on demand: a TOML file of rules, each saying when and what.
//!
//! A rule counts the requests it concerns, and what it does depends on that count and the seed alone,
//! so the same requests meet the same faults. With several threads or connections the order in which
//! requests come is not ours to promise; a rule for one connection is exact again.
//!
//! ```
//! let script = brunt_targets::ldap::Script::parse(
//!     r#"
//!     seed = 7
//!
//!     [[stall]]                # nothing is read or answered from second 2 to second 4
//!     at = "2s"
//!     lasts = "2s"
//!
//!     [[refuse]]               # nobody listens
//!     at = "6s"
//!     lasts = "500ms"
//!
//!     [[rule]]
//!     on = ["search"]
//!     filter = "uid=user.7"    # a part of the filter's text; `dn` is a part of the name
//!     every = 10               # the 10th, 20th, 30th ... such request, from the 100th to the 200th
//!     first = 100
//!     last = 200
//!     action = { delay = "1ms..20ms" }
//!
//!     [[rule]]
//!     on = ["bind"]
//!     connection = [3]
//!     action = { result = { code = 51, text = "busy" } }
//!     "#,
//! )?;
//! # Ok::<(), brunt_targets::ldap::ScriptError>(())
//! ```

mod action;
mod period;
mod rules;

use serde::Deserialize;

pub(super) use rules::{Facts, Faults, Occasion, Rules};

use period::Period;
use rules::Rule;

/// How a server is to misbehave.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Decides whatever is random.
    #[serde(default)]
    seed: u64,
    /// When everything stands still.
    #[serde(default)]
    stall: Vec<Span>,
    /// When nobody listens.
    #[serde(default)]
    refuse: Vec<Span>,
    /// What happens to which requests.
    #[serde(default)]
    rule: Vec<Rule>,
}

/// A stretch of time, counted from the start of the server.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Span {
    at: Period,
    lasts: Period,
}

/// Why a text is not a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It is not TOML, or names what does not exist.
    #[error("read the script: {0}")]
    Text(#[from] toml::de::Error),
    /// A rule can never do anything.
    #[error("use rule {rule} of the script: {reason}")]
    Rule {
        /// Which rule, counted from 1.
        rule: usize,
        /// Why not, and what to do.
        reason: String,
    },
}

impl Script {
    /// Reads a script.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let script: Self = toml::from_str(text)?;
        for (n, rule) in script.rule.iter().enumerate() {
            rule.check().map_err(|reason| ScriptError::Rule { rule: n + 1, reason })?;
        }
        Ok(script)
    }
}

impl Span {
    /// When it ends, if it has begun and not ended.
    pub(super) fn end_if_in(self, now: std::time::Duration) -> Option<std::time::Duration> {
        let end = self.at.0 + self.lasts.0;
        (self.at.0 <= now && now < end).then_some(end)
    }

    /// When it begins.
    pub(super) const fn begin(self) -> std::time::Duration {
        self.at.0
    }
}
