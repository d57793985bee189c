//! The machine is blamed only for what it did.

use brunt_engine::virtual_time::PauseCause;
use brunt_record::{Record, Status};

use super::{Findings, Seen};
use crate::script::MachineScript;

/// The words of each cause that a verdict can name, and whether a machine did that.
type Named = (&'static str, fn(&MachineScript) -> bool);

const CAUSES: [Named; 5] = [
    ("brunt was paused", |machine| !machine.pauses.is_empty()),
    ("CPU quota", |machine| machine.pauses.iter().any(|it| it.cause == PauseCause::Throttled)),
    ("(steal)", |machine| machine.pauses.iter().any(|it| it.cause == PauseCause::Stolen)),
    ("runnable but not scheduled", |machine| {
        machine.pauses.iter().any(|it| it.cause == PauseCause::Occupied)
    }),
    ("busiest worker used", |machine| !machine.cost.is_zero()),
];

pub(super) fn check(seen: &Seen<'_>, findings: &mut Findings) {
    examine(&seen.share.record, &seen.script.machine, findings);
}

/// Checks the verdict of a record.
pub(super) fn examine(record: &Record, machine: &MachineScript, findings: &mut Findings) {
    let reasons = record.verdict.reasons.iter();
    for reason in reasons.filter(|reason| reason.status == Status::GeneratorLimited) {
        let text = &reason.text;
        findings.unless(!machine.is_quiet(), || format!("a quiet machine is blamed: {text}"));
        let named: Vec<&Named> = CAUSES.iter().filter(|(words, _)| text.contains(words)).collect();
        findings.unless(!named.is_empty(), || format!("it is blamed for nothing: {text}"));
        for (_, did) in named {
            findings.unless(did(machine), || format!("the machine did not do that: {text}"));
        }
    }
    let limited = record.verdict.status == Status::GeneratorLimited;
    let reasoned = record.verdict.reasons.iter().any(|it| it.status == Status::GeneratorLimited);
    findings.equal("whether the machine is blamed", limited, reasoned);
}
