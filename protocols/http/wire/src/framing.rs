//! [`Framing`]: where the body of a response ends (RFC 9112 section 6.3).

use super::Malformed;
use super::chunked::Chunked;

/// Where a body ends, as far as it has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// After this many bytes. It is 0 if the response cannot have a body.
    Length(u64),
    /// After its last chunk.
    Chunked(Chunked),
    /// At the end of the connection.
    UntilClose,
}

/// How much of some bytes belongs to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// How many of them belong to the body.
    pub used: usize,
    /// Whether the body ends with them.
    pub ended: bool,
}

impl Framing {
    /// Reads up to the end of the body, and passes the content to `content`.
    pub fn take(
        &mut self,
        bytes: &[u8],
        mut content: impl FnMut(&[u8]),
    ) -> Result<Taken, Malformed> {
        let used = match self {
            Self::Length(left) => {
                let count = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                if count > 0 {
                    content(bytes.get(..count).unwrap_or_default());
                }
                *left -= count as u64;
                count
            }
            Self::Chunked(chunked) => chunked.take(bytes, content)?,
            Self::UntilClose => {
                content(bytes);
                bytes.len()
            }
        };
        Ok(Taken { used, ended: self.has_ended() })
    }

    /// Whether the body is complete.
    pub fn has_ended(&self) -> bool {
        match self {
            Self::Length(left) => *left == 0,
            Self::Chunked(chunked) => chunked.has_ended(),
            Self::UntilClose => false,
        }
    }

    /// Whether the body is complete if the connection ends here.
    pub fn may_end_here(&self) -> bool {
        *self == Self::UntilClose || self.has_ended()
    }

    /// The length that it announces, if it does.
    pub fn announced(&self) -> Option<u64> {
        match self {
            Self::Length(left) => Some(*left),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_framing_takes_exactly_its_bytes() {
        let mut framing = Framing::Length(5);
        let mut content = Vec::new();
        let mut take = |framing: &mut Framing, bytes: &[u8]| {
            framing.take(bytes, |data| content.extend_from_slice(data)).unwrap()
        };
        assert_eq!(framing.announced(), Some(5));
        assert_eq!(take(&mut framing, b"abc"), Taken { used: 3, ended: false });
        assert!(!framing.may_end_here());
        assert_eq!(take(&mut framing, b"defg"), Taken { used: 2, ended: true });
        assert_eq!(take(&mut framing, b"g"), Taken { used: 0, ended: true });
        assert_eq!(content, b"abcde");
        assert!(Framing::Length(0).has_ended());
    }

    #[test]
    fn body_without_a_length_ends_with_the_connection() {
        let mut framing = Framing::UntilClose;
        assert_eq!(framing.take(b"abc", |_| {}), Ok(Taken { used: 3, ended: false }));
        assert!(framing.may_end_here() && framing.announced().is_none());
        let mut chunked = Framing::Chunked(Chunked::default());
        assert!(!chunked.may_end_here());
        assert_eq!(chunked.take(b"0\r\n\r\nX", |_| {}), Ok(Taken { used: 5, ended: true }));
        assert!(chunked.may_end_here());
    }
}
