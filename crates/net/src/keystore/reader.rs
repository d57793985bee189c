//! [`Reader`]: big-endian numbers and length-prefixed bytes from an untrusted file.
//!
//! Memory is never allocated for a length before the bytes are there. It must not depend on a format.

/// A position in a byte slice. Every read returns `None` if the bytes are missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.bytes(1)?.first().copied()
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.bytes(2)?.try_into().ok()?))
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.bytes(4)?.try_into().ok()?))
    }

    /// Bytes preceded by their length in 32 bits.
    pub(super) fn counted(&mut self) -> Option<&'a [u8]> {
        let count = usize::try_from(self.u32()?).ok()?;
        self.bytes(count)
    }

    /// Text preceded by its length in 16 bits, as `DataOutput.writeUTF` writes it. Invalid UTF-8 is replaced: the text
    /// is a name to show and compare.
    pub(super) fn text(&mut self) -> Option<String> {
        let count = usize::from(self.u16()?);
        Some(String::from_utf8_lossy(self.bytes(count)?).into_owned())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reader_returns_numbers_and_counted_bytes_in_order() {
        let mut reader = Reader::new(&[7, 1, 2, 0, 0, 0, 2, 9, 8, 0, 1, b'x']);
        assert_eq!((reader.u8(), reader.u16()), (Some(7), Some(258)));
        assert_eq!(reader.counted(), Some(&[9, 8][..]));
        assert_eq!(reader.text().as_deref(), Some("x"));
        assert!(reader.is_empty());
    }

    #[test]
    fn reader_yields_nothing_for_a_wrong_length() {
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 1]).counted(), None);
        assert_eq!(Reader::new(&[0, 5, b'x']).text(), None);
        assert_eq!(Reader::new(&[0, 5, 1]).u32(), None);
    }
}
