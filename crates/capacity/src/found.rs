//! What a search found: [`Found`], and the steps that it was found by.

use crate::evidence::Evidence;
use crate::objective::Objectives;
use crate::trial::{Estimate, Measured, Order};
use brunt_record::Record;
use std::fmt;
use std::sync::Arc;

/// What a step says of its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All objectives are met.
    Pass,
    /// One is not, or the queue grows.
    Fail,
    /// It could be either.
    Undecided,
    /// It is about the generator or its connections, and says nothing of the target.
    Void,
    /// It was not made to be judged: baseline, settling, calm.
    None,
}

impl Verdict {
    /// The word that a collection uses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undecided => "undecided",
            Self::Void => "void",
            Self::None => "none",
        }
    }

    /// The verdict with this word.
    pub fn of(word: &str) -> Option<Self> {
        [Self::Pass, Self::Fail, Self::Undecided, Self::Void, Self::None]
            .into_iter()
            .find(|verdict| verdict.word() == word)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// One step of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What was tried.
    pub order: Order,
    /// When it began, in seconds since the search began.
    pub from_s: f64,
    /// How long it took in whole.
    pub took_s: f64,
    /// How many seconds of its steady phase were judged.
    pub judged_s: f64,
    /// How many seconds were counted, one by one; those after the verdict are not in it.
    pub seconds: usize,
    /// What speaks for and against each objective.
    pub evidence: Option<Evidence>,
    /// What follows from that.
    pub verdict: Verdict,
    /// Why, in words.
    pub why: String,
    /// Of a calm step, after how many seconds the target was itself again.
    pub recovery_s: Option<f64>,
    /// What was measured.
    pub measured: Measured,
    /// The record of the run, where there is one.
    pub record: Option<Box<Record>>,
}

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
    /// The target did not become itself again.
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
    /// What should be known beside: what did not recover, what was soft, how rare an event can have been missed.
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

    /// The highest rate that passed.
    pub fn highest_pass(&self) -> Option<f64> {
        self.rates(Verdict::Pass).max_by(f64::total_cmp)
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
