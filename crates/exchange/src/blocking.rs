//! What a driver offers whose exchanges block their thread: a [`BlockingSession`].
//!
//! A call into a database library or the system's name service answers when it returns, and until then nothing else
//! runs on its thread. Such a session gets a thread of its own. It is a trait beside [`Session`](crate::Session) and
//! not a future that never waits, because the engine has to treat it differently: no timer is shared with other
//! sessions, and an exchange that takes too long cannot be cancelled, only abandoned together with its thread.

use crate::{Outcome, Ticket, Watch};

/// One conversation with the target that blocks its thread.
///
/// The engine calls [`ready`](Self::ready) and [`exchange`](Self::exchange) in turn. An exchange that outlives the
/// operation timeout is counted as timed out, and the session that is still in it is never used again: a fresh one of
/// the same number takes its place on another thread. So what a session keeps must be its own, or safe to share.
pub trait BlockingSession {
    /// Whether [`ready`](Self::ready) would have nothing to do. Asked before every exchange, so it must cost nothing;
    /// where it says no, `ready` is called.
    fn is_ready(&self) -> bool {
        false
    }

    /// Prepares what the next exchange needs: opens a file, connects, waits out a back-off of at most some hundred
    /// milliseconds after a failed attempt. Measured as parts, never as response time. A failure is kept and becomes
    /// the outcome of the next exchange, so that every attempt is counted once.
    fn ready(&mut self, watch: &mut Watch<'_>);

    /// Carries out one exchange. It counts as sent at the moment this is called, unless [`Watch::sent_as`] or
    /// [`Watch::never_sent`] says otherwise, so a session that has nothing to prepare reads no clock.
    fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome;

    /// Whether there is nothing left that this session could do: a file read to its end, no lease left to delete.
    fn finished(&self) -> bool {
        false
    }

    /// Takes leave of the target once the run is over.
    fn close(&mut self);
}
