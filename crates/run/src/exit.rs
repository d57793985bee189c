//! The exit code of the program after a run: one decision for every command.
//!
//! A signal or a condition that ended the run comes first, then its objectives, then its outcome. An objective is
//! undecided if missing answers, or the generator's own share, could have changed its result; undecided is neither met
//! nor missed. A target that was unavailable is never treated as available.

use brunt_record::{Record, RunOutcome, SloOutcome, Status};

use super::signals::Signal;
use crate::options::exit::Exit;

/// What the users of a command expect of its exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitPolicy {
    /// An incomplete run is not a success.
    Ours,
    /// Lookups of names: every name that exists must be resolved. A name service whose directory hangs answers that
    /// there is no such name.
    Lookup {
        /// Whether a name that exists was not resolved.
        unresolved: bool,
    },
    /// As documented for perfdhcp: 3 if any exchange did not succeed. The first ^C is the normal end of a run without
    /// an end of its own, and not a failure.
    Perfdhcp {
        /// Whether exchanges in flight were cut off.
        aborted: bool,
        /// Whether an exchange failed, or became due and was never sent.
        incomplete: bool,
    },
}

/// What ended a run early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// A signal.
    Signal(Signal),
    /// A condition of `--abort-on`.
    Aborted,
}

/// The exit code of the program.
pub fn exit(record: &Record, early: Option<Early>, policy: ExitPolicy) -> Exit {
    if let Some(exit) = cut_short(early, policy).or_else(|| judged(record)) {
        return exit;
    }
    let partial = match policy {
        ExitPolicy::Perfdhcp { .. } if record.slo.is_empty() => false,
        ExitPolicy::Lookup { unresolved } => unresolved || is_partial(record),
        ExitPolicy::Ours | ExitPolicy::Perfdhcp { .. } => is_partial(record),
    };
    match policy {
        ExitPolicy::Perfdhcp { incomplete, .. } if !partial => {
            if incomplete {
                Exit::SomeFailed
            } else {
                Exit::Ok
            }
        }
        ExitPolicy::Perfdhcp { .. } => Exit::Partial,
        _ if record.outcome() == RunOutcome::NothingWorked => Exit::Failed,
        _ if partial => Exit::Partial,
        _ => Exit::Ok,
    }
}

/// The exit code for an early end.
fn cut_short(early: Option<Early>, policy: ExitPolicy) -> Option<Exit> {
    match (early?, policy) {
        (Early::Signal(Signal::Interrupt), ExitPolicy::Perfdhcp { aborted: false, .. }) => None,
        (Early::Signal(signal), _) => Some(signal.exit()),
        (Early::Aborted, _) => Some(Exit::Aborted),
    }
}

/// The exit code for the objectives of a run, if one of them was not met.
pub fn judged(record: &Record) -> Option<Exit> {
    let any = |outcome| record.slo.iter().any(|slo| slo.outcome == outcome);
    if any(SloOutcome::Missed) {
        return Some(Exit::Missed);
    }
    any(SloOutcome::Undecided).then_some(Exit::Undecided)
}

