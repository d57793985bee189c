//! How often each outcome, with its code, occurred.
//!
//! A run has few different codes, and nearly every exchange has the first, so this is a list that is searched from the
//! front and not a map. A target that answers with ever new codes cannot make it grow: beyond [`Codes::LABELS_MAX`]
//! they are counted together.

use brunt_exchange::Outcome;

/// Exchanges counted by outcome and code.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    entries: Vec<(Outcome, u64)>,
    other: u64,
}

impl Codes {
    /// The most codes that are counted separately.
    pub const LABELS_MAX: usize = 64;

    /// An empty list. It allocates memory for codes as they occur, and keeps it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one exchange.
    #[inline]
    pub fn record(&mut self, outcome: Outcome) {
        self.add(outcome, 1);
    }

    /// Counts `count` exchanges.
    pub fn add(&mut self, outcome: Outcome, count: u64) {
        if let Some((_, total)) = self.entries.iter_mut().find(|(known, _)| *known == outcome) {
            *total += count;
        } else if self.entries.len() < Self::LABELS_MAX {
            self.entries.push((outcome, count));
        } else {
            self.other += count;
        }
    }

    /// Counts exchanges whose codes are not counted separately.
    pub(crate) fn add_other(&mut self, count: u64) {
        self.other += count;
    }

    /// Adds the counts of another. The order in which lists are merged does not matter as long as they have no more
    /// than [`LABELS_MAX`](Self::LABELS_MAX) codes between them; beyond that the total is still exact.
    pub fn merge(&mut self, other: &Self) {
        for &(outcome, count) in &other.entries {
            self.add(outcome, count);
        }
        self.other += other.other;
    }

    /// Clears everything and keeps its memory.
    pub fn reset(&mut self) {
        self.entries.clear();
        self.other = 0;
    }

    /// How often `outcome` occurred.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.entries.iter().find(|(known, _)| *known == outcome).map_or(0, |(_, count)| *count)
    }

    /// Exchanges whose codes arrived after the list was full, so they are not counted separately.
    pub fn other(&self) -> u64 {
        self.other
    }

    /// Exchanges that the target answered, well or not. Codes that are not counted separately are taken as answers,
    /// since exchanges without an answer have few codes.
    pub fn answered(&self) -> u64 {
        let answers = self.entries.iter().filter(|(outcome, _)| outcome.answered());
        answers.map(|(_, count)| count).sum::<u64>() + self.other
    }

    /// Exchanges counted in all.
    pub fn total(&self) -> u64 {
        self.entries.iter().map(|(_, count)| count).sum::<u64>() + self.other
    }

    /// The outcomes that occurred and how often, the most frequent first, equal counts by class and code.
    pub fn sorted(&self) -> Vec<(Outcome, u64)> {
        let mut sorted = self.entries.clone();
        sorted.sort_by_key(|&(outcome, count)| (std::cmp::Reverse(count), rank(outcome)));
        sorted
    }
}

impl PartialEq for Codes {
    fn eq(&self, other: &Self) -> bool {
        self.other == other.other && self.sorted() == other.sorted()
    }
}

impl Eq for Codes {}

/// The order in which reports list outcomes that occurred equally often.
pub(crate) fn rank(outcome: Outcome) -> (u8, Option<brunt_exchange::Class>, u32) {
    match outcome {
        Outcome::Ok(code) => (0, None, code),
        Outcome::Failed(class, code) => (1, Some(class), code),
        Outcome::TimedOut => (2, None, 0),
        Outcome::CutOff => (3, None, 0),
        Outcome::Skipped => (4, None, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Class;

    #[test]
    fn code_list_is_bounded() {
        let mut codes = Codes::new();
        for code in 0..1_000 {
            codes.record(Outcome::Failed(Class::Result, code));
        }
        codes.record(Outcome::Failed(Class::Result, 3));
        assert_eq!(codes.sorted().len(), Codes::LABELS_MAX);
        assert_eq!(codes.other(), 1_000 - 64);
        assert_eq!(codes.total(), 1_001);
        assert_eq!(codes.count(Outcome::Failed(Class::Result, 3)), 2);
    }

    #[test]
    fn code_equality_ignores_order() {
        let (mut one, mut two) = (Codes::new(), Codes::new());
        one.add(Outcome::Ok(0), 5);
        one.add(Outcome::TimedOut, 5);
        two.add(Outcome::TimedOut, 5);
        two.add(Outcome::Ok(0), 5);
        assert_eq!(one, two);
        assert_eq!(one.sorted()[0].0, Outcome::Ok(0));
        two.record(Outcome::Ok(0));
        assert_ne!(one, two);
    }
}
