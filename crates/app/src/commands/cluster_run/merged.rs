//! [`Merged`]: the run of several agents as one run, with the same observers, files and exit code as every run.
//!
//! While the run is in progress, its intervals are those of all agents added together. Its record is made from the
//! agents' own records, in the way that `brunt merge` makes one from their files. So the record is exact, even if
//! intervals arrived late or were coarser on the way.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use brunt_cluster::agent::LEASE;
use brunt_cluster::coordinator::{AgentSummary, CoordinatorEvent};
use brunt_engine::{Ended, EngineRun, Sink};
use brunt_exchange::{Clock as _, Monotonic, Named, Outcome, Slots};
use brunt_record::{
    Cause, Effect, Head, Measured, MergeError, NodeRecord, NodeRows, Phase, Reason, Record,
    SloError, Status, Timing, merge,
};
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Urgency;
use brunt_run::{Console, Protocol, ProtocolError};

use super::beginnings::Beginnings;
use super::coordination::{Coordination, CoordinationReport, CoordinationRequest};
use super::feed::{AgentStream, StreamError, StreamPart};

/// How often the program checks for reports.
const TICK: Duration = Duration::from_millis(10);
/// Wall clocks that differ by more than this are reported.
const WALL_MS: i64 = 1_000;
/// And monotonic clocks that drift by more than this, in seconds.
const DRIFT_S: f64 = 0.001;

/// Everything that an agent's run sent, or why it cannot be used.
type AgentOutcome = Result<Box<AgentStream>, StreamError>;
/// The name of an outcome of an operation.
type Called = HashMap<(usize, Outcome), Named>;

