//! [`Shown`]: which operations and groups have values of their own in a view.

use brunt_record::{Catalogue, OperationRecord, Record};
use std::cmp::Reverse;

/// The most operations and groups that have values of their own in each row. Tables have all of them.
const SHOWN_MAX: usize = 8;
/// How many of those are groups, if there are also more operations than there is room for.
const GROUPS_MAX: usize = 3;

/// Operations and spans by their numbers, each in the order of the record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub(super) operations: Vec<usize>,
    pub(super) spans: Vec<usize>,
}

impl Shown {
    /// The first of a catalogue: before a run has ended it is not known which will be the busiest.
    pub fn first(catalogue: &Catalogue) -> Self {
        let numbers = |names: &[String]| (0..names.len()).collect();
        Self::fitting(numbers(&catalogue.operations), numbers(&catalogue.spans))
    }

    /// Those with the most exchanges in a record.
    pub(super) fn busiest(record: &Record) -> Self {
        Self::fitting(by_sent(&record.operations), by_sent(&record.spans))
    }

    /// All of a record with groups, which are shown as a tree; nothing of others.
    pub(super) fn in_tree(record: &Record) -> Self {
        if record.spans.is_empty() {
            return Self::default();
        }
        let [operations, spans] = [&record.operations, &record.spans];
        Self { operations: (0..operations.len()).collect(), spans: (0..spans.len()).collect() }
    }

    /// The first of both lists, as many as there is room for.
    fn fitting(mut operations: Vec<usize>, mut spans: Vec<usize>) -> Self {
        let room = SHOWN_MAX - operations.len().min(SHOWN_MAX - GROUPS_MAX.min(spans.len()));
        spans.truncate(room);
        operations.truncate(SHOWN_MAX - spans.len());
        spans.sort_unstable();
        operations.sort_unstable();
        Self { operations, spans }
    }

    /// The names of a catalogue or record, which lists them in this order.
    pub(super) fn names<'a>(
        &self,
        operations: impl Fn(usize) -> &'a str,
        spans: impl Fn(usize) -> &'a str,
    ) -> Vec<String> {
        let groups = self.spans.iter().map(|&number| spans(number));
        let names = self.operations.iter().map(|&number| operations(number)).chain(groups);
        names.map(str::to_owned).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.operations.len() + self.spans.len()
    }
}

fn by_sent(measured: &[OperationRecord]) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..measured.len()).collect();
    numbers.retain(|&number| measured[number].counts.sent > 0);
    numbers.sort_by_key(|&number| Reverse(measured[number].counts.sent));
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_operations_leave_room_for_groups() {
        let count = |operations: usize, spans: usize| {
            let shown = Shown::fitting((0..operations).collect(), (0..spans).collect());
            (shown.operations.len(), shown.spans.len())
        };
        for (given, fitting) in [
            ((3, 0), (3, 0)),
            ((3, 2), (3, 2)),
            ((3, 9), (3, 5)),
            ((20, 0), (8, 0)),
            ((20, 1), (7, 1)),
            ((20, 20), (5, 3)),
            ((0, 0), (0, 0)),
        ] {
            assert_eq!(count(given.0, given.1), fitting, "{given:?}");
        }
    }
}