/// Whether something is missing from the run, whatever other reasons there are against it.
fn is_partial(record: &Record) -> bool {
    record.outcome() == RunOutcome::Incomplete
        || record.verdict.reasons.iter().any(|reason| reason.status == Status::Partial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_record::{Counts, Reason, SloResult};

    fn record(outcomes: &[SloOutcome], partial: bool, ok: u64) -> Record {
        let text = include_str!("../../../protocols/flow/tool/src/http/testdata/empty.record.json");
        let mut record: Record = serde_json::from_str(text).unwrap();
        let result = |outcome: &SloOutcome| SloResult {
            expr: "p99<1ms".to_owned(),
            value: None,
            at_least: false,
            unit: "ms".to_owned(),
            outcome: *outcome,
            why: None,
        };
        record.slo = outcomes.iter().map(result).collect();
        let failed = 10 - ok;
        record.counts = Counts { planned: 10, sent: 10, ok, failed, ..Counts::default() };
        let reason = Reason::from_text(Status::Partial, "the target stopped responding");
        record.verdict.reasons = if partial { vec![reason] } else { Vec::new() };
        record
    }

    #[test]
    fn exit_code_is_the_worst_of_the_outcomes() {
        use SloOutcome::{Met, Missed, Undecided};
        for (outcomes, partial, ok, expected) in [
            (&[][..], false, 10, Exit::Ok),
            (&[Met], false, 10, Exit::Ok),
            (&[Met, Undecided], false, 10, Exit::Undecided),
            (&[Undecided, Missed], true, 10, Exit::Missed),
            // A target that was unavailable, with objectives that were met nevertheless, and without any.
            (&[Met], true, 10, Exit::Partial),
            (&[], true, 10, Exit::Partial),
            (&[], true, 0, Exit::Failed),
        ] {
            let record = record(outcomes, partial, ok);
            assert_eq!(
                exit(&record, None, ExitPolicy::Ours),
                expected,
                "{outcomes:?} {partial} {ok}"
            );
        }
        let lost = record(&[], true, 10);
        let by = |signal: Signal| exit(&lost, Some(Early::Signal(signal)), ExitPolicy::Ours);
        assert_eq!(by(Signal::Interrupt), Exit::Interrupted);
        assert_eq!(by(Signal::Terminate), Exit::Terminated);
        let missed = record(&[SloOutcome::Missed], true, 10);
        assert_eq!(exit(&missed, Some(Early::Aborted), ExitPolicy::Ours), Exit::Aborted);
    }

    /// Changes a record so that its run has this outcome, with the objectives of a column.
    fn with(outcome: RunOutcome, slo: &[SloOutcome]) -> Record {
        let mut record = record(slo, false, 10);
        record.verdict.cut_short = outcome == RunOutcome::Incomplete;
        let status = match outcome {
            RunOutcome::NothingWorked => {
                (record.counts.ok, record.counts.failed) = (0, 10);
                Status::Valid
            }
            RunOutcome::Unavailable => {
                record.away.push(brunt_record::Away::default());
                Status::Partial
            }
            RunOutcome::NotReliable => Status::GeneratorLimited,
            RunOutcome::Incomplete => Status::Partial,
            RunOutcome::Overloaded => {
                record.rates.overload = Some(brunt_record::Overload::default());
                Status::Valid
            }
            _ => Status::Valid,
        };
        record.verdict.status = status;
        record.verdict.reasons = vec![Reason::from_text(status, "")];
        record
    }

    /// The page is what users know, so it is compared and not repeated here.
    #[test]
    fn exit_codes_equal_the_docs_page() {
        use SloOutcome::{Met, Missed, Undecided};
        let page = include_str!("../../../docs/exit-codes.md");
        let table = page.split("| outcome | no objective |").nth(1).unwrap();
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        let mut outcomes = Vec::new();
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let outcome = RunOutcome::ALL.into_iter().find(|it| it.words() == cells[0]).unwrap();
            outcomes.push(outcome);
            let columns = [&[][..], &[Met], &[Met, Undecided], &[Undecided, Missed]];
            for (cell, slo) in cells[1..].iter().zip(columns) {
                let record = with(outcome, slo);
                let documented = cell.parse::<u8>().ok();
                assert_eq!(documented.is_some(), record.outcome() == outcome, "{row} {slo:?}");
                let Some(code) = documented else { continue };
                let ours = [ExitPolicy::Ours, ExitPolicy::Lookup { unresolved: false }];
                // perfdhcp has a code of its own for exchanges that did not complete.
                let perfdhcp = ExitPolicy::Perfdhcp { aborted: false, incomplete: false };
                let perfdhcp = Some(perfdhcp).filter(|_| !slo.is_empty() && code != 1);
                for policy in ours.into_iter().chain(perfdhcp) {
                    assert_eq!(exit(&record, None, policy).code(), code, "{row} {policy:?}");
                }
                for early in [Early::Aborted, Early::Signal(Signal::Terminate)] {
                    let code = exit(&record, Some(early), ExitPolicy::Ours).code();
                    assert_eq!(code, if early == Early::Aborted { 10 } else { 143 });
                }
            }
        }
        assert_eq!(outcomes, RunOutcome::ALL);
    }

    #[test]
    fn exit_code_ignores_successes_of_the_warm_up() {
        let mut record = record(&[], true, 0);
        record.conservation.counts = Counts { planned: 30, sent: 30, ok: 20, ..record.counts };
        assert_eq!(record.outcome(), RunOutcome::NothingWorked);
        assert_eq!(exit(&record, None, ExitPolicy::Ours), Exit::Failed);
    }

    #[test]
    fn exit_code_of_lookups_requires_resolved_names() {
        let record = record(&[], false, 10);
        let of = |unresolved| exit(&record, None, ExitPolicy::Lookup { unresolved });
        assert_eq!((of(false), of(true)), (Exit::Ok, Exit::Partial));
    }

    #[test]
    fn exit_codes_of_perfdhcp_equal_its_documentation() {
        let of = |record: &Record, signal: Option<Signal>, aborted, incomplete| {
            exit(record, signal.map(Early::Signal), ExitPolicy::Perfdhcp { aborted, incomplete })
        };
        let (none, all) = (record(&[], true, 0), record(&[], false, 10));
        assert_eq!(of(&all, None, false, false), Exit::Ok);
        assert_eq!(of(&none, None, false, true), Exit::SomeFailed);
        let (interrupt, terminate) = (Some(Signal::Interrupt), Some(Signal::Terminate));
        assert_eq!(of(&all, interrupt, false, false), Exit::Ok);
        assert_eq!(of(&all, interrupt, true, false), Exit::Interrupted);
        assert_eq!(of(&all, terminate, false, false), Exit::Terminated);
        let met = record(&[SloOutcome::Met], true, 10);
        assert_eq!(of(&met, None, false, true), Exit::Partial);
        let missed = record(&[SloOutcome::Missed], true, 10);
        assert_eq!(of(&missed, None, false, true), Exit::Missed);
    }
}
