//! [`Meter`]: a limit on the work of reading one answer.

/// No units of work are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent;

/// Counts units of work: an element visited, two names compared, some bytes read.
pub trait Meter {
    /// Uses this many units, if they are left.
    fn spend(&self, units: u64) -> Result<(), Spent>;
}

/// Bytes that are copied or compared for one unit.
const BYTES_A_UNIT: usize = 32;

/// Uses the units for reading this many bytes.
pub(crate) fn spend_bytes(meter: &dyn Meter, bytes: usize) -> Result<(), Spent> {
    meter.spend((bytes / BYTES_A_UNIT) as u64)
}

/// A meter that never runs out, for tests.
#[cfg(test)]
pub(crate) struct Unlimited;

#[cfg(test)]
impl Meter for Unlimited {
    fn spend(&self, _: u64) -> Result<(), Spent> {
        Ok(())
    }
}
