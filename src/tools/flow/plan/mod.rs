//! Plans: a run described in a file, for any protocol.
//!
//! [`reader`] makes a [`model::Plan`] from TOML and knows the line of everything in it, [`compile`] makes from the
//! model what the engine and the drivers carry out, and [`preview`] describes that without doing it. Other descriptions
//! of a run (a LoadGen job, a HAR file) can be written as a plan. Nothing here opens a connection.

mod asked;
#[cfg(test)]
mod broken;
pub(crate) mod compile;
pub(crate) mod edit;
#[cfg(test)]
mod examples;
pub(crate) mod fault;
mod granted;
mod memory;
mod merged;
pub(crate) mod model;
pub(crate) mod path;
mod preview;
pub(crate) mod reader;
#[cfg(test)]
mod reference;
mod run;
pub(crate) mod schema;
mod searched;
pub(crate) mod values;

pub(crate) use granted::{Granted, Secrets};
pub(crate) use run::{check_granted, examine, measure, prepare, run, run_granted};
pub(crate) use searched::{Searchable, prepare_granted};
