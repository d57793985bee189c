//! [`AgentListener`]: listens to the agents of a cluster, for the website.
//!
//! It listens to the same messages as coordinators, and never answers: an agent that waits requests work, and one at
//! work reports. It connects at the first look, and disconnects when there was no look for a while, so that a site
//! without visitors costs a cluster nothing. A look waits for the first agents, for at most [`PATIENCE`]; connecting
//! may take longer, and is done by a separate thread.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use brunt_cluster::message::{ANY_REPORTS, Join, Name, Permits, hello, read_head, reporter};
use brunt_cluster::plane::{Nats, Request};
use brunt_cluster::roster::{About, AgentActivity, JOIN_MAX, KnownAgent, Roster};
use brunt_exchange::{Clock as _, Monotonic};
use brunt_run::console;
use brunt_run::options::refusal::Refusal;
use brunt_serve::agents::{Agent, AgentState, Agents, ClusterSnapshot, Permitted};

use super::failed;
use super::plane::{self, Ticks, connect, runtime};
use crate::cli::plane::{BrokerArgs, PlaneArgs};

/// The longest time that a request for a snapshot waits.
const PATIENCE: Duration = Duration::from_millis(1_900);
/// All agents have reported within this time after the broker was reached.
const ALL_REPORTED: Duration = Duration::from_millis(1_500);
/// How long the listening continues after the last request.
const WANTED: Duration = Duration::from_secs(60);
/// How often the connection and the need to listen are checked.
const TICK: Duration = Duration::from_millis(200);
/// How long to wait before a broker that could not be reached is tried again.
const AGAIN: Duration = Duration::from_secs(2);
/// The name of this client at the broker, when there are no keys.
const NAME: &str = "coordinator";

