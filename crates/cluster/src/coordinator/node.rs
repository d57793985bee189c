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
    /// When its last message arrived.
    pub(super) last_seen: Duration,
    /// The longest time before a report: since the one before it, or since the order.
    pub(super) silence: Duration,
    /// The agent's clock in the latest report.
    pub(super) sent_ns: u64,
    /// How much of its stream has arrived.
    pub(super) arrived: u64,
    /// The length of the stream, as far as is known.
    pub(super) total: u64,
    /// When its last message before it was lost arrived, if it is lost.
    pub(super) lost: Option<Duration>,
    /// Whether its whole stream has arrived.
    pub(super) done: bool,
    /// How much of its stream had arrived when the run began.
    pub(super) before: u64,
    /// Whether it confirmed when to begin and was given up because it never did.
    pub(super) given_up: bool,
    /// When the end of its run was known and its whole stream had arrived.
    pub(super) ended: Option<Duration>,
    /// How many pieces arrived again.
    pub(super) doubled: u64,
    /// Messages from other agents that used its name.
    pub(super) twins: u64,
    /// The total time without messages, over all periods in which it was lost and came back.
    pub(super) silent_for: Duration,
    /// How far the agent's wall clock is ahead, in milliseconds.
    pub(super) wall_ms: i64,
    /// Its clocks since it received the order to begin.
    pub(super) clocks: Option<Clocks>,
}

/// What is known of an agent once a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSummary {
    /// Its label.
    pub name: String,
    /// Its machine.
    pub host: String,
    /// When its last message arrived, if it was lost and did not come back.
    pub lost: Option<Duration>,
    /// When it had reported the end of its run and its whole stream had arrived.
    pub ended: Option<Duration>,
    /// How many pieces of its stream arrived again.
    pub doubled: u64,
    /// Messages from other agents that used its name.
    pub twins: u64,
    /// The total time without messages, over all periods in which it was lost and came back.
    pub silent_for: Duration,
    /// How far its wall clock is ahead of the coordinator's, in milliseconds.
    pub wall_ms: i64,
    /// Its clocks since it received the order to begin.
    pub clocks: Option<Clocks>,
}

impl Node {
    pub(super) fn new(name: Name, nonce: String, host: String, now: Duration) -> Self {
        Self {
            name,
            nonce,
            host,
            stage: Stage::Preparing,
            last_seen: now,
            silence: Duration::ZERO,
            sent_ns: 0,
            arrived: 0,
            total: 0,
            lost: None,
            done: false,
            before: 0,
            given_up: false,
            ended: None,
            doubled: 0,
            twins: 0,
            silent_for: Duration::ZERO,
            wall_ms: 0,
            clocks: None,
        }
    }

    /// Takes the contents of a report, except its piece. A report that was overtaken by a later one adds nothing.
    pub(super) fn on_message(&mut self, report: &Report, now: Duration, wall_ms: i64) {
        self.silence = self.silence.max(now.saturating_sub(self.last_seen));
        self.last_seen = now;
        if report.sent_ns > self.sent_ns && !self.stage.is_over() {
            self.stage = report.stage.clone();
        }
        if report.sent_ns > self.sent_ns {
            self.wall_ms = report.wall_ms.saturating_sub(wall_ms);
            match &mut self.clocks {
                Some(clocks) => clocks.on_message(report),
                None if report.stage == Stage::Running => self.clocks = Clocks::new(report),
                None => {}
            }
        }
        self.sent_ns = self.sent_ns.max(report.sent_ns);
        self.total = self.total.max(report.total);
    }

    /// Its label in texts for people: its name, and its host where that differs from the name.
    pub(super) fn label(&self) -> String {
        if self.host.is_empty() || self.host == self.name.as_str() {
            return self.name.to_string();
        }
        format!("{} on {}", self.name, self.host)
    }

    pub(super) fn summary(&self) -> AgentSummary {
        AgentSummary {
            name: self.name.to_string(),
            host: self.host.clone(),
            lost: self.lost,
            ended: self.ended,
            doubled: self.doubled,
            twins: self.twins,
            silent_for: self.silent_for,
            wall_ms: self.wall_ms,
            clocks: self.clocks,
        }
    }
}
