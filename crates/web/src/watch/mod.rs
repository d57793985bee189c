//! [`Watch`]: an active run as any number of browsers see it, and [`Watcher`], one of them.
//!
//! The code that follows the run adds messages; the server reads server-sent events and writes them. Neither waits for
//! the other. The events are `view` (all rows so far, as `brunt.show` takes them), `rows` (an array of those that
//! follow), `sections` (text and tables), `state` (the state of the run), `verdict` (the verdict that the run would get
//! if it ended now) and `end`. Each `view` and `rows` has an id, which a browser that reconnects sends as
//! `Last-Event-ID`.

mod events;
mod history;

pub use events::body;
pub use history::{Cursor, History};

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;

/// The most watchers of all runs together. More are refused, as with status 503.
pub const WATCHERS_MAX: usize = 500;
/// After this time without an event a comment is sent, which keeps proxies and browsers from closing the connection.
pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a watcher may read nothing before its connection is closed: `TCP_USER_TIMEOUT` of its socket.
pub const STUCK_MAX: Duration = Duration::from_secs(10);

/// The number of watchers of all runs.
#[derive(Clone, Debug, Default)]
pub struct Audience(Arc<AtomicUsize>);

impl Audience {
    /// The current number of watchers.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn admit(&self) -> bool {
        let more = |count: usize| (count < WATCHERS_MAX).then_some(count + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }
}

/// An active run.
#[derive(Debug)]
pub struct Watch {
    history: Mutex<History>,
    changed: watch::Sender<()>,
    /// The watchers of all messages of this run, and those of all runs.
    watchers: AtomicUsize,
    audience: Audience,
}

impl Watch {
    /// A run without any messages yet.
    pub fn new(audience: Audience) -> Self {
        Self {
            history: Mutex::default(),
            changed: watch::Sender::default(),
            watchers: AtomicUsize::new(0),
            audience,
        }
    }

    /// Whether any browser watches it.
    pub fn is_watched(&self) -> bool {
        self.watchers.load(Ordering::Relaxed) > 0
    }

    /// Changes the messages, and notifies the watchers.
    pub fn change(&self, change: impl FnOnce(&mut History)) {
        change(&mut self.history());
        self.changed.send_replace(());
    }

    /// Adds a watcher that continues after the event of this id; `None` if there are too many watchers.
    pub fn open(self: &Arc<Self>, last_event_id: Option<&str>) -> Option<Watcher> {
        let watcher = self.admitted(Cursor::after(last_event_id))?;
        self.watchers.fetch_add(1, Ordering::Relaxed);
        Some(watcher)
    }

    /// Adds a watcher of the newest message of one kind, for whom no text and tables are made.
    pub fn open_only(self: &Arc<Self>, kind: &'static str) -> Option<Watcher> {
        self.admitted(Cursor::only(kind))
    }

    fn admitted(self: &Arc<Self>, cursor: Cursor) -> Option<Watcher> {
        let changed = self.changed.subscribe();
        self.audience.admit().then(|| Watcher { watch: Arc::clone(self), changed, cursor })
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A browser that watches a run.
#[derive(Debug)]
pub struct Watcher {
    watch: Arc<Watch>,
    changed: watch::Receiver<()>,
    cursor: Cursor,
}

impl Watcher {
    /// Waits for the next event, or until a heartbeat is due; `None` after the last event.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            // Before the history is read, so that no change in between is missed.
            self.changed.mark_unchanged();
            let (next, is_over) = {
                let history = self.watch.history();
                (history.next(&mut self.cursor), history.is_over())
            };
            if next.is_some() {
                return next;
            }
            if is_over {
                return None;
            }
            match timeout(HEARTBEAT, self.changed.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => return Some(Bytes::from_static(b": \n\n")),
            }
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if self.cursor.wants_all() {
            self.watch.watchers.fetch_sub(1, Ordering::Relaxed);
        }
        self.watch.audience.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The content of a message: JSON on one line. Serialising these values cannot fail, because no map has keys that are
/// not text.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.unwrap().block_on(future)
    }

    #[test]
    fn slow_watchers_do_not_delay_the_others() {
        let watch = Arc::new(Watch::new(Audience::default()));
        let mut readers: Vec<Watcher> = (0..100).map(|_| watch.open(None).unwrap()).collect();
        watch.change(|history| history.show("[]"));
        for row in 0..1_000 {
            watch.change(|history| history.append(&row.to_string()));
            if row % 100 == 0 {
                for reader in readers.iter_mut().take(50) {
                    assert!(now(reader.next()).is_some());
                }
            }
        }
        watch.change(History::end);
        // The others get everything now, in a few messages.
        for reader in readers.iter_mut().skip(50) {
            let view = now(reader.next()).unwrap();
            let rows = now(reader.next()).unwrap();
            assert!(view.starts_with(b"event: view\nid: 1.1\n"), "{view:?}");
            assert!(rows.ends_with(b",998,999]\n\n"), "{rows:?}");
            assert_eq!(now(reader.next()).as_deref(), Some(&b"event: end\ndata: \n\n"[..]));
            assert_eq!(now(reader.next()), None);
        }
        assert!(watch.is_watched());
        drop(readers);
        assert!(!watch.is_watched());
    }

    #[test]
    fn watchers_are_limited() {
        let audience = Audience::default();
        let watch = Arc::new(Watch::new(audience.clone()));
        let other = Arc::new(Watch::new(audience.clone()));
        let mut all: Vec<Watcher> = (0..WATCHERS_MAX).map(|_| watch.open(None).unwrap()).collect();
        assert!(other.open(None).is_none() && audience.count() == WATCHERS_MAX);
        all.pop();
        assert!(other.open(None).is_some());
        drop(all);
        assert_eq!(audience.count(), 0);
    }
}
