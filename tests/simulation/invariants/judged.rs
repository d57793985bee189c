//! Objectives are judged by the figures: what was met was met by the log, and what was missed was not.

use std::time::Duration;

use brunt_exchange::Outcome;
use brunt_record::{SloOutcome, SloResult};

use super::times::{Schedule, quantile};
use super::{Findings, Seen};

pub(super) fn check(seen: &Seen<'_>, findings: &mut Findings) {
    let record = &seen.share.record;
    if !seen.share.is_canary {
        let given: Vec<_> = record.slo.iter().map(|slo| slo.expr.as_str()).collect();
        findings.unless(given == seen.script.load.objectives, || format!("judged {given:?}"));
    }
    for slo in &record.slo {
        if let Some(truth) = count_of(seen, &slo.expr) {
            agrees(slo, truth, truth, findings);
        } else if let Some((least, most)) = time_of(seen, &slo.expr) {
            // As precise as a histogram is.
            agrees(slo, least, most, findings);
        }
    }
}

/// Whether a figure as small as it can be, and as great, are within the limit, by how much it is a fraction of it.
fn agrees(slo: &SloResult, least: f64, most: f64, findings: &mut Findings) {
    let wrong = match slo.outcome {
        SloOutcome::Met => most > 1.002,
        SloOutcome::Missed => least < 0.998,
        SloOutcome::Undecided => false,
    };
    findings.unless(!wrong, || {
        format!("{} was {} with {least}..{most} of its limit", slo.expr, slo.outcome.word())
    });
}

/// What is counted, as a fraction of its limit; above 1 if that is reached.
fn count_of(seen: &Seen<'_>, expr: &str) -> Option<f64> {
    let dropped = seen.share.record.counts.dropped;
    let not_ok =
        seen.steady().filter(|entry| !matches!(entry.outcome, Some(Outcome::Ok(_)))).count() as u64;
    let missed = not_ok + dropped;
    let due = seen.steady().count() as u64 + dropped;
    let reached = match expr {
        "errors<1%" if due == 0 => return None,
        "errors<1%" => 100 * missed >= due,
        "errors<50" => missed >= 50,
        "dropped==0" => dropped > 0,
        _ => return None,
    };
    Some(if reached { 2.0 } else { 0.0 })
}

/// The least and the most that a response time can be, as a fraction of its limit.
fn time_of(seen: &Seen<'_>, expr: &str) -> Option<(f64, f64)> {
    let (at, bound) = match expr {
        "p50<20ms" => (0.5, 0.02),
        "p99<100ms" => (0.99, 0.1),
        "p99<1s" => (0.99, 1.0),
        "max<500ms" => (1.0, 0.5),
        _ => return None,
    };
    let schedule = Schedule::from_run(seen)?;
    let limit = seen.script.load.timeout;
    let (mut least, mut most) = (Vec::new(), Vec::new());
    for entry in seen.steady() {
        let took = entry.ended - schedule.due(entry.number)?;
        match entry.outcome {
            Some(Outcome::Ok(_)) => {
                least.push(took);
                most.push(took);
            }
            // Without an answer in time, it is infinitely late; what was in flight at the end may not be.
            Some(_) => {
                least.push(Duration::MAX);
                most.push(Duration::MAX);
            }
            None if !limit.is_zero() && entry.ended - entry.began >= limit => {
                least.push(Duration::MAX);
                most.push(Duration::MAX);
            }
            None => {
                least.push(took);
                most.push(Duration::MAX);
            }
        }
    }
    let dropped = seen.share.record.counts.dropped as usize;
    for times in [&mut least, &mut most] {
        times.extend(std::iter::repeat_n(Duration::MAX, dropped));
        times.sort_unstable();
    }
    let of = |times: &[Duration]| quantile(times, at).map(|time| time.as_secs_f64() / bound);
    of(&least).zip(of(&most))
}
