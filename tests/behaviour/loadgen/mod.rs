//! Jobs of LoadGen against the identity API in memory: what is printed is held against what the server logged, and the
//! table against the formulas, reckoned here once more from its own counts and times.

mod answers;
mod compatible;
mod examples;
mod levels;
mod likeness;
mod mistakes;
mod mixes;
mod plans;
mod platform;
mod report;
mod secured;
mod settings;
pub(crate) mod target;
mod threads;
mod wildcards;
