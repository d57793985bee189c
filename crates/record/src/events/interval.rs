//! A complete [`Interval`] in one line: [`IntervalLine`].
//!
//! Nothing is rounded and nothing is left out, so a reader gets exactly what was measured. Codes
//! have their names in every line, because a reader may see only this one, and only the program
//! that ran knows what a protocol calls its codes.

use super::{Distribution, LineError};
use crate::record::outcome;
use crate::{
    CodeRecord, Codes, Counts, Health, HistogramError, Interval, Names, Operation, Pace, Phase,
    Presence, Responses, Sample, Settled, Sign, Slot,
};
use brunt_exchange::Unreached;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// More than any step counts, and small enough that the sum over a run fits in a number of 64 bits.
pub(super) const NUMBER_MAX: u64 = 1 << 40;
/// A million cores are not plausible either.
const CORES_WORTH: u64 = 1 << 20;

/// What was measured in one step of one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct IntervalLine {
    /// The number of the step in the run, counted from 0. A step in which exchanges of an earlier
    /// phase ended has a line for each phase.
    pub(super) index: u64,
    /// The phase all of it belongs to.
    pub(super) phase: Phase,
    /// When it began, since the origin of the run.
    #[serde(rename = "from_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub(super) from: Duration,
    /// When it ended.
    #[serde(rename = "to_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub(super) to: Duration,
    /// By end: the operations, in the order of the catalogue.
    pub(super) operations: Vec<OperationLine>,
    /// How long each part took, in the order of the catalogue; null where there was none.
    pub(super) parts: Vec<Option<Distribution>>,
    /// By end: the spans, in the order of the catalogue, as far as any ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) spans: Vec<OperationLine>,
    /// Exchanges that became due, dropped ones included.
    pub(super) planned: u64,
    /// By end: exchanges given up, whenever they had fallen due.
    pub(super) dropped: u64,
    /// How long each of those had waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dropped_after: Option<Distribution>,
    /// How many of those were due while the generator stood still.
    pub(super) dropped_tainted: u64,
    /// By due: what became due in this step, and how it had ended by the end of the step.
    pub(super) due: Counts,
    /// By due: how exchanges that had fallen due in earlier steps ended in this one.
    pub(super) settled: Vec<Settled>,
    /// When exchanges were due and answered, in finer steps; absent where that was not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pace: Option<String>,
    /// When the target answered, and when exchanges waited for it, in slots of 100 ms.
    pub(super) presence: Vec<SlotLine>,
    /// Sent − due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lag: Option<Distribution>,
    /// Sent − the later of due and free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lateness: Option<Distribution>,
    /// The most exchanges that were due and waited for a session.
    pub(super) backlog_peak: u64,
    /// Exchanges in flight at the end of the step.
    pub(super) in_flight: u64,
    /// Replies that answered no exchange in flight.
    pub(super) orphans: u64,
    /// Connections that were reopened because the target had closed them while they were idle.
    pub(super) reconnected: u64,
    /// Requests sent again because their connection was closed before an answer began.
    pub(super) resent: u64,
    /// Exchanges that made a request again which was made before; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repeats: Option<u64>,
    /// Why attempts to make a session ready failed.
    pub(super) unready: Vec<CodeRecord>,
    /// What the driver counted beside exchanges, in the order of the catalogue.
    pub(super) tallies: Vec<u64>,
    /// How the generator performed.
    pub(super) health: Health,
    /// Texts of failures.
    pub(super) samples: Vec<SampleLine>,
}

/// One operation in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct OperationLine {
    /// How many exchanges met which end.
    pub(super) counts: Counts,
    /// How often each outcome was met, the most frequent first.
    pub(super) codes: Vec<CodeRecord>,
    /// Ended − due, by how the exchanges ended.
    pub(super) response: ResponseLine,
    /// Ended − sent, of exchanges that ended by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) service: Option<Distribution>,
    /// The least service times of exchanges that timed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) service_timed_out: Option<Distribution>,
    /// The least service times of exchanges that were in flight when the run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) service_cut_off: Option<Distribution>,
    /// How the exchanges ended during which the generator stood still.
    pub(super) tainted: Counts,
}

/// Response times by how the exchanges ended. The first four have no exchange in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ResponseLine {
    /// Of exchanges that succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ok: Option<Distribution>,
    /// Of exchanges that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<Distribution>,
    /// The least it can have been, of exchanges that timed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) timed_out: Option<Distribution>,
    /// The least it can have been, of exchanges in flight when the run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cut_off: Option<Distribution>,
    /// Of exchanges that succeeded, without the generator's own part. Absent where that makes no
    /// difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ok_without_own: Option<Distribution>,
}

