//! [`Tabs`]: how many tabs are open on a run, and [`Tab`], one of them.

use std::sync::Arc;
use std::time::Duration;

use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_web::watch::Cursor;
use bytes::Bytes;
use tokio::sync::watch;

use super::Shared;

/// The most tabs on a run at a time.
pub(super) const TABS_MAX: usize = 200;
/// How long a tab that lost its connection may take to reconnect before it is no longer expected.
const AWAY_MAX: Duration = Duration::from_secs(3);

/// How many tabs are open on a run.
#[derive(Debug, Default)]
pub(super) struct Tabs {
    /// The number of open tabs.
    pub open: usize,
    /// When a tab left that had not been notified of the end.
    left: Option<Moment>,
}

impl Tabs {
    /// For how long a tab that has left is still expected to come back.
    pub(super) fn awaited(&self, now: Moment) -> Option<Duration> {
        AWAY_MAX.checked_sub(now - self.left?).filter(|left| !left.is_zero())
    }

    fn leave(&mut self, was_notified: bool, now: Moment) {
        self.open -= 1;
        if !was_notified {
            self.left = Some(now);
        }
    }
}

/// One tab, from its request for events until it disconnects.
pub(super) struct Tab {
    shared: Arc<Shared>,
    changed: watch::Receiver<()>,
    cursor: Cursor,
    clock: Monotonic,
}

impl Tab {
    /// Opens a tab that names the last message it received; none if there are too many.
    pub(super) fn open(shared: &Arc<Shared>, last: Option<&str>, clock: Monotonic) -> Option<Self> {
        let opened = shared.tabs.send_if_modified(|tabs| {
            let there_is_room = tabs.open < TABS_MAX;
            tabs.open += usize::from(there_is_room);
            tabs.left = None;
            there_is_room
        });
        let changed = shared.changed.subscribe();
        opened.then(|| Self {
            shared: Arc::clone(shared),
            changed,
            cursor: Cursor::after(last),
            clock,
        })
    }

    /// Waits for the next message; none after the last.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            // Marked before the history is read, so that no change in between is missed.
            self.changed.mark_unchanged();
            let (next, is_over) = {
                let history = self.shared.history();
                (history.next(&mut self.cursor), history.is_over())
            };
            if next.is_some() {
                return next;
            }
            if is_over || self.changed.changed().await.is_err() {
                return None;
            }
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        let (was_notified, now) = (self.cursor.is_over(), self.clock.now());
        self.shared.tabs.send_modify(|tabs| tabs.leave(was_notified, now));
    }
}
