//! [`AnswerHeads`]: the heads of answers over one connection.
//!
//! A server answers the same request with the same head, except for a date that changes once a second. Bytes that do
//! not refer to the table of the connection are the same fields at any time, and others as long as the table does not
//! change. So a repeated head is compared and not decoded again.

use crate::response::{Field, Response};
use brunt_http_wire as wire;
use brunt_http_wire::http2::{FieldDecoder, FieldError};

/// The maximum length of the bytes that are kept for the comparison.
const BLOCK_MAX: usize = 1024;

/// The heads of answers over one connection.
#[derive(Debug, Default)]
pub(super) struct AnswerHeads {
    decoder: FieldDecoder,
    last: AnswerHead,
    /// The bytes of the last head, if they can be compared.
    block: Vec<u8>,
    /// Whether they are the same fields whatever is in the table.
    independent: bool,
    /// How often the table had changed when they were decoded.
    changes: u64,
}

/// A head that was decoded.
#[derive(Debug, Default)]
pub(super) struct AnswerHead {
    /// The status, or 0.
    pub(super) status: u16,
    /// The size of the fields as RFC 9113 section 6.5.2 counts it.
    pub(super) size: usize,
    /// The value of `Content-Length`.
    pub(super) length: Option<u64>,
    /// Whether it breaks a rule (RFC 9113 section 8.1.1).
    pub(super) malformed: bool,
    bytes: Vec<u8>,
    fields: Vec<Field>,
}

impl AnswerHeads {
    /// Decodes a head, whose fields may be as large as `size_max`; the fields of a larger one are not kept.
    pub(super) fn read(
        &mut self,
        block: &[u8],
        size_max: usize,
    ) -> Result<&AnswerHead, FieldError> {
        let Self { decoder, last, block: known, independent, changes } = self;
        let before = decoder.changes();
        if !known.is_empty() && *known == block && (*independent || *changes == before) {
            if *independent {
                decoder.repeat();
            }
            return Ok(last);
        }
        known.clear();
        last.clear();
        decoder.decode(block, &mut |name: &[u8], value: &[u8]| last.add(name, value, size_max))?;
        *independent = decoder.is_independent();
        if block.len() <= BLOCK_MAX && (*independent || decoder.changes() == before) {
            known.extend_from_slice(block);
            *changes = before;
        }
        Ok(last)
    }
}

impl AnswerHead {
    fn clear(&mut self) {
        let Self { bytes, fields, .. } = std::mem::take(self);
        (self.bytes, self.fields) = (bytes, fields);
        self.bytes.clear();
        self.fields.clear();
    }

