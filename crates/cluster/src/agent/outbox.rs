//! [`Outbox`]: the event lines of a run that the coordinator has not acknowledged.

use crate::message::PIECE_MAX;
use std::collections::VecDeque;

/// The end of a stream, starting at the first byte that was not acknowledged.
#[derive(Debug, Default)]
pub struct Outbox {
    acknowledged: u64,
    bytes: VecDeque<u8>,
}

impl Outbox {
    /// The most that is kept. A coordinator that acknowledges nothing while this fills up has lost the agent.
    pub const BYTES_MAX: usize = 64 << 20;

    /// Adds to the stream, and returns whether there was room.
    pub fn push(&mut self, bytes: &[u8]) -> bool {
        // The record of a large run is added as a whole.
        let fits = self.bytes.len() < Self::BYTES_MAX;
        if fits {
            self.bytes.extend(bytes);
        }
        fits
    }

    /// The length of the whole stream.
    pub fn total(&self) -> u64 {
        self.acknowledged + self.bytes.len() as u64
    }

    /// The next piece, and its position in the stream.
    pub fn piece(&self) -> (u64, Vec<u8>) {
        (self.acknowledged, self.bytes.iter().take(PIECE_MAX).copied().collect())
    }

    /// The coordinator has received the stream up to `to`. An acknowledgement is never taken back.
    pub fn arrived(&mut self, to: u64) {
        let count = to.saturating_sub(self.acknowledged).min(self.bytes.len() as u64);
        self.bytes.drain(..count as usize);
        self.acknowledged += count;
    }

    /// Whether everything was acknowledged.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outbox_repeats_a_piece_until_it_arrived() {
        let mut outbox = Outbox::default();
        assert!(outbox.push(b"one\n") && outbox.push(&vec![b'2'; PIECE_MAX]));
        let (at, piece) = outbox.piece();
        assert_eq!((at, piece.len()), (0, PIECE_MAX));
        assert_eq!(outbox.piece(), (at, piece));
        outbox.arrived(4);
        assert_eq!(outbox.piece(), (4, vec![b'2'; PIECE_MAX]));
        // An older acknowledgement arrives late, and then one for more than was sent.
        outbox.arrived(1);
        assert_eq!(outbox.total(), 4 + PIECE_MAX as u64);
        outbox.arrived(u64::MAX);
        assert!(outbox.is_empty());
        assert_eq!(outbox.piece(), (4 + PIECE_MAX as u64, Vec::new()));
    }
}
