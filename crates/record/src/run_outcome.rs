//! [`RunOutcome`]: what came of a run, in a word. It answers whether the target did well; whether the figures can be
//! believed is the verdict's question.
//!
//! It follows from the rest of the record and is computed wherever it is shown. The field in the document is for other
//! programs. It never decides an exit code: those follow from the objectives and from what is missing.

use crate::{Record, ScenarioRecord, SloOutcome, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What came of a run: the first of these that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunOutcome {
    /// Exchanges became due and none succeeded.
    NothingWorked,
    /// The target stopped responding for part of the run.
    Unavailable,
    /// brunt or its machine changed the figures.
    NotReliable,
    /// The run was cut short, or a part of it is missing.
    Incomplete,
    /// The target, or the sessions, could not carry the load.
    Overloaded,
    /// An objective was missed.
    Missed,
    /// An objective is undecided.
    Undecided,
    /// All objectives were met.
    Passed,
    /// No objective was set.
    Measured,
    /// An outcome that another version of the program writes.
    #[serde(other)]
    Other,
}

impl RunOutcome {
    /// Every outcome that this version writes, in the order in which they apply.
    pub const ALL: [Self; 9] = [
        Self::NothingWorked,
        Self::Unavailable,
        Self::NotReliable,
        Self::Incomplete,
        Self::Overloaded,
        Self::Missed,
        Self::Undecided,
        Self::Passed,
        Self::Measured,
    ];

    /// The words for a reader.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NothingWorked => "Nothing worked",
            Self::Unavailable => "Unavailable",
            Self::NotReliable => "Not reliable",
            Self::Incomplete => "Incomplete",
            Self::Overloaded => "Overloaded",
            Self::Missed => "Missed",
            Self::Undecided => "Undecided",
            Self::Passed => "Passed",
            Self::Measured => "Measured",
            Self::Other => "Other",
        }
    }
}

/// How good an outcome is: its colour, wherever it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutcomeTone {
    /// Nothing was asked that could be good or bad.
    Plain,
    /// Good.
    Good,
    /// It must be looked at.
    Care,
    /// Bad.
    Bad,
}

impl RunOutcome {
    /// How good it is.
    pub const fn tone(self) -> OutcomeTone {
        match self {
            Self::NothingWorked | Self::Unavailable | Self::Overloaded | Self::Missed => {
                OutcomeTone::Bad
            }
            // The target may have done well: the figures do not tell.
            Self::NotReliable | Self::Incomplete | Self::Undecided => OutcomeTone::Care,
            Self::Passed => OutcomeTone::Good,
            Self::Measured | Self::Other => OutcomeTone::Plain,
        }
    }
}

impl Record {
    /// What came of the run.
    pub fn outcome(&self) -> RunOutcome {
        let any = |outcome| self.slo.iter().any(|slo| slo.outcome == outcome);
        let (due, status) = (self.counts.due(), self.verdict.status);
        match () {
            () if due > 0 && self.counts.ok == 0 => RunOutcome::NothingWorked,
            () if !self.away.is_empty() && self.verdict.present.is_none() => {
                RunOutcome::Unavailable
            }
            () if status == Status::GeneratorLimited => RunOutcome::NotReliable,
            () if self.verdict.cut_short || due == 0 => RunOutcome::Incomplete,
            () if self.is_overloaded() => RunOutcome::Overloaded,
            () if any(SloOutcome::Missed) => RunOutcome::Missed,
            () if any(SloOutcome::Undecided) => RunOutcome::Undecided,
            // Answers or connections are missing, and no objective says whether that matters.
            () if status == Status::Partial => RunOutcome::Incomplete,
            () if self.slo.is_empty() => RunOutcome::Measured,
            () => RunOutcome::Passed,
        }
    }

    /// Whether the load, or that of a scenario, was more than could be carried.
    fn is_overloaded(&self) -> bool {
        self.rates.overload.is_some() || self.scenarios.iter().any(ScenarioRecord::is_overloaded)
    }

    /// The record with the outcome that follows from the rest of it.
    #[must_use]
    pub fn with_outcome(mut self) -> Self {
        self.settle_outcomes();
        self
    }