/// Why several agents have no common record.
#[derive(Debug, thiserror::Error)]
enum MergedError {
    #[error(transparent)]
    Stream(#[from] StreamError),
    #[error("failed to {0}")]
    Merge(#[from] MergeError),
    #[error("failed to {0}")]
    Objectives(#[source] SloError),
    #[error("{0}")]
    CalledOff(String),
}

/// A run of several agents that are ready to begin.
pub(super) struct Merged {
    coordination: RefCell<Coordination>,
    names: RefCell<Called>,
    labels: Arc<[String]>,
    tales: RefCell<Vec<Option<AgentOutcome>>>,
    summaries: RefCell<Vec<AgentSummary>>,
    notes: RefCell<Vec<String>>,
    /// When the run began, on the coordination's clock.
    began: Cell<Duration>,
    console: Console,
    /// Whether the broker was unreachable for too long.
    pub(super) plane_lost: Cell<bool>,
    /// The first agent that was lost, or whose run was killed, as a sentence.
    pub(super) lost: Cell<Option<String>>,
    /// How many numbers of exchanges were used up: agents that stop at different moments leave gaps.
    pub(super) used: Cell<u64>,
    /// Why the run was called off before it began, and whether an agent's owner forbids it.
    pub(super) failed: RefCell<Option<(String, bool)>>,
}

impl Merged {
    /// A run of agents with these names.
    pub(super) fn new(
        coordination: Coordination,
        labels: Arc<[String]>,
        console: &Console,
    ) -> Self {
        Self {
            console: console.clone(),
            coordination: RefCell::new(coordination),
            names: RefCell::default(),
            tales: RefCell::new(labels.iter().map(|_| None).collect()),
            labels,
            summaries: RefCell::default(),
            notes: RefCell::default(),
            began: Cell::default(),
            plane_lost: Cell::default(),
            lost: Cell::default(),
            used: Cell::default(),
            failed: RefCell::default(),
        }
    }

    /// The name of an agent in messages.
    fn label(&self, rank: u32) -> String {
        let label = self.labels.get(rank as usize).map_or("", String::as_str);
        format!("node {rank} of {} ({label})", self.labels.len())
    }

    fn message(&self, text: String) {
        self.console.message(&text);
        self.notes.borrow_mut().push(text);
    }

    /// Records that an agent does not carry out its share.
    fn lose(&self, text: String) {
        let before = self.lost.take();
        self.lost.set(Some(before.unwrap_or_else(|| text.clone())));
        self.message(text);
    }

    /// Handles an event of the agents.
    fn on_message(&self, event: CoordinatorEvent, rows: &mut NodeRows) {
        match event {
            CoordinatorEvent::Starts(at) => self.began.set(at),
            CoordinatorEvent::Failed { why, refused } => {
                *self.failed.borrow_mut() = Some((why, refused));
            }
            CoordinatorEvent::Lost { rank, last_seen } => {
                rows.lost(rank as usize);
                let at = last_seen.saturating_sub(self.began.get()).as_secs_f64();
                self.lose(format!("{}: no message since {at:.1} s", self.label(rank)));
            }
            CoordinatorEvent::Back { rank, silent_for } => {
                self.message(format!(
                    "{}: connected again after {:.1} s",
                    self.label(rank),
                    silent_for.as_secs_f64()
                ));
            }
            CoordinatorEvent::Away => {
                self.console.message("the broker is away; the agents continue for 5 s");
            }
            CoordinatorEvent::Returned { away } => {
                self.message(format!("the broker was away for {:.1} s", away.as_secs_f64()));
            }
            CoordinatorEvent::PlaneLost => {
                self.plane_lost.set(true);
                self.message(
                    "the broker was away for more than 5 s: the agents have stopped by themselves"
                        .to_owned(),
                );
            }
            CoordinatorEvent::Done { rank, why: Some(why), .. } => {
                self.lose(format!("{}: {why}", self.label(rank)));
            }
            CoordinatorEvent::Done { rank, code: None, why: None } => {
                self.lose(format!("{}: its run was killed", self.label(rank)));
            }
            CoordinatorEvent::Done { .. }
            | CoordinatorEvent::Ordered
            | CoordinatorEvent::Ready
            | CoordinatorEvent::Over => {}
        }
    }

    /// Takes all reports that have arrived.
    fn take_news(&self, rows: &mut NodeRows) -> Result<(), Refusal> {
        loop {
            let reports = self.coordination.borrow().reports.try_recv();
            match reports {
                Ok(CoordinationReport::Event(event, _)) => self.on_message(event, rows),
                Ok(CoordinationReport::Over(summaries)) => *self.summaries.borrow_mut() = summaries,
                Ok(CoordinationReport::Failed(refusal)) => return Err(refusal),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Ok(()),
            }
        }
    }

    /// How many exchanges the agents are known to have sent.
    fn sent(&self) -> u64 {
        let tales = self.tales.borrow();
        let known = tales.iter().filter_map(|tale| tale.as_ref()?.as_ref().ok());
        known.map(|tale| tale.measured().totals.counts().sent).sum()
    }

    /// What is known of the exchanges of a run that was called off before it began.
    pub(super) fn unsent(&self) -> String {
        let summaries = self.summaries.borrow();
        let mut unfinished = summaries.iter().filter(|it| it.ended.is_none()).map(|it| &*it.name);
        match unfinished.next() {
            None => "nothing was sent".to_owned(),
            Some(name) => format!("it is not known whether {name} sent anything"),
        }
    }

    /// The record of the whole run, made from the agents' records.
    fn whole(&self) -> Result<Record, MergedError> {
        let tales = self.tales.borrow();
        let summaries = self.summaries.borrow();
        let mut records = Vec::new();
        for (rank, tale) in (0..).zip(tales.iter()) {
            let Some(Ok(tale)) = tale else { continue };
            let record = tale.record(&self.cut(tale, summaries.get(rank as usize)))?;
            records.push((rank, record));
        }
        self.used.set(records.iter().map(|(_, record)| used(record)).max().unwrap_or_default());
        let beginnings = Beginnings::new(&records, &summaries);
        beginnings.settle(&mut records);
        let mut whole = match &mut *records {
            // A run of one agent is not a shared run.
            [(_, record)] if self.labels.len() == 1 => record.clone(),
            records => {
                let named = |(rank, record): &(u32, Record)| {
                    (PathBuf::from(self.label(*rank)), record.clone())
                };
                let records: Vec<_> = records.iter().map(named).collect();
                merge(&records)?
            }
        };
        beginnings.report(&mut whole);
        for node in &mut whole.nodes {
            if let Some(summary) = summaries.get(node.node.rank as usize) {
                add_summary(node, summary, self.began.get());
            }
        }
        let unread = (0..).zip(tales.iter()).filter_map(|(rank, tale)| match tale {
            Some(Err(why)) => {
                Some((Effect::AgentUnread { agent: self.label(rank) }, why.to_string()))
            }
            _ => None,
        });
        // An agent that did not receive the cancellation in time has begun.
        let called_off =
            self.failed.borrow().as_ref().map(|(why, _)| (Effect::CalledOff, why.clone()));
        let noun = whole.plan.noun.clone();
        let partial = |(effect, what)| {
            Reason::new(Status::Partial, effect, (Some(Cause::Error { what }), None), &noun)
        };
        let missing: Vec<Reason> = called_off.into_iter().chain(unread).map(partial).collect();
        whole.verdict.cut_short |= !missing.is_empty();
        whole.verdict.reasons.extend(missing);
        whole.verdict.notes.extend(self.notes.take());
        whole
            .verdict
            .notes
            .extend(summaries.iter().zip(0..).flat_map(|(it, rank)| self.remarks(it, rank)));
        whole.verdict.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.status));
        whole.verdict.status =
            whole.verdict.reasons.first().map(|reason| reason.status).unwrap_or_default();
        Ok(whole)
    }

    /// What is missing from an agent's run that did not reach its end. It is not known when a lost agent last sent
    /// load: while its machine is up, the agent continues until it has received nothing for [`LEASE`].
    fn cut(&self, tale: &AgentStream, summary: Option<&AgentSummary>) -> String {
        let over =
            tale.measured().totals.phases().iter().map(|total| total.to).max().unwrap_or_default();
        let (how, longest) = match summary {
            Some(AgentSummary { lost: None, ended: Some(_), .. }) => {
                ("its run was killed, as reported", Duration::ZERO)
            }
            _ => ("lost", LEASE),
        };
        let last_seen = summary.and_then(|it| it.lost.or(it.ended)).unwrap_or_default();
        let at = last_seen.saturating_sub(self.began.get());
        let missing = (at + longest).saturating_sub(over) + Duration::from_secs(1);
        let rate = tale.head().plan.target_rate;
        let rate = rate.map_or_else(|| "its load".to_owned(), |rate| format!("its {rate:.0}/s"));
        format!(
            "{how} at {:.1} s: its figures end at {:.1} s, and up to {:.1} s of {rate} are in none",
            at.as_secs_f64(),
            over.as_secs_f64(),
            missing.as_secs_f64()
        )
    }

    fn remarks(&self, summary: &AgentSummary, rank: u32) -> Vec<String> {
        let twins = (summary.twins > 0).then(|| {
            format!(
                "{}: {} messages of another agent with the same name",
                self.label(rank),
                summary.twins
            )
        });
        let wall = (summary.wall_ms.abs() > WALL_MS).then(|| {
            let seconds = summary.wall_ms as f64 / 1e3;
            format!(
                "{}: its wall clock differs by {seconds:.1} s from the coordinator's",
                self.label(rank)
            )
        });
        let drift = summary.clocks.filter(|clocks| {
            clocks.drift_s().abs() > DRIFT_S.max(clocks.round_trip().as_secs_f64())
        });
        let drift = drift.map(|clocks| {
            let millis = clocks.drift_s() * 1e3;
            format!(
                "{}: its clock lost {millis:.1} ms during the run, so its operations were late by that much",
                self.label(rank)
            )
        });
        twins.into_iter().chain(wall).chain(drift).collect()
    }
}

impl Protocol for Merged {
    fn outcome(&self, operation: usize, outcome: Outcome) -> Named {
        self.names.borrow().get(&(operation, outcome)).cloned().unwrap_or_default()
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        let EngineRun { stop, sink, .. } = run;
        let clock = Monotonic::new();
        let mut rows = NodeRows::new(self.labels.len());
        let mut counted = vec![0_u64; self.labels.len()];
        let mut measured = Measured::default();
        let mut urgency = Urgency::Run;
        self.coordination.borrow().request(CoordinationRequest::Begin);
        while self.tales.borrow().iter().any(Option::is_none) {
            if stop.urgency() != urgency {
                urgency = stop.urgency();
                let request = if urgency == Urgency::Abort {
                    CoordinationRequest::Abort
                } else {
                    CoordinationRequest::Stop
                };
                self.coordination.borrow().request(request);
            }
            self.take_news(&mut rows)?;
            let fed = self.coordination.borrow().fed.recv_timeout(TICK);
            if let Ok((rank, fed)) = fed {
                let node = rank as usize;
                match fed {
                    StreamPart::Head(_) => {}
                    StreamPart::Interval(interval, names) => {
                        self.names.borrow_mut().extend(names);
                        let seq = counted[node];
                        counted[node] += 1;
                        rows.take(node, seq, *interval, clock.now().since_origin());
                    }
                    StreamPart::Over(tale) => {
                        rows.sent(node, counted[node]);
                        self.tales.borrow_mut()[node] = Some(tale);
                    }
                }
            }
            show(&mut rows, &clock, &mut measured, sink);
        }
        for node in 0..self.labels.len() {
            rows.lost(node);
        }
        show(&mut rows, &clock, &mut measured, sink);
        self.coordination.borrow_mut().finish();
        self.take_news(&mut rows)?;
        if let Some((why, _)) = self.failed.borrow().as_ref()
            && self.sent() == 0
        {
            return Err(MergedError::CalledOff(why.clone()).into());
        }
        let ended = if stop.urgency() == Urgency::Run { Ended::Time } else { Ended::Stopped };
        Ok(finished(&measured, ended))
    }

