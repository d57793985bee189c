//! A rate is no more than what sessions and service times permit, and an absence is a time without an answer.

use std::time::Duration;

use brunt_exchange::Outcome;

use super::{Findings, Seen};
use crate::script::Model;

/// What a time to a tenth of a second may be off.
const TENTH: Duration = Duration::from_millis(101);

/// Answers are counted by slots of the window, of this share of it at most.
const SLOT_SHARE: f64 = 0.05;

pub(super) fn check(seen: &Seen<'_>, findings: &mut Findings) {
    let rates = &seen.share.record.rates;
    let achieved = rates.achieved.unwrap_or(0.0);
    let answered = seen.steady().filter(|entry| is_answered(entry.outcome));
    let (mut count, mut busy) = (0.0, Duration::ZERO);
    for entry in answered {
        count += 1.0;
        busy += entry.ended - entry.sent.unwrap_or(entry.ended);
    }
    // Of a closed load, cycles that began before the window count with a part.
    let before = match seen.script.load.model {
        Model::Closed(..) => f64::from(seen.script.load.sessions),
        _ => 0.0,
    };
    let in_all = achieved * rates.seconds;
    // What was due shortly before the end of an open load is taken to be answered as the rest was.
    let normal = rates.normal_s.map_or(0.0, |normal| normal + rates.seconds * SLOT_SHARE);
    let estimated = rates.offered.unwrap_or(0.0) * normal + 2.0;
    findings.unless(in_all <= count + before + estimated, || {
        format!("achieved {in_all} exchanges in the window, of which {count} were answered at all")
    });
    let sessions = seen.share.record.plan.sessions as f64;
    let room = sessions * (rates.seconds + rates.drained_s) * 1.000_001 + 1e-6;
    findings.unless(busy.as_secs_f64() <= room, || {
        format!("{sessions} sessions were busy for {busy:?} of {room} s")
    });
    let goodput = rates.goodput.unwrap_or(0.0);
    findings.unless(goodput <= achieved + 1e-9, || format!("goodput {goodput} > {achieved}"));
    if let (Model::Closed(..), _) | (_, None) = (&seen.script.load.model, rates.offered) {
        return;
    }
    let offered = rates.offered.unwrap_or(0.0);
    findings.unless(achieved <= offered + 1e-9, || format!("achieved {achieved} > {offered}"));
    absences(seen, findings);
}

fn absences(seen: &Seen<'_>, findings: &mut Findings) {
    for away in &seen.share.record.away {
        let from = seen.share.origin + Duration::from_secs_f64(away.from_s) + TENTH;
        let to = away.to_s.map(|to| seen.share.origin + Duration::from_secs_f64(to));
        let inside = seen.log.entries.iter().find(|entry| {
            is_answered(entry.outcome)
                && entry.ended > from
                && to.is_none_or(|to| entry.ended + TENTH < to)
        });
        findings.unless(inside.is_none(), || format!("{away:?}, but {inside:?}"));
    }
}

pub(super) fn is_answered(outcome: Option<Outcome>) -> bool {
    use brunt_exchange::Class::{Protocol, Result};
    matches!(outcome, Some(Outcome::Ok(_) | Outcome::Failed(Result | Protocol, _)))
}
