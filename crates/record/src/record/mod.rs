//! A finished run as one JSON document from which all other results are made: [`Record`].
//!
//! The format has a version and is published as a JSON schema, because people parse the output of a tool whether it is
//! intended for that or not. It contains the histograms themselves, so a report, a comparison or a merge made from the
//! file contains as much information as the run did.

mod build;
mod generator;
mod head;
pub(crate) mod outcome;
mod rates;

pub use build::{Conclusion, Names};
pub use head::{Ending, Head};
pub use rates::{IterationRates, RATES, Rates};

use crate::{
    Away, Counts, Environment, Latency, MonitorRecord, Node, NodeRecord, Noun, Phase, RunOutcome,
    ScenarioRecord, SloResult, Verdict,
};
use brunt_exchange::Meaning;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The version of the format. A change that could break a reader raises the number.
pub const SCHEMA: &str = "brunt-record/2";

/// What a run was asked to do and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// `brunt-record/2`.
    pub schema: String,
    /// The id of the run, 128 random bits. Nodes that were started as one run share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Which part of a run this record covers; absent if it covers the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<Node>,
    /// The nodes whose records this one was merged from; absent if it was not merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeRecord>,
    /// The fingerprint of the requested load: the nodes of a run have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The program that made the record.
    pub tool: Tool,
    /// When the run began, in RFC 3339.
    #[serde(deserialize_with = "time")]
    pub started: String,
    /// The command line, secrets replaced.
    pub command: Vec<String>,
    /// The words of a search for the highest rate of this load, after `brunt find-max`: its own, then `--` and the
    /// command without rates, counts and durations. Absent if a search cannot repeat it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    /// What was requested.
    pub plan: Plan,
    /// The machine the generator ran on.
    pub environment: Environment,
    /// The phases the run went through, with what happened in each.
    pub phases: Vec<PhaseRecord>,
    /// Rates of the steady phase.
    pub rates: Rates,
    /// When exchanges of the steady phase were due and answered, from which the rates of several nodes are made; only
    /// in the record of a node of an open load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<String>,
    /// Counts of what became due in the steady phase, and of the later steps of its iterations while the run drained.
    pub counts: Counts,
    /// Whether every exchange of the whole run is accounted for.
    pub conservation: Conservation,
    /// The operations, measured in the steady phase.
    pub operations: Vec<OperationRecord>,
    /// What consists of several exchanges and is measured as one, such as a group of steps, in the steady phase: from
    /// the beginning of its first exchange to the end of its last. Its exchanges are counted under their own names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<OperationRecord>,
    /// What came of each scenario, where each has a load of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<ScenarioRecord>,
    /// Pieces of work beside the exchanges: connecting, TLS handshakes.
    pub parts: Vec<PartRecord>,
    /// The response time of all that was due, over all operations and with the dropped exchanges: an exchange without
    /// an answer counts with the least it can have taken. Absent where one operation has the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Latency>,
    /// How long dropped exchanges had waited: the least their response times can have been. They belong to no
    /// operation.
    pub dropped_after: Latency,
    /// How many of them were due while the generator stood still.
    #[serde(default)]
    pub dropped_tainted: u64,
    /// When the target answered nothing although exchanges waited for it.
    pub away: Vec<Away>,
    /// What happened to kept-alive connections.
    pub connections: ConnectionRecord,
    /// Sent − due: what the exchanges waited on our side.
    pub lag: Latency,
    /// Sent − the later of due and the session being free: the part of the lag that the generator caused.
    pub lateness: Latency,
    /// The most exchanges that were due and waited for a session.
    pub backlog_peak: u64,
    /// Replies that answered no exchange in flight.
    pub orphans: u64,
    /// What the driver counted beside exchanges, in the steady phase.
    #[serde(default)]
    pub tallies: Vec<TallyRecord>,
    /// The run over time.
    pub series: Vec<StepRecord>,
    /// What the target, or its host, reported while the run was in progress (`--monitor`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monitors: Vec<MonitorRecord>,
    /// How the generator itself performed.
    pub generator: Generator,
    /// The results of the objectives.
    pub slo: Vec<SloResult>,
    /// Whether the figures can be trusted.
    pub verdict: Verdict,
    /// What came of the run, in a word. It follows from the rest; a record of an older version has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RunOutcome>,
    /// The texts of the first few failures.
    pub samples: Vec<SampleRecord>,
}

/// The program that made a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// The name of the program.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// How load is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Exchanges become due by a schedule, whether earlier ones have ended or not.
    Open,
    /// Each virtual user waits for the answer before its next request.
    Closed,
}

