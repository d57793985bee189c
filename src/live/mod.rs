//! The live view: what a run does, drawn on the terminal while it does it.
//!
//! A [`Digest`] of each interval goes to a thread of its own, which keeps a bounded [`Model`](model::Model) and draws
//! it four times a second, on a core that no worker is pinned to where there is one. Whoever measures hands a digest
//! over and goes on: it waits for no terminal, and what the thread cannot take is left out. What is shown is a pure
//! function of the model, so it is tested without a terminal.

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
mod renderer;
mod standing;
#[cfg(test)]
mod tests;
mod theme;
mod thread;

pub(crate) use digest::Digest;
pub(crate) use model::About;
pub(crate) use standing::Standing;
pub(crate) use thread::{Core, View};
