//! [`Hands`]: the sessions that work on a store of leases, for the engine.
//!
//! A store that is gone would be tried again for each operation that is left, so a session that failed to reach it
//! often enough in a row wants no more. Where somebody wants to see every operation, each leaves a mark in a [`Tape`];
//! printing it is not their business, since a terminal is slower than any store.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brunt_drivers::lease::{LeaseSession, LeaseSessions, MISS};
use brunt_engine::{BlockingSessionFactory, Finished, Plan, RunError, Sink, Stop};
use brunt_exchange::{BlockingSession, Class, Monotonic, Outcome, Ticket, Watch};
use brunt_record::Catalogue;

/// After so many strikes in a row a session gives the store up: with the pauses between attempts, some ten seconds.
const STRIKES_MAX: u32 = 64;
/// What an operation that never came back counts for.
const HUNG: u32 = 8;

/// Makes sessions on whichever thread asks.
pub struct Hands {
    crew: Arc<LeaseSessions>,
    tape: Option<Arc<Tape>>,
    /// Of each session, how often in a row it did not reach the store.
    strikes: Vec<Arc<AtomicU32>>,
}

impl Hands {
    /// So many sessions.
    pub fn new(crew: Arc<LeaseSessions>, tape: Option<Arc<Tape>>, sessions: u32) -> Self {
        // The engine makes each session once before anything is wrong.
        let fresh = || Arc::new(AtomicU32::new(0_u32.wrapping_sub(HUNG)));
        Self {
            crew,
            tape,
            strikes: std::iter::repeat_with(fresh).take(sessions as usize).collect(),
        }
    }

    /// Carries out a plan with these sessions.
    pub fn run(
        self: &Arc<Self>,
        plan: &Plan,
        catalogue: &Catalogue,
        stop: &Stop,
        sink: &mut dyn Sink,
    ) -> Result<Finished, RunError> {
        brunt_engine::run_blocking(plan, catalogue, Monotonic::new(), self, stop, sink)
    }
}

/// A character for each operation, in the order in which they ended: `.` did what it is about, `X` found nothing.
pub struct Tape {
    marks: Mutex<Vec<u8>>,
    /// What ends the run at the first failure.
    stop: Stop,
}

impl Tape {
    /// An empty tape. A failure stops the run.
    pub fn new(stop: Stop) -> Self {
        Self { marks: Mutex::new(Vec::with_capacity(4_096)), stop }
    }

    /// The marks since the last time, of which nothing stays.
    pub fn take(&self) -> Vec<u8> {
        mem::take(&mut *self.marks.lock().unwrap_or_else(PoisonError::into_inner))
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
        self.marks.lock().unwrap_or_else(PoisonError::into_inner).push(mark);
    }
}

/// One session.
pub struct Hand {
    session: LeaseSession,
    tape: Option<Arc<Tape>>,
    strikes: Arc<AtomicU32>,
    /// Whether the last operation reached the store.
    reached: bool,
}

impl Hand {
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

impl BlockingSession for Hand {
    fn is_ready(&self) -> bool {
        self.session.is_ready()
    }

    fn ready(&mut self, watch: &mut Watch<'_>) {
        self.session.ready(watch);
    }

    fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let outcome = self.session.exchange(ticket, watch);
        self.judge(outcome);
        if let Some(tape) = &self.tape {
            tape.mark(outcome);
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

impl BlockingSessionFactory for Hands {
    type Session = Hand;

    fn session(&self, number: u32) -> Hand {
        let strikes = Arc::clone(&self.strikes[number as usize]);
        strikes.store(strikes.load(Ordering::Relaxed).wrapping_add(HUNG), Ordering::Relaxed);
        Hand {
            session: self.crew.session(number),
            tape: self.tape.clone(),
            strikes,
            reached: false,
        }
    }

    fn operation(&self, ticket: &Ticket) -> u16 {
        self.crew.operation(ticket)
    }
}
