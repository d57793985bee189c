//! A [`Wheel`]: which slots must be checked when, at the same cost for any number of them.
//!
//! A hashed timing wheel (Varghese and Lauck, 1987) of [`SPOKES`] spokes, [`TICK`] apart. Every slot is on at most one
//! spoke, in a list linked through the slots themselves, so memory is fixed when the wheel is made, for any number of
//! exchanges. A slot whose deadline is moved back stays where it is: it is found not to be due when it is checked, and
//! armed again. An exchange that is answered at once therefore costs the wheel one comparison. It must not depend on
//! what is checked.

use brunt_exchange::Moment;
use std::time::Duration;

/// How far apart spokes are. A reply is judged by its stamp, so this only limits how late a drop is noticed.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// How many spokes there are; a slot further away than all of them is skipped in as many rounds as necessary.
const SPOKES: usize = 1024;
const WORDS: usize = SPOKES / 64;
const NOBODY: u32 = u32::MAX;
const NANOS: u64 = TICK.as_nanos() as u64;

#[derive(Clone, Copy)]
struct Link {
    /// The tick of the slot; meaningless while it is not armed.
    tick: u64,
    next: u32,
    previous: u32,
    armed: bool,
}

/// Slots, ordered by when they must be checked.
pub struct Wheel {
    links: Box<[Link]>,
    heads: [u32; SPOKES],
    /// Which spokes have a slot on them.
    occupied: [u64; WORDS],
    /// Everything up to and including this tick has been checked.
    looked: u64,
    armed: usize,
}

impl Wheel {
    /// A wheel for this number of slots, none of which has to be checked.
    pub fn new(slots: usize) -> Self {
        let link = Link { tick: 0, next: NOBODY, previous: NOBODY, armed: false };
        Self {
            links: vec![link; slots].into_boxed_slice(),
            heads: [NOBODY; SPOKES],
            occupied: [0; WORDS],
            looked: 0,
            armed: 0,
        }
    }

    /// Ensures that the slot is checked by `at`, to within a tick; earlier, if it is armed for an earlier moment.
    pub fn arm(&mut self, slot: u32, at: Moment) {
        let tick = at.as_nanos().div_ceil(NANOS).max(self.looked + 1);
        let link = self.links[slot as usize];
        if link.armed {
            if link.tick <= tick {
                return;
            }
            self.unlink(slot);
        }
        let spoke = tick as usize % SPOKES;
        let head = self.heads[spoke];
        if head != NOBODY {
            self.links[head as usize].previous = slot;
        }
        self.links[slot as usize] = Link { tick, next: head, previous: NOBODY, armed: true };
        self.heads[spoke] = slot;
        self.occupied[spoke / 64] |= 1 << (spoke % 64);
        self.armed += 1;
    }

    /// Removes and returns a slot that must be checked by `now`, if there is one.
    pub fn due(&mut self, now: Moment) -> Option<u32> {
        let until = now.as_nanos() / NANOS;
        while self.looked < until && self.armed > 0 {
            // One round of the wheel finds everything that is due, however long ago the last check was.
            let tick = (self.looked + 1).max(until.saturating_sub(SPOKES as u64 - 1));
            let spoke = tick as usize % SPOKES;
            let mut slot = self.heads[spoke];
            while slot != NOBODY {
                if self.links[slot as usize].tick <= until {
                    self.unlink(slot);
                    return Some(slot);
                }
                slot = self.links[slot as usize].next;
            }
            self.looked = tick;
        }
        self.looked = self.looked.max(until);
        None
    }

    /// The next moment at which a slot may have to be checked; `None` if none is armed.
    pub fn next(&self) -> Option<Moment> {
        if self.armed == 0 {
            return None;
        }
        let from = (self.looked + 1) as usize % SPOKES;
        let spoke = self.occupied_from(from)?;
        let ahead = (spoke + SPOKES - from) % SPOKES;
        Some(Moment::from_nanos((self.looked + 1 + ahead as u64).saturating_mul(NANOS)))
    }

