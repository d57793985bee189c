//! The live view: shows a run on the terminal while it is in progress.
//!
//! A [`Digest`] of each interval is sent to a separate thread, which keeps a bounded [`Model`](model::Model) and draws
//! it four times a second, on a core that no worker is pinned to if there is one. The measuring thread sends a digest
//! and continues: it never waits for a terminal, and digests that do not fit into the queue are dropped. The picture is
//! a pure function of the model, so it is tested without a terminal.

mod chart;
mod curves;
mod digest;
mod draw;
mod figures;
mod generator;
mod head;
mod history;
mod keys;
mod model;
mod operations;
mod parts;
mod picture;
mod provisional_verdict;
mod renderer;
#[cfg(test)]
mod tests;
mod theme;
mod thread;

pub use digest::Digest;
pub use model::About;
pub use provisional_verdict::ProvisionalVerdict;
pub use thread::{Core, View};
