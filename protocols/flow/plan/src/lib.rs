//! Plans: a run described in a file, for any protocol.
//!
//! [`reader`] makes a [`model::Plan`] from TOML and knows the line of everything in it, [`compile`] makes from the
//! model what the engine and the drivers carry out, and [`preview`] describes that without doing it. Other descriptions
//! of a run (a LoadGen job, a HAR file) can be written as a plan. Nothing here opens a connection.

#[cfg(test)]
mod broken;
mod choices;
pub mod compile;
pub mod edit;
#[cfg(test)]
mod examples;
pub mod key_error;
pub mod memory;
pub mod merged;
pub mod model;
pub mod path;
pub mod preview;
pub mod reader;
#[cfg(test)]
mod reference;
mod removal;
pub mod sample;
pub mod schema;
pub mod values;
