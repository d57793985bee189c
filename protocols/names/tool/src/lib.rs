//! `brunt names`: measures how much load the name service can sustain, and what it is configured to use.

mod lookup;
mod matrix;
pub mod options;
pub mod report;
mod sandbox;
mod tools;

pub use tools::TOOLS;
