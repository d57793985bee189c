//! [`Delivery`]: sends the figures of a run to an OpenTelemetry collector, over HTTP.
//!
//! A quiet thread sends the newest snapshot, no more often than once a second, and skips older ones: sums are
//! cumulative. An unavailable or slow collector does not slow the run down. It is reported once; whether the last
//! message arrived, which makes the data complete, is known at the end.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use brunt_engine::RunClock;

use super::ExportError;
use super::collector::{Collector, CollectorError};
use super::otlp::{Origin, message};
use super::snapshot::Snapshot;
use crate::clock;
use crate::console::{self, Console};
use crate::options::base_url::BaseUrl;
use crate::quiet_thread;
use crate::world::World;

/// The least time between two messages.
const EVERY: Duration = Duration::from_secs(1);
/// How many times the last message is tried, and the time between two tries.
const TRIES: u32 = 3;
const AGAIN: Duration = Duration::from_millis(500);

/// Figures that are being sent to a collector.
pub(super) struct Delivery {
    outbox: Arc<Outbox>,
    thread: JoinHandle<Sent>,
    to: BaseUrl,
}

/// The buffer into which a run puts its figures. It contains only the newest.
#[derive(Default)]
struct Outbox {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    newest: Arc<Snapshot>,
    /// Whether they are newer than those that were taken last.
    is_new: bool,
    /// Whether no more figures will follow.
    closed: bool,
}

/// The result of sending the messages of a run.
#[derive(Debug, Default)]
struct Sent {
    tried: u64,
    failed: u64,
    /// Why the last of them failed, if it did.
    last: Option<SendError>,
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error(transparent)]
    Collector(#[from] CollectorError),
    #[error("its thread ended")]
    Ended,
}

/// The last figures of a run did not arrive.
#[derive(Debug, thiserror::Error)]
#[error(
    "failed to deliver the last figures to --otlp {to}: {source}; {failed} of {tried} messages did not arrive"
)]
pub(super) struct LastFiguresError {
    to: Box<BaseUrl>,
    source: Box<SendError>,
    failed: u64,
    tried: u64,
}

impl Delivery {
    /// Prepares delivery, beside this number of workers. Fails if the collector cannot be used with these settings at
    /// all.
    pub(super) fn open(
        to: &BaseUrl,
        origin: Origin,
        workers: usize,
        world: &World,
    ) -> Result<Self, ExportError> {
        let collector =
            Collector::new(to, world).map_err(|error| ExportError::deliver(to, error))?;
        let outbox = Arc::<Outbox>::default();
        let console = world.console.clone();
        let mut post = Post {
            console,
            clock: world.clock,
            collector,
            origin,
            sent: Sent::default(),
            to: to.clone(),
        };
        let emptied = Arc::clone(&outbox);
        let deliver = move || {
            post.deliver(&emptied);
            post.sent
        };
        let thread = quiet_thread::spawn("otlp", workers, deliver);
        let thread = thread.map_err(|error| ExportError::deliver(to, error))?;
        Ok(Self { outbox, thread, to: to.clone() })
    }

    /// Queues this snapshot to be sent next.
    pub(super) fn send(&self, snapshot: Arc<Snapshot>) {
        let mut waiting = self.outbox.lock();
        (waiting.newest, waiting.is_new) = (snapshot, true);
        self.outbox.changed.notify_all();
    }

    /// Waits for the last message, for the duration of a few tries. The error says that it did not arrive.
    pub(super) fn finish(self) -> Result<(), LastFiguresError> {
        self.outbox.lock().closed = true;
        self.outbox.changed.notify_all();
        let ended = |_| Sent { last: Some(SendError::Ended), ..Sent::default() };
        let sent = self.thread.join().unwrap_or_else(ended);
        let Some(source) = sent.last else { return Ok(()) };
        let (to, source) = (Box::new(self.to), Box::new(source));
        Err(LastFiguresError { to, source, failed: sent.failed, tried: sent.tried })
    }
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for new figures, or returns at once if no more will follow.
    fn take(&self) -> (Arc<Snapshot>, bool) {
        let waiting = self.lock();
        let nothing = |waiting: &mut Waiting| !waiting.is_new && !waiting.closed;
        let waited = self.changed.wait_while(waiting, nothing);
        let mut waiting = waited.unwrap_or_else(PoisonError::into_inner);
        waiting.is_new = false;
        (Arc::clone(&waiting.newest), waiting.closed)
    }

    /// Waits for this time, or until no more figures will follow.
    fn pause(&self, time: Duration) {
        let _ = self.changed.wait_timeout_while(self.lock(), time, |waiting| !waiting.closed);
    }
}

/// The state of the sending thread.
struct Post {
    console: Console,
    clock: RunClock,
    collector: Collector,
    origin: Origin,
    sent: Sent,
    to: BaseUrl,
}

impl Post {
    /// Sends until no more figures will follow, and tries longer with the last message.
    fn deliver(&mut self, outbox: &Outbox) {
        loop {
            let (snapshot, is_last) = outbox.take();
            if is_last {
                return self.send_last(&snapshot);
            }
            let warned = self.sent.failed > 0;
            self.send(&snapshot);
            if let Some(why) = &self.sent.last
                && !warned
            {
                let advance = "the run continues, and the next message contains these figures too";
                self.console.message(&format!(
                    "\nnote: failed to deliver to --otlp {}: {why}; {advance}",
                    self.to
                ));
            }
            outbox.pause(EVERY);
        }
    }

    fn send_last(&mut self, snapshot: &Snapshot) {
        for again in 0..TRIES {
            if again > 0 {
                console::pause(AGAIN);
            }
            self.send(snapshot);
            if self.sent.last.is_none() {
                return;
            }
        }
    }

    /// Sends a message, and keeps why it did not arrive, if so.
    fn send(&mut self, snapshot: &Snapshot) {
        let now = u64::try_from(clock::now(self.clock).as_nanosecond()).unwrap_or_default();
        let message = message(snapshot, &self.origin, now);
        let posted = self.collector.post(message);
        self.sent.tried += 1;
        self.sent.failed += u64::from(posted.is_err());
        self.sent.last = posted.err().map(SendError::from);
    }
}
