//! [`StoreSessions`]: the sessions that work on a store of leases, for the engine.
//!
//! A store that is gone would be tried again for each remaining operation, so a session that failed to reach it often
//! enough in a row gives up. If every operation must be shown, each leaves one of [`Marks`]; sessions do not print
//! them, since a terminal is slower than any store.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brunt_engine::{BlockingSessionFactory, EngineRun, Finished, RunError, Stop};
use brunt_exchange::{BlockingSession, Class, Outcome, Ticket, Watch};
use brunt_leases_driver::{LeaseSession, LeaseSessions, MISS};

/// After this number of strikes in a row a session gives the store up: with the pauses between attempts, some ten
/// seconds.
const STRIKES_MAX: u32 = 64;
/// The number of strikes for an operation that never returned.
const HUNG: u32 = 8;

/// Makes sessions on the calling thread.
pub struct StoreSessions {
    inner: Arc<LeaseSessions>,
    marks: Option<Arc<Marks>>,
    /// For each session, how often in a row it did not reach the store.
    strikes: Vec<Arc<AtomicU32>>,
}

impl StoreSessions {
    /// The sessions of a run, `sessions` in number.
    pub fn new(inner: Arc<LeaseSessions>, marks: Option<Arc<Marks>>, sessions: u32) -> Self {
        // The engine makes each session once before any operation can hang.
        let fresh = || Arc::new(AtomicU32::new(0_u32.wrapping_sub(HUNG)));
        Self {
            inner,
            marks,
            strikes: std::iter::repeat_with(fresh).take(sessions as usize).collect(),
        }
    }

    /// Carries out a run with these sessions.
    pub fn run(self: &Arc<Self>, run: EngineRun<'_>) -> Result<Finished, RunError> {
        run.blocking(self)
    }
}

/// A character for each operation, in the order in which they ended: `.` for success, `X` if nothing was found.
pub struct Marks {
    octets: Mutex<Vec<u8>>,
    /// Ends the run at the first failure.
    stop: Stop,
}

impl Marks {
    /// No marks yet. A failure stops the run.
    pub fn new(stop: Stop) -> Self {
        Self { octets: Mutex::new(Vec::with_capacity(4_096)), stop }
    }

    /// Removes and returns the marks since the last call.
    pub fn take(&self) -> Vec<u8> {
        mem::take(&mut *self.octets.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn mark(&self, outcome: Outcome) {
        let mark = match outcome {
            Outcome::Ok(MISS) => b'X',
            Outcome::Ok(_) => b'.',
            _ => {
                self.stop.request();
                return;
            }
        };
        self.octets.lock().unwrap_or_else(PoisonError::into_inner).push(mark);
    }
}

/// One session.
pub struct StoreSession {
    session: LeaseSession,
    marks: Option<Arc<Marks>>,
    strikes: Arc<AtomicU32>,
    /// Whether the last operation reached the store.
    reached: bool,
}

impl StoreSession {
    fn judge(&mut self, outcome: Outcome) {
        let lost = matches!(
            outcome,
            Outcome::Failed(Class::Connect | Class::Login | Class::Tls | Class::Closed, _)
        );
        if lost {
            self.strikes.fetch_add(1, Ordering::Relaxed);
        } else if !self.reached {
            self.strikes.store(0, Ordering::Relaxed);
        }
        self.reached = !lost;
    }
}

impl BlockingSession for StoreSession {
    fn is_ready(&self) -> bool {
        self.session.is_ready()
    }

    fn ready(&mut self, watch: &mut Watch<'_>) {
        self.session.ready(watch);
    }

    fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let outcome = self.session.exchange(ticket, watch);
        self.judge(outcome);
        if let Some(marks) = &self.marks {
            marks.mark(outcome);
        }
        outcome
    }

    fn finished(&self) -> bool {
        !self.reached && self.strikes.load(Ordering::Relaxed) >= STRIKES_MAX
            || self.session.finished()
    }

    fn close(&mut self) {
        self.session.close();
    }
}

impl BlockingSessionFactory for StoreSessions {
    type Session = StoreSession;

    fn session(&self, number: u32) -> StoreSession {
        let strikes = Arc::clone(&self.strikes[number as usize]);
        strikes.store(strikes.load(Ordering::Relaxed).wrapping_add(HUNG), Ordering::Relaxed);
        StoreSession {
            session: self.inner.session(number),
            marks: self.marks.clone(),
            strikes,
            reached: false,
        }
    }

    fn operation(&self, ticket: &Ticket) -> u16 {
        self.inner.operation(ticket)
    }
}
