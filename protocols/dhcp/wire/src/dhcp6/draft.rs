//! A message composed in any order and written in ascending order of option codes.

use super::{MessageType, Writer};

/// The options of a message under construction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// In ascending order of codes; those with the same code in the order in which they were added.
    options: Vec<(u16, Vec<u8>)>,
}

impl Draft {
    /// Adds an option after those with the same code.
    pub fn add(&mut self, code: u16, data: impl Into<Vec<u8>>) -> &mut Self {
        let at = self.options.partition_point(|(other, _)| *other <= code);
        self.options.insert(at, (code, data.into()));
        self
    }

    /// Whether there is an option of this code.
    pub fn has(&self, code: u16) -> bool {
        self.options.iter().any(|(other, _)| *other == code)
    }

    /// The options, in ascending order of codes.
    pub fn options(&self) -> impl Iterator<Item = (u16, &[u8])> {
        self.options.iter().map(|(code, data)| (*code, data.as_slice()))
    }

    /// Writes the message at the end of `out`.
    pub fn write(&self, kind: MessageType, xid: u32, out: &mut Vec<u8>) {
        Writer::message(out, kind, xid);
        self.write_options(out);
    }

    /// Writes only the options at the end of `out`.
    pub fn write_options(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::behind(out);
        for (code, data) in self.options() {
            writer.option(code, data);
        }
    }
}
