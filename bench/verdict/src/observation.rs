//! What brunt said of a run: read from its record, its exit code, and its last words where there is no record.

use crate::cause::{Cause, Class};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;

/// How much of what was said before the end is kept where there is no record.
const LAST_LINES: usize = 5;

/// What brunt said of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Observation {
    /// The status of the verdict; `refused` without a record, `hung` if it had to be killed.
    pub(crate) status: String,
    /// What became of the objectives, each kind once.
    pub(crate) objectives: BTreeSet<String>,
    /// The exit code; none after a signal.
    pub(crate) exit: Option<i32>,
    /// The reasons for the status, or the last lines that were said.
    pub(crate) reasons: Vec<String>,
}

impl Observation {
    /// Of the text of a record, which may be that of a collection.
    pub(crate) fn new(record: Option<&str>, exit: Option<i32>, said: &str) -> Self {
        let record: Option<Value> = record.and_then(|text| serde_json::from_str(text).ok());
        let Some(record) = record else {
            let mut reasons: Vec<String> = said
                .lines()
                .rev()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .take(LAST_LINES)
                .map(str::to_owned)
                .collect();
            reasons.reverse();
            return Self { status: "refused".to_owned(), exit, reasons, ..Self::default() };
        };
        let mut observed = Self { status: "valid".to_owned(), exit, ..Self::default() };
        match record["cells"].as_array() {
            Some(cells) => cells.iter().for_each(|cell| observed.add(&cell["record"])),
            None => observed.add(&record),
        }
        observed
    }

    fn add(&mut self, record: &Value) {
        let verdict = &record["verdict"];
        let status = verdict["status"].as_str().unwrap_or("none");
        // The first that is not valid stands for a collection.
        if self.status == "valid" {
            status.clone_into(&mut self.status);
        }
        for reason in verdict["reasons"].as_array().into_iter().flatten() {
            // Lesser reasons beside the one that decided do not name the cause.
            if reason["status"].as_str() == Some(&self.status) {
                self.reasons.extend(reason["text"].as_str().map(str::to_owned));
            }
        }
        for objective in record["slo"].as_array().into_iter().flatten() {
            let judged = objective["outcome"].as_str();
            let judged = judged
                .or_else(|| objective["ok"].as_bool().map(|ok| if ok { "met" } else { "missed" }));
            self.objectives.insert(judged.unwrap_or("none").to_owned());
        }
    }

    /// What of it is not as expected, in a word each.
    pub(crate) fn faults(&self, cause: &Cause) -> Vec<&'static str> {
        let expected = &cause.expected;
        let named = Regex::new(expected.reason).expect("a test has looked at it");
        let named =
            self.status == "valid" || self.reasons.iter().any(|reason| named.is_match(reason));
        // Who was refused has no objective.
        let judged = self.status == "refused"
            || (self.objectives.is_empty() == cause.objective.is_empty()
                && self
                    .objectives
                    .iter()
                    .all(|judged| expected.objectives.contains(&judged.as_str())));
        let checks = [
            ("status", expected.statuses.contains(&self.status.as_str())),
            ("cause", named || expected.reason.is_empty()),
            ("objective", judged),
            ("exit", self.exit.is_some_and(|exit| expected.exits.contains(&exit))),
        ];
        checks.into_iter().filter(|(_, fine)| !fine).map(|(name, _)| name).collect()
    }

    /// Which column of the confusion matrix it belongs to.
    pub(crate) fn said(&self) -> Said {
        match self.status.as_str() {
            "valid" if self.objectives.contains("missed") => Said::Missed,
            "valid" => Said::Valid,
            "partial" => Said::TargetBlamed,
            "generator-limited" => Said::GeneratorLimited,
            _ => Said::Other,
        }
    }

    /// Whether it accuses anybody, or the exit code does.
    pub(crate) fn alarms(&self) -> bool {
        self.said() != Said::Valid || self.exit != Some(0)
    }
}

/// What brunt said, for the confusion matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Said {
    Valid,
    /// The figures are sound, and by them the target misses its objective.
    Missed,
    TargetBlamed,
    GeneratorLimited,
    Other,
}

