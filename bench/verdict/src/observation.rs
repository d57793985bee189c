//! Brunt's verdict on a run: read from its record, its exit code, and the end of its output if there is no record.

use crate::cause::{Cause, Class};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;

/// How many of the last lines are kept where there is no record.
const LAST_LINES: usize = 5;

/// Whether brunt had the machine to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// Nothing else ran, so nothing excuses it.
    Quiet,
    /// Others may have kept brunt from its core, and brunt may say so.
    Shared,
    /// The same, and whenever brunt stood still, so did the machine as a whole.
    Frozen,
}

impl Machine {
    /// The kinds of causes in a record that others on it may be.
    const fn others(self) -> &'static [&'static str] {
        match self {
            Self::Quiet => &[],
            Self::Shared => &["not-scheduled", "steal"],
            Self::Frozen => &["not-scheduled", "steal", "paused"],
        }
    }
}

/// What brunt reported of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Observation {
    /// The status of the verdict; `refused` without a record, `hung` if it had to be killed.
    pub status: String,
    /// What came of the run, in a word; empty without a record.
    pub outcome: String,
    /// The result of each objective.
    pub objectives: BTreeMap<String, String>,
    /// The exit code; none after a signal.
    pub exit: Option<i32>,
    /// All reasons, the worst first, or the last lines that were printed.
    pub reasons: Vec<ObservedReason>,
}

/// A reason of a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedReason {
    /// The status that it gives the figures.
    pub status: String,
    /// The kind of its effect; empty if there is none.
    pub effect: String,
    /// The kind of its cause; empty if there is none.
    pub cause: String,
    /// All of it in words.
    pub text: String,
}

impl Observation {
    /// Of the text of a record, which may be that of a collection.
    pub fn new(record: Option<&str>, exit: Option<i32>, output: &str) -> Self {
        let record: Option<Value> = record.and_then(|text| serde_json::from_str(text).ok());
        let Some(record) = record else {
            let status = "refused".to_owned();
            let lines = output.lines().rev().map(str::trim).filter(|line| !line.is_empty());
            let mut reasons: Vec<_> = lines
                .take(LAST_LINES)
                .map(|line| ObservedReason {
                    status: status.clone(),
                    text: line.to_owned(),
                    ..ObservedReason::default()
                })
                .collect();
            reasons.reverse();
            return Self { status, exit, reasons, ..Self::default() };
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
        // The first that is not valid stands for a collection.
        if self.status == "valid" {
            verdict["status"].as_str().unwrap_or("none").clone_into(&mut self.status);
            record["outcome"].as_str().unwrap_or("none").clone_into(&mut self.outcome);
        }
        let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
        let reasons = verdict["reasons"].as_array().into_iter().flatten();
        self.reasons.extend(reasons.map(|reason| ObservedReason {
            status: text(&reason["status"]),
            effect: reason["effect"]["kind"].as_str().unwrap_or_default().to_owned(),
            cause: reason["cause"]["kind"].as_str().unwrap_or_default().to_owned(),
            text: text(&reason["text"]),
        }));
        let objectives = record["slo"].as_array().into_iter().flatten();
        self.objectives.extend(objectives.map(|slo| (text(&slo["expr"]), text(&slo["outcome"]))));
    }

    /// The same without what others on the machine did to it, and whether they did anything. Of a generator that was
    /// kept from its work on purpose nothing is forgiven.
    fn without_others(&self, class: Class, machine: Machine) -> (Self, bool) {
        let mut own = self.clone();
        if class != Class::Generator {
            let others = machine.others();
            own.reasons.retain(|reason| {
                reason.status != "generator-limited" || !others.contains(&reason.cause.as_str())
            });
        }
        let forgiven = own.reasons.len() < self.reasons.len();
        if forgiven {
            own.status = own.reasons.first().map_or("valid", |reason| &reason.status).to_owned();
        }
        (own, forgiven)
    }

    /// What of it is not as expected, in a word each.
    pub fn faults(&self, cause: &Cause, machine: Machine) -> Vec<&'static str> {
        let expected = &cause.expected;
        let (own, forgiven) = self.without_others(cause.class, machine);
        let named = Regex::new(expected.reason).expect("a test has looked at it");
        let mut deciding = own.reasons.iter().filter(|reason| reason.status == own.status);
        let is_named = expected.reason.is_empty()
            || own.status == "valid"
            || deciding.any(|reason| named.is_match(&reason.text));
        let of_target = |reason: &ObservedReason| {
            let excused = !expected.reason.is_empty() && named.is_match(&reason.text);
            reason.status == "partial" && !excused && reason.effect != "cut-short"
        };
        let blamed = cause.class == Class::Generator && own.reasons.iter().any(of_target);
        // Who was refused has no objective.
        let judged = own.status == "refused"
            || cause.objectives.iter().all(|(objective, outcomes)| {
                let judged = own.objectives.get(*objective).map(String::as_str);
                judged.is_some_and(|judged| outcomes.contains(&judged))
                    || (forgiven && judged == Some("undecided") && outcomes == &["met"])
            });
        // What others did may also be all that came of it, but not in place of trouble that lasts for the whole run.
        let came_of_it = own.status == "refused"
            || expected.outcomes.contains(&own.outcome.as_str())
            || (forgiven && matches!(own.outcome.as_str(), "not-reliable" | "undecided"));
        let exits = |exit: i32| {
            expected.exits.contains(&exit) || (forgiven && exit == 4 && expected.exits == [0])
        };
        let checks = [
            ("status", expected.statuses.contains(&own.status.as_str())),
            ("cause", is_named),
            ("outcome", came_of_it),
            ("blame", !blamed),
            ("objective", judged),
            ("exit", self.exit.is_some_and(exits)),
        ];
        checks.into_iter().filter(|(_, fine)| !fine).map(|(name, _)| name).collect()
    }

