//! [`Overflow`]: the datagrams that a socket has lost, computed from a counter of the kernel that has only 32 bits.
//!
//! The counter is read often enough that it never wraps more than once in between. It must not depend on a socket.

use std::cell::Cell;

/// A count of lost datagrams that does not wrap.
#[derive(Debug, Default)]
pub struct Overflow {
    last: Cell<u32>,
    total: Cell<u64>,
}

impl Overflow {
    /// Records the present value of the kernel's counter. An older value that arrives late changes nothing.
    pub fn update(&self, lost: u32) {
        let more = lost.wrapping_sub(self.last.get());
        if more <= u32::MAX / 2 {
            self.last.set(lost);
            self.total.set(self.total.get() + u64::from(more));
        }
    }

    /// The total number of lost datagrams.
    pub const fn total(&self) -> u64 {
        self.total.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_counter_wraps_correctly() {
        let overflow = Overflow::default();
        for lost in [0, 5, 5, 2_000_000_000, 4_000_000_000, u32::MAX, 9] {
            overflow.update(lost);
        }
        assert_eq!(overflow.total(), (1 << 32) + 9);
    }

    #[test]
    fn overflow_counter_ignores_earlier_values() {
        let overflow = Overflow::default();
        overflow.update(7);
        overflow.update(3);
        assert_eq!(overflow.total(), 7);
        overflow.update(8);
        assert_eq!(overflow.total(), 8);
    }
}