impl Said {
    pub(crate) const ALL: [Self; 5] =
        [Self::Valid, Self::Missed, Self::TargetBlamed, Self::GeneratorLimited, Self::Other];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Missed => "valid, objective missed",
            Self::TargetBlamed => "target blamed (partial)",
            Self::GeneratorLimited => "generator-limited",
            Self::Other => "other",
        }
    }

    /// Whether it is the right answer to trouble of that class, whatever the details.
    pub(crate) const fn is_right_for(self, class: Class) -> bool {
        matches!(
            (class, self),
            (Class::Nothing, Self::Valid)
                | (Class::Target, Self::Missed | Self::TargetBlamed)
                | (Class::Generator, Self::GeneratorLimited)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::CAUSES;

    fn cause(name: &str) -> &'static Cause {
        CAUSES.iter().find(|cause| cause.name == name).unwrap()
    }

    #[test]
    fn a_record_is_read_with_either_word_for_an_objective() {
        let record = r#"{"verdict": {"status": "generator-limited", "reasons": [
            {"status": "generator-limited", "text": "brunt stood still for 3.0 s"},
            {"status": "partial", "text": "a quota"}]},
            "slo": [{"expr": "p99<50ms", "outcome": "undecided", "ok": false}]}"#;
        let observed = Observation::new(Some(record), Some(4), "");
        assert_eq!(observed.faults(cause("brunt-stopped-ldap")), [""; 0]);
        assert_eq!(observed.faults(cause("quota-of-20-percent")), ["cause"]);
        assert_eq!(observed.faults(cause("idle-ldap-1")), ["status", "objective", "exit"]);
        assert_eq!(observed.said(), Said::GeneratorLimited);
        let old = record.replace("\"outcome\": \"undecided\", ", "");
        let observed = Observation::new(Some(&old), Some(99), "");
        assert_eq!(observed.faults(cause("brunt-stopped-ldap")), ["objective", "exit"]);
    }

    #[test]
    fn a_valid_run_needs_no_reason_and_a_missed_objective_blames_the_target() {
        let record = r#"{"verdict": {"status": "valid", "reasons": []}, "slo": [{"ok": false}]}"#;
        let observed = Observation::new(Some(record), Some(99), "");
        assert_eq!(observed.faults(cause("target-stopped-ldap")), [""; 0]);
        assert_eq!(observed.said(), Said::Missed);
        assert!(observed.alarms() && observed.said().is_right_for(Class::Target));
        let met = Observation::new(Some(&record.replace("false", "true")), Some(0), "");
        assert!(!met.alarms() && met.said().is_right_for(Class::Nothing));
        assert_eq!(met.faults(cause("target-slow-ldap")), ["objective", "exit"]);
        // Without the objective that was asked for, nothing was judged.
        let none = Observation::new(Some(r#"{"verdict": {"status": "valid"}}"#), Some(0), "");
        assert_eq!(none.faults(cause("idle-ldap-1")), ["objective"]);
    }

    #[test]
    fn a_collection_is_as_good_as_its_worst_cell() {
        let record = r#"{"cells": [{"record": {"verdict": {"status": "valid", "reasons": []}}}, {"record":
            {"verdict": {"status": "unstable", "reasons": [{"status": "unstable", "text": "throughput drifted"}]}}}]}"#;
        let observed = Observation::new(Some(record), Some(0), "");
        assert_eq!((observed.status.as_str(), observed.said()), ("unstable", Said::Other));
        assert_eq!(observed.reasons, ["throughput drifted"]);
    }

    #[test]
    fn a_run_without_a_record_leaves_its_last_words() {
        let observed = Observation::new(
            None,
            Some(2),
            "rows\nfailed to open 100 connections: 40 open files\n\n",
        );
        assert_eq!(observed.reasons, ["rows", "failed to open 100 connections: 40 open files"]);
        assert_eq!(observed.faults(cause("descriptors-short")), [""; 0]);
        assert_eq!(Observation::new(Some("{"), None, "").status, "refused");
    }
}
