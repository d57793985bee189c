//! Runs of one load at different rates: the collection they make ([`collection`]), and response against rate as a page
//! ([`page()`]).
//!
//! One run at each rate shows what no single run does: from which rate on a target is slower, and at which it no longer
//! keeps up. Runs of one rate are merged into one point, exact to the bucket. Only runs that differ only in their rate
//! make a curve; [`comparison`](crate::comparison) determines the differences.

mod likeness;
mod page;
mod points;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use brunt_record::{COLLECTION_SCHEMA, Cell, Collection, Tool};

use crate::comparison::Input;

pub use likeness::{RatesError, unlike};
pub use page::page;

/// The subject of these collections.
pub const SUBJECT: &str = "rates";
/// The label of a cell with the requested rate.
const RATE: &str = "rate";
/// The label of a cell with the file of its run.
const RUN: &str = "run";

/// The runs from the lowest rate up, as one document that `tool` made with `command`.
pub fn collection(
    tool: Tool,
    command: Vec<String>,
    runs: Vec<Input>,
) -> Result<Collection, RatesError> {
    let mut rated = Vec::with_capacity(runs.len());
    for run in runs {
        rated.push((likeness::rate(&run)?, run));
    }
    rated.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some((least, first)), Some((most, _))) = (rated.first(), rated.last()) else {
        return Err(RatesError::Few);
    };
    if least.total_cmp(most).is_eq() {
        return Err(RatesError::OneRate(*least));
    }
    let started = rated.iter().map(|(_, run)| run.record.started.clone()).min();
    let environment = first.record.environment.clone();
    let cell = |(rate, run): (f64, Input)| {
        let mut cell = Cell::new([(RATE, format!("{rate}")), (RUN, run.name)]);
        cell.record = Some(Box::new(run.record));
        cell
    };
    Ok(Collection {
        schema: COLLECTION_SCHEMA.to_owned(),
        subject: SUBJECT.to_owned(),
        tool,
        started: started.unwrap_or_default(),
        command,
        environment,
        facts: BTreeMap::new(),
        figures: BTreeMap::new(),
        cells: rated.into_iter().map(cell).collect(),
    })
}
