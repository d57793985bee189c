//! What was tried and what came of it: [`Step`].

use crate::evidence::Evidence;
use crate::measured::Measured;
use crate::order::Order;
use crate::verdict::Verdict;
use brunt_record::Record;

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
    /// Of a calm step, after how many seconds the target had recovered.
    pub recovery_s: Option<f64>,
    /// What was measured.
    pub measured: Measured,
    /// The record of the run, where there is one.
    pub record: Option<Box<Record>>,
}

impl Step {
    /// The same without its record, which is large.
    #[must_use]
    pub fn without_record(&self) -> Self {
        Self {
            order: self.order.clone(),
            from_s: self.from_s,
            took_s: self.took_s,
            judged_s: self.judged_s,
            seconds: self.seconds,
            evidence: self.evidence.clone(),
            verdict: self.verdict,
            why: self.why.clone(),
            recovery_s: self.recovery_s,
            measured: self.measured.clone(),
            record: None,
        }
    }
}
