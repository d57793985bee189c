//! [`Rows`]: how many leases must exist after a phase, according to the answers to its operations.
//!
//! The store counts its own rows, and they are compared with this number. An exchange without an answer may have done
//! its work or not, so the expectation is a range.

use std::ops::RangeInclusive;

use brunt_leases_driver::HIT;

use super::phase::Done;

/// The effect of a phase's operations on the number of leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Each success adds one.
    Grows,
    /// Each success removes one.
    Shrinks,
    /// The number does not change.
    Keeps,
    /// As in a mix of all: allocations add leases, releases and reclaims remove them.
    Mixes,
}

/// The positions of allocate, release and expire among the operations of a mix.
const ALLOCATE: usize = 0;
const RELEASE: usize = 2;
const EXPIRE: usize = 3;

/// The number of leases that must exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows(RangeInclusive<u64>);

impl Rows {
    /// The number after a phase of this effect, with `before` leases before it.
    pub(crate) fn after(done: &Done, effect: Effect, before: u64, group: u32) -> Self {
        let counts = done.finished.engine.counts;
        let (more, less) = match effect {
            Effect::Grows => (super::phase::succeeded(counts, group), 0),
            Effect::Shrinks => (0, super::phase::succeeded(counts, group)),
            Effect::Keeps => (0, 0),
            Effect::Mixes => {
                let released = done.met(RELEASE, HIT).1;
                (done.met(ALLOCATE, HIT).1, released + done.met(EXPIRE, HIT).0.items)
            }
        };
        let unknown = match effect {
            Effect::Keeps => 0,
            Effect::Mixes => done.uncertain() * RECLAIMED_MAX,
            Effect::Grows | Effect::Shrinks => done.uncertain() * u64::from(group),
        };
        let exact = (before + more).saturating_sub(less);
        Self(match effect {
            Effect::Grows => exact..=exact + unknown,
            Effect::Shrinks => exact.saturating_sub(unknown)..=exact,
            _ => exact.saturating_sub(unknown)..=exact + unknown,
        })
    }

    /// What is wrong with the number that the store counted.
    pub(crate) fn objection(&self, counted: u64) -> Option<String> {
        if self.0.contains(&counted) {
            return None;
        }
        let (least, most) = (self.0.start(), self.0.end());
        let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
        Some(format!(
            "the store contains {counted} leases, but its answers imply {expected}: its figures cannot be trusted"
        ))
    }
}

/// The most leases that one call of a mix deletes as expired.
pub(crate) const RECLAIMED_MAX: u64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_count_outside_its_range_is_an_objection() {
        let rows = Rows(5..=7);
        assert_eq!(
            [4, 5, 7, 8].map(|count| rows.objection(count).is_some()),
            [true, false, false, true]
        );
        assert!(rows.objection(9).unwrap().contains("9 leases, but its answers imply 5 to 7"));
        assert!(Rows(5..=5).objection(0).unwrap().contains("imply 5:"));
    }
}
