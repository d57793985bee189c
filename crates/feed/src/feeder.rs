//! [`Feeder`]: which row of a table a number draws.
//!
//! All columns of a feeder draw the same row for the same number, so a name and its password stay together, and the
//! nodes of a run, whose numbers differ, share a table without communication.

use crate::Table;
use crate::permutation::Permutation;
use crate::stream::Stream;
use std::sync::Arc;

/// A table and the order of its rows.
#[derive(Clone, Debug)]
pub struct Feeder {
    table: Arc<Table>,
    order: RowOrder,
    number: u32,
}

/// The order of the rows of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// In file order, and from the first again after the last.
    #[default]
    Sequential,
    /// Random, each row equally likely.
    Random,
    /// Random, without repeating a row before all have been used.
    Shuffled,
    /// In file order, each once in the whole run; there is no row after the last.
    Unique,
}

impl Feeder {
    /// Creates a feeder of the rows of `table` in this order. `number` distinguishes the feeders of a run.
    pub fn new(number: u32, table: Arc<Table>, order: RowOrder) -> Self {
        Self { table, order, number }
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The order.
    pub fn order(&self) -> RowOrder {
        self.order
    }

    /// The row that `number` draws in a run with this seed; `None` after the last.
    pub fn row(&self, seed: u64, number: u64) -> Option<u64> {
        let rows = self.table.rows();
        let last = rows.checked_sub(1)?;
        // Above the streams of variables, whose numbers have 16 bits.
        let stream = || Stream::new(seed, (1 << 32) + u64::from(self.number));
        match self.order {
            RowOrder::Sequential => Some(number % rows),
            RowOrder::Random => Some(stream().at(number).up_to(last)),
            RowOrder::Shuffled => Some(Permutation::new(stream(), last).value(number)),
            RowOrder::Unique => Some(number).filter(|number| *number < rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn rows(order: RowOrder, number: u32) -> Vec<Option<u64>> {
        let values = (0..50).map(|row: u64| row.to_string().into_bytes());
        let feeder = Feeder::new(number, Arc::new(Table::list("value", values)), order);
        (0..100).map(|number| feeder.row(9, number)).collect()
    }

    #[test]
    fn row_orders_draw_as_named() {
        let all: Vec<_> = (0..50).map(Some).collect();
        assert_eq!(rows(RowOrder::Sequential, 1), [&all[..], &all[..]].concat());
        assert_eq!(rows(RowOrder::Unique, 1), [&all[..], &[None; 50][..]].concat());
        let shuffled = rows(RowOrder::Shuffled, 1);
        for half in shuffled.chunks(50) {
            assert_eq!(half.iter().collect::<HashSet<_>>().len(), 50);
        }
        assert_ne!(shuffled[..50], shuffled[50..]);
        assert_ne!(rows(RowOrder::Random, 1), rows(RowOrder::Random, 2));
        // 100 draws of 50 leave 50 * 0.98^100, about 7, undrawn.
        let drawn = rows(RowOrder::Random, 1).into_iter().collect::<HashSet<_>>().len();
        assert!((35..49).contains(&drawn), "{drawn}");
    }

    #[test]
    fn table_without_rows_draws_nothing() {
        let none = Table::list("value", Vec::new());
        assert_eq!(Feeder::new(0, Arc::new(none), RowOrder::Random).row(1, 1), None);
    }
}
