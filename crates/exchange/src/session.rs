//! The trait of drivers: a [`Session`] that performs one exchange at a time.

use crate::{Clock, Moment, Outcome, Watch};
use std::time::Duration;

/// Identifies an exchange. Every argument, name and choice of an exchange is computed from its ticket and the run's
/// seed, never from the previous exchange, so that runs repeat and nodes share a run without communication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    /// The number of the exchange in the whole run, counted from 0.
    pub number: u64,
    /// The number of the session that performs it, counted from 0 over the whole run.
    pub session: u32,
    /// How many exchanges this session performed before this one.
    pub turn: u64,
    /// The number of the phase of the run in which it was due. Everything that a driver counts about an exchange
    /// belongs to the phase of that exchange, whenever it is counted.
    pub phase: u8,
}

impl Ticket {
    /// How many phases a run can have.
    pub const PHASES: usize = 5;
}

/// When a session wants its next exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Want {
    /// When the run's schedule determines it.
    #[default]
    Next,
    /// At this moment, which may be in the past: the session has its own schedule.
    At(Moment),
    /// Never again.
    Nothing,
}

/// One conversation with the target: a connection, or a client behind a shared socket.
///
/// The engine calls [`ready`](Self::ready) and [`exchange`](Self::exchange) in turn and drops the future of an exchange
/// that exceeds the operation timeout or the end of the run. A session must handle this: the next `ready` determines
/// the state of the conversation.
#[expect(async_fn_in_trait, reason = "sessions live on one core and are never sent")]
pub trait Session {
    /// Prepares for the next exchange: connects, performs a handshake, binds again, or waits for a back-off after a
    /// failed attempt. The time is measured as parts, never as response time. A failure is kept and becomes the outcome
    /// of the next exchange, so that every attempt is counted once.
    async fn ready(&mut self, watch: &mut Watch<'_>);

    /// Performs one exchange, and calls [`Watch::sent`] when the first byte of the request is sent.
    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome;

    /// When the session, free since `free`, wants its next exchange. A session that returns anything except
    /// [`Want::Next`] has its own schedule: a client whose lease determines when to renew, or a virtual user in the
    /// middle of an iteration. In the open model, where an arrival begins an iteration, a session that wants to
    /// continue it is not free for the next arrival until it returns [`Want::Next`].
    fn wants(&mut self, free: Moment) -> Want {
        let _ = free;
        Want::Next
    }

    /// How long the exchange of this ticket, which is the next one, may take from its start; `None` means as long as
    /// the run allows.
    fn timeout(&mut self, ticket: &Ticket) -> Option<Duration> {
        let _ = ticket;
        None
    }

    /// Tells `watch` what is known about the exchange that was just called off because its time was over.
    fn overdue(&mut self, watch: &mut Watch<'_>) {
        let _ = watch;
    }

    /// Tells `watch` what is known about the exchange that was just called off with this outcome: its time was over, or
    /// the run ends at once.
    fn called_off(&mut self, outcome: Outcome, watch: &mut Watch<'_>) {
        if outcome == Outcome::TimedOut {
            self.overdue(watch);
        }
    }

    /// Closes the conversation (an unbind, a close) at the end of the run. The engine drops the future if this takes
    /// too long.
    async fn close(&mut self, clock: &dyn Clock);
}