    /// The first spoke at or after `from`, around the wheel, with a slot on it.
    fn occupied_from(&self, from: usize) -> Option<usize> {
        let (word, bit) = (from / 64, from % 64);
        let mut found = self.occupied[word] & (u64::MAX << bit);
        for step in 0..=WORDS {
            let at = (word + step) % WORDS;
            if step > 0 {
                found = self.occupied[at];
            }
            if found != 0 {
                return Some(at * 64 + found.trailing_zeros() as usize);
            }
        }
        None
    }

    fn unlink(&mut self, slot: u32) {
        let Link { tick, next, previous, .. } = self.links[slot as usize];
        let spoke = tick as usize % SPOKES;
        if previous == NOBODY {
            self.heads[spoke] = next;
            if next == NOBODY {
                self.occupied[spoke / 64] &= !(1 << (spoke % 64));
            }
        } else {
            self.links[previous as usize].next = next;
        }
        if next != NOBODY {
            self.links[next as usize].previous = previous;
        }
        self.links[slot as usize].armed = false;
        self.armed -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::ZERO + Duration::from_millis(millis)
    }

    fn due(wheel: &mut Wheel, now: Moment) -> Vec<u32> {
        let mut all: Vec<u32> = std::iter::from_fn(|| wheel.due(now)).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn wheel_slot_is_due_once_its_moment_has_passed() {
        let mut wheel = Wheel::new(3);
        wheel.arm(0, at(1000));
        wheel.arm(1, at(1005));
        wheel.arm(2, at(20_000));
        assert_eq!(wheel.next(), Some(at(1000)));
        assert!(due(&mut wheel, at(999)).is_empty());
        assert_eq!(due(&mut wheel, at(1000)), [0]);
        assert_eq!(wheel.next(), Some(at(1010)));
        assert!(due(&mut wheel, at(1009)).is_empty());
        assert_eq!(due(&mut wheel, at(1010)), [1]);
        assert!(due(&mut wheel, at(19_999)).is_empty());
        assert_eq!(due(&mut wheel, at(20_000)), [2], "further away than a round of the wheel");
        assert_eq!(wheel.next(), None);
    }

    #[test]
    fn wheel_slot_armed_again_keeps_the_earlier_moment() {
        let mut wheel = Wheel::new(1);
        wheel.arm(0, at(500));
        wheel.arm(0, at(900));
        assert_eq!(due(&mut wheel, at(500)), [0]);
        wheel.arm(0, at(900));
        wheel.arm(0, at(700));
        assert_eq!(due(&mut wheel, at(700)), [0]);
        assert!(due(&mut wheel, at(5000)).is_empty());
    }

    #[test]
    fn wheel_finds_everything_after_a_long_pause() {
        let mut wheel = Wheel::new(2000);
        for slot in 0..2000 {
            wheel.arm(slot, at(u64::from(slot) * 37));
        }
        let all: Vec<u32> = (0..2000).collect();
        assert_eq!(due(&mut wheel, at(2000 * 37)), all);
        wheel.arm(5, at(3));
        assert!(wheel.next().is_some_and(|next| next > at(2000 * 37)), "the past is over");
    }

    /// Compares with a list that is searched: arms and checks in a pseudorandom order.
    #[test]
    fn wheel_equals_a_search() {
        let mut wheel = Wheel::new(64);
        let mut plain = [None::<u64>; 64];
        let mut now = 0;
        for step in 0..20_000_u64 {
            let draw = crate::chance::mix(step);
            let slot = (draw % 64) as u32;
            let tick = (now + 1).max(now + (draw >> 8) % 3000);
            wheel.arm(slot, Moment::from_nanos(tick * NANOS));
            let kept = &mut plain[slot as usize];
            *kept = Some(kept.map_or(tick, |before| before.min(tick)));
            if draw.is_multiple_of(7) {
                now += (draw >> 32) % 50;
                let next = plain.iter().flatten().min().copied();
                let wheels = wheel.next().map(|next| next.as_nanos() / NANOS);
                assert!(wheels <= next.map(|next| next.max(wheel.looked + 1)), "never too late");
                let found = due(&mut wheel, Moment::from_nanos(now * NANOS));
                let expected: Vec<u32> = (0..64)
                    .filter(|slot| plain[*slot as usize].is_some_and(|at| at <= now))
                    .collect();
                assert_eq!(found, expected, "step {step}");
                for slot in expected {
                    plain[slot as usize] = None;
                }
            }
        }
    }
}
