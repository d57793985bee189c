//! When the target answered and when exchanges waited for it, in slots of a tenth of a second.
//!
//! A percentile does not show when a target was away, and counts of a second are too coarse for an absence of one
//! second. So each step lists the slots in which something was observed, with what that was. Slots are counted from the
//! origin of the run, so those of workers and of machines that share a run are merged by number without any arithmetic.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The length of a slot.
pub const SLOT: Duration = Duration::from_millis(100);

/// Something observed in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Sign {
    /// The target answered an exchange, well or not.
    Answered = 1,
    /// An exchange waited for an answer, or ended without one.
    Wanted = 2,
    /// A connection was made.
    Connected = 4,
    /// Exchanges were due and waited for a session.
    Backlog = 8,
    /// An exchange was given up: it timed out, was cut off or dropped.
    GaveUp = 16,
    /// Every session of a worker waited for an answer.
    Everyone = 32,
}

impl Sign {
    /// Every sign.
    pub const ALL: [Self; 6] = [
        Self::Answered,
        Self::Wanted,
        Self::Connected,
        Self::Backlog,
        Self::GaveUp,
        Self::Everyone,
    ];
}

/// One slot in which something was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its number, counted from the origin of the run.
    pub number: u32,
    signs: u8,
    lost: u8,
}

impl Slot {
    /// A slot with these signs, in which this many exchanges were lost.
    pub(crate) fn new(number: u32, signs: &[Sign], lost: u8) -> Self {
        let signs = signs.iter().fold(0, |all, sign| all | *sign as u8);
        Self { number, signs, lost }
    }

    /// Whether this sign was observed in it.
    pub fn has(self, sign: Sign) -> bool {
        self.signs & sign as u8 != 0
    }

    /// How many exchanges ended in it without an answer that had been sent, or due, after the last answer: at least
    /// this many.
    pub fn lost(self) -> u32 {
        u32::from(self.lost)
    }

    fn lay_over(&mut self, other: Self) {
        self.signs |= other.signs;
        self.lost = self.lost.saturating_add(other.lost);
    }

    /// When it begins, since the origin of the run.
    pub fn from(self) -> Duration {
        SLOT * self.number
    }
}

/// The slots of one step, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presence(Vec<Slot>);

impl Presence {
    /// The number of the slot in which this moment, counted from the origin of the run, lies.
    pub fn number(at: Duration) -> u32 {
        u32::try_from(at.as_nanos() / SLOT.as_nanos()).unwrap_or(u32::MAX)
    }

    /// Notes a sign in slot `number`.
    pub fn note(&mut self, number: u32, sign: Sign) {
        self.add(Slot { number, signs: sign as u8, lost: 0 });
    }

    /// Notes that an exchange ended without an answer in slot `number`: whether it was given up, and whether it belongs
    /// to a silence, since it was sent after the last answer.
    pub fn unanswered(&mut self, number: u32, gave_up: bool, in_silence: bool) {
        let signs = Sign::Wanted as u8 | if gave_up { Sign::GaveUp as u8 } else { 0 };
        self.add(Slot { number, signs, lost: u8::from(in_silence) });
    }

    /// Merges one slot into this.
    pub(crate) fn merge_slot(&mut self, slot: Slot) {
        self.add(slot);
    }

    /// The slots, in order.
    pub fn slots(&self) -> &[Slot] {
        &self.0
    }

    /// Merges what another observed.
    pub fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|slot| self.add(*slot));
    }

    /// Clears everything and keeps its memory.
    pub fn reset(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, slot: Slot) {
        // New signs nearly always belong to the last slot, or to a later one.
        match self.0.last_mut() {
            Some(last) if last.number == slot.number => last.lay_over(slot),
            Some(last) if last.number > slot.number => {
                match self.0.binary_search_by_key(&slot.number, |known| known.number) {
                    Ok(at) => self.0[at].lay_over(slot),
                    Err(at) => self.0.insert(at, slot),
                }
            }
            _ => self.0.push(slot),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presence_slots_are_sorted_and_merged() {
        let (mut one, mut two) = (Presence::default(), Presence::default());
        one.note(3, Sign::Answered);
        one.note(7, Sign::Wanted);
        one.note(5, Sign::Connected);
        two.note(7, Sign::Answered);
        two.note(1, Sign::Wanted);
        one.merge(&two);
        let numbers: Vec<u32> = one.slots().iter().map(|slot| slot.number).collect();
        assert_eq!(numbers, [1, 3, 5, 7]);
        assert!(one.slots()[3].has(Sign::Answered) && one.slots()[3].has(Sign::Wanted));
        assert!(!one.slots()[3].has(Sign::Connected));
    }

    #[test]
    fn presence_counts_losses_without_overflow() {
        let (mut one, mut two) = (Presence::default(), Presence::default());
        one.unanswered(3, true, true);
        one.unanswered(3, true, false);
        two.unanswered(3, false, true);
        one.merge(&two);
        let [slot] = one.slots() else { panic!("{one:?}") };
        assert!(slot.has(Sign::Wanted) && slot.has(Sign::GaveUp) && slot.lost() == 2, "{slot:?}");
        (0..300).for_each(|_| one.unanswered(3, true, true));
        assert_eq!(one.slots()[0].lost(), 255);
    }

    #[test]
    fn presence_slot_number_rounds_down() {
        let numbers = [0, 99, 100, 6_049].map(|ms| Presence::number(Duration::from_millis(ms)));
        assert_eq!(numbers, [0, 0, 1, 60]);
    }
}
