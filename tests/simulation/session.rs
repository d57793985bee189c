//! The sessions of a simulation, and the [`Log`] in which they note what they did.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use brunt_engine::virtual_time::VirtualTime;
use brunt_engine::{EngineRun, Finished, SessionFactory, Stop};
use brunt_exchange::{Class, Clock, Moment, Named, Outcome, Part, Session, Ticket, Watch};
use brunt_record::EarlyEnd;
use brunt_run::{EndedBy, EngineError, Protocol, ProtocolError};

use crate::script::Script;
use crate::target::Target;

/// How long a session waits before it connects again.
const BACKOFF: Duration = Duration::from_millis(40);
const NO_CONNECTION: Outcome = Outcome::Failed(Class::Connect, 111);
const CLOSED: Outcome = Outcome::Failed(Class::Closed, 0);

/// What a session knows of one of its exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    pub(crate) session: u32,
    pub(crate) turn: u64,
    pub(crate) phase: u8,
    pub(crate) began: Moment,
    pub(crate) sent: Option<Moment>,
    pub(crate) ended: Moment,
    /// How it ended by itself; nothing if it was called off.
    pub(crate) outcome: Option<Outcome>,
}

/// What the sessions of one run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Log {
    /// The time when it was begun.
    pub(crate) from: Moment,
    pub(crate) entries: Vec<Entry>,
    /// How often it was asked to end.
    pub(crate) stopped: u64,
}

type SharedLog = Arc<Mutex<Log>>;

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The protocol of a simulation.
pub(crate) struct Simulated<'a> {
    pub(crate) script: &'a Script,
    pub(crate) rank: u32,
    pub(crate) time: VirtualTime,
    /// The runs in order: a canary is one of its own.
    pub(crate) logs: Mutex<Vec<SharedLog>>,
}

impl Protocol for Simulated<'_> {
    fn outcome(&self, _: usize, outcome: Outcome) -> Named {
        format!("{outcome:?}").into()
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<Finished, ProtocolError> {
        let log = SharedLog::default();
        locked(&log).from = self.time.now();
        locked(&self.logs).push(Arc::clone(&log));
        let target = Target::new(&self.script.target, self.script.seed ^ u64::from(self.rank));
        let sessions = Sessions {
            script: self.script,
            time: self.time.clone(),
            target: Arc::new(Mutex::new(target)),
            log,
            stop: run.stop.clone(),
        };
        Ok(run.with(&sessions).map_err(EngineError)?)
    }

    fn ended_by(&self, _: &Finished) -> Option<EndedBy> {
        let logs = locked(&self.logs);
        let stopped = logs.last().map_or(0, |log| locked(log).stopped);
        (stopped > 0).then(|| EndedBy::CutShort(EarlyEnd::of_protocol("the script ended it", None)))
    }
}

impl Simulated<'_> {
    /// The logs of all runs.
    pub(crate) fn logs(self) -> Vec<Log> {
        let logs = self.logs.into_inner().unwrap_or_else(PoisonError::into_inner);
        logs.iter().map(|log| locked(log).clone()).collect()
    }
}

struct Sessions<'a> {
    script: &'a Script,
    time: VirtualTime,
    target: Arc<Mutex<Target>>,
    log: SharedLog,
    stop: Stop,
}

impl SessionFactory for Sessions<'_> {
    type Session = Scripted;

    fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<Scripted> {
        if worker == 0 {
            for at in &self.script.load.stops {
                tokio::task::spawn_local(stop_at(self.time.clone(), *at, self.stop.clone(), {
                    Arc::clone(&self.log)
                }));
            }
        }
        let session = |_| Scripted {
            time: self.time.clone(),
            target: Arc::clone(&self.target),
            log: Arc::clone(&self.log),
            connecting: self.script.target.connecting,
            cost: self.script.machine.cost,
            made: None,
            failures: 0,
        };
        numbers.map(session).collect()
    }
}

async fn stop_at(time: VirtualTime, at: Duration, stop: Stop, log: SharedLog) {
    time.until(Moment::ZERO + at).await;
    stop.request();
    locked(&log).stopped += 1;
}

struct Scripted {
    time: VirtualTime,
    target: Arc<Mutex<Target>>,
    log: SharedLog,
    connecting: Duration,
    cost: Duration,
    /// When its connection was made.
    made: Option<Moment>,
    /// How many attempts to make one have failed in a row.
    failures: u32,
}

impl Session for Scripted {
    async fn ready(&mut self, watch: &mut Watch<'_>) {
        let before = self.time.now();
        if self.made.is_some_and(|made| locked(&self.target).has_kept(made, before)) {
            return;
        }
        self.made = None;
        if self.failures > 0 {
            self.time.pass(BACKOFF).await;
        }
        if locked(&self.target).is_up(self.time.now()) && !self.connecting.is_zero() {
            self.time.pass(self.connecting).await;
        }
        let now = self.time.now();
        if locked(&self.target).is_up(now) {
            self.failures = 0;
            self.made = Some(now);
            watch.part(Part(0), now - before);
        } else {
            self.failures += 1;
            watch.not_ready(NO_CONNECTION);
        }
    }

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let mut open = Open::new(ticket, &self.time, &self.log);
        if !self.cost.is_zero() {
            self.time.work(self.cost);
        }
        let now = self.time.now();
        let Some(made) = self.made else {
            return open.ends(NO_CONNECTION);
        };
        if !locked(&self.target).has_kept(made, now) {
            return open.ends(CLOSED);
        }
        watch.sent();
        open.entry.sent = Some(now);
        let answer = locked(&self.target).takes(ticket.number, now);
        let Some((at, outcome)) = answer else { std::future::pending().await };
        self.time.until(at).await;
        if let Outcome::Ok(_) = outcome {
            watch.items(1 + ticket.number % 3);
        }
        open.ends(outcome)
    }

    async fn close(&mut self, _: &dyn Clock) {}
}

/// An exchange that has not ended. It is logged when it does, or is dropped.
struct Open<'a> {
    entry: Entry,
    time: &'a VirtualTime,
    log: &'a SharedLog,
}

impl<'a> Open<'a> {
    fn new(ticket: &Ticket, time: &'a VirtualTime, log: &'a SharedLog) -> Self {
        let Ticket { number, session, turn, phase } = *ticket;
        let began = time.now();
        let (sent, ended, outcome) = (None, began, None);
        let entry = Entry { number, session, turn, phase, began, sent, ended, outcome };
        Self { entry, time, log }
    }

    fn ends(mut self, outcome: Outcome) -> Outcome {
        self.entry.outcome = Some(outcome);
        outcome
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.entry.ended = self.time.now();
        locked(self.log).entries.push(self.entry);
    }
}
