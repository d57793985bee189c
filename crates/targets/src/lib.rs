//! Embedded servers for a first run, for calibration and for tests.
//!
//! They start at once, cost little CPU time, count exactly what they were asked, and misbehave as a script says. They
//! are no servers to keep data in: everything is in memory and lost at the end.
//!
//! This crate must not know who drives it: no schedule, no histogram, no session of ours.

mod clock;
mod counter;
mod delay_queue;
pub mod dhcp;
pub mod ldap;
pub mod rest;
mod script;
mod tcp;
mod timer;
