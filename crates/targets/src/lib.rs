//! Embedded servers for a first run, for calibration and for tests.
//!
//! Each is a convenience and not a server to keep data in: everything is in memory and gone at the
//! end. What they are good for is being there at once, costing little, counting exactly what they
//! were asked, and misbehaving when told to.
//!
//! This crate must not know who drives it: no schedule, no histogram, no session of ours.

mod clock;
mod counter;
pub mod dhcp;
pub mod ldap;
pub mod rest;
mod script;
mod tcp;
mod timer;
