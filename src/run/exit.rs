//! How the program ends for a run: one decision for every command.
//!
//! A signal or a condition that ended it first, then what was asked of the run, then what became of it. An objective
//! that answers which never came, or the generator's own part, could have changed is undecided, which is neither good
//! nor missed; and a target that was away never passes for one that was there.

use brunt_record::{Counts, Record, SloOutcome, Status};

use super::signals::Signal;
use crate::cli::exit::Exit;

/// What a command's users take its exit codes for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// A run that is not whole is not good.
    Ours,
    /// Lookups of names: those of names that exist have to be resolved. A name service whose directory hangs answers
    /// that there is no such name.
    Lookup {
        /// Whether a name that exists was not resolved.
        unresolved: bool,
    },
    /// As the LDAP rate tools have it, unless objectives were given: they end with 5 for a lost connection.
    Rates {
        /// Whether exchanges lost their connection or found none.
        lost: bool,
    },
    /// As perfdhcp documents it: 3 if any exchange did not do what it should. The first ^C is how a run without an end
    /// is ended, and no failure.
    Perfdhcp {
        /// Whether what was in flight was cut off.
        aborted: bool,
        /// Whether an exchange failed, or fell due and was never sent.
        incomplete: bool,
    },
}

/// What ended a run before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Early {
    /// A signal.
    Signal(Signal),
    /// A condition of `--abort-on`.
    Aborted,
}

/// How the program ends.
pub(crate) fn exit(record: &Record, early: Option<Early>, manner: Manner) -> Exit {
    if let Some(exit) = cut_short(early, manner).or_else(|| judged(record)) {
        return exit;
    }
    let old = record.slo.is_empty();
    let partial = match manner {
        Manner::Rates { lost } if old => lost,
        Manner::Perfdhcp { .. } if old => false,
        Manner::Lookup { unresolved } => unresolved || is_partial(record),
        Manner::Ours | Manner::Rates { .. } | Manner::Perfdhcp { .. } => is_partial(record),
    };
    match manner {
        Manner::Perfdhcp { incomplete, .. } if !partial => {
            if incomplete {
                Exit::SomeFailed
            } else {
                Exit::Ok
            }
        }
        Manner::Perfdhcp { .. } => Exit::Partial,
        _ if nothing_worked(&record.conservation.counts) => Exit::Failed,
        _ if partial => Exit::Partial,
        _ => Exit::Ok,
    }
}

/// What an early end makes of a run.
fn cut_short(early: Option<Early>, manner: Manner) -> Option<Exit> {
    match (early?, manner) {
        (Early::Signal(Signal::Interrupt), Manner::Perfdhcp { aborted: false, .. }) => None,
        (Early::Signal(signal), _) => Some(signal.exit()),
        (Early::Aborted, _) => Some(Exit::Aborted),
    }
}

/// Whether exchanges were asked for and not one of them did what it should.
fn nothing_worked(counts: &Counts) -> bool {
    counts.planned > 0 && counts.ok == 0
}

/// What the objectives make of a run, if one of them was not met.
pub(crate) fn judged(record: &Record) -> Option<Exit> {
    let any = |outcome| record.slo.iter().any(|slo| slo.outcome == outcome);
    if any(SloOutcome::Missed) {
        return Some(Exit::Missed);
    }
    any(SloOutcome::Undecided).then_some(Exit::Undecided)
}

/// Whether something is missing from the run, whatever else speaks against it.
fn is_partial(record: &Record) -> bool {
    record.verdict.reasons.iter().any(|reason| reason.status == Status::Partial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_record::{Reason, SloResult};

    fn record(outcomes: &[SloOutcome], partial: bool, ok: u64) -> Record {
        let text = include_str!("../tools/flow/http/testdata/empty.record.json");
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
        record.conservation.counts.planned = 10;
        record.conservation.counts.ok = ok;
        let reason = Reason { status: Status::Partial, text: "the target was away".to_owned() };
        record.verdict.reasons = if partial { vec![reason] } else { Vec::new() };
        record
    }

    #[test]
    fn the_worst_of_what_was_asked_decides() {
        use SloOutcome::{Met, Missed, Undecided};
        for (outcomes, partial, ok, ours, old) in [
            (&[][..], false, 10, Exit::Ok, Exit::Ok),
            (&[Met], false, 10, Exit::Ok, Exit::Ok),
            (&[Met, Undecided], false, 10, Exit::Undecided, Exit::Undecided),
            (&[Undecided, Missed], true, 10, Exit::Missed, Exit::Missed),
            // A target that was away, with objectives that were met all the same, and without any.
            (&[Met], true, 10, Exit::Partial, Exit::Partial),
            (&[], true, 10, Exit::Partial, Exit::Ok),
            (&[], true, 0, Exit::Failed, Exit::Failed),
        ] {
            let record = record(outcomes, partial, ok);
            assert_eq!(exit(&record, None, Manner::Ours), ours, "{outcomes:?} {partial} {ok}");
            assert_eq!(
                exit(&record, None, Manner::Rates { lost: false }),
                old,
                "{outcomes:?} {partial} {ok}"
            );
        }
        let lost = record(&[], true, 10);
        assert_eq!(exit(&lost, None, Manner::Rates { lost: true }), Exit::Partial);
        let by = |signal: Signal| exit(&lost, Some(Early::Signal(signal)), Manner::Ours);
        assert_eq!(by(Signal::Interrupt), Exit::Interrupted);
        assert_eq!(by(Signal::Terminate), Exit::Terminated);
        let missed = record(&[SloOutcome::Missed], true, 10);
        for manner in [Manner::Ours, Manner::Rates { lost: true }] {
            assert_eq!(exit(&missed, Some(Early::Aborted), manner), Exit::Aborted);
        }
    }

    #[test]
    fn lookups_of_names_that_exist_have_to_find_them() {
        let record = record(&[], false, 10);
        let of = |unresolved| exit(&record, None, Manner::Lookup { unresolved });
        assert_eq!((of(false), of(true)), (Exit::Ok, Exit::Partial));
    }

    #[test]
    fn perfdhcp_ends_as_it_documents() {
        let of = |record: &Record, signal: Option<Signal>, aborted, incomplete| {
            exit(record, signal.map(Early::Signal), Manner::Perfdhcp { aborted, incomplete })
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