    fn record(&self, made: Record) -> Result<Record, ProtocolError> {
        let mut whole = Record { run: made.run, command: made.command, ..self.whole()? };
        // Objectives given to the coordinator are in no agent's record. The merged intervals do not show whether an
        // agent was too slow, which decides whether an objective can be judged.
        let objectives = made.slo.iter().map(|slo| slo.expr.as_str());
        whole.judge(objectives).map_err(MergedError::Objectives)?;
        Ok(whole)
    }
}

/// The number that follows the last one a share has carried out.
fn used(record: &Record) -> u64 {
    let planned = record.conservation.counts.planned;
    let slots = record.node.as_ref().map(|node| match &*node.weights {
        [] => Some(Slots::even(node.rank, node.of)),
        weights => Slots::weighted(node.rank, weights).ok(),
    });
    slots.flatten().map_or(planned, |slots| slots.number(planned))
}

/// Adds what is known of a node beside its record.
fn add_summary(node: &mut NodeRecord, summary: &AgentSummary, began: Duration) {
    let seconds = |time: Duration| time.as_secs_f64();
    node.name = Some(summary.name.clone());
    node.wall_ahead_s = Some(summary.wall_ms as f64 / 1e3);
    node.round_trip_s = summary.clocks.map(|clocks| seconds(clocks.round_trip()));
    node.drift_s = summary.clocks.map(|clocks| clocks.drift_s());
    node.unheard_s = Some(seconds(summary.silent_for)).filter(|silent| *silent > 0.0);
    node.doubled = Some(summary.doubled).filter(|doubled| *doubled > 0);
    node.lost_at_s = summary.lost.map(|last_seen| seconds(last_seen.saturating_sub(began)));
}

/// Shows the rows that are complete, or have waited long enough.
fn show(rows: &mut NodeRows, clock: &Monotonic, measured: &mut Measured, sink: &mut dyn Sink) {
    while let Some(row) = rows.next(clock.now().since_origin()) {
        measured.absorb(&row.interval);
        sink.interval(&row.interval);
    }
}

/// What the engine would report of a run that measured this.
fn finished(measured: &Measured, ended: Ended) -> brunt_engine::Finished {
    let phases = measured.totals.phases();
    let over = phases.iter().map(|total| total.to).max().unwrap_or_default();
    let steady = measured.totals.phase(Phase::Steady);
    let (from, to) = steady.map_or((over, over), |steady| (steady.from, steady.to));
    let mut counts = brunt_record::Counts::default();
    for total in phases {
        counts.merge(&total.counts());
    }
    brunt_engine::Finished {
        totals: phases.iter().map(|total| (total.phase, (*total).clone())).collect(),
        counts,
        timing: Timing { from, to, over, ..Timing::default() },
        ended,
        lasted: over,
        over,
        prepared_in: Duration::ZERO,
        began: None,
    }
}

/// The settings of the whole run, from each agent's settings of its share.
pub(super) fn whole_plan(heads: &[Head]) -> Option<brunt_record::Plan> {
    let first = heads.first()?;
    let sum =
        |of: fn(&brunt_record::Plan) -> Option<f64>| heads.iter().map(|head| of(&head.plan)).sum();
    Some(brunt_record::Plan {
        target_rate: sum(|plan| plan.target_rate),
        target_iterations: sum(|plan| plan.target_iterations),
        sessions: heads.iter().map(|head| head.plan.sessions).sum(),
        ..first.plan.clone()
    })
}
