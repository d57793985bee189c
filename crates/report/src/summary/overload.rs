//! The result of a load that was more than the target, or the sessions of the run, could carry.

use super::several;
use crate::figure::{NONE, fixed, rate, thousands};
use brunt_record::{Overload, Record, StageOverload};

/// Sessions that carry this part of what they can are busy.
const BUSY: f64 = 0.9;

/// The result of a load that could not be carried, in parts of a sentence.
pub(crate) fn overloaded(record: &Record, overload: &Overload) -> Vec<String> {
    let rates = &record.rates;
    let (offered, achieved, what) = match rates.iterations {
        Some(of) => (of.offered, of.achieved, "iterations"),
        None => (rates.offered, rates.achieved, &*record.plan.noun.many),
    };
    let [offered, achieved] =
        [offered, achieved].map(|known| known.map_or_else(|| NONE.to_owned(), rate));
    let mut words = vec![format!("{offered} {what} a second offered, {achieved} achieved")];
    words.extend(overloaded_stages(&overload.stages, record.plan.stages_s.len()));
    // What a later stage worked off does not wait any more.
    let recovered = overload.stages.last().is_some_and(|last| last.to_s < rates.seconds);
    if overload.waiting > 0 && !recovered {
        let was = if overload.waiting == 1 { "was" } else { "were" };
        let waiting = thousands(overload.waiting);
        // A backlog that is full stays as long as it is.
        let grew = if record.counts.dropped == 0 { ", and their number grew" } else { "" };
        words.push(format!("{waiting} {was} waiting when the load ended{grew}"));
    }
    if let Some((most, until)) = overload.kept_up_per_second.zip(overload.kept_up_s) {
        let most = rate(most);
        words.push(format!("the load was kept up with until {most} a second, at {until:.1} s"));
    }
    words
}

/// Which of so many stages were more than could be carried, and how the first of them ended.
fn overloaded_stages(stages: &[StageOverload], of: usize) -> Option<String> {
    let first = stages.first()?;
    let numbers: Vec<String> = stages.iter().map(|stage| stage.number.to_string()).collect();
    let which = match numbers.split_last() {
        Some((last, [])) => format!("stage {last} of {of} was"),
        Some((last, others)) => format!("stages {} and {last} of {of} were", others.join(", ")),
        None => return None,
    };
    let from = format!("{:.1} to {:.1} s", first.from_s, first.to_s);
    let (offered, waiting) = (rate(first.offered), thousands(first.waiting));
    let at = if stages.len() == 1 { String::new() } else { format!("in stage {}, ", first.number) };
    Some(format!(
        "{which} more than could be carried: {at}{from}, {offered} a second offered, {waiting} waiting at its end"
    ))
}

/// How many sessions an overload would have needed, if the sessions of the run were its limit.
pub(crate) fn sessions_needed(record: &Record) -> Option<String> {
    record.rates.overload.as_ref().filter(|_| record.counts.ok > 0)?;
    let [operation] = record.operations.as_slice() else { return None };
    let (achieved, offered) = record.rates.achieved.zip(record.rates.offered)?;
    let took = operation.service.mean_us? / 1e6;
    let sessions = record.plan.sessions as f64;
    let carried = sessions / took;
    let busy = took > 0.0 && achieved >= BUSY * carried;
    busy.then(|| {
        let needed = (offered * took).ceil();
        format!(
            "{} whose requests take {} ms each {} {} a second: {} need {needed}, if requests take no longer \
             then",
            several(record.plan.sessions, "session"),
            fixed(Some(took * 1e3), 1),
            if record.plan.sessions == 1 { "carries" } else { "carry" },
            rate(carried.round()),
            rate(offered.round()),
        )
    })
}
