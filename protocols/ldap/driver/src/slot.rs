//! A place on a connection for one exchange in flight, and the answer received so far.
//!
//! The answer is reduced as it is scanned to a code, a count of entries, and the few bytes that the operation needs.
//! Buffers stay with the slot, so that a warm exchange allocates nothing.

use super::failure::Failure;
use brunt_ldap_wire::op;
use std::task::Waker;

/// What to keep of an answer besides its code and the number of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    Nothing,
    /// The DN of the first entry.
    FirstDn,
    /// The DNs of all entries, each preceded by its length, up to a limit.
    EveryDn,
    /// The first value of the first attribute of the first entry.
    FirstValue,
    /// The first entry: names and values in turn, each preceded by its length, up to a limit. The DN comes first.
    FirstEntry,
    /// The server's SASL credentials.
    Credentials,
    /// The cookie of the paged results control.
    Cookie,
}

/// How an exchange on the wire ended.
#[derive(Debug)]
pub(super) enum Reply {
    /// The server answered with this result code.
    Result(u32),
    /// No answer will arrive.
    Broken(Failure),
}

impl Reply {
    /// The result code, or why there is none.
    pub(super) fn code(self) -> Result<u32, Failure> {
        match self {
            Self::Result(code) => Ok(code),
            Self::Broken(failure) => Err(failure),
        }
    }
}

#[expect(clippy::struct_excessive_bools, reason = "each says something else of one exchange")]
pub(super) struct Slot {
    /// The message id in flight; 0 if there is none.
    pub(super) id: i32,
    /// The operation tag that ends the exchange.
    pub(super) expected: u8,
    pub(super) keep: Keep,
    pub(super) wants_text: bool,
    /// The request was encoded in this poll, and others may still join it in one write.
    pub(super) fresh: bool,
    /// A part of the answer has arrived.
    pub(super) begun: bool,
    pub(super) reply: Option<Reply>,
    pub(super) entries: u64,
    pub(super) kept: Vec<u8>,
    pub(super) text: Option<Box<str>>,
    /// The server's answer to a bind says that the account is locked or disabled, or that its password expired.
    pub(super) locked: bool,
    pub(super) waker: Option<Waker>,
}

impl Slot {
    pub(super) const fn new() -> Self {
        Self {
            id: 0,
            expected: 0,
            keep: Keep::Nothing,
            wants_text: false,
            fresh: false,
            begun: false,
            reply: None,
            entries: 0,
            kept: Vec::new(),
            text: None,
            locked: false,
            waker: None,
        }
    }

    /// In flight, and without an answer so far.
    pub(super) const fn is_waiting(&self) -> bool {
        self.id != 0 && self.reply.is_none()
    }

    /// In flight, without an answer, and of an operation that only reads.
    pub(super) const fn is_waiting_for_read(&self) -> bool {
        self.is_waiting() && matches!(self.expected, op::SEARCH_DONE | op::COMPARE_RESPONSE)
    }

    pub(super) fn start(&mut self, id: i32, expected: u8, keep: Keep, wants_text: bool) {
        self.id = id;
        self.expected = expected;
        self.keep = keep;
        self.wants_text = wants_text;
        self.fresh = true;
        self.begun = false;
        self.reply = None;
        self.entries = 0;
        self.kept.clear();
        self.text = None;
        self.locked = false;
    }

    pub(super) fn end(&mut self, reply: Reply) {
        self.reply = Some(reply);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Appends the length of `bytes` and the bytes to those kept, if they still fit; returns whether they did.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> bool {
        const KEPT_MAX: usize = 1 << 16;
        let Ok(length) = u32::try_from(bytes.len()) else { return false };
        let fits = self.kept.len() + bytes.len() + 4 <= KEPT_MAX;
        if fits {
            self.kept.extend_from_slice(&length.to_be_bytes());
            self.kept.extend_from_slice(bytes);
        }
        fits
    }
}