/// Listens to the agents of a cluster.
#[derive(Debug)]
pub(super) struct AgentListener(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    plane: PlaneArgs,
    /// The address of the broker, as pages show it.
    broker: String,
    clock: Monotonic,
    known: Mutex<Known>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Known {
    /// When a snapshot was last requested.
    requested: Duration,
    /// Whether a thread is listening.
    is_listening: bool,
    /// Since when the broker has let this client listen.
    listening_since: Option<Duration>,
    problem: Option<String>,
    roster: Roster,
}

impl AgentListener {
    /// A listener, which connects to this broker at the first request. A broker to which no connection is possible is
    /// refused.
    pub(super) fn new(broker: &BrokerArgs) -> Result<Self, Refusal> {
        let plane = PlaneArgs { broker: broker.clone(), ..PlaneArgs::default() };
        let broker = plane::check(&plane, NAME)?;
        Ok(Self(Arc::new(Shared {
            plane,
            broker,
            clock: Monotonic::new(),
            known: Mutex::default(),
            changed: Condvar::new(),
        })))
    }
}

impl Agents for AgentListener {
    fn snapshot(&self) -> ClusterSnapshot {
        let shared = &self.0;
        let begun = shared.now();
        let mut known = shared.known();
        known.requested = begun;
        if !known.is_listening {
            known.is_listening = true;
            let listening = Arc::clone(shared);
            let thread = thread::Builder::new().name("agent-listener".to_owned());
            if let Err(error) = thread.spawn(move || listen(&listening)) {
                known.is_listening = false;
                known.problem = Some(format!("a thread could not be started: {error}"));
            }
        }
        loop {
            let now = shared.now();
            let settled = known.problem.is_some()
                || known
                    .listening_since
                    .is_some_and(|since| now.saturating_sub(since) >= ALL_REPORTED);
            let left = PATIENCE.saturating_sub(now.saturating_sub(begun));
            if settled || left.is_zero() {
                return shared.snapshot(&known, now);
            }
            let waited = shared.changed.wait_timeout(known, left.min(TICK));
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Shared {
    fn now(&self) -> Duration {
        self.clock.now().since_origin()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is known, and notifies the waiting threads.
    fn learn(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.known());
        self.changed.notify_all();
    }

    /// Whether a snapshot was requested recently. If not, what is known is dropped, so that no agent appears silent
    /// only because this client was not listening.
    fn is_wanted(&self) -> bool {
        let mut known = self.known();
        let wanted = self.now().saturating_sub(known.requested) <= WANTED;
        if !wanted {
            *known = Known { requested: known.requested, ..Known::default() };
        }
        wanted
    }

    fn snapshot(&self, known: &Known, now: Duration) -> ClusterSnapshot {
        let silence = || format!("{} has not answered yet", self.broker);
        let problem = known.problem.clone();
        ClusterSnapshot {
            broker: self.broker.clone(),
            pool: self.plane.broker.pool().to_string(),
            problem: problem.or_else(|| known.listening_since.is_none().then(silence)),
            agents: known.roster.agents(now).map(|of| agent(of, now)).collect(),
        }
    }
}

/// Listens until there has been no look for a while.
fn listen(shared: &Shared) {
    let done = runtime().map(|runtime| {
        runtime.block_on(async {
            // A thread that finds no recent look ends; the next look starts another thread.
            while let Err(refusal) = on_message(shared).await {
                let why = sentence(&refusal);
                shared.learn(|known| (known.listening_since, known.problem) = (None, Some(why)));
                let mut pause = Ticks::every(AGAIN);
                pause.next().await;
                pause.next().await;
                if !shared.is_wanted() {
                    return;
                }
            }
        });
    });
    if let Err(refusal) = done {
        let why = sentence(&refusal);
        shared.learn(|known| *known = Known { problem: Some(why), ..Known::default() });
    }
}

/// Connects, and listens to agents until there has been no look for a while.
async fn on_message(shared: &Shared) -> Result<(), Refusal> {
    let nats = connect(&shared.plane, NAME).await?;
    let mut hellos = nats.listen(hello(&shared.plane.broker.pool())).await.map_err(failed)?;
    let mut reports = nats.listen(ANY_REPORTS.to_owned()).await.map_err(failed)?;
    let mut ticks = Ticks::every(TICK);
    loop {
        tokio::select! {
            Some(request) = hellos.next() => shared.join(&request),
            Some(request) = reports.next() => shared.report(&request),
            () = ticks.next() => {
                shared.check_connection(&nats);
                if !shared.is_wanted() {
                    return Ok(());
                }
            }
        }
    }
}

impl Shared {
    /// Checks whether the broker is connected, and lets this client listen.
    fn check_connection(&self, nats: &Nats) {
        let now = self.now();
        let away = (!nats.is_connected()).then(|| format!("{} is not connected", self.broker));
        let refuses = || nats.complaint().map(|why| format!("the broker reports: {why}"));
        let problem = away.or_else(refuses);
        self.learn(|known| {
            known.listening_since = problem.is_none().then(|| known.listening_since.unwrap_or(now));
            known.problem = problem;
            known.roster.forget(now);
        });
    }

    fn join(&self, request: &Request) {
        if request.payload.len() > JOIN_MAX {
            return;
        }
        let Ok(join) = serde_json::from_slice::<Join>(&request.payload) else { return };
        let at = (self.now(), console::now().as_millisecond());
        self.learn(|known| known.roster.join(&join, env!("CARGO_PKG_VERSION"), at));
    }

    fn report(&self, request: &Request) {
        let Some((run, name)) = reporter(&request.subject) else { return };
        let Ok(report) = read_head(&request.payload) else { return };
        let at = (self.now(), console::now().as_millisecond());
        self.learn(|known| known.roster.report((run, &name), &report, at));
    }
}

/// An agent as pages show it.
fn agent((name, known, answers): (&Name, &KnownAgent, bool), now: Duration) -> Agent {
    let (state, run) = match &known.doing {
        AgentActivity::Waits => (AgentState::Waits, None),
        AgentActivity::Runs { run, prepares: true } => (AgentState::Prepares, Some(run.clone())),
        AgentActivity::Runs { run, prepares: false } => (AgentState::Runs, Some(run.clone())),
    };
    let reported = known.about.as_ref();
    let text = |of: fn(&About) -> &String| reported.map(|about| of(about).clone());
    Agent {
        name: name.to_string(),
        state: if answers { state } else { AgentState::Silent },
        run,
        host: text(|about| &about.host),
        cores: reported.map(|about| about.cores),
        version: text(|about| &about.version),
        misfit: reported.and_then(|about| about.misfit.clone()),
        twin: known.has_twin(now),
        ceilings: reported.map(|about| about.ceilings.clone()).unwrap_or_default(),
        permits: reported.and_then(|about| about.permits.as_ref()).map(permitted),
        clock_ahead_s: known.ahead_ms.map(|millis| millis as f64 / 1e3),
        last_seen_s: now.saturating_sub(known.at).as_secs_f64(),
    }
}

fn permitted(permits: &Permits) -> Permitted {
    Permitted {
        targets: permits.targets.clone(),
        more: permits.more,
        rate_max: permits.rate_max,
        commands: permits.commands.clone(),
        expires: permits.expires.clone(),
    }
}

/// The reason for a refusal, in one line.
fn sentence(refusal: &Refusal) -> String {
    refusal.text.split_whitespace().collect::<Vec<_>>().join(" ")
}
