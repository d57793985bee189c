//! What a driver offers: a [`Session`] that carries out one exchange at a time.

use crate::{Moment, Outcome, Watch};
use std::time::Duration;

/// Which exchange this is. Every argument, name and choice of an exchange is computed from its
/// ticket and the run's seed, never from the exchange before, so that runs repeat and nodes can
/// share a run without talking to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    /// The number of the exchange in the whole run, counted from 0.
    pub number: u64,
    /// The number of the session that carries it out, counted from 0 over the whole run.
    pub session: u32,
    /// How many exchanges this session carried out before this one.
    pub turn: u64,
    /// The phase of the run in which it fell due, as a small number. What a driver counts beside
    /// exchanges belongs to the phase of its exchange, whenever it is counted.
    pub phase: u8,
}

impl Ticket {
    /// How many phases a run can have.
    pub const PHASES: usize = 5;
}

/// When a session wants its next exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Want {
    /// When the run says so.
    #[default]
    Next,
    /// At this moment, which may have passed: the session has its own schedule.
    At(Moment),
    /// Never again.
    Nothing,
}

/// One conversation with the target: a connection, or a client behind a shared socket.
///
/// The engine calls [`ready`](Self::ready) and [`exchange`](Self::exchange) in turn and drops the
/// future of an exchange that exceeds the operation timeout or the end of the run. A session must
/// survive that: the next `ready` determines what state the conversation is in.
#[expect(async_fn_in_trait, reason = "sessions live on one core and are never sent")]
pub trait Session {
    /// Prepares what the next exchange needs: connects, shakes hands, binds again, or waits out a
    /// back-off after a failed attempt. Measured as parts, never as response time. A failure is
    /// kept and becomes the outcome of the next exchange, so that every attempt is counted once.
    async fn ready(&mut self, watch: &mut Watch<'_>);

    /// Carries out one exchange, calling [`Watch::sent`] as the first byte of the request leaves.
    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome;

    /// When the session, free since `free`, wants its next exchange. A session that answers anything but
    /// [`Want::Next`] is its own schedule: a client whose lease says when to renew, a virtual user in the midst of an
    /// iteration. In the open model, where an arrival begins something, a session that wants to go on with it is not
    /// free for the next arrival until it answers [`Want::Next`].
    fn wants(&mut self, free: Moment) -> Want {
        let _ = free;
        Want::Next
    }

    /// How long the exchange of this ticket, which comes next, may take from its start; where it is `None`, as long as
    /// the run allows.
    fn timeout(&mut self, ticket: &Ticket) -> Option<Duration> {
        let _ = ticket;
        None
    }

    /// Closes the conversation (an unbind, a close) once the run is over.
    async fn close(&mut self);
}
