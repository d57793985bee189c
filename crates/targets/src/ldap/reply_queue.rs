//! Replies that a script holds back: until a moment, or until another reply has gone before.

use std::collections::BTreeMap;
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
    /// How it went, if that is to be counted.
    pub(super) code: Option<u32>,
    /// What becomes of the connection once it is written.
    pub(super) next: Next,
    /// The time before each of its bytes, if it is to be slow.
    pub(super) trickle: Option<Duration>,
}

/// The replies of one connection that are held back.
#[derive(Debug, Default)]
pub(super) struct ReplyQueue {
    /// By the moment they are due, then in the order of their requests.
    later: BTreeMap<(Duration, u64), Reply>,
    /// To follow the next reply that is written.
    behind: Vec<Reply>,
    number: u64,
}

impl ReplyQueue {
    pub(super) fn push(&mut self, due: Duration, reply: Reply) {
        self.number += 1;
        self.later.insert((due, self.number), reply);
    }

    pub(super) fn push_behind(&mut self, reply: Reply) {
        self.behind.push(reply);
    }

    /// When the first is due.
    pub(super) fn due(&self) -> Option<Duration> {
        self.later.first_key_value().map(|((due, _), _)| *due)
    }

    /// The first, if it is due.
    pub(super) fn pop(&mut self, now: Duration) -> Option<Reply> {
        let first = self.later.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    /// Those that were to follow a reply.
    pub(super) fn take_behind(&mut self) -> Vec<Reply> {
        std::mem::take(&mut self.behind)
    }

    /// Takes back the reply to a request.
    pub(super) fn withdraw(&mut self, message_id: i32) -> Option<Reply> {
        if let Some(place) = self.behind.iter().position(|reply| reply.message_id == message_id) {
            return Some(self.behind.remove(place));
        }
        let key = self
            .later
            .iter()
            .find(|(_, reply)| reply.message_id == message_id)
            .map(|(key, _)| *key)?;
        self.later.remove(&key)
    }
}
