//! A tool under observation: what every bench here needs, for any protocol.
//!
//! Tools are separate processes, observed from outside, since only then does every contender get the same treatment.
//! This crate depends on no protocol and no tool. Every failure is a panic with the end of the tool's output: a bench
//! without its tool has no result.

#![expect(clippy::missing_panics_doc, reason = "a bench has nobody to hand an error to")]

mod brunt;
mod compiler;
pub mod cpu;
mod duel;
mod figures;
mod lap;
mod machine;
mod process;
mod table;

pub use brunt::brunt;
pub use compiler::{compiled, succeeded};
pub use duel::Duel;
pub use figures::{median, share};
pub use lap::Lap;
pub use machine::machine;
pub use process::{Process, pass, pass_for, stopwatch};
pub use table::{overhead, speed};
