//! How far a run is: [`State`], and [`Status`], which is shown of it and kept in its directory.

use serde::{Deserialize, Serialize};

use super::process::ProcessId;
use crate::history::RunId;

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It waits for those before it.
    #[default]
    Queued,
    /// Its process reads the plan and connects.
    Preparing,
    /// Exchanges that are not counted, or at a rate on its way.
    WarmUp,
    /// The phase that is measured.
    Steady,
    /// Steps of a search for the highest rate, one after the other.
    Searching,
    /// Nothing more is due; what is in flight comes home.
    Draining,
    /// It came to its end, and has a record.
    Done,
    /// It ended without doing what was asked: the reason says why.
    Failed,
    /// Somebody stopped it. If it had begun there is a record of what was measured by then.
    Stopped,
    /// Its process was killed or crashed. There is a record of what it had written by then, if it had.
    Lost,
}

impl State {
    /// Whether nothing more happens.
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

/// A run that was submitted: `state.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Which.
    pub id: RunId,
    /// How far it is.
    pub state: State,
    /// Why it is, where that does not go without saying: what it waits for, why it failed.
    #[serde(default)]
    pub reason: String,
    /// The place in the order in which runs were submitted.
    pub number: u64,
    /// When it was submitted, in RFC 3339.
    pub submitted: String,
    /// When its process was started.
    #[serde(default)]
    pub started: Option<String>,
    /// When that had ended.
    #[serde(default)]
    pub ended: Option<String>,
    /// Who stopped it, and how.
    #[serde(default)]
    pub stop: Option<StopAsked>,
    /// The exit code of the same run on a command line.
    #[serde(default)]
    pub exit: Option<u8>,
    /// How many seconds of it were measured.
    #[serde(default)]
    pub reached_s: f64,
    /// Its process, by which a server that was started anew finds it.
    #[serde(default)]
    pub process: Option<ProcessId>,
}

/// That a run is to be stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopAsked {
    /// Who wants it; empty where the server does.
    pub by: String,
    /// Whether at once: what is in flight is cut off.
    pub now: bool,
    /// Why, where the server does.
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
            submitted: at,
            started: None,
            ended: None,
            stop: None,
            exit: None,
            reached_s: 0.0,
            process: None,
        }
    }
}
