//! The private environments of `brunt names`, with the slapd, nslcd and nscd of the system in them.
//!
//! The reports of a sandbox are compared with what the system's own tools see in it, and the host is checked before and
//! after: its processes, its mounts, its files. Without those daemons, or without the permission to create namespaces,
//! these tests are skipped, visibly; see `brunt_testbed::require`.

mod backends;
mod hygiene;
mod matrix;
mod others;
mod sandbox;
mod traps;
mod unprivileged;
