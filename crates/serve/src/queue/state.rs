//! The progress of a run: [`State`], and [`Status`], which is shown and is stored in the run's directory.

use brunt_history::RunId;
use brunt_record::{Head, Histogram, Mode, Phase, Totals};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::process::ProcessId;

/// The state of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "RunState")]
pub enum State {
    /// It waits for the runs before it.
    #[default]
    Queued,
    /// Its process reads the plan and connects.
    Preparing,
    /// Exchanges that are not counted, or whose rate is still rising.
    WarmUp,
    /// The phase that is measured.
    Steady,
    /// Steps of a search for the highest rate, one after the other.
    Searching,
    /// No more exchanges are due; those in flight complete.
    Draining,
    /// It has ended as planned, and has a record.
    Done,
    /// It ended without doing what was requested: the reason says why.
    Failed,
    /// A user or the server stopped it. If it had begun, there is a record of what was measured until then.
    Stopped,
    /// Its process was killed or crashed. There is a record of what it had written until then, if any.
    Lost,
}

impl State {
    /// Whether the run has ended.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Stopped | Self::Lost)
    }

    /// Whether it has a process.
    pub const fn is_active(self) -> bool {
        !self.is_over() && !matches!(self, Self::Queued)
    }

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Preparing => "preparing",
            Self::WarmUp => "warm-up",
            Self::Steady => "steady",
            Self::Searching => "searching",
            Self::Draining => "draining",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Lost => "lost",
        }
    }
}

/// The progress of a run according to its events.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Reached {
    /// The state; `Preparing` until the first interval.
    pub(super) state: Option<State>,
    /// How many seconds of it were measured.
    pub(super) seconds: f64,
    /// What was measured in them, once the steady phase has begun.
    pub(super) figures: Option<Figures>,
}

/// The figures of the steady phase of a run in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// How many exchanges ended by themselves in a second.
    pub achieved: f64,
    /// How many a schedule offered in a second.
    pub offered: Option<f64>,
    /// The 99th percentile of response times, in milliseconds.
    pub p99_ms: Option<f64>,
    /// Exchanges that did not succeed.
    pub missed: u64,
    /// Exchanges that were due.
    pub due: u64,
}

impl Figures {
    /// The figures of what was measured so far.
    pub(super) fn so_far(head: &Head, totals: &Totals) -> Option<Self> {
        let steady = totals.phase(Phase::Steady)?;
        let (counts, seconds) = (steady.counts(), steady.lasted().as_secs_f64());
        let a_second = |count: u64| count as f64 / seconds.max(1e-3);
        let mut response = Histogram::new();
        for operation in &steady.operations {
            response.merge(&operation.response.due());
        }
        Some(Self {
            achieved: a_second(counts.completed()),
            offered: (head.plan.mode == Mode::Open).then(|| a_second(counts.due())),
            p99_ms: response.quantile(0.99).map(|took| took.as_secs_f64() * 1e3),
            missed: counts.missed(),
            due: counts.due(),
        })
    }
}

/// A run that was submitted: `state.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Its id.
    pub id: RunId,
    /// Its state.
    pub state: State,
    /// The reason, where the state does not explain itself: what it waits for, why it failed.
    #[serde(default)]
    pub reason: String,
    /// The place in the order in which runs were submitted.
    pub number: u64,
    /// Its name when it was submitted.
    #[serde(default)]
    pub name: String,
    /// The user who submitted it.
    #[serde(default)]
    pub by: String,
    /// The plan that it is made from, with its revision.
    #[serde(default)]
    pub plan: Option<String>,
    /// The name of its target.
    #[serde(default)]
    pub target: Option<String>,
    /// How many seconds it is expected to last, if that is known.
    #[serde(default)]
    pub planned_s: Option<f64>,
    /// Waiting runs with a lower value begin first, before the order in which they were submitted.
    #[serde(default)]
    pub turn: i64,
    /// When it was submitted, in RFC 3339.
    pub submitted: String,
    /// When its process was started.
    #[serde(default)]
    pub started: Option<String>,
    /// When its process had ended.
    #[serde(default)]
    pub ended: Option<String>,
    /// The request to stop it, if there was one.
    #[serde(default)]
    pub stop: Option<StopRequest>,
    /// The exit code that the same run has on a command line.
    #[serde(default)]
    pub exit: Option<u8>,
    /// How many seconds of it were measured.
    #[serde(default)]
    pub reached_s: f64,
    /// What was measured in them.
    #[serde(default)]
    pub figures: Option<Figures>,
    /// Its process, by which a restarted server finds it.
    #[serde(default)]
    pub process: Option<ProcessId>,
}

/// A request to stop a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopRequest {
    /// The user who requested it; empty if the server did.
    pub by: String,
    /// Whether to stop at once: exchanges in flight are cut off.
    pub now: bool,
    /// The reason, if the server requested it.
    #[serde(default)]
    pub why: String,
}

impl Status {
    /// A run that was just submitted.
    pub(super) fn submitted(id: RunId, number: u64, at: String) -> Self {
        Self {
            id,
            state: State::Queued,
            reason: String::new(),
            number,
            name: String::new(),
            by: String::new(),
            plan: None,
            target: None,
            planned_s: None,
            turn: 0,
            submitted: at,
            started: None,
            ended: None,
            stop: None,
            exit: None,
            reached_s: 0.0,
            figures: None,
            process: None,
        }
    }
}
