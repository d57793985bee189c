//! Loads of scenarios in words.

use std::fmt::Write as _;

use brunt_flow_driver::{OwnLoads, Scenario};

use crate::model;
use crate::values::time_words;

/// A line for each scenario.
pub(super) fn lines(
    out: &mut String,
    own: &OwnLoads,
    scenarios: &[Scenario],
    given: &[model::Scenario],
) {
    for ((load, scenario), given) in own.loads.iter().zip(scenarios).zip(given) {
        let Some(run) = given.run.as_deref() else { continue };
        let users = if load.users == 1 { "user" } else { "users" };
        let mut words = format!("{} {users}", load.users);
        let schedule = run.rate.as_ref().or(run.stages.as_ref());
        words.extend(schedule.map(|schedule| format!(", iterations begin at {schedule}")));
        words.extend(run.think.as_ref().map(|think| format!(", with a pause of {think}")));
        words.extend(run.iterations.map(|count| format!(", {count} iterations each")));
        if !load.start.is_zero() {
            let _ = write!(words, ", from {} on", time_words(load.start));
        }
        words.extend(load.ends.map(|end| format!(", until {}", time_words(end))));
        let _ = writeln!(out, "  {}: {words}", scenario.name);
    }
}
