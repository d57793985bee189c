//! A report as bytes: a version, the length of the head, the head as JSON, and a piece of the stream, deflated.
//!
//! A frame is at most as long as the broker accepts, and inflates to no more than the size of a piece.

use super::Report;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use std::io::{self, Read};

/// The most bytes of a message: half of what a broker accepts by default.
pub const PAYLOAD_MAX: usize = 512 << 10;
/// The most bytes of the stream in one report. Bytes that do not compress fit as well.
pub const PIECE_MAX: usize = 400 << 10;
/// The most bytes of a head.
const HEAD_MAX: usize = 16 << 10;
const VERSION: u8 = 1;

/// A piece of the stream of an agent's event lines.
pub type Piece = Vec<u8>;

/// Why a report could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// It has another version.
    #[error("it has version {0}, not {VERSION}")]
    Version(u8),
    /// It is shorter than it declares, or longer than is allowed.
    #[error("it has a length that no report has")]
    Length,
    /// Its head cannot be read.
    #[error("its head cannot be understood ({0})")]
    Head(#[from] serde_json::Error),
    /// Its piece cannot be inflated.
    #[error("its piece cannot be inflated ({0})")]
    Piece(#[from] io::Error),
}

/// Writes a report with its piece, which is [`PIECE_MAX`] long at most.
pub fn write_report(report: &Report, piece: &[u8]) -> Vec<u8> {
    // A struct of numbers and texts always becomes JSON, and reading from memory always succeeds.
    let head = serde_json::to_vec(report).unwrap_or_default();
    let mut frame = vec![VERSION];
    frame.extend((head.len() as u32).to_be_bytes());
    frame.extend(head);
    if !piece.is_empty() {
        let _ = DeflateEncoder::new(piece, Compression::fast()).read_to_end(&mut frame);
    }
    frame
}

/// Reads a report, and ignores its piece.
pub fn read_head(frame: &[u8]) -> Result<Report, FrameError> {
    split(frame).map(|(report, _)| report)
}

/// Splits a frame into the report and its piece, still compressed.
fn split(frame: &[u8]) -> Result<(Report, &[u8]), FrameError> {
    let [version, rest @ ..] = frame else { return Err(FrameError::Length) };
    if *version != VERSION {
        return Err(FrameError::Version(*version));
    }
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(FrameError::Length)?;
    let length = u32::from_be_bytes(*length) as usize;
    if length > HEAD_MAX || length > rest.len() || rest.len() > PAYLOAD_MAX + HEAD_MAX {
        return Err(FrameError::Length);
    }
    let (head, deflated) = rest.split_at(length);
    Ok((serde_json::from_slice(head)?, deflated))
}

/// Reads a report and its piece.
pub fn read_report(frame: &[u8]) -> Result<(Report, Piece), FrameError> {
    let (report, deflated) = split(frame)?;
    let mut piece = Vec::new();
    if !deflated.is_empty() {
        DeflateDecoder::new(deflated).take(PIECE_MAX as u64 + 1).read_to_end(&mut piece)?;
    }
    if piece.len() > PIECE_MAX {
        return Err(FrameError::Length);
    }
    Ok((report, piece))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Stage;

    fn report() -> Report {
        Report {
            nonce: "n".to_owned(),
            stage: Stage::Ended { code: Some(0), why: None },
            sent_ns: 7,
            at: 1 << 40,
            total: 1 << 41,
            wall_ms: -1,
            clock: None,
        }
    }

    #[test]
    fn report_frame_round_trips() {
        let noise: Vec<u8> =
            (0..PIECE_MAX as u64).map(|n| ((n * n) >> 7) as u8 ^ n as u8).collect();
        for piece in [&b""[..], b"{}\n", &noise] {
            let frame = write_report(&report(), piece);
            assert!(frame.len() <= PAYLOAD_MAX, "{}", frame.len());
            assert_eq!(read_report(&frame).unwrap(), (report(), piece.to_vec()));
            assert_eq!(read_head(&frame).unwrap(), report());
        }
    }

    #[test]
    fn report_frame_cannot_inflate_beyond_a_piece() {
        let bomb = write_report(&report(), &vec![0; 64 << 20]);
        assert!(bomb.len() < PAYLOAD_MAX);
        assert!(matches!(read_report(&bomb), Err(FrameError::Length)));
    }

    #[test]
    fn report_frame_damage_is_an_error() {
        let frame = write_report(&report(), b"{\"seq\":0}\n");
        for length in 0..frame.len() {
            let _ = read_report(&frame[..length]);
        }
        assert!(matches!(read_report(&[9, 0, 0, 0, 0]), Err(FrameError::Version(9))));
        assert!(matches!(read_report(&[1, 255, 255, 255, 255]), Err(FrameError::Length)));
        for at in 0..frame.len() {
            let mut damaged = frame.clone();
            damaged[at] ^= 0x55;
            let _ = read_report(&damaged);
        }
    }
}
