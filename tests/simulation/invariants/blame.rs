//! The machine is blamed only for what it did.

use brunt_engine::virtual_time::PauseCause;
use brunt_record::{Cause, Record, Status};

use super::{Findings, Seen};
use crate::script::MachineScript;

/// Whether a machine did what a verdict names as the cause; nothing for a cause that no machine here can be.
fn did(machine: &MachineScript, cause: &Cause) -> Option<bool> {
    let paused = |by| machine.pauses.iter().any(|pause| pause.cause == by);
    Some(match cause {
        Cause::Paused { .. } => !machine.pauses.is_empty(),
        Cause::CpuQuota { .. } => paused(PauseCause::Throttled),
        Cause::Steal { .. } => paused(PauseCause::Stolen),
        Cause::NotScheduled { .. } => paused(PauseCause::Occupied),
        Cause::BusyWorker { .. } => !machine.cost.is_zero(),
        _ => return None,
    })
}

pub(super) fn check(seen: &Seen<'_>, findings: &mut Findings) {
    examine(&seen.share.record, &seen.script.machine, findings);
}

/// Checks the verdict of a record.
pub(super) fn examine(record: &Record, machine: &MachineScript, findings: &mut Findings) {
    let reasons = record.verdict.reasons.iter();
    for reason in reasons.filter(|reason| reason.status == Status::GeneratorLimited) {
        let text = &reason.text;
        findings.unless(!machine.is_quiet(), || format!("a quiet machine is blamed: {text}"));
        let did = reason.cause.as_ref().and_then(|cause| did(machine, cause));
        findings.unless(did.is_some(), || format!("it is blamed for nothing: {text}"));
        findings.unless(did != Some(false), || format!("the machine did not do that: {text}"));
    }
    let limited = record.verdict.status == Status::GeneratorLimited;
    let reasoned = record.verdict.reasons.iter().any(|it| it.status == Status::GeneratorLimited);
    findings.equal("whether the machine is blamed", limited, reasoned);
}
