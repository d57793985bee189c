//! A cursor over elements: it borrows what it reads, allocates nothing, and limits depth and
//! length.
//!
//! Every step returns an element or a [`DecodeError`] with the offset in the whole message. A
//! reader of a part knows the offset of that part, so the offsets of errors are correct at any
//! depth.

use super::{DEPTH_MAX, DecodeError, tag};

/// One element: its tag and its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    /// The identifier byte.
    pub tag: u8,
    /// The contents, without tag and length.
    pub content: &'a [u8],
    /// Where the element begins in the message.
    pub offset: usize,
    /// Where its contents begin in the message.
    pub content_offset: usize,
}

/// Reads elements one after another.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    offset: usize,
    depth: u8,
}

impl<'a> Reader<'a> {
    /// Reads from the first byte of `bytes`, which errors call byte 0.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self::at(bytes, 0)
    }

    /// Reads `bytes`, whose first byte is byte `offset` of the message.
    pub const fn at(bytes: &'a [u8], offset: usize) -> Self {
        Self { rest: bytes, offset, depth: 0 }
    }

    /// Where the next element begins in the message.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// What has not been read yet.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether everything has been read.
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The tag of the next element, if there is one.
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Reads the next element, whatever its tag is.
    #[inline]
    pub fn element(&mut self) -> Result<Element<'a>, DecodeError> {
        let offset = self.offset;
        let truncated = DecodeError::Truncated { offset };
        let header = Header::parse(self.rest, offset)?.ok_or(truncated)?;
        let after = self.rest.get(header.width..).ok_or(truncated)?;
        let length = usize::try_from(header.length).map_err(|_| truncated)?;
        let (content, rest) = after.split_at_checked(length).ok_or(truncated)?;
        self.rest = rest;
        self.offset = offset + header.width + length;
        Ok(Element { tag: header.tag, content, offset, content_offset: offset + header.width })
    }

    /// Reads the next element, which must have this tag.
    #[inline]
    pub fn expect(&mut self, expected: u8) -> Result<Element<'a>, DecodeError> {
        match self.peek() {
            Some(found) if found == expected => self.element(),
            Some(found) => Err(DecodeError::Tag { offset: self.offset, expected, found }),
            None => Err(DecodeError::Truncated { offset: self.offset }),
        }
    }

    /// Reads the next element if it has this tag; otherwise leaves it unread.
    #[inline]
    pub fn optional(&mut self, expected: u8) -> Result<Option<Element<'a>>, DecodeError> {
        if self.peek() == Some(expected) { self.element().map(Some) } else { Ok(None) }
    }

    /// Reads the next element, which must have this tag, and returns a reader of its contents.
    #[inline]
    pub fn nested(&mut self, expected: u8) -> Result<Self, DecodeError> {
        let element = self.expect(expected)?;
        self.inside(&element)
    }

    /// A reader of the contents of an element this reader has read.
    #[inline]
    pub fn inside(&self, element: &Element<'a>) -> Result<Self, DecodeError> {
        let depth = self.depth + 1;
        if depth > DEPTH_MAX {
            return Err(DecodeError::TooDeep { offset: element.offset });
        }
        Ok(Self { rest: element.content, offset: element.content_offset, depth })
    }

    /// Reads an OCTET STRING.
    #[inline]
    pub fn octets(&mut self) -> Result<&'a [u8], DecodeError> {
        Ok(self.expect(tag::OCTET_STRING)?.content)
    }

    /// Reads an INTEGER between 0 and 2³¹ − 1, the only range LDAP uses.
    #[inline]
    pub fn integer(&mut self) -> Result<i32, DecodeError> {
        self.expect(tag::INTEGER)?.integer()
    }

    /// Reads an ENUMERATED between 0 and 2³¹ − 1.
    #[inline]
    pub fn enumerated(&mut self) -> Result<i32, DecodeError> {
        self.expect(tag::ENUMERATED)?.integer()
    }

    /// Reads a BOOLEAN.
    pub fn boolean(&mut self) -> Result<bool, DecodeError> {
        self.expect(tag::BOOLEAN)?.boolean()
    }

    /// Checks that nothing follows.
    pub fn end(&self) -> Result<(), DecodeError> {
        if self.is_empty() { Ok(()) } else { Err(DecodeError::Trailing { offset: self.offset }) }
    }
}

impl Element<'_> {
    /// The contents as an integer between 0 and 2³¹ − 1. Leading zero bytes are tolerated, as long
    /// as there are at most eight bytes in all.
    #[inline]
    pub fn integer(&self) -> Result<i32, DecodeError> {
        let error = DecodeError::Integer { offset: self.content_offset };
        match *self.content {
            [only] if only < 0x80 => Ok(i32::from(only)),
            [first, ..] if first < 0x80 && self.content.len() <= 8 => {
                let value =
                    self.content.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
                i32::try_from(value).map_err(|_| error)
            }
            _ => Err(error),
        }
    }

    /// The contents as a boolean. Any value except zero is true: BER defines it so, and RFC 4511
    /// requires 0xff only of writers.
    pub fn boolean(&self) -> Result<bool, DecodeError> {
        match self.content {
            [byte] => Ok(*byte != 0),
            _ => Err(DecodeError::Boolean { offset: self.content_offset }),
        }
    }
}

