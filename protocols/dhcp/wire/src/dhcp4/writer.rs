//! A [`Writer`] that appends a message to a buffer, with options in the order of the calls.
//!
//! It does not allocate beyond the buffer, so it is suitable for a hot path.
//! [`Draft`](super::Draft) sorts options.

use super::{Header, MessageType, option};
use std::net::Ipv4Addr;

/// Appends one message to a buffer.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> Writer<'a> {
    /// Begins a message with its header and its type.
    pub fn new(out: &'a mut Vec<u8>, header: &Header, kind: MessageType) -> Self {
        let mut writer = Self::untyped(out, header);
        writer.option(option::MESSAGE_TYPE, &[kind.byte()]);
        writer
    }

    /// Begins a message with only its header.
    pub fn untyped(out: &'a mut Vec<u8>, header: &Header) -> Self {
        header.write(out);
        Self { out }
    }

    /// Appends an option. A value longer than 255 bytes is split into several options (RFC 3396
    /// section 5).
    pub fn option(&mut self, code: u8, value: &[u8]) -> &mut Self {
        debug_assert!(code != option::PAD && code != option::END, "{code} has no value");
        if value.is_empty() {
            self.out.extend_from_slice(&[code, 0]);
        }
        for part in value.chunks(255) {
            self.out.extend_from_slice(&[code, part.len() as u8]);
            self.out.extend_from_slice(part);
        }
        self
    }

    /// Appends an option whose value is an address.
    pub fn address(&mut self, code: u8, address: Ipv4Addr) -> &mut Self {
        self.option(code, &address.octets())
    }

    /// Appends an option whose value is a number of seconds.
    pub fn seconds(&mut self, code: u8, seconds: u32) -> &mut Self {
        self.option(code, &seconds.to_be_bytes())
    }

    /// Ends the message.
    pub fn end(self) {
        self.out.push(option::END);
    }
}