    /// Sets what came of the run and of each scenario, as it follows from the rest.
    pub(crate) fn settle_outcomes(&mut self) {
        self.judge_scenarios();
        self.outcome = Some(self.outcome());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::samples::measured;
    use crate::{Away, Overload, SloResult};

    fn slo(outcome: SloOutcome) -> SloResult {
        SloResult {
            expr: "p99<1s".to_owned(),
            value: None,
            at_least: false,
            unit: "s".to_owned(),
            outcome,
            why: None,
        }
    }

    /// Changes a record so that an outcome applies.
    fn make(outcome: RunOutcome, record: &mut Record) {
        match outcome {
            RunOutcome::NothingWorked => record.counts.ok = 0,
            RunOutcome::Unavailable => record.away.push(Away::default()),
            RunOutcome::NotReliable => record.verdict.status = Status::GeneratorLimited,
            RunOutcome::Incomplete => record.verdict.cut_short = true,
            RunOutcome::Overloaded => record.rates.overload = Some(Overload::default()),
            RunOutcome::Missed => record.slo.push(slo(SloOutcome::Missed)),
            RunOutcome::Undecided => record.slo.push(slo(SloOutcome::Undecided)),
            RunOutcome::Passed => record.slo.push(slo(SloOutcome::Met)),
            RunOutcome::Measured | RunOutcome::Other => {}
        }
    }

    #[test]
    fn outcome_tone_is_good_or_bad_only_for_the_target() {
        let of = |tone| RunOutcome::ALL.into_iter().filter(move |one| one.tone() == tone).collect();
        let [bad, care]: [Vec<RunOutcome>; 2] = [of(OutcomeTone::Bad), of(OutcomeTone::Care)];
        assert_eq!(
            bad,
            [
                RunOutcome::NothingWorked,
                RunOutcome::Unavailable,
                RunOutcome::Overloaded,
                RunOutcome::Missed
            ]
        );
        assert_eq!(care, [RunOutcome::NotReliable, RunOutcome::Incomplete, RunOutcome::Undecided]);
        assert_eq!(RunOutcome::Passed.tone(), OutcomeTone::Good);
        assert_eq!(RunOutcome::Measured.tone(), OutcomeTone::Plain);
    }

    fn plain() -> Record {
        let mut record = measured();
        (record.slo, record.away, record.rates.overload) = (Vec::new(), Vec::new(), None);
        record.verdict = crate::Verdict::default();
        record
    }

    #[test]
    fn outcome_is_the_first_that_applies() {
        for (place, first) in RunOutcome::ALL.into_iter().enumerate() {
            let mut record = plain();
            make(first, &mut record);
            assert_eq!(record.outcome(), first);
            for later in RunOutcome::ALL.into_iter().skip(place) {
                make(later, &mut record);
                assert_eq!(record.outcome(), first, "{later:?}");
            }
        }
    }

    #[test]
    fn outcome_incomplete_yields_to_a_missed_objective() {
        let mut record = plain();
        record.verdict.status = Status::Partial;
        assert_eq!(record.outcome(), RunOutcome::Incomplete);
        record.slo = vec![slo(SloOutcome::Met)];
        assert_eq!(record.outcome(), RunOutcome::Incomplete);
        record.slo = vec![slo(SloOutcome::Missed)];
        assert_eq!(record.outcome(), RunOutcome::Missed);
        record.counts = crate::Counts::default();
        assert_eq!(record.outcome(), RunOutcome::Incomplete);
    }

    #[test]
    fn outcome_unavailable_excludes_a_target_that_was_seen() {
        let mut record = plain();
        record.verdict.status = Status::Partial;
        make(RunOutcome::Unavailable, &mut record);
        assert_eq!(record.outcome(), RunOutcome::Unavailable);
        record.verdict.present = Some("5 answers came with a bad checksum".to_owned());
        assert_eq!(record.outcome(), RunOutcome::Incomplete);
    }

    #[test]
    fn outcome_of_other_versions_is_read() {
        let written = serde_json::to_value(plain().with_outcome()).unwrap();
        assert_eq!(written["outcome"], "measured");
        let read = |outcome: Option<&str>| {
            let mut value = written.clone();
            let fields = value.as_object_mut().unwrap();
            fields.remove("outcome");
            fields.extend(outcome.map(|word| ("outcome".to_owned(), word.into())));
            serde_json::from_value::<Record>(value).unwrap()
        };
        assert_eq!(read(Some("weary")).outcome, Some(RunOutcome::Other));
        assert_eq!((read(None).outcome, read(None).outcome()), (None, RunOutcome::Measured));
    }
}
