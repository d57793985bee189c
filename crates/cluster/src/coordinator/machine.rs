//! [`Coordinator`]: a run of several agents, from their gathering to the last byte of their streams.
//!
//! Agents send requests and receive answers; they are sent nothing else. So the coordinator has one instruction for
//! each agent at any time, repeats it in every answer, and need not know which answers arrived. An agent is lost if no
//! message of it arrives while those of other agents do, which distinguishes a lost agent from a broker that is away.
//! While no messages arrive at all, no agent is declared lost.

use super::event::{CoordinatorEvent, OnLoss};
use super::node::{AgentSummary, Node};
use super::weights::Weights;
use crate::agent::LEASE;
use crate::bundle::Manifest;
use crate::message::{Instruction, Join, Name, Order, Piece, Report, Stage, Step, Word, printable};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// The least time between the order to begin and the beginning: enough for all agents to receive and acknowledge it if
/// each message arrives within half a second of its order.
pub const START_AFTER: Duration = Duration::from_secs(2);
/// The longest such time, for agents of which one was silent for long.
const START_AFTER_MOST: Duration = Duration::from_secs(10);
/// The same time in silences: an agent that was silent once for so long may be so again, when the order is sent.
const START_SILENCES: u32 = 4;
/// By this time before the beginning, all agents have acknowledged it.
const START_SURE: Duration = Duration::from_millis(500);
/// An agent is lost if no message of it arrived for this time ...
const LOST_AFTER: Duration = Duration::from_millis(1_400);
/// ... while messages of others arrived for this time after its last one.
const OTHERS_AFTER: Duration = Duration::from_secs(1);
/// An agent whose last request for work is older than this no longer waits.
const FRESH: Duration = Duration::from_secs(3);

/// The requested run of several agents.
#[derive(Clone, Debug)]
pub struct ClusterRun {
    /// The id of the run.
    pub run: String,
    /// The number of the run among those of the same command.
    pub epoch: u32,
    /// How many agents take part.
    pub agents: u32,
    /// How much of the load each agent makes.
    pub weights: Weights,
    /// The seed of everything random.
    pub seed: u64,
    /// The command that makes the load.
    pub argv: Vec<String>,
    /// The files that it reads.
    pub files: Manifest,
    /// The step of a search, if the run is one.
    pub step: Option<Step>,
    /// The version of this program, which every agent must have.
    pub version: String,
    /// What is done when an agent is lost.
    pub on_loss: OnLoss,
    /// How long to wait for agents, and then how long they may take to connect.
    pub patience: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Gathering,
    Preparing { since: Duration },
    Ready,
    Starting { at: Duration },
    Running,
    Over,
}

/// A run of several agents. Times are of the coordinator's monotonic clock, since its origin.
#[derive(Debug)]
pub struct Coordinator {
    requested: ClusterRun,
    since: Duration,
    phase: Phase,
    waiting: BTreeMap<Name, (Join, Duration)>,
    misfits: BTreeMap<Name, String>,
    nodes: Vec<Node>,
    /// Their weights, by rank; empty if all have the same share.
    weights: Vec<u32>,
    start: Option<Duration>,
    ending: Instruction,
    failed: bool,
    /// When the broker went away, if it is away.
    away: Option<Duration>,
    events: VecDeque<CoordinatorEvent>,
}

impl Coordinator {
    /// Begins to gather agents.
    pub fn new(requested: ClusterRun, now: Duration) -> Self {
        Self {
            requested,
            since: now,
            phase: Phase::Gathering,
            waiting: BTreeMap::new(),
            misfits: BTreeMap::new(),
            nodes: Vec::new(),
            weights: Vec::new(),
            start: None,
            ending: Instruction::Wait,
            failed: false,
            away: None,
            events: VecDeque::new(),
        }
    }

    /// The next event since the last call.
    pub fn next_event(&mut self) -> Option<CoordinatorEvent> {
        self.events.pop_front()
    }

    /// The label of each agent in texts for people, by rank.
    pub fn labels(&self) -> Vec<String> {
        self.nodes.iter().map(Node::label).collect()
    }

    /// What is known of each agent, by rank.
    pub fn summaries(&self) -> Vec<AgentSummary> {
        self.nodes.iter().map(Node::summary).collect()
    }

