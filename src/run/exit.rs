//! How the program ends for a run: one decision for every command.
//!
//! A signal first, then what was asked of the run, then what became of it. An objective that answers which never came,
//! or the generator's own part, could have changed is undecided, which is neither good nor missed; and a target that
//! was away never passes for one that was there.

use brunt_record::{Record, SloOutcome, Status};

use crate::cli::exit::Exit;
use crate::measured::nothing_worked;
use crate::signals::Signal;

/// What a command's users take its exit codes for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// A run that is not whole is not good.
    Ours,
    /// As the tool of that name always had it, unless objectives were given: `lost` is whether exchanges lost their
    /// connection or found none, which ends the old rate tools with 5.
    Old {
        /// Whether exchanges lost their connection or found none.
        lost: bool,
    },
}

/// How the program ends.
pub(crate) fn exit(record: &Record, signal: Option<Signal>, manner: Manner) -> Exit {
    match signal {
        Some(Signal::Interrupt) => return Exit::Interrupted,
        Some(Signal::Terminate) => return Exit::Terminated,
        None => {}
    }
    if let Some(exit) = objectives(record) {
        return exit;
    }
    let partial = match manner {
        Manner::Old { lost } if record.slo.is_empty() => lost,
        Manner::Ours | Manner::Old { .. } => is_partial(record),
    };
    match () {
        () if nothing_worked(&record.conservation.counts) => Exit::Failed,
        () if partial => Exit::Partial,
        () => Exit::Ok,
    }
}

/// What the objectives make of a run, if one of them was not met.
pub(crate) fn objectives(record: &Record) -> Option<Exit> {
    let any = |outcome| record.slo.iter().any(|slo| slo.outcome == outcome);
    if any(SloOutcome::Missed) {
        return Some(Exit::Missed);
    }
    any(SloOutcome::Undecided).then_some(Exit::Undecided)
}

/// Whether something is missing from the run, whatever else speaks against it.
pub(crate) fn is_partial(record: &Record) -> bool {
    record.verdict.reasons.iter().any(|reason| reason.status == Status::Partial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_record::{Reason, SloResult};

    fn record(outcomes: &[SloOutcome], partial: bool, ok: u64) -> Record {
        let text = include_str!("../http/testdata/empty.record.json");
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
                exit(&record, None, Manner::Old { lost: false }),
                old,
                "{outcomes:?} {partial} {ok}"
            );
        }
        let lost = record(&[], true, 10);
        assert_eq!(exit(&lost, None, Manner::Old { lost: true }), Exit::Partial);
        assert_eq!(exit(&lost, Some(Signal::Interrupt), Manner::Ours), Exit::Interrupted);
        assert_eq!(exit(&lost, Some(Signal::Terminate), Manner::Ours), Exit::Terminated);
    }
}
