//! A step of the search and its result: [`Step`].

use crate::evidence::Evidence;
use crate::measured::Measured;
use crate::order::Order;
use crate::verdict::Verdict;
use brunt_record::Record;

/// One step of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The order of the step.
    pub order: Order,
    /// When it began, in seconds since the search began.
    pub from_s: f64,
    /// How long it took in total.
    pub took_s: f64,
    /// How many seconds of its steady phase were judged.
    pub judged_s: f64,
    /// How many seconds were counted, one by one, without those after the verdict.
    pub seconds: usize,
    /// Those of them in which something kept the generator from running, by number from 0.
    pub disturbed: Vec<usize>,
    /// The evidence for and against each objective.
    pub evidence: Option<Evidence>,
    /// The verdict that follows from the evidence.
    pub verdict: Verdict,
    /// The reason, in words.
    pub why: String,
    /// In a calm step, the number of seconds after which the target had recovered.
    pub recovery_s: Option<f64>,
    /// What was measured.
    pub measured: Measured,
    /// The record of the run, if there is one.
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
            disturbed: self.disturbed.clone(),
            evidence: self.evidence.clone(),
            verdict: self.verdict,
            why: self.why.clone(),
            recovery_s: self.recovery_s,
            measured: self.measured.clone(),
            record: None,
        }
    }
}
