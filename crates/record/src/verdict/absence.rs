//! Why a run is not complete: it was cut short, or the target did not answer.

use super::{Evidence, failed_in};
use brunt_exchange::Class;

/// The most absences that are listed one by one.
const TOLD_MAX: usize = 3;

/// What is missing from the run.
pub(super) fn partial(evidence: &Evidence<'_>) -> Vec<String> {
    let interrupted = evidence.interrupted.map(|why| format!("the run was interrupted: {why}"));
    let lost = evidence.counts.conserved().err().map(|error| format!("the run failed to {error}"));
    interrupted.into_iter().chain(away(evidence)).chain(lost).collect()
}

/// What shows that the target was there although exchanges had no answer in time. What a target answers after its
/// return had waited for it, and does not show that.
pub(super) fn present<'a>(evidence: &Evidence<'a>) -> Option<&'a str> {
    let returned = evidence.away.iter().any(|away| away.to_s.is_some());
    evidence.present.filter(|_| !returned)
}

/// The target was away, or some requests never got an answer.
fn away(evidence: &Evidence<'_>) -> Option<String> {
    let counts = evidence.measured.counts();
    let unanswered = counts.timed_out + counts.cut_off + counts.dropped;
    let many = &evidence.plan.noun.many;
    let connectionless = failed_in(evidence.measured, &[Class::Connect, Class::Closed, Class::Tls]);
    if !evidence.away.is_empty() {
        let absences: Vec<String> =
            evidence.away.iter().take(TOLD_MAX).map(crate::Away::words).collect();
        let more = match evidence.away.len().saturating_sub(TOLD_MAX) {
            0 => String::new(),
            more => format!("; and {more} more times"),
        };
        if let Some(present) = present(evidence) {
            return Some(format!(
                "the target was there, but {unanswered} {many} had no answer in time: {present}; {}{more}",
                absences.join("; ")
            ));
        }
        let late = evidence.present.map_or_else(String::new, |late| format!("; {late}"));
        return Some(format!(
            "the target stopped responding: {}{more}{late}; {unanswered} {many} had no answer, {connectionless} lost \
             their connection or could not connect",
            absences.join("; ")
        ));
    }
    if connectionless > 0 {
        return Some(format!(
            "{connectionless} of {} {many} lost their connection to the target or could not connect",
            counts.due()
        ));
    }
    if counts.cut_off > 0 {
        return Some(format!(
            "{} {many} were still in flight when the run ended, {:.1} s after the last was due, so their \
             response times are longer than that",
            counts.cut_off, evidence.rates.drained_s
        ));
    }
    (counts.due() > 0 && counts.ok + counts.failed == 0)
        .then(|| format!("none of {} {many} was answered", counts.due()))
}
