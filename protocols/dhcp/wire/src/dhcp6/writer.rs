//! Writes a message directly into the buffer that is sent, option by option.
//!
//! It writes options in the order of the calls, so that a server can answer in the order of the request and a test can
//! write messages that no server would send. [`Draft`](super::Draft) sorts.

use super::option::HEADER_LENGTH;
use super::{IaKind, MessageType, code};
use std::net::Ipv6Addr;

/// Writes one message at the end of a buffer.
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
}

/// An option that has been opened and not closed.
#[derive(Debug)]
#[must_use = "an option that is not closed has the length 0"]
pub struct Open {
    at: usize,
}

impl<'o> Writer<'o> {
    /// Begins a message. Bits of the transaction id above the lower 24 are lost.
    pub fn message(out: &'o mut Vec<u8>, kind: MessageType, xid: u32) -> Self {
        let [_, high, middle, low] = xid.to_be_bytes();
        out.extend_from_slice(&[kind.0, high, middle, low]);
        Self { out }
    }

    /// Continues after the existing contents of the buffer.
    pub const fn behind(out: &'o mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Writes an option. Data beyond 65,535 bytes is not written, since the length field cannot represent it.
    pub fn option(&mut self, code: u16, data: &[u8]) -> &mut Self {
        let open = self.open(code);
        self.out.extend_from_slice(data);
        self.close(&open)
    }

    /// Writes options that are already encoded.
    pub fn encoded(&mut self, options: &[u8]) -> &mut Self {
        self.out.extend_from_slice(options);
        self
    }

    /// Opens an option: everything written until it is closed is its data.
    pub fn open(&mut self, code: u16) -> Open {
        let at = self.out.len();
        let [high, low] = code.to_be_bytes();
        self.out.extend_from_slice(&[high, low, 0, 0]);
        Open { at }
    }

    /// Closes an option; the one that was opened last must be closed first.
    pub fn close(&mut self, open: &Open) -> &mut Self {
        close(self.out, open.at);
        self
    }

    /// Writes an elapsed time in hundredths of a second.
    pub fn elapsed(&mut self, hundredths: u16) -> &mut Self {
        self.option(code::ELAPSED_TIME, &hundredths.to_be_bytes())
    }

    /// Writes a status code with its message.
    pub fn status(&mut self, status: u16, text: &str) -> &mut Self {
        let open = self.open(code::STATUS_CODE);
        self.out.extend_from_slice(&status.to_be_bytes());
        self.out.extend_from_slice(text.as_bytes());
        self.close(&open)
    }

    /// Opens an identity association; leases and a status may follow before it is closed. T1 and T2
    /// are not written into an `IA_TA`, which has none.
    pub fn open_ia(&mut self, kind: IaKind, iaid: u32, t1: u32, t2: u32) -> Open {
        let open = self.open(kind.code());
        self.words(&[iaid]);
        if kind != IaKind::Ta {
            self.words(&[t1, t2]);
        }
        open
    }

    /// Writes an address with its lifetimes.
    pub fn address(&mut self, address: Ipv6Addr, preferred: u32, valid: u32) -> &mut Self {
        let open = self.open(code::IAADDR);
        self.out.extend_from_slice(&address.octets());
        self.words(&[preferred, valid]);
        self.close(&open)
    }

    /// Writes a prefix of this many bits with its lifetimes.
    pub fn prefix(&mut self, prefix: Ipv6Addr, bits: u8, preferred: u32, valid: u32) -> &mut Self {
        let open = self.open(code::IAPREFIX);
        self.words(&[preferred, valid]);
        self.out.push(bits);
        self.out.extend_from_slice(&prefix.octets());
        self.close(&open)
    }

    fn words(&mut self, words: &[u32]) {
        for word in words {
            self.out.extend_from_slice(&word.to_be_bytes());
        }
    }
}

/// Writes the length of the option at `at`, whose data ends at the end of the buffer, and cuts off data that the length
/// field cannot represent.
pub(super) fn close(out: &mut Vec<u8>, at: usize) {
    let data = at + HEADER_LENGTH;
    out.truncate(data + usize::from(u16::MAX));
    let length = out.len().saturating_sub(data) as u16;
    if let Some(place) = out.get_mut(at + 2..).and_then(<[u8]>::first_chunk_mut) {
        *place = length.to_be_bytes();
    }
}
