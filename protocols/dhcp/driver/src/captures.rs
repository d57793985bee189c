//! [`Captures`]: what a run keeps for inspection afterwards: the first messages of each stage, the
//! first server's identifier, the times of every message.
//!
//! Only what was requested is kept, each kind within a limit. Workers share it behind a lock, which
//! is never taken in a run that requests nothing. It must not depend on how any of it is printed.

use super::Stage;
use brunt_exchange::Moment;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a run should keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureOptions {
    /// The first message of each stage and its answer.
    pub messages: bool,
    /// The first server's identifier.
    pub server: bool,
    /// When each message was sent and answered.
    pub stamps: bool,
}

/// When a message was sent and when its answer arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTimes {
    /// The stage.
    pub stage: Stage,
    /// The transaction.
    pub xid: u32,
    /// When the message was first sent.
    pub sent: Moment,
    /// When it was answered, if it was.
    pub received: Option<Moment>,
}

/// The first messages of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessagePair {
    /// The first message that was sent.
    pub sent: Option<Box<[u8]>>,
    /// The first answer that was received.
    pub received: Option<Box<[u8]>>,
}

#[derive(Debug, Default)]
struct Captured {
    pairs: [MessagePair; Stage::ALL.len()],
    server: Option<Box<[u8]>>,
    stamps: Vec<MessageTimes>,
}

/// What a run keeps.
#[derive(Debug, Default)]
pub struct Captures {
    options: CaptureOptions,
    captured: Mutex<Captured>,
}

impl Captures {
    /// The maximum number of messages whose times are kept; those of later messages are not.
    pub const STAMPS_MAX: usize = 1_000_000;

    /// Creates an empty store that keeps what the options select.
    pub fn new(options: CaptureOptions) -> Self {
        Self { options, captured: Mutex::default() }
    }

    /// The options that say what is kept.
    pub fn options(&self) -> CaptureOptions {
        self.options
    }

    /// The first messages of a stage.
    pub fn pair(&self, stage: Stage) -> MessagePair {
        self.captured().pairs[stage as usize].clone()
    }

    /// The identifier of the first server that answered.
    pub fn server(&self) -> Option<Box<[u8]>> {
        self.captured().server.clone()
    }

    /// Removes and returns the times, in the order in which the messages were sent.
    pub fn take_stamps(&self) -> Vec<MessageTimes> {
        let mut stamps = std::mem::take(&mut self.captured().stamps);
        stamps.sort_by_key(|times| times.sent);
        stamps
    }

    fn captured(&self) -> MutexGuard<'_, Captured> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn keep_sent(&self, stage: Stage, message: &[u8]) {
        self.captured().pairs[stage as usize].sent.get_or_insert_with(|| message.into());
    }

    pub(super) fn keep_received(&self, stage: Stage, message: &[u8]) {
        self.captured().pairs[stage as usize].received.get_or_insert_with(|| message.into());
    }

    pub(super) fn keep_server(&self, server: &[u8]) {
        self.captured().server.get_or_insert_with(|| server.into());
    }

    pub(super) fn stamp(&self, times: MessageTimes) {
        let mut captured = self.captured();
        if captured.stamps.len() < Self::STAMPS_MAX {
            captured.stamps.push(times);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_keep_the_first_messages() {
        let captures =
            Captures::new(CaptureOptions { messages: true, server: true, stamps: false });
        captures.keep_sent(Stage::First, b"discover");
        captures.keep_sent(Stage::First, b"another");
        captures.keep_received(Stage::First, b"offer");
        captures.keep_server(b"one");
        captures.keep_server(b"two");
        let first = captures.pair(Stage::First);
        assert_eq!(
            (first.sent.as_deref(), first.received.as_deref()),
            (Some(&b"discover"[..]), Some(&b"offer"[..]))
        );
        assert_eq!(captures.pair(Stage::Second), MessagePair::default());
        assert_eq!(captures.server().as_deref(), Some(&b"one"[..]));
    }

    #[test]
    fn captures_limit_and_sort_timestamps() {
        let captures = Captures::default();
        for n in 0..Captures::STAMPS_MAX as u64 + 5 {
            let sent = Moment::from_nanos(10_000_000 - n);
            captures.stamp(MessageTimes { stage: Stage::First, xid: 0, sent, received: None });
        }
        let stamps = captures.take_stamps();
        assert_eq!(stamps.len(), Captures::STAMPS_MAX);
        assert!(stamps.is_sorted_by_key(|times| times.sent));
        assert!(captures.take_stamps().is_empty());
    }
}
