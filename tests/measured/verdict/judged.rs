//! [`Judged`]: a run with arranged trouble whose verdict from brunt matches the table of causes.

use brunt_bench_verdict::{CAUSES, Cause, Class, Condition, Machine, Tried, trial};
use brunt_record::{Away, Record, Status};
use brunt_test_program::binary;
use brunt_testbed::skip_anywhere;
use jiff::Timestamp;

use super::frozen::{Freezes, Watch, seconds};

/// Too much for a program that is not optimised, beside others.
const BENCH_ONLY: &[&str] = &["idle-ldap-5000"];

/// A run, and what brunt said of it.
pub(crate) struct Judged {
    name: &'static str,
    tried: Tried,
    freezes: Freezes,
}

/// Tries a cause of the table. None if this machine cannot arrange it.
pub(crate) fn judge(name: &str) -> Option<Judged> {
    let cause = CAUSES.iter().find(|cause| cause.name == name);
    let cause = cause.unwrap_or_else(|| panic!("{name} is no cause of the table"));
    let lasting = if cause.class == Class::Nothing { cause.seconds / 2 } else { cause.seconds };
    let watch = Watch::start();
    let tried = trial(cause, lasting, binary());
    let freezes = watch.stop();
    match tried {
        Ok(tried) => {
            let judged = Judged { name: cause.name, tried, freezes };
            let alone = !judged.stood_still_alone().is_empty();
            let machine = if alone { Machine::Shared } else { Machine::Frozen };
            let faults = judged.tried.observed.faults(cause, machine);
            assert!(faults.is_empty(), "not as expected: {faults:?}\n{judged}");
            Some(judged)
        }
        Err(why) if needs_rights(cause) => {
            skip_anywhere(&format!("no rights for {name}: {why}"));
            None
        }
        Err(why) => panic!("failed to arrange {name}: {why}"),
    }
}

/// Whether a machine may refuse what a cause needs: control groups and namespaces are root's to make.
fn needs_rights(cause: &Cause) -> bool {
    let of_root = |condition: &Condition| {
        matches!(condition, Condition::Quota(_) | Condition::Ports(_) | Condition::NoProc)
    };
    cause.conditions.iter().any(of_root)
}

impl Judged {
    /// The record, whose books have to balance unless a part of the run is unknown.
    pub(crate) fn record(&self) -> Record {
        let record: Record = serde_json::from_value(self.tried.record.clone())
            .unwrap_or_else(|error| panic!("failed to read the record: {error}\n{self}"));
        let lost = record.nodes.iter().any(|node| node.lost_at_s.is_some());
        assert!(record.conservation.holds != lost, "{:?}\n{self}", record.conservation);
        record
    }

    /// The records of a comparison.
    pub(crate) fn records(&self) -> Vec<Record> {
        let cells =
            self.tried.record["cells"].as_array().unwrap_or_else(|| panic!("no cells\n{self}"));
        let records = cells.iter().map(|cell| serde_json::from_value(cell["record"].clone()));
        records.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}\n{self}"))
    }

    /// The one absence of the target, which lasted between so many seconds.
    pub(crate) fn away(&self, from_s: f64, to_s: f64) -> Away {
        let record = self.record();
        let [away] = record.away[..] else { panic!("{:?}\n{self}", record.away) };
        let back = away.to_s.unwrap_or_else(|| panic!("it never came back: {away:?}\n{self}"));
        let answered = back + away.answered_after_s.unwrap_or_default();
        let lasted = answered - away.from_s;
        assert!((from_s..=to_s).contains(&lasted), "{lasted}: {away:?}\n{self}");
        away
    }

    /// The same, where the target stopped responding from the first act to the last; the absence may be shorter or
    /// longer by so many seconds.
    pub(crate) fn away_meanwhile(&self, shorter_s: f64, longer_s: f64) -> Away {
        let (least, most) = self.acted();
        self.away(least - shorter_s, most + longer_s)
    }

    /// How much time passed from the first act to the last, at least and at most, in seconds.
    pub(crate) fn acted(&self) -> (f64, f64) {
        let [begin, .., end] = self.tried.acted[..] else { panic!("it ended too soon\n{self}") };
        let least = end.before.saturating_sub(begin.after);
        (least.as_secs_f64(), end.after.saturating_sub(begin.before).as_secs_f64())
    }

    /// When the first act was performed, at the earliest and at the latest, in seconds since brunt was started.
    pub(crate) fn first_acted(&self) -> (f64, f64) {
        let Some(first) = self.tried.acted.first() else { panic!("it ended too soon\n{self}") };
        (first.before.as_secs_f64(), first.after.as_secs_f64())
    }

    /// How long brunt stood still each time that the machine did not do the same, in seconds.
    pub(crate) fn stood_still_alone(&self) -> Vec<f64> {
        let record = &self.tried.record;
        let cells = record["cells"].as_array().into_iter().flatten().map(|cell| &cell["record"]);
        let mut alone = Vec::new();
        for record in cells.chain([record]) {
            let started = record["started"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
            let Some(origin_s) = started.map(seconds) else { continue };
            for stall in record["generator"]["stalls"].as_array().into_iter().flatten() {
                let [from_s, lasted_s] =
                    ["from_s", "lasted_s"].map(|key| stall[key].as_f64().expect("a time"));
                if !self.freezes.explain(origin_s + from_s, lasted_s) {
                    alone.push(lasted_s);
                }
            }
        }
        alone
    }

    /// The texts of all reasons for a status, one a line.
    pub(crate) fn reasons(&self, status: Status) -> String {
        let reasons = self.tried.observed.reasons.iter();
        let of = reasons.filter(|reason| reason.status == status.word());
        of.map(|reason| reason.text.clone() + "\n").collect()
    }

    /// What was printed.
    pub(crate) fn output(&self) -> &str {
        &self.tried.output
    }
}

impl std::fmt::Display for Judged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, tried: Tried { observed, output, .. }, freezes } = self;
        write!(f, "{name}\n{observed:#?}\n{freezes:?}\n{output}")
    }
}

#[test]
fn causes_all_have_a_test() {
    let tests = [
        include_str!("generator.rs"),
        include_str!("idle.rs"),
        include_str!("target.rs"),
        include_str!("whole.rs"),
    ]
    .concat();
    let untried = |cause: &&Cause| !tests.contains(&format!("\"{}\"", cause.name));
    let untried: Vec<&str> = CAUSES.iter().filter(untried).map(|cause| cause.name).collect();
    assert_eq!(untried, BENCH_ONLY);
}
