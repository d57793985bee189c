//! What the scripts of all targets have in common: stretches of time, chances, and why a script is none.
//!
//! Whatever is random is a function of a seed and a count, so that the same requests meet the same
//! faults. What a fault is, and which requests there are, only the target knows.

pub(crate) mod period;

use std::time::Duration;

use serde::Deserialize;

use period::Period;

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

/// A stretch of time, counted from the start of the server.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Span {
    at: Period,
    lasts: Period,
}

impl Span {
    /// When it ends, if it has begun and not ended.
    pub(crate) fn end_if_in(self, now: Duration) -> Option<Duration> {
        let end = self.at.0 + self.lasts.0;
        (self.at.0 <= now && now < end).then_some(end)
    }

    /// When it begins.
    pub(crate) const fn begin(self) -> Duration {
        self.at.0
    }
}

/// The random number of a rule's turn.
pub(crate) fn chance(seed: u64, rule: usize, turn: u64) -> u64 {
    mix(mix(seed ^ mix(rule as u64)) ^ turn)
}

/// Random bytes without end.
pub(crate) fn bytes(random: u64) -> impl Iterator<Item = u8> {
    (0..).flat_map(move |n| mix(random ^ n).to_le_bytes())
}

/// A number that looks like no other (splitmix64).
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
