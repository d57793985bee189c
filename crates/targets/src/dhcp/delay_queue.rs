//! Answers that a script holds back: until a moment, or until another answer has gone before.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use super::words::Answer;

/// The most answers that wait; there is no room for more.
const WAITING_MAX: usize = 1 << 20;

/// An answer that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DelayedReply {
    pub(super) to: SocketAddr,
    pub(super) bytes: Vec<u8>,
    /// What it is, if it is to be counted.
    pub(super) answer: Option<Answer>,
}

/// The answers of one thread that are held back.
#[derive(Debug, Default)]
pub(super) struct DelayQueue {
    /// By the moment they are due, then in the order of their requests.
    later: BTreeMap<(Duration, u64), DelayedReply>,
    /// To follow the next answer that is sent.
    behind: Vec<DelayedReply>,
    number: u64,
}

impl DelayQueue {
    /// Holds an answer back until a moment, if there is room.
    pub(super) fn push(&mut self, due: Duration, waiting: DelayedReply) -> bool {
        self.number += 1;
        let room = self.later.len() < WAITING_MAX;
        if room {
            self.later.insert((due, self.number), waiting);
        }
        room
    }

    /// Holds an answer back until another was sent, if there is room.
    pub(super) fn push_behind(&mut self, waiting: DelayedReply) -> bool {
        let room = self.behind.len() < WAITING_MAX;
        if room {
            self.behind.push(waiting);
        }
        room
    }

    /// When the first is due.
    pub(super) fn due(&self) -> Option<Duration> {
        self.later.first_key_value().map(|((due, _), _)| *due)
    }

    /// The first, if it is due.
    pub(super) fn pop(&mut self, now: Duration) -> Option<DelayedReply> {
        let first = self.later.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    /// One that was to follow an answer.
    pub(super) fn pop_behind(&mut self) -> Option<DelayedReply> {
        self.behind.pop()
    }
}
