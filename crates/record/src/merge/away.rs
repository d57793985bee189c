//! When the target stopped responding for all nodes at once.
//!
//! A node that got no answers while others did had lost its connection to the target; its own verdict reports that. The
//! target was away while no node got an answer.

use crate::{AWAY_MIN, Away, Record};

pub(super) fn away(records: &[&Record]) -> Vec<Away> {
    let mut nodes = records.iter().map(|record| record.away.as_slice());
    let first = nodes.next().unwrap_or_default().to_vec();
    nodes.fold(first, |common, other| {
        let pairs = common.iter().flat_map(|one| other.iter().map(move |two| (one, two)));
        pairs.filter_map(|(one, two)| both(one, two)).collect()
    })
}

/// The time in which neither node got an answer, if it is long enough to be an absence.
fn both(one: &Away, two: &Away) -> Option<Away> {
    let from_s = one.from_s.max(two.from_s);
    let earlier = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::min);
    let answered = |of: &Away| Some(of.to_s? + of.answered_after_s?);
    let recovered = |of: &Away| Some(answered(of)? + of.recovered_after_s?);
    let to_s = earlier(one.to_s, two.to_s);
    let until = earlier(answered(one), answered(two)).or(to_s);
    if until.is_some_and(|until| until - from_s < AWAY_MIN.as_secs_f64()) {
        return None;
    }
    // One node connected again before the other began to wait, so `to_s` must not precede `from_s`.
    let to_s = to_s.map(|to| to.max(from_s));
    let both_recovered = recovered(one).zip(recovered(two)).map(|(a, b)| a.max(b));
    let since = |later: Option<f64>, earlier: Option<f64>| Some(tenths(later? - earlier?));
    Some(Away {
        from_s,
        to_s,
        answered_after_s: since(until, to_s),
        recovered_after_s: since(both_recovered, until),
        answered_before: one.answered_before || two.answered_before,
    })
}

/// Times of absences are given to a tenth of a second.
fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}
