//! Loads of scenarios in words.

use std::fmt::Write as _;
use std::time::Duration;

use brunt_flow_driver::{OwnLoads, Scenario};

use crate::model;
use crate::values::time_words;

/// A line for each scenario.
pub(super) fn lines(
    out: &mut String,
    own: &OwnLoads,
    scenarios: &[Scenario],
    given: &[model::Scenario],
    warm_up: Duration,
) {
    for ((load, scenario), given) in own.loads.iter().zip(scenarios).zip(given) {
        let Some(run) = given.run.as_deref() else { continue };
        let users = if load.users == 1 { "user" } else { "users" };
        let mut words = format!("{} {users}", load.users);
        words.extend(begins(run));
        words.extend(run.think.as_ref().map(|think| format!(", with a pause of {think}")));
        words.extend(run.iterations.map(|count| format!(", {count} iterations each")));
        // The warm-up is shown for all of them.
        let start = load.start.saturating_sub(warm_up);
        if !start.is_zero() {
            let _ = write!(words, ", from {} on", time_words(start));
        }
        let end = load.ends.map(|end| end.saturating_sub(warm_up));
        words.extend(end.map(|end| format!(", until {}", time_words(end))));
        let _ = writeln!(out, "  {}: {words}", scenario.name);
    }
}

/// When the iterations of an open load begin.
fn begins(run: &model::ScenarioRun) -> Option<String> {
    if let Some(file) = &run.rate_file {
        return Some(format!(", iterations begin at the rates in {}", file.display()));
    }
    let schedule = run.rate.as_ref().or(run.stages.as_ref());
    let at = |schedule| format!(", iterations begin at {schedule}");
    schedule.map(at).or_else(|| {
        run.trace.as_ref().map(|file| format!(", iterations begin at the times in {file}"))
    })
}
