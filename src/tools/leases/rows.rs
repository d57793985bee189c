//! [`Rows`]: how many leases there must be after a phase, by what its operations were answered.
//!
//! The store counts its own rows, and this is what they are held against. An exchange that nobody answered may have
//! done its work or not, so it makes the expectation a range and never a lie.

use std::ops::RangeInclusive;

use brunt_drivers::lease::HIT;

use super::phase::Done;

/// What the operations of a phase do to the number of leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Each success is one more.
    Grows,
    /// Each success is one less.
    Shrinks,
    /// Nothing changes.
    Keeps,
    /// As a mix of all: allocations are more, releases and what is reclaimed are less.
    Mixes,
}

/// Where allocate, release and expire stand among the operations of a mix.
const ALLOCATE: usize = 0;
const RELEASE: usize = 2;
const EXPIRE: usize = 3;

/// The leases there must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows(RangeInclusive<u64>);

impl Rows {
    /// After a phase of this effect, with so many leases before it.
    pub(super) fn after(done: &Done, effect: Effect, before: u64, group: u32) -> Self {
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
    pub(super) fn objection(&self, counted: u64) -> Option<String> {
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
pub(super) const RECLAIMED_MAX: u64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_number_outside_of_the_range_is_objected_to() {
        let rows = Rows(5..=7);
        assert_eq!(
            [4, 5, 7, 8].map(|count| rows.objection(count).is_some()),
            [true, false, false, true]
        );
        assert!(rows.objection(9).unwrap().contains("9 leases, but its answers imply 5 to 7"));
        assert!(Rows(5..=5).objection(0).unwrap().contains("imply 5:"));
    }
}
