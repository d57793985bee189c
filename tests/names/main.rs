//! The private environments of `brunt names`, with the slapd, nslcd and nscd of the system in them.
//!
//! What a cell says it did is compared with what the system's own tools see in it, and the host is looked at before and
//! after: its processes, its mounts, its files. A machine without those daemons, or a user who may not make namespaces,
//! excuses these tests, visibly; see `brunt_testbed::require`.

mod backends;
mod cell;
mod hygiene;
mod matrix;
mod others;
mod traps;
mod unprivileged;
