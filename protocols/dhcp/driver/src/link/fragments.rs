//! [`Fragments`]: splits a frame that is longer than its interface allows (RFC 791 section 3.2).
//!
//! A kernel splits what is sent through a UDP socket; raw frames must be split here. Answers that arrive in fragments
//! are not reassembled. It must not use a socket.

use super::ethernet::ETHERNET;
use super::frame::{IPV4, checksum};

/// Offsets are counted in units of eight octets.
const UNIT: usize = 8;
const MORE_FRAGMENTS: u16 = 0x2000;

/// Splits frames for one interface.
#[derive(Debug)]
pub(super) struct Fragments {
    /// The longest packet that the interface allows.
    mtu: usize,
    /// Distinguishes the fragments of one packet from those of another.
    identification: u16,
    piece: Vec<u8>,
}

impl Fragments {
    pub(super) fn new(mtu: usize) -> Self {
        // Every network must allow at least this size (RFC 791 section 3.1), and a fragment must have some content.
        let mtu = mtu.max(68);
        Self { mtu, identification: 0, piece: Vec::with_capacity(ETHERNET + mtu) }
    }

    /// Whether a frame can be sent unchanged.
    pub(super) const fn fits(&self, frame: &[u8]) -> bool {
        frame.len() <= ETHERNET + self.mtu
    }

    /// Splits a frame of [`frame::write`](super::frame::write), whose IPv4 header has no options, and passes each piece
    /// to `send`. A frame that fits is one piece.
    pub(super) fn cut<E>(
        &mut self,
        frame: &[u8],
        mut send: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((headers, body)) = frame.split_at_checked(ETHERNET + IPV4) else {
            return send(frame);
        };
        if self.fits(frame) {
            return send(frame);
        }
        self.identification = self.identification.wrapping_add(1);
        let room = (self.mtu - IPV4) / UNIT * UNIT;
        let last = body.len().div_ceil(room) - 1;
        for (number, part) in body.chunks(room).enumerate() {
            let more = if number < last { MORE_FRAGMENTS } else { 0 };
            // A packet has at most 65,535 octets, so neither number is too large for its field.
            let offset = (number * room / UNIT) as u16;
            let total = (IPV4 + part.len()) as u16;
            self.piece.clear();
            self.piece.extend_from_slice(headers);
            let ip = &mut self.piece[ETHERNET..];
            ip[2..4].copy_from_slice(&total.to_be_bytes());
            ip[4..6].copy_from_slice(&self.identification.to_be_bytes());
            ip[6..8].copy_from_slice(&(more | offset).to_be_bytes());
            ip[10..12].fill(0);
            let sum = checksum(&[&*ip]);
            ip[10..12].copy_from_slice(&sum.to_be_bytes());
            self.piece.extend_from_slice(part);
            send(&self.piece)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn pieces(mtu: usize, frame: &[u8]) -> Vec<Vec<u8>> {
        let mut pieces = Vec::new();
        let keep = |piece: &[u8]| {
            pieces.push(piece.to_vec());
            Ok::<_, Infallible>(())
        };
        let Ok(()) = Fragments::new(mtu).cut(frame, keep);
        pieces
    }

    #[test]
    fn fragments_fit_the_mtu_and_reassemble() {
        for (mtu, length) in [(1500, 1481), (1500, 1760), (1500, 16_384), (68, 300), (1499, 4000)] {
            let mut frame = vec![0x45; ETHERNET + IPV4];
            frame.extend((0..length).map(|octet| octet as u8));
            let (mut whole, pieces) = (Vec::new(), pieces(mtu, &frame));
            for (number, piece) in pieces.iter().enumerate() {
                assert!(piece.len() <= ETHERNET + mtu, "{mtu} {length}");
                let ip = &piece[ETHERNET..ETHERNET + IPV4];
                let field = |at: usize| u16::from_be_bytes([ip[at], ip[at + 1]]);
                assert_eq!(usize::from(field(2)), piece.len() - ETHERNET);
                assert_eq!(usize::from(field(6) & 0x1fff) * UNIT, whole.len());
                assert_eq!(field(6) & MORE_FRAGMENTS != 0, number + 1 < pieces.len());
                assert_eq!((field(4), checksum(&[ip])), (1, 0));
                whole.extend_from_slice(&piece[ETHERNET + IPV4..]);
            }
            assert_eq!(whole, frame[ETHERNET + IPV4..]);
        }
    }

    #[test]
    fn fragments_of_a_short_frame_are_itself() {
        let frame = vec![7; ETHERNET + 1500];
        assert_eq!(pieces(1500, &frame), [frame]);
        assert_eq!(pieces(1500, &[1, 2]), [[1, 2]]);
    }
}