/// 100 ms in which something was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SlotLine {
    /// How many slots of the run come before it.
    pub(super) number: u32,
    /// What was seen in it.
    pub(super) signs: Vec<Sign>,
    /// Exchanges that ended in it without an answer and had been sent after the last answer: at
    /// least this many.
    pub(super) lost: u8,
}

/// The text of a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SampleLine {
    /// The number of the operation in the catalogue.
    pub(super) operation: u16,
    /// The class of the failure.
    pub(super) class: String,
    /// The protocol's or the operating system's own code, where there is one.
    pub(super) code: Option<u32>,
    /// When the exchange ended, since the origin of the run.
    #[serde(rename = "at_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub(super) at: Duration,
    /// The text from the session.
    pub(super) text: String,
    /// The address of the target, if no connection to it could be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<String>,
    /// Why no connection could be made, without what would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// What was sent, for a reader and without secrets, if the session says it. It may have several lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sent: Option<String>,
    /// What was answered: the code, fields that say why, the beginning of the body; without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<String>,
}

impl IntervalLine {
    /// The line of an interval, its outcomes with their names.
    pub(super) fn new(interval: &Interval, names: Names<'_>) -> Self {
        let operations = interval.operations.iter().enumerate();
        let spans = (interval.operations.len()..).zip(&interval.spans);
        Self {
            index: interval.index,
            phase: interval.phase,
            from: interval.from,
            to: interval.to,
            operations: operations.map(|(n, of)| OperationLine::new(n, of, names)).collect(),
            parts: interval.parts.iter().map(Distribution::new).collect(),
            spans: spans.map(|(number, of)| OperationLine::new(number, of, names)).collect(),
            planned: interval.planned,
            dropped: interval.dropped,
            dropped_after: Distribution::new(&interval.dropped_after),
            dropped_tainted: interval.dropped_tainted,
            due: interval.due,
            settled: interval.settled.clone(),
            pace: (!interval.pace.is_empty()).then(|| interval.pace.to_text()),
            presence: interval.presence.slots().iter().copied().map(SlotLine::new).collect(),
            lag: Distribution::new(&interval.lag),
            lateness: Distribution::new(&interval.lateness),
            backlog_peak: interval.backlog_peak,
            in_flight: interval.in_flight,
            orphans: interval.orphans,
            reconnected: interval.reconnected,
            resent: interval.resent,
            repeats: (interval.repeats > 0).then_some(interval.repeats),
            unready: outcome::codes(0, &interval.unready, names),
            tallies: interval.tallies.clone(),
            health: interval.health.clone(),
            samples: interval.samples.iter().map(SampleLine::new).collect(),
        }
    }

    /// The interval of the line.
    pub(super) fn interval(&self) -> Result<Interval, LineError> {
        self.plausible()?;
        let mut presence = Presence::default();
        for slot in &self.presence {
            presence.merge_slot(Slot::new(slot.number, &slot.signs, slot.lost));
        }
        let read = |field: &Option<Distribution>| Distribution::read(field.as_ref());
        Ok(Interval {
            index: self.index,
            phase: self.phase,
            from: self.from,
            to: self.to,
            operations: self
                .operations
                .iter()
                .map(OperationLine::operation)
                .collect::<Result<_, _>>()?,
            parts: self.parts.iter().map(read).collect::<Result<_, _>>()?,
            spans: self.spans.iter().map(OperationLine::operation).collect::<Result<_, _>>()?,
            planned: self.planned,
            dropped: self.dropped,
            dropped_after: read(&self.dropped_after)?,
            dropped_tainted: self.dropped_tainted,
            due: self.due,
            settled: self.settled.clone(),
            pace: self.pace.as_deref().map(Pace::from_text).transpose()?.unwrap_or_default(),
            presence,
            lag: read(&self.lag)?,
            lateness: read(&self.lateness)?,
            backlog_peak: self.backlog_peak,
            in_flight: self.in_flight,
            orphans: self.orphans,
            reconnected: self.reconnected,
            resent: self.resent,
            repeats: self.repeats.unwrap_or_default(),
            unready: codes(&self.unready)?,
            tallies: self.tallies.clone(),
            health: self.health.clone(),
            samples: self.samples.iter().map(SampleLine::sample).collect::<Result<_, _>>()?,
        })
    }
}