    /// An agent requests work. Returns its order, if it takes part.
    pub fn join(&mut self, join: &Join, now: Duration) -> Option<Order> {
        if let Some(why) = join.misfit(&self.requested.version) {
            self.misfits.insert(join.name.clone(), why);
            return None;
        }
        if self.phase == Phase::Gathering {
            self.gather(join, now);
        }
        let rank = self.nodes.iter().position(|node| node.name == join.name)?;
        let node = self.nodes.get_mut(rank)?;
        if node.nonce != join.nonce {
            // An agent whose share is over requests other work under another nonce.
            node.twins += u64::from(!node.done);
            return None;
        }
        if self.ending != Instruction::Wait {
            // It has not obeyed, and does not count as an agent that carries out a share.
            return None;
        }
        node.last_seen = now;
        Some(Order {
            run: self.requested.run.clone(),
            epoch: self.requested.epoch,
            nonce: join.nonce.clone(),
            rank: rank as u32,
            of: self.requested.agents,
            weights: self.weights.clone(),
            seed: self.requested.seed,
            argv: self.requested.argv.clone(),
            files: self.requested.files.clone(),
            step: self.requested.step.clone(),
        })
    }

    /// An agent that takes part reports. `take` takes a piece of an agent's stream, unless it has no room for it.
    /// Returns the answer to the agent, if it is one of this run.
    pub fn report(
        &mut self,
        name: &Name,
        report: &Report,
        piece: Piece,
        (now, wall_ms): (Duration, i64),
        take: &mut dyn FnMut(u32, Piece) -> bool,
    ) -> Option<Word> {
        let rank = self.nodes.iter().position(|node| node.name == *name)?;
        let node = self.nodes.get_mut(rank)?;
        if node.nonce != report.nonce {
            node.twins += 1;
            return Some(self.word(report, now, 0, Instruction::Leave));
        }
        let silent = now.saturating_sub(node.last_seen);
        node.on_message(report, now, wall_ms);
        if node.lost.take().is_some() {
            node.silent_for += silent;
            self.events.push_back(CoordinatorEvent::Back { rank: rank as u32, silent_for: silent });
        }
        let length = piece.len() as u64;
        if report.at < node.arrived && length > 0 {
            node.doubled += 1;
        } else if report.at == node.arrived && length > 0 && take(rank as u32, piece) {
            node.arrived += length;
        }
        let arrived = node.arrived;
        // A report that later ones have overtaken gives too short a length of the stream.
        if node.stage.is_over() && !node.done && arrived >= node.total {
            node.done = true;
            node.ended = Some(now);
            self.ended(rank);
        }
        self.progress(now);
        let done = self.nodes.get(rank)?.done;
        Some(self.word(report, now, arrived, if done { Instruction::Leave } else { self.wish() }))
    }

    /// Whether the agent that requests a piece of a file is one of this run; the request also shows that the agent is
    /// alive.
    pub fn wants(&mut self, name: &Name, nonce: &str, now: Duration) -> bool {
        let node = self.nodes.iter_mut().find(|node| node.name == *name && node.nonce == nonce);
        node.map(|node| node.last_seen = now).is_some()
    }

    fn word(&self, report: &Report, now: Duration, arrived: u64, wish: Instruction) -> Word {
        Word {
            run: self.requested.run.clone(),
            epoch: self.requested.epoch,
            nonce: report.nonce.clone(),
            answers_ns: report.sent_ns,
            now_ns: u64::try_from(now.as_nanos()).unwrap_or(u64::MAX),
            arrived,
            wish,
        }
    }

    /// The coordinator is ready as well: the run begins.
    pub fn begin(&mut self, now: Duration) {
        if self.phase == Phase::Ready && self.ending == Instruction::Wait {
            let at = now + self.lead();
            (self.phase, self.start) = (Phase::Starting { at }, Some(at));
        }
    }

    /// How long from now on the agents need to receive and acknowledge when to begin.
    fn lead(&self) -> Duration {
        let silence = self.nodes.iter().map(|node| node.silence).max().unwrap_or_default();
        (silence * START_SILENCES).clamp(START_AFTER, START_AFTER_MOST)
    }

    /// The agents must begin no further exchanges.
    pub fn stop(&mut self) {
        if self.ending == Instruction::Wait {
            self.ending = Instruction::Stop;
        }
    }

    /// The agents must end at once.
    pub fn abort(&mut self) {
        self.ending = Instruction::Abort;
    }

    /// Takes the current time, and whether the broker is connected.
    pub fn tick(&mut self, now: Duration, connected: bool) {
        if self.phase == Phase::Over {
            return;
        }
        self.watch_the_plane(now, connected);
        match self.phase {
            Phase::Gathering => self.gathered(now),
            Phase::Preparing { since } => self.prepared(since, now),
            Phase::Starting { at } => self.starting(at, now),
            Phase::Ready | Phase::Running | Phase::Over => {}
        }
        if self.away.is_none() {
            self.look_for_lost(now);
            self.look_for_unbegun(now);
        }
        self.conclude(now);
    }

