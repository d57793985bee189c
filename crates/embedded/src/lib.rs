//! What the embedded servers share: scripts of faults, delays, counters, TCP.
//!
//! Embedded servers are for a first run, for calibration and for tests. They start at once, cost little CPU time, count
//! exactly the requests they received, and misbehave as a script defines. They must not be used to store data:
//! everything is in memory and lost at the end.
//!
//! This crate knows no protocol, and must not know what drives it: no schedule, no histogram, no session of ours.

// The paths in attributes of `rule!` have to name this crate, here as elsewhere.
#[cfg(test)]
extern crate self as brunt_embedded;

pub mod clock;
pub mod counter;
pub mod delay_queue;
#[cfg(feature = "memory")]
pub mod given_time;
pub mod script;
pub mod tcp;
pub mod threads;
pub mod timer;