impl IntervalLine {
    /// Whether the numbers are small enough that those of a whole run can be added.
    fn plausible(&self) -> Result<(), LineError> {
        let settled = self.settled.iter().map(|settled| &settled.counts);
        let measured = || self.operations.iter().chain(&self.spans);
        let operations = measured().flat_map(|of| [&of.counts, &of.tainted]);
        let counts = settled.chain(operations).chain([&self.due]).flat_map(|counts| {
            let &Counts { planned, sent, dropped, skipped, ok, failed, timed_out, cut_off, items } =
                counts;
            [planned, sent, dropped, skipped, ok, failed, timed_out, cut_off, items]
        });
        let met = measured().flat_map(|of| &of.codes).chain(&self.unready);
        let machines = self.health.machines.iter().map(|one| &one.machine);
        let machines = machines.chain([&self.health.machine]);
        let cores = machines.map(|machine| u64::from(machine.cores)).max().unwrap_or_default();
        let runs = self.health.workers.iter().map(|worker| worker.runs);
        let single = [
            self.planned,
            self.dropped,
            self.dropped_tainted,
            self.backlog_peak,
            self.in_flight,
            self.orphans,
            self.reconnected,
            self.resent,
            self.repeats.unwrap_or_default(),
            self.health.socket_drops,
            // Times are multiplied by the number of cores.
            cores * CORES_WORTH,
        ];
        let all = counts.chain(met.map(|code| code.count)).chain(runs).chain(single);
        match all.chain(self.tallies.iter().copied()).find(|number| *number > NUMBER_MAX) {
            Some(number) => Err(LineError::Large(number)),
            None => Ok(()),
        }
    }
}

impl OperationLine {
    fn new(number: usize, operation: &Operation, names: Names<'_>) -> Self {
        Self {
            counts: operation.counts,
            codes: outcome::codes(number, &operation.codes, names),
            response: ResponseLine::new(&operation.response),
            service: Distribution::new(&operation.service),
            service_timed_out: Distribution::new(&operation.service_timed_out),
            service_cut_off: Distribution::new(&operation.service_cut_off),
            tainted: operation.tainted,
        }
    }

    fn operation(&self) -> Result<Operation, LineError> {
        let read = |field: &Option<Distribution>| Distribution::read(field.as_ref());
        Ok(Operation {
            counts: self.counts,
            codes: codes(&self.codes)?,
            response: self.response.responses()?,
            service: read(&self.service)?,
            service_timed_out: read(&self.service_timed_out)?,
            service_cut_off: read(&self.service_cut_off)?,
            tainted: self.tainted,
        })
    }
}

impl ResponseLine {
    fn new(responses: &Responses) -> Self {
        let cleared = Some(responses.cleared()).filter(|cleared| **cleared != responses.ok);
        Self {
            ok: Distribution::new(&responses.ok),
            failed: Distribution::new(&responses.failed),
            timed_out: Distribution::new(&responses.timed_out),
            cut_off: Distribution::new(&responses.cut_off),
            ok_without_own: cleared.and_then(Distribution::new),
        }
    }

    fn responses(&self) -> Result<Responses, LineError> {
        let read = |field: &Option<Distribution>| Distribution::read(field.as_ref());
        let cleared = self.ok_without_own.as_ref().map(Distribution::histogram).transpose()?;
        let ok = read(&self.ok)?;
        if cleared.as_ref().is_some_and(|cleared| cleared.count() != ok.count()) {
            return Err(HistogramError::Exact("own part").into());
        }
        let mut responses = Responses::default().with_cleared(cleared);
        responses.ok = ok;
        responses.failed = read(&self.failed)?;
        responses.timed_out = read(&self.timed_out)?;
        responses.cut_off = read(&self.cut_off)?;
        Ok(responses)
    }
}

impl SlotLine {
    fn new(slot: Slot) -> Self {
        let signs = Sign::ALL.into_iter().filter(|sign| slot.has(*sign)).collect();
        let lost = u8::try_from(slot.lost()).unwrap_or(u8::MAX);
        Self { number: slot.number, signs, lost }
    }
}

impl SampleLine {
    fn new(sample: &Sample) -> Self {
        let (class, code) = outcome::class(sample.outcome);
        Self {
            operation: sample.operation,
            class: class.to_owned(),
            code,
            at: sample.at,
            text: sample.text.clone(),
            address: sample.unreached.as_ref().map(|to| to.address.clone()),
            error: sample.error(),
            sent: sample.sent.clone(),
            answer: sample.answer.clone(),
        }
    }

    fn sample(&self) -> Result<Sample, LineError> {
        let outcome = outcome::outcome(&self.class, self.code);
        let outcome = outcome.ok_or_else(|| LineError::Class(self.class.clone()))?;
        let Self { operation, at, ref text, ref sent, ref answer, .. } = *self;
        let error = self.error.clone().unwrap_or_default();
        let unreached = self.address.clone().map(|address| Unreached { address, error });
        let (text, sent, answer) = (text.clone(), sent.clone(), answer.clone());
        Ok(Sample { operation, outcome, at, text, unreached, sent, answer })
    }
}

fn codes(records: &[CodeRecord]) -> Result<Codes, LineError> {
    outcome::read(records).map_err(|error| LineError::Class(error.0))
}