impl Mode {
    /// The word that documents use.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// Which latency a run's tables showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Ended − due: what a user waits.
    #[default]
    Response,
    /// Ended − sent: what the target took.
    Service,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_operation(noun: &Noun) -> bool {
    *noun == Noun::default()
}

/// What a run was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// How load is made.
    pub mode: Mode,
    /// The requested exchanges a second; for a node, its share; null for as many as possible.
    pub target_rate: Option<f64>,
    /// The requested iterations a second, where an iteration is several exchanges; for a node, its share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_iterations: Option<f64>,
    /// Whether the load was meant to be the same throughout the steady phase.
    pub constant: bool,
    /// When each stage of the load begins, in seconds since the steady phase begins; empty if it has only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages_s: Vec<f64>,
    /// Sessions: connections times concurrent requests, or virtual users.
    pub sessions: u64,
    /// Every generated value follows from this number.
    pub seed: u64,
    /// The number of its first exchange, where it continued the numbers of runs before it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub first_exchange: u64,
    /// Which latency the tables showed. The record holds both.
    pub latency_basis: Basis,
    /// What was loaded, without secrets.
    pub target: Option<String>,
    /// What an exchange is called on screens; absent where it is an operation.
    #[serde(default, skip_serializing_if = "is_operation")]
    pub noun: Noun,
}

/// Reads a time, which stays as it was written.
fn time<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    let read: Result<jiff::Timestamp, _> = text.parse();
    match read {
        Ok(_) => Ok(text),
        Err(_) => Err(serde::de::Error::custom(format!("{text:?} is no time in RFC 3339"))),
    }
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseRecord {
    /// Which.
    pub name: Phase,
    /// When it began, in seconds since the origin of the run.
    pub from_s: f64,
    /// When it ended.
    pub to_s: f64,
    /// What happened in it.
    pub counts: Counts,
}

/// How often one outcome was met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeRecord {
    /// `ok`, `timed-out`, `cut-off`, `other`, or the class of a failure: `result`, `connect`, …
    pub class: String,
    /// The protocol's or the operating system's own code, where there is one.
    pub code: Option<u32>,
    /// What the code is called.
    pub name: String,
    /// What the code means, where that is more than its class says: `refused-login`, `busy` or `time-limit`. Absent
    /// otherwise, and in the record of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// How often.
    pub count: u64,
}

impl CodeRecord {
    /// Whether the protocol gives the code this meaning.
    pub fn means(&self, meaning: Meaning) -> bool {
        self.meaning.as_deref() == Some(meaning.word())
    }
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationRecord {
    /// What it is called.
    pub name: String,
    /// The innermost span that it is always a part of; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// How many exchanges met which end.
    pub counts: Counts,
    /// Exchanges a second that were answered while the load ran, well or not; null for a span.
    pub achieved: Option<f64>,
    /// Exchanges a second that succeeded while the load ran; for a span how many a second passed as a whole.
    pub goodput: Option<f64>,
    /// How often each outcome was met, the most frequent first.
    pub codes: Vec<CodeRecord>,
    /// Ended − due: what a user waits. An exchange without an answer counts with the least it can have taken.
    pub response: Latency,
    /// The response times of successes; absent if all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<Latency>,
    /// The response times of successes without the generator's own part; absent if that made no difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok_without_own: Option<Latency>,
    /// Ended − sent: what the target took.
    pub service: Latency,
    /// How the exchanges ended that were due while the generator stood still; absent if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tainted: Option<Counts>,
}

/// What happened to kept-alive connections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionRecord {
    /// Connections that were reopened because the target had closed them while they were idle.
    pub reconnected: u64,
    /// Requests sent again because the connection they left on was closed before an answer began.
    pub resent: u64,
    /// Why attempts to make a session ready failed, over the whole run.
    pub unready: Vec<CodeRecord>,
}

/// One kind of work beside the exchanges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartRecord {
    /// What it is called.
    pub name: String,
    /// How long it took.
    pub took: Latency,
}

/// One count of a driver: messages of a stage, replies that arrived too late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TallyRecord {
    /// What is counted.
    pub name: String,
    /// How many there were.
    pub count: u64,
}

/// One step of the run over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// The number of its first interval in the run.
    #[serde(default)]
    pub index: u64,
    /// How many intervals were merged into it.
    #[serde(default)]
    pub intervals: u64,
    /// The phase all of it belongs to.
    pub phase: Phase,
    /// When it began, in seconds since the origin of the run.
    pub from_s: f64,
    /// When it ended.
    pub to_s: f64,
    /// By due: what became due in the step, and how it ended, whenever that was.
    pub due: Counts,
    /// By end: what ended in the step, whenever it had fallen due. Rates over time and latencies are of these.
    pub ended: Counts,
    /// The most exchanges that waited for a session.
    pub backlog_peak: u64,
    /// Exchanges in flight at its end.
    pub in_flight: u64,
    /// Replies that answered no exchange in flight.
    pub orphans: u64,
    /// What the driver counted beside exchanges, in the order of the record's tallies.
    #[serde(default)]
    pub tallies: Vec<u64>,
    /// The share of its core the busiest worker used.
    pub busiest: Option<f64>,
    /// The operations, in the order of the record's.
    pub operations: Vec<StepOperationRecord>,
    /// The spans, in the order of the record's, as far as any has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<StepOperationRecord>,
    /// Sent − due.
    pub lag: Latency,
    /// The part of the lag that the generator caused.
    pub lateness: Latency,
}

