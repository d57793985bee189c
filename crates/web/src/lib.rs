//! Pages for browsers: listening for them, and the events by which an open page follows a run.

pub mod listen;
pub mod watch;
