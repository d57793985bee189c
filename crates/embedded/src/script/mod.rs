//! Fault scripts: TOML files of rules for which requests a target answers wrongly, when, and how.
//!
//! A rule counts the requests it selects. Its effect depends only on that count and on a seed, so that the same
//! requests in the same order have the same faults. The protocols differ in what a request is and in the possible
//! actions; the common part is here.

mod capacity;
pub mod period;
pub mod rules;

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use capacity::CapacityError;

use capacity::Capacity;
use period::Period;
use rules::Rule;

/// Why a text is not a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It is not TOML, or has keys or values that do not exist.
    #[error("read the script: {0}")]
    Text(#[from] toml::de::Error),
    /// The capacity is not valid.
    #[error("use the capacity of the script: {reason}")]
    Capacity {
        /// Why not, and what to do.
        reason: CapacityError,
    },
    /// A rule can never do anything.
    #[error("use rule {rule} of the script: {reason}")]
    Rule {
        /// The rule, counted from 1.
        rule: usize,
        /// Why not, and what to do: a [`FrequencyError`](rules::FrequencyError) or an error of the protocol's rule.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A script for one protocol.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, bound = "R: DeserializeOwned")]
pub struct Script<R> {
    /// Determines everything random.
    #[serde(default)]
    seed: u64,
    /// When the server neither reads nor answers.
    #[serde(default)]
    stall: Vec<Span>,
    /// When the server does not listen.
    #[serde(default)]
    refuse: Vec<Span>,
    /// How many requests it serves in a second; unlimited without it.
    capacity: Option<Capacity>,
    /// The rules.
    #[serde(default = "Vec::new")]
    rule: Vec<R>,
}

impl<R: Rule> Script<R> {
    /// Reads a script.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let script: Self = toml::from_str(text)?;
        let capacity = script.capacity.as_ref().map_or(Ok(()), Capacity::check);
        capacity.map_err(|reason| ScriptError::Capacity { reason })?;
        for (rule, number) in script.rule.iter().zip(1..) {
            let invalid = |reason| ScriptError::Rule { rule: number, reason };
            rule.frequency().check().map_err(|error| invalid(error.into()))?;
            rule.check().map_err(|error| invalid(error.into()))?;
        }
        Ok(script)
    }
}

/// A period of time, counted from the start of the server.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    at: Period,
    lasts: Period,
}

impl Span {
    /// When it ends, if `now` is within it.
    pub fn end_if_in(self, now: Duration) -> Option<Duration> {
        let end = self.at.0 + self.lasts.0;
        (self.at.0 <= now && now < end).then_some(end)
    }

    /// When it begins.
    pub const fn begin(self) -> Duration {
        self.at.0
    }
}

/// The random number of a rule's turn.
pub fn chance(seed: u64, rule: usize, turn: u64) -> u64 {
    mix(mix(seed ^ mix(rule as u64)) ^ turn)
}

/// Random bytes, of which the first is not `begin`, with which a valid answer would begin.
pub fn garbage(random: u64, count: usize, begin: u8) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        (0..).flat_map(|n| mix(random ^ n).to_le_bytes()).take(count).collect();
    if let Some(first) = bytes.first_mut()
        && *first == begin
    {
        *first ^= 1;
    }
    bytes
}

/// A pseudo-random permutation of the numbers (splitmix64).
pub fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
