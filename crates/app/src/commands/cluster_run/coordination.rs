//! [`Coordination`]: the thread on which a coordinator receives agents' reports and answers them.
//!
//! Agents expect an answer four times a second, whether the program is busy with figures, files or screens. So a thread
//! of its own receives their reports. The agents' event streams are parsed on further threads, and the results wait
//! there until the program takes them: when an agent's stream has no room, the agent must send again.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use brunt_cluster::bundle::Bundle;
use brunt_cluster::coordinator::{AgentSummary, ClusterRun, Coordinator, CoordinatorEvent};
use brunt_cluster::message::{
    Join, Name, Sealed, Wanted, hello, read_report, reports, wanted, write_piece,
};
use brunt_cluster::plane::{Nats, Request};
use brunt_cluster::signature::Signer;
use brunt_exchange::{Clock as _, Monotonic};
use brunt_run::console;
use brunt_run::options::refusal::Refusal;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::feed::{Feed, StreamPart};
use crate::cli::plane::PlaneArgs;
use crate::commands::plane::{Ticks, connect, runtime};

/// How often a coordinator's clock advances.
const TICK: Duration = Duration::from_millis(20);
/// How long agents still get answers after a run is over: an agent whose last answer was lost sends its report again.
const AFTER: Duration = Duration::from_millis(600);
/// How many intervals can wait for the program to take them.
const FED_MAX: usize = 64;

/// A request from the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoordinationRequest {
    Begin,
    Stop,
    Abort,
}

/// What the agents must carry out.
pub(super) struct Ordered {
    pub(super) requested: ClusterRun,
    /// The signer of the orders.
    pub(super) signer: Option<Signer>,
    /// The files that are sent with orders.
    pub(super) files: Option<Arc<Bundle>>,
}

/// A report from the coordination to the program.
pub(super) enum CoordinationReport {
    /// What has happened to agents, and the names of the agents.
    Event(CoordinatorEvent, Arc<[String]>),
    /// The run is over; what is known of each agent.
    Over(Vec<AgentSummary>),
    /// The broker cannot be used.
    Failed(Refusal),
}

/// A coordinator that runs on its own thread.
pub(super) struct Coordination {
    requests: UnboundedSender<CoordinationRequest>,
    pub(super) reports: Receiver<CoordinationReport>,
    pub(super) fed: Receiver<(u32, StreamPart)>,
    thread: Option<JoinHandle<()>>,
}

impl Coordination {
    /// Begins to gather agents.
    pub(super) fn start(plane: &PlaneArgs, ordered: Ordered) -> Result<Self, Refusal> {
        let (requests, incoming) = unbounded_channel();
        let (sender, reports) = channel();
        let (give, fed) = sync_channel(FED_MAX);
        let plane = plane.clone();
        let act = move || {
            let failed = sender.clone();
            let run = || {
                runtime()?.block_on(async move {
                    let nats = connect(&plane, "coordinator").await?;
                    conduct(&plane, nats, ordered, incoming, (sender, give)).await
                })
            };
            if let Err(refusal) = run() {
                let _ = failed.send(CoordinationReport::Failed(refusal));
            }
        };
        let thread = std::thread::Builder::new().name("coordination".to_owned()).spawn(act);
        let thread = thread
            .map_err(|error| Refusal::failed(format!("failed to start a thread: {error}")))?;
        Ok(Self { requests, reports, fed, thread: Some(thread) })
    }

    /// Sends a request to the thread.
    pub(super) fn request(&self, request: CoordinationRequest) {
        // If the thread has ended, the run is over as well.
        let _ = self.requests.send(request);
    }

