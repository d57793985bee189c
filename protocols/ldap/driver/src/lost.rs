//! [`LostServers`]: which of several servers was lost, and when the way to it is tried again.
//!
//! A connection that is kept goes to the next server when its own is lost. It returns once that server accepts
//! connections again, so that the load is divided as before. For this, one session at a time opens a connection to the
//! lost server and closes it again; all others continue meanwhile. Whether the server also answers is seen by the
//! operations that follow.

use brunt_exchange::Moment;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a lost server is left alone before each attempt.
const ALONE: Duration = Duration::from_secs(2);
/// The state of a server that is there.
const PRESENT: u64 = 0;
/// The state of one that a session is trying at the moment.
const TRIED: u64 = u64::MAX;

/// The servers of a plan. For one that was lost, when it is tried again.
#[derive(Debug)]
pub(super) struct LostServers(Box<[AtomicU64]>);

/// What a connection to another server does about its own.
#[derive(Debug)]
pub(super) enum Return<'a> {
    /// It stays away: the server is lost.
    Wait,
    /// It finds out whether the server is there.
    Try(Attempt<'a>),
    /// It returns: the server is there.
    Now,
}

/// An attempt to reach a lost server; unless it succeeds, the server stays lost.
#[derive(Debug)]
pub(super) struct Attempt<'a> {
    state: &'a AtomicU64,
    again: u64,
}

impl LostServers {
    pub(super) fn new(servers: u64) -> Self {
        Self((0..servers).map(|_| AtomicU64::new(PRESENT)).collect())
    }

    fn state(&self, server: u16) -> Option<&AtomicU64> {
        self.0.get(usize::from(server))
    }

    /// A connection to this server was lost, or could not be opened.
    pub(super) fn lost(&self, server: u16, now: Moment) {
        if let Some(state) = self.state(server) {
            // A later loss does not postpone the next attempt.
            let _ =
                state.compare_exchange(PRESENT, after(now), Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Whether a connection may return to this server.
    pub(super) fn returns(&self, server: u16, now: Moment) -> Return<'_> {
        let Some(state) = self.state(server) else { return Return::Wait };
        match state.load(Ordering::Relaxed) {
            PRESENT => Return::Now,
            due if due > now.as_nanos() => Return::Wait,
            due => match state.compare_exchange(due, TRIED, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => Return::Try(Attempt { state, again: after(now) }),
                Err(_) => Return::Wait,
            },
        }
    }
}

impl Attempt<'_> {
    /// The server is there.
    pub(super) fn succeeded(mut self) {
        self.again = PRESENT;
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        self.state.store(self.again, Ordering::Relaxed);
    }
}

fn after(now: Moment) -> u64 {
    (now + ALONE).as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_server_is_tried_by_one_session_at_a_time() {
        let servers = LostServers::new(2);
        let at = |millis| Moment::ZERO + Duration::from_millis(millis);
        assert!(matches!(servers.returns(1, at(0)), Return::Now));
        servers.lost(1, at(1_000));
        servers.lost(1, at(2_500));
        assert!(matches!(servers.returns(1, at(2_999)), Return::Wait));
        assert!(matches!(servers.returns(0, at(2_999)), Return::Now), "the other was not lost");
        let Return::Try(attempt) = servers.returns(1, at(3_000)) else { panic!("its time came") };
        assert!(matches!(servers.returns(1, at(9_000)), Return::Wait), "another session tries it");
        drop(attempt);
        assert!(matches!(servers.returns(1, at(4_999)), Return::Wait));
        let Return::Try(attempt) = servers.returns(1, at(5_000)) else { panic!("its time came") };
        attempt.succeeded();
        assert!(matches!(servers.returns(1, at(5_000)), Return::Now));
    }
}
