//! An incremental decoder of the chunked transfer coding (RFC 9112 section 7.1).

use super::Malformed;

/// The position in a chunked body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunks {
    part: Part,
    /// The total length so far of the lines around the data, sizes and trailers alike.
    overhead: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// In the number of a chunk's bytes.
    Size {
        bytes: u64,
        digits: u8,
    },
    /// In the extension after a chunk's size.
    Extension {
        bytes: u64,
    },
    /// After the carriage return of the line with the size.
    SizeEnd {
        bytes: u64,
    },
    /// In a chunk.
    Data {
        left: u64,
    },
    /// After a chunk.
    DataEnd,
    /// After a chunk and a carriage return.
    DataLineEnd,
    /// At the beginning of a line after the last chunk.
    Trailer,
    /// Within a trailer line.
    TrailerLine,
    /// After the carriage return of a trailer line, or of the empty one.
    TrailerEnd {
        last: bool,
    },
    Done,
}

impl Chunks {
    pub(super) const fn new() -> Self {
        Self { part: Part::Size { bytes: 0, digits: 0 }, overhead: 0 }
    }

    pub(super) fn done(&self) -> bool {
        self.part == Part::Done
    }

    /// Passes the data among these bytes to `keep`. Returns how many of the bytes belong to the body.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        overhead_max: usize,
        keep: &mut impl FnMut(&[u8]),
    ) -> Result<usize, Malformed> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.part {
                Part::Done => break,
                Part::Data { left } => {
                    let here = (bytes.len() - at).min(usize::try_from(left).unwrap_or(usize::MAX));
                    keep(&bytes[at..at + here]);
                    at += here;
                    let left = left - here as u64;
                    self.part = if left == 0 { Part::DataEnd } else { Part::Data { left } };
                }
                _ => {
                    at += 1;
                    self.step(byte)?;
                    // A body in the smallest chunks has six bytes of lines for each byte of data, which does no harm; a
                    // part with a known end is counted from its beginning.
                    self.overhead = if self.in_line() { self.overhead + 1 } else { 0 };
                    if self.overhead > overhead_max {
                        return Err(Malformed::Chunk("a line or the trailer is too long"));
                    }
                }
            }
        }
        Ok(at)
    }

    /// Whether the current part has no announced end.
    const fn in_line(&self) -> bool {
        !matches!(self.part, Part::Data { .. } | Part::DataEnd | Part::Done)
    }

    fn step(&mut self, byte: u8) -> Result<(), Malformed> {
        self.part = match (self.part, byte) {
            (Part::Size { digits: 16, .. }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                return Err(Malformed::Chunk("a chunk is too large"));
            }
            (Part::Size { bytes, digits }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                Part::Size { bytes: bytes << 4 | u64::from(digit), digits: digits + 1 }
            }
            (Part::Size { digits: 0, .. }, _) => {
                return Err(Malformed::Chunk("a chunk has no size"));
            }
            (Part::Size { bytes, .. } | Part::Extension { bytes }, b'\r') => {
                Part::SizeEnd { bytes }
            }
            (Part::Size { bytes, .. }, b';' | b' ' | b'\t') => Part::Extension { bytes },
            (Part::Extension { bytes }, byte) if byte != b'\n' => Part::Extension { bytes },
            (Part::SizeEnd { bytes: 0 } | Part::TrailerEnd { last: false }, b'\n') => Part::Trailer,
            (Part::SizeEnd { bytes }, b'\n') => Part::Data { left: bytes },
            (Part::DataEnd, b'\r') => Part::DataLineEnd,
            (Part::DataLineEnd, b'\n') => Part::Size { bytes: 0, digits: 0 },
            (Part::Trailer, b'\r') => Part::TrailerEnd { last: true },
            (Part::TrailerLine, b'\r') => Part::TrailerEnd { last: false },
            (Part::Trailer | Part::TrailerLine, byte) if byte != b'\n' => Part::TrailerLine,
            (Part::TrailerEnd { last: true }, b'\n') => Part::Done,
            (Part::DataEnd, _) => return Err(Malformed::Chunk("a chunk is longer than it says")),
            _ => return Err(Malformed::Chunk("a line does not end as it should")),
        };
        Ok(())
    }
}