    fn wish(&self) -> Instruction {
        match (self.ending, self.start) {
            (Instruction::Wait, Some(at)) => {
                Instruction::Start { at_ns: u64::try_from(at.as_nanos()).unwrap_or(u64::MAX) }
            }
            (ending, _) => ending,
        }
    }

    fn gather(&mut self, join: &Join, now: Duration) {
        let fresh = |last_seen: Duration| now.saturating_sub(last_seen) <= FRESH;
        if let Some((known, last_seen)) = self.waiting.get(&join.name)
            && known.nonce != join.nonce
            && fresh(*last_seen)
        {
            self.misfits.insert(join.name.clone(), "two agents have this name".to_owned());
            return;
        }
        self.waiting.insert(join.name.clone(), (join.clone(), now));
        self.waiting.retain(|_, (_, last_seen)| fresh(*last_seen));
        let wanted = self.requested.agents as usize;
        if self.waiting.len() < wanted || self.ending != Instruction::Wait {
            return;
        }
        let mut all: Vec<&Join> = self.waiting.values().map(|(join, _)| join).collect();
        all.sort_by_key(|join| (join.rank.unwrap_or(u32::MAX), join.name.clone()));
        let chosen: Vec<Join> = all.into_iter().take(wanted).cloned().collect();
        match self.requested.weights.of(&chosen) {
            Ok(weights) => self.weights = weights,
            Err(error) => return self.fail(error.to_string(), false),
        }
        let node = |join: &Join| {
            Node::new(join.name.clone(), join.nonce.clone(), printable(&join.host), now)
        };
        self.nodes = chosen.iter().map(node).collect();
        self.phase = Phase::Preparing { since: now };
        self.events.push_back(CoordinatorEvent::Ordered);
    }

    fn gathered(&mut self, now: Duration) {
        if now.saturating_sub(self.since) <= self.requested.patience {
            return;
        }
        let names: Vec<&str> = self.waiting.keys().map(Name::as_str).collect();
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let misfits = self.misfits.iter();
        let misfits =
            misfits.fold(String::new(), |all, (name, why)| all + &format!("; not {name}: {why}"));
        self.fail(
            format!(
                "{} agents were asked for, and there are {}: {there}{misfits}",
                self.requested.agents,
                names.len()
            ),
            false,
        );
    }

    fn prepared(&mut self, since: Duration, now: Duration) {
        if now.saturating_sub(since) <= self.requested.patience {
            return;
        }
        let names = self.names(|node| node.stage == Stage::Preparing);
        self.fail(
            format!("{names}: not connected after {} s", self.requested.patience.as_secs()),
            false,
        );
    }

    fn starting(&mut self, at: Duration, now: Duration) {
        if now >= at {
            self.run_from(at);
        } else if now + START_SURE >= at && self.nodes.iter().any(|node| node.stage == Stage::Ready)
        {
            let names = self.names(|node| node.stage == Stage::Ready);
            self.fail(format!("{names}: it did not acknowledge when to begin"), false);
        }
    }

    fn run_from(&mut self, at: Duration) {
        self.phase = Phase::Running;
        self.nodes.iter_mut().for_each(|node| node.before = node.arrived);
        self.events.push_back(CoordinatorEvent::Starts(at));
    }

    /// Advances the run once all agents have reached the same stage.
    fn progress(&mut self, now: Duration) {
        let all = |stage: &Stage| self.nodes.iter().all(|node| node.stage == *stage);
        match self.phase {
            Phase::Preparing { .. } if all(&Stage::Ready) => {
                self.phase = Phase::Ready;
                self.events.push_back(CoordinatorEvent::Ready);
            }
            Phase::Starting { at } if all(&Stage::Running) => self.run_from(at),
            _ => self.conclude(now),
        }
    }

    /// An agent's run is over, and its whole stream has arrived.
    fn ended(&mut self, rank: usize) {
        let Some(node) = self.nodes.get(rank) else { return };
        let (label, rank) = (node.label(), rank as u32);
        let begun = self.phase == Phase::Running;
        match node.stage.clone() {
            Stage::Ended { code, why } => {
                if begun && code.is_none() && self.requested.on_loss == OnLoss::Stop {
                    // A signal ended its run, so part of its share is missing.
                    self.stop();
                }
                let why = why.map(|why| printable(&why));
                if !begun && self.ending == Instruction::Wait {
                    let reported = why.as_deref().unwrap_or("its run ended before it began");
                    self.fail(format!("{label}: {reported}"), false);
                }
                self.events.push_back(CoordinatorEvent::Done { rank, code, why });
            }
            Stage::Refused { why } => {
                self.fail(format!("{label}: {}", printable(&why)), true);
                self.events.push_back(CoordinatorEvent::Done {
                    rank,
                    code: None,
                    why: Some(printable(&why)),
                });
            }
            Stage::Preparing | Stage::Ready | Stage::Running => {}
        }
    }

