//! A tool under observation: what every bench here needs, whatever the protocol.
//!
//! Tools are separate processes, looked at from outside, since only so does every contender get the
//! same treatment. It knows neither a protocol nor a tool. Whatever goes wrong is a panic with the
//! tool's last words: a bench without its tool has nothing to say.

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
