//! What a search wants to try next: [`Order`].

use crate::objective::Objectives;
use std::sync::Arc;
use std::time::Duration;

/// What a step is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Closed loop, one session: the unstressed run.
    Baseline,
    /// Until the target is as fast as it gets.
    Settle,
    /// The same rate at the start and at the end, to tell whether the target drifted.
    Sentinel,
    /// Doubling until it is too much.
    Ramp,
    /// Where the limit is most likely.
    Search,
    /// Long enough for a claim.
    Confirm,
    /// Above the claim, to show that it is too much.
    Above,
    /// After what was too much, until the target has recovered.
    Calm,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Baseline,
        Self::Settle,
        Self::Sentinel,
        Self::Ramp,
        Self::Search,
        Self::Confirm,
        Self::Above,
        Self::Calm,
    ];

    /// The word that a collection uses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Settle => "settle",
            Self::Sentinel => "sentinel",
            Self::Ramp => "ramp",
            Self::Search => "search",
            Self::Confirm => "confirm",
            Self::Above => "above",
            Self::Calm => "calm",
        }
    }

    /// The kind with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether a step of this kind is evidence about its rate.
    pub const fn is_evidence(self) -> bool {
        matches!(self, Self::Sentinel | Self::Ramp | Self::Search | Self::Confirm | Self::Above)
    }
}

/// What to try next.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The number of the step, from 1.
    pub number: u32,
    /// What it is for.
    pub kind: Kind,
    /// Exchanges a second, Poisson arrivals; `None` for one session in a closed loop.
    pub rate: Option<f64>,
    /// How long to send nothing first.
    pub idle: Duration,
    /// How long to warm up.
    pub warm_up: Duration,
    /// The longest the steady phase may be.
    pub seconds: u32,
    /// After how many seconds it is judged; the last is `seconds`. Empty if it is judged each second.
    pub looks: Vec<u32>,
    /// Whether to use every core, because a step before was limited by the generator.
    pub all_cores: bool,
    /// What each second is to be counted by.
    pub objectives: Arc<Objectives>,
    /// Why this is tried, for whoever looks on.
    pub why: String,
}
