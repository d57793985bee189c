//! The next step that a search requests: [`Order`].

use crate::objective::Objectives;
use std::sync::Arc;
use std::time::Duration;

/// The purpose of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Closed loop, one session: the unloaded run.
    Baseline,
    /// The first rate, until the target is as fast as it gets.
    Settle,
    /// The same rate at the start and at the end, to detect whether the target drifted.
    Sentinel,
    /// Doubling until the target cannot sustain the rate.
    Ramp,
    /// At the most likely limit.
    Search,
    /// Long enough for a claim.
    Confirm,
    /// Above the claim, to show that the rate fails there.
    Above,
    /// After a rate that was too high, until the target has recovered.
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

    /// The word used in a collection.
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
    pub fn new(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether a step of this kind is evidence about its rate.
    pub const fn is_evidence(self) -> bool {
        matches!(self, Self::Sentinel | Self::Ramp | Self::Search | Self::Confirm | Self::Above)
    }
}

/// The next step to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The number of the step, from 1.
    pub number: u32,
    /// The purpose of the step.
    pub kind: Kind,
    /// Exchanges a second, Poisson arrivals; `None` for one session in a closed loop.
    pub rate: Option<f64>,
    /// The most exchanges a second of one session in a closed loop, if it must not go as fast as it can.
    pub most: Option<f64>,
    /// How long to send nothing before the step.
    pub idle: Duration,
    /// How long to warm up.
    pub warm_up: Duration,
    /// The maximum length of the steady phase.
    pub seconds: u32,
    /// The seconds after which it is judged; the last is `seconds`. Empty if it is judged each second.
    pub looks: Vec<u32>,
    /// Whether to use every core, because the generator limited an earlier step.
    pub all_cores: bool,
    /// The objectives by which each second is counted.
    pub objectives: Arc<Objectives>,
    /// Why this step is made, as shown in the progress view.
    pub why: String,
}
