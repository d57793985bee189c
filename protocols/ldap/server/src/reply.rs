//! A reply that is complete, with what to count and what to do once it is written.

use std::time::Duration;

use super::session::Next;
use super::stats::Operation;

/// A reply that is ready to be written.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) bytes: Vec<u8>,
    /// The message id of the request.
    pub(super) message_id: i32,
    pub(super) operation: Operation,
    /// The result code, if the reply is counted.
    pub(super) code: Option<u32>,
    /// What to do with the connection once it is written.
    pub(super) next: Next,
    /// The time before each of its bytes, if it is sent slowly.
    pub(super) trickle: Option<Duration>,
}
