//! [`Trust`]: whether the figures of a run can be believed, and why not.

use std::fmt;

use brunt_record::{Record, Status};

/// The text for a valid run.
pub(crate) const COMPLETE: &str = "the run is complete, and brunt was not the limit";

/// Whether the figures of a run can be believed. A doubt is in words, without what would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Nothing succeeded, so there are no figures to believe.
    NothingSucceeded,
    /// They can be believed.
    Complete,
    /// They can be believed, except for a figure of too few exchanges.
    Unjudged(String),
    /// A figure is too high and no cause was observed.
    Unexplained(String),
    /// What else the machine did is not known.
    MachineUnseen,
    /// Throughput was still changing.
    Unstable(String),
    /// The run is incomplete.
    Partial(String),
    /// brunt or its machine changed the figures.
    Limited(String),
}

impl Trust {
    /// Whether the figures of this run can be believed.
    pub(crate) fn new(record: &Record) -> Self {
        let verdict = &record.verdict;
        let mut reasons = verdict.reasons.iter().filter(|reason| reason.status == verdict.status);
        let why = reasons.next().map(|reason| reason.brief(&record.plan.noun)).unwrap_or_default();
        match verdict.status {
            Status::Valid if record.counts.due() > 0 && record.counts.ok == 0 => {
                Self::NothingSucceeded
            }
            Status::Valid => Self::of_valid(record),
            Status::Unstable => Self::Unstable(why),
            Status::Partial => Self::Partial(why),
            Status::GeneratorLimited => Self::Limited(why),
        }
    }

    /// Whether the figures of a run can be believed that no reason speaks against.
    fn of_valid(record: &Record) -> Self {
        if let Some(doubt) = record.verdict.unexplained(&record.generator.timer) {
            return Self::Unexplained(doubt);
        }
        match unjudged(record) {
            Some(doubt) => Self::Unjudged(doubt),
            None if record.generator.machine.unseen => Self::MachineUnseen,
            None => Self::Complete,
        }
    }
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingSucceeded => {
                f.write_str("nothing succeeded, so this run says nothing about speed")
            }
            Self::Complete => write!(f, "yes: {COMPLETE}"),
            Self::Unjudged(doubt) => write!(f, "yes, but {doubt}"),
            Self::Unexplained(doubt) => write!(f, "with care: {doubt}"),
            Self::MachineUnseen => f.write_str(
                "as far as is known: what else this machine did could not be read (no /proc)",
            ),
            Self::Unstable(why) => {
                write!(f, "with care, throughput was still changing: {why}")
            }
            Self::Partial(why) => write!(f, "in part, the run is incomplete: {why}"),
            Self::Limited(why) => {
                write!(f, "no, brunt or its machine changed the figures: {why}")
            }
        }
    }
}

/// The figure that is most in doubt because there were too few exchanges to judge it.
fn unjudged(record: &Record) -> Option<String> {
    let parts = record.verdict.own.iter().filter(|part| part.too_few.is_some());
    parts.max_by(|a, b| a.too_high_us().total_cmp(&b.too_high_us()))?.unjudged()
}