    /// Which column of the confusion matrix it belongs to.
    pub fn finding(&self) -> Finding {
        match self.status.as_str() {
            "valid" if self.objectives.values().any(|judged| judged == "missed") => Finding::Missed,
            "valid" => Finding::Valid,
            "partial" if self.outcome == "incomplete" => Finding::Incomplete,
            "partial" => Finding::TargetBlamed,
            "generator-limited" => Finding::GeneratorLimited,
            _ => Finding::Other,
        }
    }

    /// Whether it blames any part, or the exit code does; the exit code of SIGINT only says that the run was
    /// interrupted.
    pub fn alarms(&self) -> bool {
        self.finding() != Finding::Valid || !matches!(self.exit, Some(0 | 130))
    }
}

/// What brunt reported, for the confusion matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// That all is well.
    Valid,
    /// The figures are sound, and by them the target misses its objective.
    Missed,
    /// That the target stopped responding or did not answer.
    TargetBlamed,
    /// That the figures are the generator's.
    GeneratorLimited,
    /// That a part of the run is missing.
    Incomplete,
    /// Anything else.
    Other,
}

impl Finding {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Valid,
        Self::Missed,
        Self::TargetBlamed,
        Self::GeneratorLimited,
        Self::Incomplete,
        Self::Other,
    ];

    /// The word for it in a table.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Missed => "valid, objective missed",
            Self::TargetBlamed => "target blamed (partial)",
            Self::GeneratorLimited => "generator-limited",
            Self::Incomplete => "incomplete",
            Self::Other => "other",
        }
    }

    /// Whether it is the right answer to trouble of that class, whatever the details.
    pub const fn is_right_for(self, class: Class) -> bool {
        matches!(
            (class, self),
            (Class::Nothing, Self::Valid)
                | (Class::Target, Self::Missed | Self::TargetBlamed)
                | (Class::Generator, Self::GeneratorLimited | Self::Incomplete)
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

    /// A record with the outcome that brunt gives such a run.
    fn record(status: &str, reasons: &[(&str, &str, &str)], objectives: &[(&str, &str)]) -> String {
        let any = |outcome: &str| objectives.iter().any(|(_, judged)| *judged == outcome);
        let outcome = match status {
            _ if reasons.iter().any(|(status, ..)| *status == "partial") => "unavailable",
            "generator-limited" => "not-reliable",
            _ if any("missed") => "missed",
            _ if any("undecided") => "undecided",
            _ if objectives.is_empty() => "measured",
            _ => "passed",
        };
        let reasons: Vec<Value> = reasons
            .iter()
            .map(|(status, cause, text)| {
                serde_json::json!({"status": status, "cause": {"kind": cause}, "text": text})
            })
            .collect();
        let slo: Vec<Value> = objectives
            .iter()
            .map(|(expr, outcome)| serde_json::json!({"expr": expr, "outcome": outcome}))
            .collect();
        let verdict = serde_json::json!({"status": status, "reasons": reasons});
        serde_json::json!({"verdict": verdict, "slo": slo, "outcome": outcome}).to_string()
    }

    fn faults(record: &str, exit: i32, name: &str, machine: Machine) -> Vec<&'static str> {
        Observation::new(Some(record), Some(exit), "").faults(cause(name), machine)
    }

    const STOPPED: (&str, &str, &str) =
        ("generator-limited", "paused", "brunt was paused for 3.0 s at 1.2 s; it was stopped");
    const NO_CORE: (&str, &str, &str) = (
        "generator-limited",
        "not-scheduled",
        "brunt was runnable but not scheduled 12% of the time",
    );
    const AWAY: (&str, &str, &str) =
        ("partial", "", "the target stopped responding: away 1.2 s to 4.2 s");

    #[test]
    fn verdict_must_name_the_cause_and_blame_nothing_else() {
        let slo = [("p99<1s", "undecided"), ("errors<1%", "met")];
        let written = record("generator-limited", &[STOPPED], &slo);
        let quiet = Machine::Quiet;
        assert_eq!(faults(&written, 4, "brunt-stopped-ldap", quiet), [""; 0]);
        assert_eq!(faults(&written, 99, "brunt-stopped-ldap", quiet), ["exit"]);
        let all = ["status", "outcome", "objective", "exit"];
        assert_eq!(faults(&written, 4, "idle-ldap-10", quiet), all);
        let both = record("generator-limited", &[STOPPED, AWAY], &slo);
        assert_eq!(faults(&both, 4, "brunt-stopped-ldap", quiet), ["outcome", "blame"]);
        let other = record("generator-limited", &[NO_CORE], &slo);
        assert_eq!(faults(&other, 4, "brunt-stopped-ldap", Machine::Shared), ["cause"]);
    }

    #[test]
    fn shared_machine_excuses_only_waiting_for_a_core() {
        let slo = [("p99<1s", "undecided"), ("errors<1%", "met")];
        let written = record("generator-limited", &[NO_CORE], &slo);
        assert_eq!(faults(&written, 4, "idle-ldap-10", Machine::Shared), [""; 0]);
        assert_eq!(faults(&written, 99, "idle-ldap-10", Machine::Shared), ["exit"]);
        let all = ["status", "outcome", "objective", "exit"];
        assert_eq!(faults(&written, 4, "idle-ldap-10", Machine::Quiet), all);
        let worker =
            ("generator-limited", "busy-worker", "brunt's busiest worker used 95% of its core");
        let written =
            record("generator-limited", &[worker], &[("p99<1s", "met"), ("errors<1%", "met")]);
        assert_eq!(faults(&written, 0, "idle-ldap-10", Machine::Shared), ["status", "outcome"]);
        // What is left decides.
        let slo = [("p99<250ms", "missed"), ("errors<1%", "met")];
        let written = record("generator-limited", &[NO_CORE, AWAY], &slo);
        assert_eq!(faults(&written, 99, "target-stopped-ldap", Machine::Shared), [""; 0]);
        let written = record("generator-limited", &[NO_CORE, STOPPED, AWAY], &slo);
        assert_eq!(
            faults(&written, 99, "target-stopped-ldap", Machine::Shared),
            ["status", "cause"]
        );
    }

    #[test]
    fn frozen_machine_excuses_only_an_unplanned_stall() {
        let slo = [("p99<1s", "undecided"), ("errors<1%", "met")];
        let written = record("generator-limited", &[STOPPED], &slo);
        assert_eq!(faults(&written, 4, "idle-ldap-10", Machine::Frozen), [""; 0]);
        let all = ["status", "outcome", "objective", "exit"];
        assert_eq!(faults(&written, 4, "idle-ldap-10", Machine::Shared), all);
        assert_eq!(faults(&written, 4, "brunt-stopped-ldap", Machine::Frozen), [""; 0]);
        let valid = record("valid", &[], &slo);
        assert_eq!(faults(&valid, 4, "brunt-stopped-ldap", Machine::Frozen), ["status", "outcome"]);
    }

    #[test]
    fn missed_objective_blames_the_target() {
        let slo = [("p99<250ms", "missed"), ("errors<1%", "met"), ("achieved>=95%", "met")];
        let missed = record("valid", &[], &slo);
        assert_eq!(faults(&missed, 99, "target-slow-ldap", Machine::Quiet), [""; 0]);
        let observed = Observation::new(Some(&missed), Some(99), "");
        assert_eq!(observed.finding(), Finding::Missed);
        assert!(observed.alarms() && observed.finding().is_right_for(Class::Target));
        let met = record("valid", &[], &slo.map(|(objective, _)| (objective, "met")));
        let met = Observation::new(Some(&met), Some(0), "");
        assert!(!met.alarms() && met.finding().is_right_for(Class::Nothing));
        assert!(!Observation { exit: Some(130), ..met.clone() }.alarms());
        let slow = met.faults(cause("target-slow-ldap"), Machine::Quiet);
        assert_eq!(slow, ["outcome", "objective", "exit"]);
        let none = record("valid", &[], &[]);
        assert_eq!(faults(&none, 0, "idle-ldap-10", Machine::Quiet), ["outcome", "objective"]);
    }

    #[test]
    fn collection_is_as_good_as_its_worst_cell() {
        let record = r#"{"cells": [{"record": {"verdict": {"status": "valid", "reasons": []}}}, {"record":
            {"verdict": {"status": "unstable", "reasons": [{"status": "unstable", "text": "throughput drifted"}]}}}]}"#;
        let observed = Observation::new(Some(record), Some(0), "");
        assert_eq!((observed.status.as_str(), observed.finding()), ("unstable", Finding::Other));
        assert_eq!(observed.reasons[0].text, "throughput drifted");
    }

    #[test]
    fn run_without_a_record_keeps_its_last_output() {
        let output = "rows\nfailed to open 100 connections\n\n";
        let observed = Observation::new(None, Some(2), output);
        let words: Vec<&str> = observed.reasons.iter().map(|reason| reason.text.as_str()).collect();
        assert_eq!(
            (observed.status.as_str(), words),
            ("refused", vec!["rows", "failed to open 100 connections"])
        );
        assert_eq!(Observation::new(Some("{"), None, "").status, "refused");
    }
}
