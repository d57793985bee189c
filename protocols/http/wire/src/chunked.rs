//! The chunked transfer coding (RFC 9112 section 7.1): a state machine that accepts any number of bytes at a time.
//!
//! Extensions and trailers are skipped, and their length is limited. Lines must end with CR LF: if one reader accepts a
//! lone LF as the end of a line and another does not, they disagree about where the message ends.

use super::Malformed;

/// The maximum length of a line around a chunk, and of a trailer.
const OVERHEAD_MAX: u32 = 16 * 1024;

/// The position in a chunked body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chunked {
    at: At,
    /// The number of bytes of this line, or of the trailer.
    overhead: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// In the size of a chunk: its value so far, and its number of digits.
    Size(u64, u8),
    /// After the size.
    Extension(u64),
    /// Before the LF of a size's line.
    SizeEnd(u64),
    /// In a chunk, with the number of remaining bytes.
    Data(u64),
    /// Before the CR after a chunk.
    DataEnd,
    /// Before the LF after a chunk.
    DataEndLf,
    /// At the beginning of a line of the trailer.
    Trailer,
    /// In a line of the trailer.
    TrailerField,
    /// Before the LF of a trailer line.
    TrailerFieldEnd,
    /// Before the last LF.
    LastLf,
    /// After the last LF.
    Ended,
}

impl Default for At {
    fn default() -> Self {
        Self::Size(0, 0)
    }
}

impl Chunked {
    /// Reads up to the end of the body, and passes the content to `content`. Returns how many bytes were used.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        mut content: impl FnMut(&[u8]),
    ) -> Result<usize, Malformed> {
        let mut rest = bytes;
        while !self.has_ended() {
            if let At::Data(left) = self.at {
                let count = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                let Some((data, behind)) = rest.split_at_checked(count) else { break };
                content(data);
                rest = behind;
                let left = left - count as u64;
                self.at = if left == 0 { At::DataEnd } else { At::Data(left) };
                if left > 0 {
                    break;
                }
            }
            let Some((byte, behind)) = rest.split_first() else { break };
            rest = behind;
            self.at = self.step(*byte)?;
        }
        Ok(bytes.len() - rest.len())
    }

    pub(super) fn has_ended(&self) -> bool {
        self.at == At::Ended
    }

    /// Processes one byte that is not content.
    fn step(&mut self, byte: u8) -> Result<At, Malformed> {
        self.overhead += 1;
        if self.overhead > OVERHEAD_MAX {
            return Err(Malformed::ChunkOverhead);
        }
        let next = match (self.at, byte) {
            (At::Size(size, digits), _) => return size_digit(size, digits, byte),
            (At::Extension(size), b'\r') => At::SizeEnd(size),
            (At::Extension(_), b'\n') => return Err(Malformed::ChunkSize),
            (At::Extension(size), _) => At::Extension(size),
            (At::SizeEnd(0) | At::TrailerFieldEnd, b'\n') => At::Trailer,
            (At::SizeEnd(size), b'\n') => At::Data(size),
            (At::SizeEnd(_), _) => return Err(Malformed::ChunkSize),
            (At::DataEnd, b'\r') => At::DataEndLf,
            (At::DataEndLf, b'\n') => At::default(),
            (At::Trailer, b'\r') => At::LastLf,
            (At::TrailerField, b'\r') => At::TrailerFieldEnd,
            (At::Trailer | At::TrailerField, byte) if byte != b'\n' => At::TrailerField,
            (At::LastLf, b'\n') => At::Ended,
            _ => return Err(Malformed::ChunkEnd),
        };
        if matches!(next, At::Data(_)) {
            self.overhead = 0;
        }
        Ok(next)
    }
}

fn size_digit(size: u64, digits: u8, byte: u8) -> Result<At, Malformed> {
    let digit = match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        b'A'..=b'F' => byte - b'A' + 10,
        b'\r' if digits > 0 => return Ok(At::SizeEnd(size)),
        b';' | b' ' | b'\t' if digits > 0 => return Ok(At::Extension(size)),
        _ => return Err(Malformed::ChunkSize),
    };
    // 15 digits allow 2^60 bytes, more than a body can have.
    if digits == 15 {
        return Err(Malformed::ChunkSize);
    }
    Ok(At::Size(size << 4 | u64::from(digit), digits + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of a body that arrives in pieces of this size, and how many bytes were used.
    fn read(bytes: &[u8], piece: usize) -> Result<(Vec<u8>, usize, bool), Malformed> {
        let mut chunked = Chunked::default();
        let mut content = Vec::new();
        let mut used = 0;
        for piece in bytes.chunks(piece) {
            let taken = chunked.take(piece, |data| content.extend_from_slice(data))?;
            used += taken;
            if taken < piece.len() {
                break;
            }
        }
        Ok((content, used, chunked.has_ended()))
    }

    #[test]
    fn chunked_decoding_is_independent_of_piece_size() {
        let body = b"4\r\nWiki\r\n6;a=b;c=\"d\"\r\npedia \r\n00E\r\nin \r\n\r\nchunks.\r\n\
            0\r\nT: 1\r\nU: 2\r\n\r\nHTTP";
        for piece in 1..=body.len() {
            let (content, used, ended) = read(body, piece).unwrap();
            assert_eq!(content, b"Wikipedia in \r\n\r\nchunks.", "pieces of {piece}");
            assert!(ended && body[used..] == b"HTTP"[..], "pieces of {piece}: {used}");
        }
    }

    #[test]
    fn chunked_ambiguities_are_refused() {
        for (body, why) in [
            (&b"\r\n"[..], Malformed::ChunkSize),
            (b"x\r\n", Malformed::ChunkSize),
            (b"-1\r\n", Malformed::ChunkSize),
            (b"+1\r\na\r\n", Malformed::ChunkSize),
            (b"0x1\r\n", Malformed::ChunkSize),
            (b"1\na\r\n", Malformed::ChunkSize),
            (b"1;a\na\r\n", Malformed::ChunkSize),
            (b"1\r\rab", Malformed::ChunkSize),
            (b"1000000000000000\r\n", Malformed::ChunkSize),
            (b"1\r\nab\r\n", Malformed::ChunkEnd),
            (b"1\r\na\n", Malformed::ChunkEnd),
            (b"0\r\nT: 1\n\r\n", Malformed::ChunkEnd),
            (b"0\r\n\n", Malformed::ChunkEnd),
        ] {
            assert_eq!(read(body, 1), Err(why), "{}", body.escape_ascii());
        }
    }

    #[test]
    fn chunked_extensions_and_trailers_are_limited() {
        let mut extension = b"1;".to_vec();
        extension.resize(OVERHEAD_MAX as usize + 1, b'a');
        assert_eq!(read(&extension, 512), Err(Malformed::ChunkOverhead));
        let mut trailer = b"0\r\n".to_vec();
        trailer.extend(b"T: 1\r\n".repeat(OVERHEAD_MAX as usize));
        assert_eq!(read(&trailer, 512), Err(Malformed::ChunkOverhead));
        let many = b"1\r\na\r\n".repeat(OVERHEAD_MAX as usize);
        let (content, _, ended) = read(&many, 4096).unwrap();
        assert!(content.len() == OVERHEAD_MAX as usize && !ended);
    }
}
