//! What came of scenarios with loads of their own, in words.

use std::fmt::Write as _;
use std::time::Duration;

use brunt_flow_driver::{Flow, OwnLoad};
use brunt_record::{Phase, Record};

/// A sentence for each scenario that has a load of its own.
pub(crate) fn notes(flow: &Flow, record: &Record) -> Vec<String> {
    let Some(own) = &flow.own else { return Vec::new() };
    let named = own.loads.iter().zip(&flow.scenarios);
    named.map(|(load, scenario)| note(load, &scenario.name, record)).collect()
}

fn note(load: &OwnLoad, name: &str, record: &Record) -> String {
    let tally = |kind: &str| {
        let wanted = format!("scenario {name} {kind}");
        record.tallies.iter().find(|tally| tally.name == wanted).map_or(0, |tally| tally.count)
    };
    let (begun, completed) = (tally("begun"), tally("completed"));
    let steady = record.phases.iter().filter(|phase| phase.name == Phase::Steady);
    let lasted: f64 = steady.map(|phase| phase.to_s - phase.from_s).sum();
    let lasted = Duration::try_from_secs_f64(lasted).unwrap_or_default();
    let active = load.ends.unwrap_or(lasted).min(lasted).saturating_sub(load.start);
    let rate = |count: u64| count as f64 / active.as_secs_f64().max(f64::MIN_POSITIVE);
    let Some(arrivals) = &load.arrivals else {
        return format!(
            "scenario '{name}': {} users began {begun} iterations ({:.1}/s) and completed {completed}",
            load.users,
            rate(begun)
        );
    };
    let due = arrivals.due_by(lasted.saturating_sub(load.start));
    let mut words = format!(
        "scenario '{name}': {due} iterations were due ({:.1}/s), {begun} began and {completed} were completed",
        rate(due)
    );
    let left = due.saturating_sub(begun);
    if left > 0 {
        let _ = write!(
            words,
            "; {left} were not begun, since none of its {} users was free",
            load.users
        );
    }
    let lag = record.spans.iter().find(|span| span.name == format!("{name} lag"));
    if let Some(lag) = lag.and_then(|span| span.response.max_ns) {
        let _ = write!(words, "; the latest began {:.1} ms after it was due", lag as f64 / 1e6);
    }
    words
}
