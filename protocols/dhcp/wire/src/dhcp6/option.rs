//! The encoding of options in a message: code, length, data, without gaps (RFC 8415 section 21.1).

use super::DecodeError;

/// The code and the length before the data of an option.
pub const HEADER_LENGTH: usize = 4;

/// One option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opt<'a> {
    /// Its code.
    pub code: u16,
    /// Where it begins, counted from the first byte of the message that was parsed.
    pub offset: usize,
    /// The whole option, including code and length.
    pub whole: &'a [u8],
    /// Its data.
    pub data: &'a [u8],
}

impl<'a> Opt<'a> {
    /// The data, if it has this length.
    pub fn exactly<const N: usize>(&self) -> Result<&'a [u8; N], DecodeError> {
        self.data.try_into().map_err(|_| self.wrong_length())
    }

    /// The options in the data after the first `fixed` bytes.
    pub fn nested(&self, fixed: usize) -> Result<Options<'a>, DecodeError> {
        let inside = self.data.get(fixed..).ok_or(self.wrong_length())?;
        Options::parse(inside, self.offset + HEADER_LENGTH + fixed)
    }

    pub(super) const fn wrong_length(&self) -> DecodeError {
        DecodeError::Length { offset: self.offset, code: self.code, length: self.data.len() }
    }
}

/// A sequence of options that has been checked to fill its bytes completely.
///
/// There are at most a quarter as many options as bytes, since each has a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Options<'a> {
    /// Checks that `bytes`, which begin at `offset` of a message, consist only of options.
    pub fn parse(bytes: &'a [u8], offset: usize) -> Result<Self, DecodeError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = offset + (bytes.len() - rest.len());
            let (option, behind) = split(rest, at).ok_or(DecodeError::Truncated { offset: at })?;
            debug_assert_eq!(option.whole.len() + behind.len(), rest.len());
            rest = behind;
        }
        Ok(Self { bytes, offset })
    }

    /// The first option of this code.
    pub fn find(self, code: u16) -> Option<Opt<'a>> {
        self.iter().find(|option| option.code == code)
    }

    /// The options, in order.
    pub const fn iter(self) -> OptionIter<'a> {
        OptionIter { rest: self.bytes, offset: self.offset }
    }

    /// All of them, encoded.
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }
}

impl<'a> IntoIterator for Options<'a> {
    type Item = Opt<'a>;
    type IntoIter = OptionIter<'a>;

    fn into_iter(self) -> OptionIter<'a> {
        self.iter()
    }
}

/// An iterator over [`Options`].
#[derive(Clone, Debug)]
pub struct OptionIter<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Iterator for OptionIter<'a> {
    type Item = Opt<'a>;

    #[inline]
    fn next(&mut self) -> Option<Opt<'a>> {
        let (option, rest) = split(self.rest, self.offset)?;
        self.offset += option.whole.len();
        self.rest = rest;
        Some(option)
    }
}

/// The first option and the bytes after it.
#[inline]
fn split(bytes: &[u8], offset: usize) -> Option<(Opt<'_>, &[u8])> {
    let ([code_high, code_low, length_high, length_low], _) = bytes.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes([*length_high, *length_low]));
    let (whole, rest) = bytes.split_at_checked(HEADER_LENGTH + length)?;
    let data = whole.get(HEADER_LENGTH..)?;
    let code = u16::from_be_bytes([*code_high, *code_low]);
    Some((Opt { code, offset, whole, data }, rest))
}
