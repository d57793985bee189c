//! Exit codes are those of the table in docs/exit-codes.md.

use std::sync::LazyLock;

use brunt_exchange::Outcome;
use brunt_record::SloOutcome;

use super::rates::is_answered;
use super::{Findings, Seen};

/// The code of a run whose canary failed.
const ABORTED: u8 = 10;
/// The code of a run that is incomplete.
const INCOMPLETE: u8 = 5;

/// The outcomes of the table, each with its codes: without objectives, all met, one undecided, one missed.
static TABLE: LazyLock<Vec<(String, [Option<u8>; 4])>> = LazyLock::new(|| {
    let page = include_str!("../../../docs/exit-codes.md");
    let table = page.split("| outcome | no objective |").nth(1).expect("the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let row = |row: &str| {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let name = cells.next().expect("an outcome").to_owned();
        let mut code = || cells.next().and_then(|cell| cell.parse().ok());
        (name, [code(), code(), code(), code()])
    };
    rows.map(row).collect()
});

pub(super) fn check(seen: &Seen<'_>, findings: &mut Findings) {
    let (record, code) = (&seen.share.record, seen.share.exit.code());
    findings.equal("the outcome in the record", record.outcome, Some(record.outcome()));
    if seen.share.is_canary {
        findings.equal("the code of a canary", code, ABORTED);
        return;
    }
    let any = |outcome| record.slo.iter().any(|slo| slo.outcome == outcome);
    let column = match record.slo.is_empty() {
        true => 0,
        false if any(SloOutcome::Missed) => 3,
        false if any(SloOutcome::Undecided) => 2,
        false => 1,
    };
    let words = record.outcome().words();
    let row = TABLE.iter().find(|(name, _)| name == words);
    let Some(told) = row.and_then(|(_, codes)| codes[column]) else {
        findings.unless(false, || format!("the table has no code for '{words}' in {column}"));
        return;
    };
    let may_lack_answers = ["Not reliable", "Overloaded"].contains(&words) && column < 2;
    let unanswered = |outcome| !is_answered(outcome);
    let lacks = seen.log.stopped > 0 || seen.steady().any(|entry| unanswered(entry.outcome));
    let or_incomplete = code == INCOMPLETE && may_lack_answers && lacks;
    findings.unless(code == told || or_incomplete, || format!("{words}: {code}, told {told}"));
    let worked = |outcome: Option<Outcome>| matches!(outcome, Some(Outcome::Ok(_)));
    let in_vain = record.counts.planned > 0 && !seen.steady().any(|entry| worked(entry.outcome));
    findings.equal("whether nothing worked", words == "Nothing worked", in_vain);
}
