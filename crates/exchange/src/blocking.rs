//! The trait of drivers whose exchanges block their thread: a [`BlockingSession`].
//!
//! A call to a database library or the system's name service returns only when it has its result, and until then
//! nothing else can run on its thread. A session of this kind therefore gets its own thread. It is a separate trait
//! beside [`Session`](crate::Session) rather than a future that never waits, because the engine has to treat it
//! differently: no timer is shared with other sessions, and an exchange that takes too long cannot be cancelled, only
//! abandoned together with its thread.

use crate::{Outcome, Ticket, Watch};

/// One conversation with the target that blocks its thread.
///
/// The engine calls [`ready`](Self::ready) and [`exchange`](Self::exchange) in turn. An exchange that exceeds the
/// operation timeout is counted as timed out, and the session that is still executing it is never used again: a new one
/// with the same number replaces it on another thread. The state of a session must therefore be its own, or safe to
/// share.
pub trait BlockingSession {
    /// Whether [`ready`](Self::ready) would have nothing to do. It is called before every exchange, so it must be
    /// cheap; if it returns false, `ready` is called.
    fn is_ready(&self) -> bool {
        false
    }

    /// Prepares for the next exchange: opens a file, connects, waits for a back-off of at most some hundred
    /// milliseconds after a failed attempt. The time is measured as parts, never as response time. A failure is kept
    /// and becomes the outcome of the next exchange, so that every attempt is counted once.
    fn ready(&mut self, watch: &mut Watch<'_>);

    /// Performs one exchange. It counts as sent at the moment of this call, unless [`Watch::sent_as`] or
    /// [`Watch::never_sent`] says otherwise, so a session that has nothing to prepare reads no clock.
    fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome;

    /// Whether this session has nothing left to do: its file has been read completely, or no lease is left to delete.
    fn finished(&self) -> bool {
        false
    }

    /// Closes the conversation with the target at the end of the run.
    fn close(&mut self);
}
