//! The result of a search: [`Found`].

use crate::objective::Objectives;
use crate::progress::Estimate;
use crate::step::Step;
use crate::verdict::Verdict;
use std::sync::Arc;

/// The answer of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A rate was confirmed.
    Claim {
        /// The rate at which a confirmation passed.
        rate: f64,
        /// How long the confirmation was, in seconds.
        confirmed_s: f64,
        /// The lowest rate above it that failed; `None` if nothing above it could be shown to fail: the edge is soft.
        fails_at: Option<f64>,
    },
    /// The target sustains at least this rate. The generator, its connections or the highest rate allowed prevented a
    /// higher one.
    Floor {
        /// The highest rate that passed.
        rate: f64,
        /// Whether a confirmation passed at this rate.
        confirmed: bool,
        /// What prevented a higher rate.
        why: String,
    },
    /// Nothing could be confirmed.
    NoClaim {
        /// Why not.
        why: String,
    },
    /// No rate passes.
    NothingPasses {
        /// The lowest rate that was tried.
        tried: f64,
    },
    /// The target cannot be reached.
    Away {
        /// The error that the sessions reported.
        why: String,
    },
    /// The target did not recover.
    NotRecovered {
        /// The rate after which it did not recover.
        rate: f64,
    },
    /// A protection ended the search.
    Protected {
        /// Which protection, and why.
        why: String,
    },
    /// A signal ended it.
    Interrupted,
}

/// The target at the end of the search, compared with its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The mean service time at the start, in seconds.
    pub before_s: f64,
    /// The mean service time at the end, in seconds.
    pub after_s: f64,
    /// Whether they differ by more than 5 %, three standard errors and the generator's own reaction time.
    pub drifted: bool,
}

/// The measured rate of greatest power: achieved rate over mean response time (Kleinrock).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knee {
    /// The rate.
    pub rate: f64,
    /// The mean response time there, in seconds.
    pub mean_s: f64,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The answer.
    pub answer: Answer,
    /// The objectives of the search, with the limits of relative goals resolved.
    pub objectives: Arc<Objectives>,
    /// The estimated limit.
    pub estimate: Option<Estimate>,
    /// The point of greatest power.
    pub knee: Option<Knee>,
    /// How the target drifted, if both sentinels were run.
    pub drift: Option<Drift>,
    /// Further remarks: what did not recover, what was soft, how rare an event may have been missed.
    pub remarks: Vec<String>,
    /// How long the search took, in seconds.
    pub took_s: f64,
    /// The steps, in the order in which they were made.
    pub steps: Vec<Step>,
}

impl Found {
    /// Whether the target drifted while it was searched.
    pub fn is_unstable(&self) -> bool {
        self.drift.is_some_and(|drift| drift.drifted)
    }

    /// The lowest rate that failed, above the claimed rate if there is one.
    pub fn fails_at(&self) -> Option<f64> {
        match &self.answer {
            Answer::Claim { fails_at, .. } => *fails_at,
            _ => self.rates(Verdict::Fail).min_by(f64::total_cmp),
        }
    }

    fn rates(&self, verdict: Verdict) -> impl Iterator<Item = f64> + '_ {
        let steps = self.steps.iter().filter(move |step| step.verdict == verdict);
        steps.filter_map(|step| step.order.rate)
    }

    /// The exit code: 0 claimed, 4 a floor, 5 the target is away or did not recover, 9 no claim, 99 no rate passes. For
    /// an interruption it is `None`: the signal decides.
    pub fn exit(&self) -> Option<u8> {
        match self.answer {
            Answer::Claim { .. } => Some(0),
            Answer::Floor { .. } => Some(4),
            Answer::Away { .. } | Answer::NotRecovered { .. } => Some(5),
            Answer::Protected { .. } => Some(8),
            Answer::NoClaim { .. } => Some(9),
            Answer::NothingPasses { .. } => Some(99),
            Answer::Interrupted => None,
        }
    }
}
