//! What a search found: [`Found`].

use crate::objective::Objectives;
use crate::progress::Estimate;
use crate::step::Step;
use crate::verdict::Verdict;
use std::sync::Arc;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A rate was confirmed.
    Claim {
        /// The rate that a confirmation passed at.
        rate: f64,
        /// How long the confirmation was, in seconds.
        confirmed_s: f64,
        /// The lowest rate above it that failed; `None` if nothing above it could be shown to fail: the edge is soft.
        fails_at: Option<f64>,
    },
    /// It bears at least this rate. The generator, its connections or the highest rate allowed were in the way of more.
    Floor {
        /// The highest rate that passed.
        rate: f64,
        /// Whether a confirmation passed at it.
        confirmed: bool,
        /// What was in the way.
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
        /// What the sessions said.
        why: String,
    },
    /// The target did not recover.
    NotRecovered {
        /// After what rate.
        rate: f64,
    },
    /// A protection ended the search.
    Protected {
        /// Which.
        why: String,
    },
    /// A signal ended it.
    Interrupted,
}

/// How the target was at the end of the search, beside its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The mean service time at the start, in seconds.
    pub before_s: f64,
    /// The same at the end.
    pub after_s: f64,
    /// Whether they are apart by more than 5 %, three standard errors and the generator's own reaction time.
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

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The answer.
    pub answer: Answer,
    /// What was searched for; the limits of relative goals are in it.
    pub objectives: Arc<Objectives>,
    /// Where the limit is thought to be.
    pub estimate: Option<Estimate>,
    /// Where the power is greatest.
    pub knee: Option<Knee>,
    /// How the target drifted, if both sentinels were run.
    pub drift: Option<Drift>,
    /// What should be known beside: what did not recover, what was soft, how rare an event may have been missed.
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

    /// The lowest rate that failed, above what is claimed if anything is.
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

    /// The code to exit with: 0 claimed, 4 a floor, 5 the target is away or did not recover, 9 no claim, 99 no rate
    /// passes. Of an interruption it is `None`: the signal decides.
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
