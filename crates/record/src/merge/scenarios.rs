//! What came of scenarios with loads of their own: the sums over the nodes.

use super::operations::distinct;
use crate::{OperationRecord, Record, ScenarioCounts, ScenarioRecord};

pub(super) fn scenarios(records: &[&Record], spans: &[OperationRecord]) -> Vec<ScenarioRecord> {
    let all = || records.iter().flat_map(|record| &record.scenarios);
    let names = distinct(all().map(|scenario| scenario.name.as_str()));
    let one = |name| {
        let counts = all().filter(|it| it.name == name).map(ScenarioRecord::counts);
        counts
            .reduce(|one, other| together(one, &other))
            .map(|counts| ScenarioRecord::new(counts, spans))
    };
    names.into_iter().filter_map(one).collect()
}

fn together(one: ScenarioCounts, other: &ScenarioCounts) -> ScenarioCounts {
    let both = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
    ScenarioCounts {
        users: one.users + other.users,
        seconds: one.seconds.max(other.seconds),
        due: both(one.due, other.due),
        begun: one.begun + other.begun,
        completed: one.completed + other.completed,
        failed: one.failed + other.failed,
        ..one
    }
}
