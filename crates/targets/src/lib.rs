//! Embedded servers for a first run, for calibration and for tests.
//!
//! They start at once, cost little CPU time, count exactly the requests they received, and misbehave as a script says.
//! They must not be used to store data: everything is in memory and lost at the end.
//!
//! This crate must not know what drives it: no schedule, no histogram, no session of ours.

mod clock;
mod counter;
mod delay_queue;
pub mod dhcp;
pub mod ldap;
pub mod rest;
mod script;
mod tcp;
mod timer;
