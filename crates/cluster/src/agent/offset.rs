//! [`Offset`]: the difference between the clocks of an agent and its coordinator.
//!
//! Both clocks are monotonic, and each counts from its own origin. A report and its answer give four times. The offset
//! is taken from the quickest of the last few exchanges, because a short round trip leaves the least room for error.

use std::collections::VecDeque;

/// How many answers are kept.
const KEPT: usize = 32;
/// Values above this are rejected: no machine has an uptime of centuries.
const CLOCK_MAX: u64 = 1 << 62;

/// The last answers: their round trips and the offsets they give.
#[derive(Clone, Debug, Default)]
pub struct Offset(VecDeque<(u64, i64)>);

impl Offset {
    /// Takes one exchange: a report left at `sent`, its answer arrived at `received`, and the coordinator's clock
    /// showed `theirs` in between.
    pub fn observe(&mut self, sent: u64, theirs: u64, received: u64) {
        if received < sent || theirs.max(received) > CLOCK_MAX {
            return;
        }
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        let middle = i128::from(sent) + i128::from(received - sent) / 2;
        let offset = i128::from(theirs) - middle;
        self.0.push_back((received - sent, offset as i64));
    }

    /// How far the coordinator's clock is ahead of the agent's.
    pub fn offset(&self) -> Option<i64> {
        self.0.iter().min_by_key(|(round, _)| *round).map(|(_, offset)| *offset)
    }

    /// The number of answers that the offset rests on.
    pub fn observed(&self) -> usize {
        self.0.len()
    }

    /// Converts a moment of the coordinator's clock to the agent's clock.
    pub fn ours(&self, theirs: u64) -> Option<u64> {
        u64::try_from(i128::from(theirs) - i128::from(self.offset()?)).ok()
    }

    /// The quickest round trip: the offset is wrong by at most half of it.
    pub fn round_trip(&self) -> Option<u64> {
        self.0.iter().map(|(round, _)| *round).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_offset_uses_the_quickest_answer() {
        let mut offset = Offset::default();
        assert_eq!(offset.ours(5), None);
        // Their clock is 1,000 ahead; the first answer waited on its way back.
        offset.observe(100, 1_110, 900);
        offset.observe(1_000, 2_010, 1_020);
        offset.observe(1_100, 2_400, 1_500);
        assert_eq!((offset.ours(5_000), offset.round_trip()), (Some(4_000), Some(20)));
        // No time is before the beginning of a clock.
        assert_eq!(offset.ours(10), None);
        offset.observe(9, 9, 8);
        offset.observe(0, u64::MAX, 1);
        assert_eq!(offset.observed(), 3);
    }
}
