//! Runs that belong together: a [`Collection`], which a comparison of stores, caches or settings is made from.
//!
//! A comparison is a table, and each of its cells is a run. Cells differ by their labels (`store`, `operation`,
//! `users`), so a reader finds a cell by its labels and never by its place. A cell contains the record of its run, and
//! beside it the figures that no record has: the seconds that a system program took, the rows that a database counted.
//! Nothing here depends on the subject of the comparison.

use crate::{Environment, Record, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format.
pub const COLLECTION_SCHEMA: &str = "brunt-collection/1";

/// Runs that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Collection {
    /// `brunt-collection/1`.
    pub schema: String,
    /// What is compared: `leases`, `names`, `rates`, or `find-max`. Reports choose their tables by it.
    pub subject: String,
    /// What made the collection.
    pub tool: Tool,
    /// When the first run began, in RFC 3339.
    pub started: String,
    /// The command line, secrets replaced.
    pub command: Vec<String>,
    /// The machine.
    pub environment: Environment,
    /// What applies to all cells, by name: the delay of an fsync, the version of a server, what "sync" means for a
    /// store. Values are text, as a report shows them.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// Numbers that apply to all cells, by name with their unit: `fsync_p50_us`.
    #[serde(default)]
    pub figures: BTreeMap<String, f64>,
    /// The runs, in the order in which they were made.
    pub cells: Vec<Cell>,
}

/// One run of a collection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The labels that distinguish this cell from the others.
    pub labels: BTreeMap<String, String>,
    /// What was measured beside the record, by name with the unit: `seconds`, `rows`, `searches`.
    #[serde(default)]
    pub figures: BTreeMap<String, f64>,
    /// What a reader should know about this cell, in words: why it is invalid, what was not measured.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The record of the run, where there is one.
    #[serde(default)]
    pub record: Option<Box<Record>>,
}

impl Cell {
    /// A cell with these labels.
    pub fn new<K: Into<String>, V: Into<String>>(labels: impl IntoIterator<Item = (K, V)>) -> Self {
        let labels = labels.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        Self { labels, ..Self::default() }
    }

    /// The value of a label, if the cell has it.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }

    /// A figure, if it was measured.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied()
    }

    /// Whether the cell has all of these labels.
    pub fn is(&self, labels: &[(&str, &str)]) -> bool {
        labels.iter().all(|(key, value)| self.label(key) == Some(value))
    }
}

impl Collection {
    /// The cells that have all of these labels, in their order.
    pub fn cells<'a>(&'a self, labels: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = &'a Cell> {
        self.cells.iter().filter(move |cell| cell.is(labels))
    }

    /// The values a label has, each once, in the order of first appearance.
    pub fn values(&self, label: &str) -> Vec<&str> {
        let mut values = Vec::new();
        for value in self.cells.iter().filter_map(|cell| cell.label(label)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_their_properties() {
        let cell = |store, operation, seconds| {
            let mut cell = Cell::new([("store", store), ("operation", operation)]);
            cell.figures.insert("seconds".to_owned(), seconds);
            cell
        };
        let collection = Collection {
            schema: COLLECTION_SCHEMA.to_owned(),
            subject: "leases".to_owned(),
            tool: Tool { name: "brunt".to_owned(), version: "0".to_owned() },
            started: String::new(),
            command: Vec::new(),
            environment: Environment::default(),
            facts: BTreeMap::new(),
            figures: BTreeMap::new(),
            cells: vec![
                cell("sqlite", "create", 1.0),
                cell("memfile", "create", 2.0),
                cell("sqlite", "search", 3.0),
            ],
        };
        assert_eq!(collection.values("store"), ["sqlite", "memfile"]);
        let found: Vec<_> = collection
            .cells(&[("store", "sqlite"), ("operation", "search")])
            .map(|cell| cell.figure("seconds"))
            .collect();
        assert_eq!(found, [Some(3.0)]);
        assert_eq!(collection.cells(&[("durability", "sync")]).count(), 0);
    }
}