    fn fail(&mut self, why: String, refused: bool) {
        if !self.failed {
            self.failed = true;
            self.events.push_back(CoordinatorEvent::Failed { why, refused });
        }
        self.ending =
            if self.ending == Instruction::Abort { Instruction::Abort } else { Instruction::Stop };
    }

    fn watch_the_plane(&mut self, now: Duration, connected: bool) {
        match (self.away, connected) {
            (None, false) => {
                self.away = Some(now);
                self.events.push_back(CoordinatorEvent::Away);
            }
            (Some(since), true) => {
                self.away = None;
                self.events
                    .push_back(CoordinatorEvent::Returned { away: now.saturating_sub(since) });
                // No message could arrive meanwhile.
                self.nodes.iter_mut().for_each(|node| node.last_seen = now);
                self.waiting.values_mut().for_each(|(_, last_seen)| *last_seen = now);
            }
            (Some(since), false) if now.saturating_sub(since) > LEASE => {
                self.phase = Phase::Over;
                for node in self.nodes.iter_mut().filter(|node| !node.done) {
                    node.lost.get_or_insert(node.last_seen);
                }
                self.events.push_back(CoordinatorEvent::PlaneLost);
                self.events.push_back(CoordinatorEvent::Over);
            }
            _ => {}
        }
    }

    fn look_for_lost(&mut self, now: Duration) {
        let newest = self.nodes.iter().map(|node| node.last_seen).max().unwrap_or_default();
        let mut lost = Vec::new();
        for (rank, node) in self.nodes.iter_mut().enumerate() {
            let silent = now.saturating_sub(node.last_seen);
            let others = newest.saturating_sub(node.last_seen) >= OTHERS_AFTER;
            if !node.done
                && node.lost.is_none()
                && ((silent > LOST_AFTER && others) || silent > LEASE)
            {
                node.lost = Some(node.last_seen);
                lost.push((rank, node.last_seen, node.label()));
            }
        }
        for (rank, last_seen, label) in lost {
            self.events.push_back(CoordinatorEvent::Lost { rank: rank as u32, last_seen });
            if !self.is_sure(now) {
                self.fail(format!("{label}: stopped responding before the run began"), false);
            } else if self.requested.on_loss == OnLoss::Stop {
                self.stop();
            }
        }
    }

    /// Gives up agents that confirmed when to begin, still send messages, and have sent no part of their stream since,
    /// although all others have ended: without this the run would wait for them forever.
    fn look_for_unbegun(&mut self, now: Duration) {
        let unbegun = |node: &Node| !node.done && node.arrived == node.before;
        let others = || self.nodes.iter().filter(|node| !unbegun(node));
        let ended = others().map(|node| node.ended).collect::<Option<Vec<_>>>();
        let last = ended.and_then(|all| all.into_iter().max());
        if self.phase != Phase::Running || last.is_none_or(|last| now < last + LEASE) {
            return;
        }
        let names = self.names(|node| unbegun(node) && !node.given_up && node.lost.is_none());
        self.nodes.iter_mut().filter(|node| unbegun(node)).for_each(|node| node.given_up = true);
        if !names.is_empty() {
            let seconds = LEASE.as_secs();
            let why = "it confirmed when to begin and sent nothing until";
            self.fail(format!("{names}: {why} {seconds} s after all others had ended"), false);
        }
    }

    /// Whether the run has begun, or the other agents can no longer be kept from beginning: from then on a loss is part
    /// of the run.
    fn is_sure(&self, now: Duration) -> bool {
        match self.phase {
            Phase::Running | Phase::Over => true,
            Phase::Starting { at } => now + START_SURE >= at,
            _ => false,
        }
    }

    /// The run is over once each agent has delivered everything, or sent no message for longer than it continues
    /// without its coordinator.
    fn conclude(&mut self, now: Duration) {
        let gone = |node: &Node| {
            node.done
                || node.given_up
                || node.lost.is_some_and(|last_seen| now.saturating_sub(last_seen) > LEASE)
        };
        let empty = self.nodes.is_empty() && self.ending != Instruction::Wait;
        if self.phase != Phase::Over
            && (empty || (!self.nodes.is_empty() && self.nodes.iter().all(gone)))
        {
            self.phase = Phase::Over;
            self.events.push_back(CoordinatorEvent::Over);
        }
    }

    fn names(&self, of: impl Fn(&Node) -> bool) -> String {
        let names: Vec<String> =
            self.nodes.iter().filter(|node| of(node)).map(Node::label).collect();
        names.join(", ")
    }
}
