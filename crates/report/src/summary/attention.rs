//! What of a run needs attention: [`attention`], and of many [`attention_of_all`].

use super::closing::{OfAll, objectives, result};
use crate::figure::printable;
use crate::page::Page;
use crate::trust::Trust;
use brunt_record::{Collection, HistogramError, Record, RunOutcome, Status};

/// What of a run needs attention, in one line; none if it passed or was measured, and can be trusted.
pub fn attention(record: &Record) -> Result<Option<String>, HistogramError> {
    let outcome = record.outcome();
    let trusted = record.verdict.status == Status::Valid;
    if trusted && matches!(outcome, RunOutcome::Passed | RunOutcome::Measured) {
        return Ok(None);
    }
    let judged = matches!(outcome, RunOutcome::Missed | RunOutcome::Undecided);
    let more = [
        judged.then(|| format!("objectives: {}", objectives(record))),
        (!trusted).then(|| format!("trust: {}", Trust::new(record))),
    ];
    let parts: Vec<String> =
        [result(record)?].into_iter().chain(more.into_iter().flatten()).collect();
    Ok(Some(printable(&parts.join("; "))))
}

/// The same of a comparison of many runs; none if all `is_well`, no objective was missed and no measurement is in
/// doubt.
pub fn attention_of_all(page: &Page, collection: &Collection, is_well: bool) -> Option<String> {
    let all = OfAll::new(page, collection);
    let met = all.worst.is_none_or(|worst| worst == Status::Valid);
    if is_well && met && all.status == Status::Valid {
        return None;
    }
    let OfAll { result, objectives, trust, .. } = all;
    Some(printable(&format!("{result}; objectives: {objectives}; trust: {trust}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;
    use brunt_record::Verdict;

    #[test]
    fn attention_is_needed_unless_passed_or_measured() {
        let mut record = measured(&[]);
        record.verdict = Verdict::default();
        assert_eq!(record.outcome(), RunOutcome::Measured);
        assert_eq!(attention(&record).unwrap(), None);
        record.verdict.status = Status::GeneratorLimited;
        let line = attention(&record).unwrap().unwrap();
        assert!(line.starts_with("NOT RELIABLE: ") && line.contains("; trust: no, "), "{line}");
        let mut record = measured(&["p50<1us"]);
        record.verdict = Verdict::default();
        let line = attention(&record).unwrap().unwrap();
        assert!(line.starts_with("MISSED: ") && line.contains("; objectives: "), "{line}");
        assert!(!line.contains("trust: ") && !line.contains('\n'), "{line}");
    }
}