/// One operation in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepOperationRecord {
    /// By end: how many exchanges met which end in the step.
    pub counts: Counts,
    /// How often each outcome was met.
    pub codes: Vec<CodeRecord>,
    /// Ended − due.
    pub response: Latency,
    /// Ended − sent.
    pub service: Latency,
}

/// Local ports, where a new connection is opened each time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PortBudget {
    /// The available ports: the local range times the source addresses.
    pub available: u64,
    /// Ports the plan needs within the time a closed one stays reserved.
    pub needed: u64,
}

/// The processor time of one worker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerRecord {
    /// The rank of its node, in a record that was merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// The number of the worker.
    pub worker: u16,
    /// The share of one core it used in the steady phase.
    pub cpu_share: Option<f64>,
    /// The share of the time in which it was ready to run but had no core.
    pub waited_share: Option<f64>,
}

/// What else the machine did while it ran the generator, in the steady phase, as shares from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineRecord {
    /// The cores the generator may use.
    pub cores: u32,
    /// The share of those cores' time that other processes used, the target included if it is on this machine.
    pub others_share: Option<f64>,
    /// The share of those cores' time that the host of a virtual machine kept for itself.
    pub steal_share: Option<f64>,
    /// The share of the time in which a quota of the control group kept the generator from running.
    pub throttled_share: Option<f64>,
    /// The share of the time in which some process waited for a core (pressure stall information).
    pub pressure_share: Option<f64>,
    /// Whether the kernel's counters could not be read, so that nothing of this is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

/// A time in which the generator stood still.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StallRecord {
    /// The rank of the node that stood still, in a record that was merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// When it began, in seconds since the origin of the run.
    pub from_s: f64,
    /// How long it lasted, in seconds.
    pub lasted_s: f64,
}

/// How late this machine woke up a thread that only slept, before the run, in microseconds, as long as nothing else
/// disturbed it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimerRecord {
    /// How many wake-ups were timed.
    pub samples: u64,
    /// How many more were left out, because a quota, other processes, a hypervisor or a pause may have made them late.
    #[serde(default, skip_serializing_if = "crate::health::is_zero")]
    pub disturbed: u64,
    /// The median of their lateness.
    pub p50_us: f64,
    /// The 99th percentile: a smaller difference does not count against the generator.
    pub p99_us: f64,
    /// The greatest.
    pub max_us: f64,
}

/// How the generator itself performed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generator {
    /// The workers.
    pub workers: Vec<WorkerRecord>,
    /// The share of its core the busiest worker used in the steady phase.
    pub cpu_share_max: Option<f64>,
    /// The same in the worst step.
    pub cpu_share_peak: Option<f64>,
    /// The longest share of the time for which a worker had no core to run on.
    pub waited_share_max: Option<f64>,
    /// Whether the target runs in this process, so that the workers' processor time is the target's.
    pub in_process: bool,
    /// What else the machine did.
    pub machine: MachineRecord,
    /// The first few times in which the generator stood still, over the whole run.
    pub stalls: Vec<StallRecord>,
    /// How long it stood still in all, in seconds.
    pub stalled_s: f64,
    /// How late this machine's timer is.
    pub timer: TimerRecord,
    /// Replies the kernel dropped on our own sockets.
    pub socket_drops: u64,
    /// The local ports that are available and those that the plan needs.
    pub ports: Option<PortBudget>,
    /// Exchanges a second this machine reaches against a target that costs nothing.
    pub ceiling: Option<f64>,
    /// The achieved rate as a share of the ceiling.
    pub ceiling_ratio: Option<f64>,
}

/// Whether every exchange is accounted for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conservation {
    /// Counts of the whole run, all phases together.
    pub counts: Counts,
    /// Whether planned = sent + dropped and sent = ok + failed + timed out + cut off.
    pub holds: bool,
    /// What does not add up.
    pub imbalance: Option<String>,
}

/// The text of a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SampleRecord {
    /// The operation.
    pub operation: String,
    /// The class of the failure.
    pub class: String,
    /// The protocol's or the operating system's own code, where there is one.
    pub code: Option<u32>,
    /// When, in seconds since the origin of the run.
    pub at_s: f64,
    /// The text from the session.
    pub text: String,
    /// The address of the target, if no connection to it could be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Why no connection could be made, without what would help; absent in a record of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was sent, for a reader and without secrets, if the session says it. It may have several lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// What was answered: the code, fields that say why, the beginning of the body; without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// Events a second, if any time has passed.
pub fn rate(count: u64, lasted: Duration) -> Option<f64> {
    (!lasted.is_zero()).then(|| count as f64 / lasted.as_secs_f64())
}

#[cfg(test)]
pub(crate) mod samples {
    pub(crate) use super::build::tests::measured;
}
