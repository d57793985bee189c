//! A [`Draft`]: a message composed once at the start, before it is sent many times.
//!
//! Options are written in the same order as by perfdhcp: 53 first, then by code, and 82 last (as RFC 3046 section 2.1
//! requires), without padding to the length of BOOTP.

use super::{Header, MessageType, Writer, option};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

/// A message under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The fields before the options.
    pub header: Header,
    options: BTreeMap<u8, Vec<u8>>,
}

impl Draft {
    /// Creates a message with this type and no other options.
    pub fn new(header: Header, kind: MessageType) -> Self {
        let options = BTreeMap::from([(option::MESSAGE_TYPE, vec![kind.byte()])]);
        Self { header, options }
    }

    /// Adds an option, or replaces the one with this code.
    #[must_use]
    pub fn with(mut self, code: u8, value: &[u8]) -> Self {
        debug_assert!(code != option::PAD && code != option::END, "{code} has no value");
        self.options.insert(code, value.to_vec());
        self
    }

    /// Adds an option. It must not exist already, except for the parameter request list, which is extended.
    pub fn add(&mut self, code: u8, value: &[u8]) -> Result<(), Present> {
        debug_assert!(code != option::PAD && code != option::END, "{code} has no value");
        match self.options.get_mut(&code) {
            None => {
                self.options.insert(code, value.to_vec());
            }
            Some(list) if code == option::PARAMETER_REQUEST_LIST => list.extend_from_slice(value),
            Some(_) => return Err(Present { code }),
        }
        Ok(())
    }

    /// The value of an option.
    pub fn option(&self, code: u8) -> Option<&[u8]> {
        self.options.get(&code).map(Vec::as_slice)
    }

    /// Appends the message to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::untyped(out, &self.header);
        let first = [option::MESSAGE_TYPE];
        let last = [option::RELAY_INFO];
        let between = self
            .options
            .keys()
            .copied()
            .filter(|code| !first.contains(code) && !last.contains(code));
        for code in first.into_iter().chain(between).chain(last) {
            if let Some(value) = self.options.get(&code) {
                writer.option(code, value);
            }
        }
        writer.end();
    }

    /// The message.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }
}

/// An option that a message already has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Present {
    /// The option's code.
    pub code: u8,
}

impl fmt::Display for Present {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option {} is already present in the message", self.code)
    }
}

impl Error for Present {}
