//! What a coordinator knows of one agent that takes part: [`Node`].

use super::clocks::Clocks;
use crate::message::{Name, Report, Stage};
use std::time::Duration;

/// One agent of a run, as its coordinator sees it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) name: Name,
    pub(super) nonce: String,
    pub(super) host: String,
    pub(super) stage: Stage,
    /// When it was heard last.
    pub(super) heard: Duration,
    /// The clock of the agent in the last report that came.
    pub(super) sent_ns: u64,
    /// How much of its stream has arrived.
    pub(super) arrived: u64,
    /// How long the stream is, as far as is known.
    pub(super) total: u64,
    /// Since when it is lost, if it is.
    pub(super) lost: Option<Duration>,
    /// All it told has arrived.
    pub(super) done: bool,
    /// When it said that its run was over.
    pub(super) ended: Option<Duration>,
    /// Pieces that came again.
    pub(super) doubled: u64,
    /// Other agents that called themselves by its name.
    pub(super) twins: u64,
    /// How long nothing was heard of it, of all times that it was lost and came back.
    pub(super) unheard: Duration,
    /// What the agent's wall clock differs by, in milliseconds.
    pub(super) wall_ms: i64,
    /// Its clocks since it was told to begin.
    pub(super) clocks: Option<Clocks>,
}

/// What is known of an agent once a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it is called.
    pub name: String,
    /// Its machine.
    pub host: String,
    /// When it was heard last, if it was lost and did not come back.
    pub lost: Option<Duration>,
    /// When it said that its run was over, and all it told had arrived.
    pub ended: Option<Duration>,
    /// Pieces of its stream that came again.
    pub doubled: u64,
    /// Other agents that called themselves by its name.
    pub twins: u64,
    /// For how long nothing was heard of it while it was lost for a while.
    pub unheard: Duration,
    /// What its wall clock differs by from the coordinator's, in milliseconds.
    pub wall_ms: i64,
    /// Its clocks since it was told to begin.
    pub clocks: Option<Clocks>,
}

impl Node {
    pub(super) fn new(name: Name, nonce: String, host: String, now: Duration) -> Self {
        Self {
            name,
            nonce,
            host,
            stage: Stage::Preparing,
            heard: now,
            sent_ns: 0,
            arrived: 0,
            total: 0,
            lost: None,
            done: false,
            ended: None,
            doubled: 0,
            twins: 0,
            unheard: Duration::ZERO,
            wall_ms: 0,
            clocks: None,
        }
    }

    /// Takes what a report says beside its piece. A report that others have overtaken says nothing new.
    pub(super) fn hear(&mut self, report: &Report, now: Duration, wall_ms: i64) {
        self.heard = now;
        if report.sent_ns > self.sent_ns && !self.stage.is_over() {
            self.stage = report.stage.clone();
        }
        if report.sent_ns > self.sent_ns {
            self.wall_ms = report.wall_ms.saturating_sub(wall_ms);
            match &mut self.clocks {
                Some(clocks) => clocks.hear(report),
                None if report.stage == Stage::Running => self.clocks = Clocks::of(report),
                None => {}
            }
        }
        self.sent_ns = self.sent_ns.max(report.sent_ns);
        self.total = self.total.max(report.total);
    }

    /// How it is called in what people read: its name, and its machine where that is not its name.
    pub(super) fn label(&self) -> String {
        if self.host.is_empty() || self.host == self.name.as_str() {
            return self.name.to_string();
        }
        format!("{} on {}", self.name, self.host)
    }

    pub(super) fn standing(&self) -> Standing {
        Standing {
            name: self.name.to_string(),
            host: self.host.clone(),
            lost: self.lost,
            ended: self.ended,
            doubled: self.doubled,
            twins: self.twins,
            unheard: self.unheard,
            wall_ms: self.wall_ms,
            clocks: self.clocks,
        }
    }
}