    /// Waits until all agents know that the run is over.
    pub(super) fn finish(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// One run, as this thread sees it.
struct Run {
    nats: Nats,
    coordinator: Coordinator,
    feeds: Vec<Feed>,
    signer: Option<Signer>,
    files: Option<Arc<Bundle>>,
    clock: Monotonic,
    prefix: String,
    sender: Sender<CoordinationReport>,
    feed: SyncSender<(u32, StreamPart)>,
    over: Option<Duration>,
}

async fn conduct(
    plane: &PlaneArgs,
    nats: Nats,
    Ordered { requested, signer, files }: Ordered,
    mut wished: UnboundedReceiver<CoordinationRequest>,
    (sender, feed): (Sender<CoordinationReport>, SyncSender<(u32, StreamPart)>),
) -> Result<(), Refusal> {
    let refused = |error| Refusal::failed(format!("failed to {error}"));
    let pool = plane.broker.pool();
    let mut reported =
        nats.listen(reports(&requested.run, requested.epoch)).await.map_err(refused)?;
    let mut pieces = nats.listen(wanted(&requested.run, requested.epoch)).await.map_err(refused)?;
    let mut hellos = nats.listen(hello(&pool)).await.map_err(refused)?;
    let clock = Monotonic::new();
    let prefix = reports(&requested.run, requested.epoch).trim_end_matches('*').to_owned();
    let coordinator = Coordinator::new(requested, clock.now().since_origin());
    let feeds = Vec::new();
    let mut run =
        Run { nats, coordinator, feeds, signer, files, clock, prefix, sender, feed, over: None };
    let mut ticks = Ticks::every(TICK);
    while run.over.is_none_or(|over| run.now().saturating_sub(over) < AFTER) {
        tokio::select! {
            Some(request) = wished.recv() => run.obey(request),
            Some(request) = reported.next() => run.report(request).await,
            Some(request) = pieces.next() => run.bring(request).await,
            Some(request) = hellos.next() => run.join(request).await,
            () = ticks.next() => {
                let now = run.now();
                run.coordinator.tick(now, run.nats.is_connected());
            }
        }
        run.pass_on();
    }
    run.nats.flush().await;
    Ok(())
}

impl Run {
    fn now(&self) -> Duration {
        self.clock.now().since_origin()
    }

    fn seal(&self, value: &impl serde::Serialize) -> Vec<u8> {
        Sealed::new(value, &|text| Some(self.signer.as_ref()?.sign(text))).bytes()
    }

    fn obey(&mut self, request: CoordinationRequest) {
        let now = self.now();
        match request {
            CoordinationRequest::Begin => self.coordinator.begin(now),
            CoordinationRequest::Stop => self.coordinator.stop(),
            CoordinationRequest::Abort => self.coordinator.abort(),
        }
    }

    async fn join(&mut self, request: Request) {
        // An agent is untrusted until it has an order.
        if request.payload.len() > 4_096 {
            return;
        }
        let Ok(join) = serde_json::from_slice::<Join>(&request.payload) else { return };
        let now = self.now();
        if let Some(order) = self.coordinator.join(&join, now) {
            self.nats.answer(&request, self.seal(&order)).await;
        }
        self.pass_on();
    }

    /// Sends a piece of a file to an agent that has an order.
    async fn bring(&mut self, request: Request) {
        if request.payload.len() > 4_096 {
            return;
        }
        let name = request.subject.rsplit('.').next().and_then(|name| name.parse::<Name>().ok());
        let wanted = serde_json::from_slice::<Wanted>(&request.payload);
        let (Some(name), Ok(wanted)) = (name, wanted) else { return };
        let now = self.now();
        if !self.coordinator.wants(&name, &wanted.nonce, now) {
            return;
        }
        let piece = self.files.as_ref().map(|files| files.piece(wanted.piece));
        let answer = match piece {
            Some(Ok(bytes)) => write_piece(Ok(&bytes)),
            Some(Err(error)) => write_piece(Err(&format!("failed to {error}"))),
            None => write_piece(Err("has no files")),
        };
        self.nats.answer(&request, answer).await;
    }

    async fn report(&mut self, request: Request) {
        let name =
            request.subject.strip_prefix(&self.prefix).and_then(|name| name.parse::<Name>().ok());
        let (Some(name), Ok((report, piece))) = (name, read_report(&request.payload)) else {
            return;
        };
        let (now, wall) = (self.now(), console::now().as_millisecond());
        let feeds = &self.feeds;
        let mut take =
            |rank: u32, piece| feeds.get(rank as usize).is_some_and(|feed| feed.offer(piece));
        let word = self.coordinator.report(&name, &report, piece, (now, wall), &mut take);
        if let Some(word) = word {
            self.nats.answer(&request, self.seal(&word)).await;
        }
    }

    /// Passes on what has happened.
    fn pass_on(&mut self) {
        while let Some(event) = self.coordinator.next_event() {
            let labels: Arc<[String]> = self.coordinator.labels().into();
            match &event {
                CoordinatorEvent::Ordered => self.feeds = self.feeds_of(&labels),
                CoordinatorEvent::Over => {
                    self.over = Some(self.now());
                    self.feeds.iter_mut().for_each(Feed::close);
                }
                _ => {}
            }
            let over = event == CoordinatorEvent::Over;
            let _ = self.sender.send(CoordinationReport::Event(event, labels));
            if over {
                let _ = self.sender.send(CoordinationReport::Over(self.coordinator.summaries()));
            }
        }
    }

    fn feeds_of(&self, labels: &[String]) -> Vec<Feed> {
        let feeds = labels.iter().enumerate().filter_map(|(rank, label)| {
            let feed = self.feed.clone();
            // If the thread cannot be started, the agent sends again and again, and the run does not begin.
            Feed::start(label, move |fed| drop(feed.send((rank as u32, fed)))).ok()
        });
        feeds.collect()
    }
}
