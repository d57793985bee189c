//! [`Work`]: how much is done to look at one answer.
//!
//! A server decides what an answer looks like, and a kilobyte of it may be made so that looking for a value takes
//! hours. Whatever looks for values therefore counts what it does, in units of a node visited, two names compared or
//! some bytes read, and gives up when the answer's allowance is spent. Units are counted and not time, since the clock
//! would cost more than the visit of a node, and the same answer is then always judged in the same way.

use super::unexamined::{Unexamined, WORK_MAX};
use std::cell::Cell;

/// Bytes that are copied or compared for a unit.
const BYTES_A_UNIT: usize = 32;

/// What may still be done for an answer.
#[derive(Debug)]
pub(super) struct Work(Cell<u64>);

impl Default for Work {
    fn default() -> Self {
        Self(Cell::new(WORK_MAX))
    }
}

impl Work {
    /// So many units, for tests of what takes more.
    #[cfg(test)]
    pub(super) fn of(units: u64) -> Self {
        Self(Cell::new(units))
    }

    /// Gives it the whole allowance again, to say of an answer what was found wrong with it.
    pub(super) fn renew(&self) {
        self.0.set(WORK_MAX);
    }

    /// Takes so many units, if there are as many left.
    pub(super) fn spend(&self, units: u64) -> Result<(), Unexamined> {
        self.0.set(self.0.get().checked_sub(units).ok_or(Unexamined::Work)?);
        Ok(())
    }

    /// Takes the units of a visit to so many things.
    pub(super) fn visit(&self, count: usize) -> Result<(), Unexamined> {
        self.spend(count as u64)
    }

    /// Takes the units of reading so many bytes.
    pub(super) fn read(&self, bytes: usize) -> Result<(), Unexamined> {
        self.visit(bytes / BYTES_A_UNIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_gone() {
        let work = Work::default();
        assert_eq!(work.read(31), Ok(()));
        assert_eq!(work.spend(WORK_MAX), Ok(()));
        assert_eq!(work.visit(1), Err(Unexamined::Work));
        assert_eq!(work.visit(0), Ok(()));
        work.renew();
        assert_eq!(work.visit(1), Ok(()));
    }
}
