//! Stores of leases that need no server, compared with a model of leases.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

mod backends;
mod guard;
mod hostile;
mod idle;
mod model;
mod recovery;
mod sessions;