    fn add(&mut self, name: &[u8], value: &[u8], size_max: usize) {
        const OVERHEAD: usize = 32;
        if name.starts_with(b":") {
            let status = std::str::from_utf8(value).ok().filter(|text| text.len() == 3);
            let status = status.and_then(|text| text.parse().ok()).unwrap_or(0);
            let first = self.size == 0 && self.status == 0;
            self.malformed |= name != b":status" || !first || status < 100;
            self.status = status;
            return;
        }
        self.size = self.size.saturating_add(name.len() + value.len() + OVERHEAD);
        if self.size > size_max {
            return;
        }
        self.malformed |= !is_name(name) || !wire::is_field_value(value) || is_of_connection(name);
        if name == b"content-length" {
            let length = parsed(value);
            self.malformed |= length.is_none() || self.length.is_some_and(|it| Some(it) != length);
            self.length = length;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        let middle = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.fields.push(Field { name: start..middle, value: middle..self.bytes.len() });
    }

    /// Copies the fields to an answer.
    pub(super) fn keep(&self, response: &mut Response) {
        response.head.extend_from_slice(&self.bytes);
        response.fields.extend_from_slice(&self.fields);
    }
}

/// Whether it is the name of a field in lower case (RFC 9113 section 8.2.1).
fn is_name(name: &[u8]) -> bool {
    wire::is_field_name(name) && !name.iter().any(u8::is_ascii_uppercase)
}

/// Whether a field is about a connection of HTTP/1.1 (RFC 9113 section 8.2.2).
fn is_of_connection(name: &[u8]) -> bool {
    matches!(
        name,
        b"connection" | b"keep-alive" | b"proxy-connection" | b"transfer-encoding" | b"upgrade"
    )
}

fn parsed(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_http_wire::http2::field;

    fn block(fields: &[(&str, &str)]) -> Vec<u8> {
        let mut block = vec![0x88];
        for (name, value) in fields {
            field(&mut block, name.as_bytes(), value.as_bytes());
        }
        block
    }

    fn kept(heads: &mut AnswerHeads, block: &[u8]) -> String {
        let mut response = Response::default();
        let head = heads.read(block, 1 << 16).unwrap();
        assert!(!head.malformed);
        head.keep(&mut response);
        let fields = response.fields().map(|(name, value)| [name, b"=", value].concat());
        String::from_utf8(fields.collect::<Vec<_>>().join(&b' ')).unwrap()
    }

    #[test]
    fn answer_keeps_every_value_of_a_header() {
        let block = block(&[("set-cookie", "a=1"), ("x", "y"), ("set-cookie", "b=2")]);
        let mut heads = AnswerHeads::default();
        for _ in 0..3 {
            assert_eq!(kept(&mut heads, &block), "set-cookie=a=1 x=y set-cookie=b=2");
        }
    }

    #[test]
    fn repeated_head_is_decoded_again_once_the_table_changed() {
        let mut heads = AnswerHeads::default();
        // The newest entry of the table is added twice, with another value.
        let newest = [0x88, 0xbe];
        assert_eq!(kept(&mut heads, b"\x88\x40\x01a\x01b"), "a=b");
        assert_eq!(kept(&mut heads, &newest), "a=b");
        assert_eq!(kept(&mut heads, &newest), "a=b");
        assert_eq!(kept(&mut heads, b"\x88\x40\x01c\x01d"), "c=d");
        assert_eq!(kept(&mut heads, &newest), "c=d");
        // A head that is compared adds its fields to the table nevertheless.
        for _ in 0..3 {
            assert_eq!(kept(&mut heads, b"\x88\x40\x01e\x01f\x40\x01g\x01h"), "e=f g=h");
        }
        assert_eq!(kept(&mut heads, &[0x88, 0xbe, 0xbf, 0xc0, 0xc3]), "g=h e=f g=h e=f");
    }

    #[test]
    fn heads_that_break_a_rule_are_malformed() {
        let read = |block: &[u8]| {
            let mut heads = AnswerHeads::default();
            heads.read(block, 1 << 16).map(|head| head.malformed)
        };
        assert_eq!(read(&block(&[("x", "y"), ("content-length", "3")])), Ok(false));
        for wrong in [
            &b"\x88\x88"[..],
            b"\x88\x00\x01X\x01y",
            b"\x88\x00\x01a\x02\r\n",
            b"\x00\x01a\x01b\x88",
            b"\x08\x03abc",
            b"\x08\x03099",
            b"\x82",
            &block(&[("connection", "close")]),
            &block(&[("content-length", "x")]),
            &block(&[("content-length", "1"), ("content-length", "2")]),
        ] {
            assert_eq!(read(wrong), Ok(true), "{wrong:x?}");
        }
        assert_eq!(AnswerHeads::default().read(&[], 9).unwrap().status, 0);
    }

    #[test]
    fn long_head_is_measured_and_not_kept() {
        let mut heads = AnswerHeads::default();
        let long = "v".repeat(1000);
        let block = block(&[("x", &long), ("y", "z"), ("content-length", "1")]);
        let head = heads.read(&block, 1000).unwrap();
        assert_eq!((head.size, head.bytes.len()), (1033 + 34 + 47, 0));
    }
}
