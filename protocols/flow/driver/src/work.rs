//! [`Work`]: a limit on the work of examining one answer.
//!
//! A server decides what an answer contains, and a kilobyte can be constructed so that finding a value takes hours. All
//! code that looks for values therefore counts its work, in units of a node visited, two names compared or some bytes
//! read, and gives up when the answer's limit is reached. Units are counted rather than time, because reading the clock
//! would cost more than visiting a node, and because the same answer then always gets the same result.

use super::unexamined::{Unexamined, WORK_MAX};
use brunt_flow_page::{Meter, Spent};
use std::cell::Cell;

/// Bytes that are copied or compared for one unit.
const BYTES_A_UNIT: usize = 32;

/// The remaining units for an answer.
#[derive(Debug)]
pub(super) struct Work(Cell<u64>);

impl Default for Work {
    fn default() -> Self {
        Self(Cell::new(WORK_MAX))
    }
}

impl Work {
    /// Creates a limit of this many units, for tests of answers that exceed it.
    #[cfg(test)]
    pub(super) fn new(units: u64) -> Self {
        Self(Cell::new(units))
    }

    /// Restores the full limit, so that the faults found in an answer can be described.
    pub(super) fn renew(&self) {
        self.0.set(WORK_MAX);
    }

    /// Uses this many units, if they are left.
    pub(super) fn spend(&self, units: u64) -> Result<(), Unexamined> {
        self.0.set(self.0.get().checked_sub(units).ok_or(Unexamined::Work)?);
        Ok(())
    }

    /// Uses the units for visiting this many items.
    pub(super) fn visit(&self, count: usize) -> Result<(), Unexamined> {
        self.spend(count as u64)
    }

    /// Uses the units for reading this many bytes.
    pub(super) fn read(&self, bytes: usize) -> Result<(), Unexamined> {
        self.visit(bytes / BYTES_A_UNIT)
    }
}

impl Meter for Work {
    fn spend(&self, units: u64) -> Result<(), Spent> {
        Self::spend(self, units).map_err(|_| Spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_budget_is_spent_and_renewed() {
        let work = Work::default();
        assert_eq!(work.read(31), Ok(()));
        assert_eq!(work.spend(WORK_MAX), Ok(()));
        assert_eq!(work.visit(1), Err(Unexamined::Work));
        assert_eq!(work.visit(0), Ok(()));
        work.renew();
        assert_eq!(work.visit(1), Ok(()));
    }
}
