//! [`Offset`]: what the clocks of an agent and its coordinator differ by.
//!
//! Both clocks are monotonic and count from moments of their own. A report and its answer give four times; the offset
//! is that of the quickest of the last few, whose way there and back leaves the least room for error.

use std::collections::VecDeque;

/// How many answers are remembered.
const KEPT: usize = 32;
/// A word about the clock of one machine that ran for centuries, or of nobody.
const CLOCK_MAX: u64 = 1 << 62;

/// The last answers: their round trips and what they say.
#[derive(Clone, Debug, Default)]
pub struct Offset(VecDeque<(u64, i64)>);

impl Offset {
    /// A report left at `sent` and its answer came at `received`; the coordinator's clock showed `theirs` in between.
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

    /// What the coordinator's clock shows more than the agent's.
    pub fn offset(&self) -> Option<i64> {
        self.0.iter().min_by_key(|(round, _)| *round).map(|(_, offset)| *offset)
    }

    /// How many answers it rests on.
    pub fn observed(&self) -> usize {
        self.0.len()
    }

    /// A moment of the coordinator's clock, by the agent's.
    pub fn ours(&self, theirs: u64) -> Option<u64> {
        u64::try_from(i128::from(theirs) - i128::from(self.offset()?)).ok()
    }

    /// The quickest round trip: twice the most that the offset can be wrong by.
    pub fn round_trip(&self) -> Option<u64> {
        self.0.iter().map(|(round, _)| *round).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quickest_answer_decides() {
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
