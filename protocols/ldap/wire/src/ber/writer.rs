//! Appends elements to a buffer, with minimal lengths.
//!
//! The length of a constructed element is known only at its end. One byte is reserved for it, and
//! contents of 128 bytes or more are moved by the few bytes that are missing. This is cheaper than
//! measuring everything first. The requests of the hot path do not use this writer: they are
//! compiled (see [`Skeleton`](crate::Skeleton)).

use super::tag;

/// Appends elements to a buffer.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> Writer<'a> {
    /// Appends to `out`.
    pub const fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Writes a primitive element.
    pub fn primitive(&mut self, tag: u8, content: &[u8]) {
        let mut header = [0; HEADER_MAX];
        let width = header_backwards(&mut header, tag, content.len());
        self.out.extend_from_slice(header.get(HEADER_MAX - width..).unwrap_or_default());
        self.out.extend_from_slice(content);
    }

    /// Writes a constructed element whose contents `fill` writes.
    pub fn constructed(&mut self, tag: u8, fill: impl FnOnce(&mut Writer<'_>)) {
        self.out.extend_from_slice(&[tag, 0]);
        let start = self.out.len();
        fill(&mut Writer { out: self.out });
        let length = self.out.len() - start;
        let mut header = [0; HEADER_MAX];
        let width = header_backwards(&mut header, tag, length);
        let extra = width - 2;
        if extra > 0 {
            self.out.resize(start + length + extra, 0);
            self.out.copy_within(start..start + length, start + extra);
        }
        let header = header.get(HEADER_MAX - width..).unwrap_or_default();
        if let Some(place) = self.out.get_mut(start - 2..start + extra) {
            place.copy_from_slice(header);
        }
    }

    /// Writes an OCTET STRING.
    pub fn octets(&mut self, content: &[u8]) {
        self.primitive(tag::OCTET_STRING, content);
    }

    /// Writes an integer under the given tag, in as few bytes as its sign allows.
    pub fn integer(&mut self, tag: u8, value: i32) {
        let bytes = value.to_be_bytes();
        self.primitive(tag, minimal(&bytes));
    }

    /// Writes a boolean under the given tag; true is 0xff (RFC 4511 section 5.1).
    pub fn boolean(&mut self, tag: u8, value: bool) {
        self.primitive(tag, &[if value { 0xff } else { 0 }]);
    }

    /// Writes bytes that are already encoded elements.
    pub fn raw(&mut self, elements: &[u8]) {
        self.out.extend_from_slice(elements);
    }
}

/// The maximum size of a header: a tag, a length of lengths, eight bytes of length.
pub(crate) const HEADER_MAX: usize = 10;

/// Writes tag and length at the end of `buffer` and returns how many bytes they take.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the buffer is larger than the longest header")]
pub(crate) fn header_backwards(buffer: &mut [u8; HEADER_MAX], tag: u8, length: usize) -> usize {
    let mut place = HEADER_MAX - 1;
    if length < 0x80 {
        buffer[place] = length as u8;
    } else {
        let mut left = length;
        while left > 0 {
            buffer[place] = left as u8;
            left >>= 8;
            place -= 1;
        }
        buffer[place] = 0x80 | (HEADER_MAX - 1 - place) as u8;
    }
    buffer[place - 1] = tag;
    HEADER_MAX - (place - 1)
}

/// The bytes of a two's complement integer without redundant leading sign bytes.
#[inline]
pub(crate) fn minimal(bytes: &[u8; 4]) -> &[u8] {
    let mut rest = &bytes[..];
    while let [first, second, ..] = *rest {
        let repeats = (first == 0 && second < 0x80) || (first == 0xff && second >= 0x80);
        match rest.split_first() {
            Some((_, tail)) if repeats => rest = tail,
            _ => break,
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ber::Reader;

    #[test]
    fn lengths_are_minimal() {
        for (length, header) in [
            (0, &[0x04, 0x00][..]),
            (127, &[0x04, 0x7f]),
            (128, &[0x04, 0x81, 0x80]),
            (255, &[0x04, 0x81, 0xff]),
            (256, &[0x04, 0x82, 0x01, 0x00]),
            (65_535, &[0x04, 0x82, 0xff, 0xff]),
            (65_536, &[0x04, 0x83, 0x01, 0x00, 0x00]),
        ] {
            let mut out = Vec::new();
            Writer::new(&mut out).octets(&vec![b'x'; length]);
            assert_eq!(&out[..header.len()], header);
            assert_eq!(out.len(), header.len() + length);
            let mut nested = Vec::from(&b"before"[..]);
            Writer::new(&mut nested).constructed(0x04, |w| w.raw(&vec![b'x'; length]));
            assert_eq!(
                nested[6..],
                out[..],
                "a constructed element is written as a primitive one is"
            );
        }
    }

    #[test]
    fn integers_are_minimal() {
        for (value, content) in [
            (0, &[0x00][..]),
            (127, &[0x7f]),
            (128, &[0x00, 0x80]),
            (256, &[0x01, 0x00]),
            (-1, &[0xff]),
            (-128, &[0x80]),
            (-129, &[0xff, 0x7f]),
            (i32::MAX, &[0x7f, 0xff, 0xff, 0xff]),
            (i32::MIN, &[0x80, 0x00, 0x00, 0x00]),
        ] {
            let mut out = Vec::new();
            Writer::new(&mut out).integer(tag::INTEGER, value);
            assert_eq!(Reader::new(&out).element().unwrap().content, content, "{value}");
        }
    }
}
