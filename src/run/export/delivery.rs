//! [`Delivery`]: the figures of a run sent to a collector of OpenTelemetry, over HTTP.
//!
//! A quiet thread sends the newest snapshot there is, no more often than once a second, and leaves out what it came too
//! late for: sums are cumulative. A collector that is away or slow costs the run nothing. It is told of once; whether
//! the last message arrived, with which nothing is missing, is known at the end.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use prost::Message as _;

use super::collector::Collector;
use super::otlp::{Origin, message};
use super::snapshot::Snapshot;
use crate::cli::base_url::BaseUrl;
use crate::console;
use crate::run::quiet_thread;

/// The least time between two messages.
const EVERY: Duration = Duration::from_secs(1);
/// How often the last message is tried, and the time between two tries.
const TRIES: u32 = 3;
const AGAIN: Duration = Duration::from_millis(500);

/// Figures on their way to a collector.
pub(super) struct Delivery {
    outbox: Arc<Outbox>,
    thread: JoinHandle<Sent>,
    to: BaseUrl,
}

/// Where a run leaves its figures. It holds the newest alone.
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
    /// Whether nothing more comes.
    closed: bool,
}

/// What became of the messages of a run.
#[derive(Debug, Default)]
struct Sent {
    tried: u64,
    failed: u64,
    /// Why the last of them failed, if it did.
    last: Option<String>,
}

impl Delivery {
    /// Gets ready to deliver, beside so many workers. Fails if the collector can never be spoken to as was asked.
    pub(super) fn open(to: &BaseUrl, origin: Origin, workers: usize) -> Result<Self, String> {
        let failed = |why: String| format!("failed to deliver to --otlp {to}: {why}");
        let collector = Collector::new(to).map_err(failed)?;
        let outbox = Arc::<Outbox>::default();
        let mut post = Post { collector, origin, sent: Sent::default(), to: to.clone() };
        let emptied = Arc::clone(&outbox);
        let deliver = move || {
            post.deliver(&emptied);
            post.sent
        };
        let thread = quiet_thread::spawn("otlp", workers, deliver);
        let thread = thread.map_err(|error| failed(error.to_string()))?;
        Ok(Self { outbox, thread, to: to.clone() })
    }

    /// Has this sent as soon as its turn comes.
    pub(super) fn send(&self, snapshot: Arc<Snapshot>) {
        let mut waiting = self.outbox.lock();
        (waiting.newest, waiting.is_new) = (snapshot, true);
        self.outbox.changed.notify_all();
    }

    /// Waits for the last message, within the limits of a few tries. The error says that it did not arrive.
    pub(super) fn finish(self) -> Result<(), String> {
        self.outbox.lock().closed = true;
        self.outbox.changed.notify_all();
        let ended = |_| Sent { last: Some("its thread ended".to_owned()), ..Sent::default() };
        let sent = self.thread.join().unwrap_or_else(ended);
        let Some(why) = sent.last else { return Ok(()) };
        Err(format!(
            "failed to deliver the last figures to --otlp {}: {why}; {} of {} messages did not arrive",
            self.to, sent.failed, sent.tried
        ))
    }
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for new figures; the last time for none.
    fn take(&self) -> (Arc<Snapshot>, bool) {
        let waiting = self.lock();
        let nothing = |waiting: &mut Waiting| !waiting.is_new && !waiting.closed;
        let waited = self.changed.wait_while(waiting, nothing);
        let mut waiting = waited.unwrap_or_else(PoisonError::into_inner);
        waiting.is_new = false;
        (Arc::clone(&waiting.newest), waiting.closed)
    }

    /// Waits for so long, or until nothing more comes.
    fn pause(&self, time: Duration) {
        let _ = self.changed.wait_timeout_while(self.lock(), time, |waiting| !waiting.closed);
    }
}

/// What the thread has.
struct Post {
    collector: Collector,
    origin: Origin,
    sent: Sent,
    to: BaseUrl,
}

impl Post {
    /// Sends until nothing more comes, the last with more patience.
    fn deliver(&mut self, outbox: &Outbox) {
        loop {
            let (snapshot, is_last) = outbox.take();
            if is_last {
                return self.send_last(&snapshot);
            }
            let told = self.sent.failed > 0;
            if let Err(why) = self.send(&snapshot)
                && !told
            {
                let go_on = "the run continues, and the next message contains these figures too";
                console::say(&format!(
                    "\nnote: failed to deliver to --otlp {}: {why}; {go_on}",
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
            if self.send(snapshot).is_ok() {
                return;
            }
        }
    }

    fn send(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        let now = u64::try_from(console::now().as_nanosecond()).unwrap_or_default();
        let message = message(snapshot, &self.origin, now).encode_to_vec();
        let posted = self.collector.post(message);
        self.sent.tried += 1;
        self.sent.failed += u64::from(posted.is_err());
        self.sent.last = posted.clone().err();
        posted
    }
}
