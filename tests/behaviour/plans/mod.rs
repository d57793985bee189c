//! Plans against the identity API in memory: what arrived there is held against what the plan says.

mod answers;
mod directory;
mod examples;
mod files;
mod hostile;
mod iterations;
mod memory;
mod nodes;
mod phases;
mod previews;
mod secrets;
mod traces;