/// The length of the element that begins with the first byte, including its header. `None` until
/// enough of the header is available to determine it. The element itself need not be available.
///
/// The limit is checked before a caller waits for, or allocates memory for, the announced length.
#[inline]
pub fn element_length(bytes: &[u8], limit: usize) -> Result<Option<usize>, DecodeError> {
    let Some(header) = Header::parse(bytes, 0)? else { return Ok(None) };
    let length = u64::from(header.length) + header.width as u64;
    if length > limit as u64 {
        return Err(DecodeError::TooLarge { length, limit });
    }
    Ok(Some(length as usize))
}

/// Tag and length of an element.
struct Header {
    tag: u8,
    /// How many bytes the header takes.
    width: usize,
    /// How many bytes of contents follow it.
    length: u32,
}

impl Header {
    /// `None` if more bytes are needed.
    #[inline]
    fn parse(bytes: &[u8], offset: usize) -> Result<Option<Self>, DecodeError> {
        let (tag, first, rest) = match *bytes {
            [tag, ..] if tag & 0x1f == 0x1f => return Err(DecodeError::LongTag { offset }),
            [] | [_] => return Ok(None),
            [tag, first, ref rest @ ..] => (tag, first, rest),
        };
        if first < 0x80 {
            return Ok(Some(Self { tag, width: 2, length: u32::from(first) }));
        }
        let count = usize::from(first & 0x7f);
        match count {
            0 => return Err(DecodeError::Indefinite { offset }),
            1..=4 => {}
            _ => return Err(DecodeError::LongLength { offset }),
        }
        let Some(bytes) = rest.get(..count) else { return Ok(None) };
        let length = bytes.iter().fold(0_u32, |length, byte| length << 8 | u32::from(*byte));
        Ok(Some(Self { tag, width: 2 + count, length }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_short_long_and_padded_are_read() {
        let mut long = vec![0x04, 0x81, 0x80];
        long.extend([7; 0x80]);
        for (bytes, length) in [
            (vec![0x04, 0x00], 0),
            (vec![0x04, 0x02, 1, 2], 2),
            (vec![0x04, 0x84, 0, 0, 0, 2, 1, 2], 2),
            (long, 0x80),
        ] {
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.octets().unwrap().len(), length);
            reader.end().unwrap();
            assert_eq!(element_length(&bytes, 1 << 20), Ok(Some(bytes.len())));
        }
    }

    #[test]
    fn encodings_forbidden_by_ldap_are_refused() {
        let refuse = |bytes: &[u8]| Reader::new(bytes).element().unwrap_err();
        assert_eq!(refuse(&[0x30, 0x80, 0, 0]), DecodeError::Indefinite { offset: 0 });
        assert_eq!(refuse(&[0x30, 0x85, 0, 0, 0, 0, 0]), DecodeError::LongLength { offset: 0 });
        assert_eq!(refuse(&[0x3f, 0x81, 0]), DecodeError::LongTag { offset: 0 });
        assert_eq!(refuse(&[0x30, 0x03, 1]), DecodeError::Truncated { offset: 0 });
        assert_eq!(refuse(&[0x30]), DecodeError::Truncated { offset: 0 });
        assert_eq!(refuse(&[]), DecodeError::Truncated { offset: 0 });
        assert_eq!(
            refuse(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]),
            DecodeError::Truncated { offset: 0 }
        );
    }

    #[test]
    fn length_above_the_limit_is_refused_early() {
        assert_eq!(
            element_length(&[0x30, 0x84, 0x7f, 0xff, 0xff, 0xff], 1 << 24),
            Err(DecodeError::TooLarge { length: 0x7fff_ffff + 6, limit: 1 << 24 })
        );
        assert_eq!(element_length(&[0x30, 0x82, 0x01], 1 << 24), Ok(None));
        assert_eq!(element_length(&[0x30, 0x82, 0x01, 0x00], 1 << 24), Ok(Some(260)));
        assert_eq!(element_length(&[], 10), Ok(None));
    }

    #[test]
    fn integers_are_read() {
        let read = |content: &[u8]| {
            Element { tag: tag::INTEGER, content, offset: 0, content_offset: 2 }.integer()
        };
        assert_eq!(read(&[0]), Ok(0));
        assert_eq!(read(&[0x7f]), Ok(127));
        assert_eq!(read(&[0x00, 0x80]), Ok(128));
        assert_eq!(read(&[0x7f, 0xff, 0xff, 0xff]), Ok(i32::MAX));
        assert_eq!(read(&[0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]), Ok(i32::MAX));
        for bad in [&[][..], &[0xff], &[0x00, 0x80, 0, 0, 0], &[0x80, 0, 0, 0], &[0; 9]] {
            assert_eq!(read(bad), Err(DecodeError::Integer { offset: 2 }), "{bad:?}");
        }
    }

    #[test]
    fn errors_keep_the_offset_in_the_whole_message() {
        let bytes = [0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0xff];
        let mut inner =
            Reader::new(&bytes).nested(tag::SEQUENCE).unwrap().nested(tag::SEQUENCE).unwrap();
        assert_eq!(inner.integer(), Err(DecodeError::Integer { offset: 6 }));
    }

    #[test]
    fn depth_is_limited() {
        let mut bytes = Vec::new();
        for _ in 0..=DEPTH_MAX {
            let length = bytes.len() as u8;
            bytes.splice(0..0, [0x30, length]);
        }
        let mut reader = Reader::new(&bytes);
        let error = loop {
            match reader.nested(tag::SEQUENCE) {
                Ok(inner) => reader = inner,
                Err(error) => break error,
            }
        };
        assert_eq!(error, DecodeError::TooDeep { offset: 2 * usize::from(DEPTH_MAX) });
    }
}
