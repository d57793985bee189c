//! [`Options`]: the options of a message in sequence, including those in overloaded fields.
//!
//! Option overload (RFC 2132 section 9.3) allows them to continue in `file` and then in `sname`. A field without an end
//! option ends at its last byte, because other implementations also accept messages of servers that omit it.

use super::{DecodeError, OPTIONS_AT, at, option};
use std::ops::Range;

/// One option of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DhcpOption<'a> {
    /// The offset of its code, counted from the first byte of the message.
    pub offset: usize,
    /// Its code.
    pub code: u8,
    /// Its value, at most 255 bytes.
    pub value: &'a [u8],
}

impl DhcpOption<'_> {
    /// The range of its value.
    pub fn value_at(&self) -> Range<usize> {
        self.offset + 2..self.offset + 2 + self.value.len()
    }
}

/// The options of a message in the order in which they must be read (RFC 3396 section 5): the options field, then
/// `file`, then `sname`, the last two only if they are overloaded. Pads and ends are skipped. After an error the
/// iteration ends.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    overload: Overload,
}

/// What must still be read after the current field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overload {
    /// Still in the options field; the value of option 52, where bit 0 means `file` and bit 1 means `sname`.
    Value(u8),
    /// In `file`; if true, `sname` follows.
    InFile(bool),
    /// In the last field.
    Last,
}

impl<'a> Options<'a> {
    /// The options of a message; none if it is too short to have any.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: OPTIONS_AT.min(bytes.len()),
            end: bytes.len(),
            overload: Overload::Value(0),
        }
    }

    /// Moves to the next field that contains options, if there is one.
    fn next_field(&mut self) -> bool {
        let (file, sname) = match self.overload {
            Overload::Value(bits) => (bits & 1 != 0, bits & 2 != 0),
            Overload::InFile(sname) => (false, sname),
            Overload::Last => return false,
        };
        if file {
            (self.at, self.end) = (at::FILE, at::COOKIE);
            self.overload = Overload::InFile(sname);
        } else {
            self.overload = Overload::Last;
            if sname {
                (self.at, self.end) = (at::SNAME, at::FILE);
            }
        }
        file || sname
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = Result<DhcpOption<'a>, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let field = self.bytes.get(..self.end).unwrap_or_default();
            match field.get(self.at) {
                Some(&option::PAD) => self.at += 1,
                None | Some(&option::END) => {
                    self.at = self.end;
                    if !self.next_field() {
                        return None;
                    }
                }
                Some(&code) => {
                    let offset = self.at;
                    let value = field.get(offset + 1).and_then(|&length| {
                        field.get(offset + 2..offset + 2 + usize::from(length))
                    });
                    let Some(value) = value else {
                        (self.at, self.overload) = (self.end, Overload::Last);
                        return Some(Err(DecodeError::Truncated { offset, code }));
                    };
                    self.at = offset + 2 + value.len();
                    if let (option::OVERLOAD, Overload::Value(bits), [more]) =
                        (code, &mut self.overload, value)
                    {
                        *bits = *more;
                    }
                    return Some(Ok(DhcpOption { offset, code, value }));
                }
            }
        }
    }
}
