//! Why a run is not complete: it was cut short, or the target did not answer.

use super::effect::ABSENCES_MAX;
use super::{Cause, Effect, Evidence, Reason, Remedy, Status, failed_in};
use brunt_exchange::Class;

/// What is missing from the run.
pub(super) fn partial(evidence: &Evidence<'_>) -> Vec<Reason> {
    let interrupted = evidence.interrupted.map(|ended| {
        let why = (Some(ended.cause.clone()), ended.remedy.clone());
        partly(Effect::CutShort, why, evidence)
    });
    let lost = evidence.counts.conserved().err().map(|error| {
        partly(Effect::NotAccounted { imbalance: error.to_string() }, (None, None), evidence)
    });
    interrupted.into_iter().chain(away(evidence)).chain(lost).collect()
}

fn partly(effect: Effect, why: (Option<Cause>, Option<Remedy>), evidence: &Evidence<'_>) -> Reason {
    Reason::new(Status::Partial, effect, why, &evidence.plan.noun)
}

/// What shows that the target was there although exchanges had no answer in time. What a target answers after its
/// return had waited for it, and does not show that.
pub(super) fn present<'a>(evidence: &Evidence<'a>) -> Option<&'a str> {
    let returned = evidence.away.iter().any(|away| away.to_s.is_some());
    evidence.present.filter(|_| !returned)
}

/// The target was away, or some requests never got an answer.
fn away(evidence: &Evidence<'_>) -> Option<Reason> {
    let counts = evidence.measured.counts();
    let unanswered = counts.timed_out + counts.cut_off + counts.dropped;
    let unconnected = failed_in(evidence.measured, &[Class::Connect, Class::Closed, Class::Tls]);
    let due = counts.due();
    if !evidence.away.is_empty() {
        let absences = evidence.away.iter().take(ABSENCES_MAX).copied().collect();
        let times = evidence.away.len();
        let (effect, cause) = if let Some(present) = present(evidence) {
            let cause = Cause::Seen { what: present.to_owned() };
            (Effect::AnsweredLate { unanswered, absences, times }, Some(cause))
        } else {
            let late = evidence.present.map(str::to_owned);
            (Effect::TargetAway { absences, times, unanswered, unconnected, late }, None)
        };
        return Some(partly(effect, (cause, None), evidence));
    }
    let effect = if unconnected > 0 {
        Effect::ConnectionsLost { count: unconnected, due }
    } else if counts.cut_off > 0 {
        Effect::Unfinished { count: counts.cut_off, after_s: evidence.rates.drained_s }
    } else if due > 0 && counts.ok + counts.failed == 0 {
        Effect::NothingAnswered { due }
    } else {
        return None;
    };
    Some(partly(effect, (None, None), evidence))
}
