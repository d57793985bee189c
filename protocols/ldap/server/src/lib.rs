//! An LDAP directory in memory.
//!
//! It costs as little CPU time as possible, so that a run against it measures brunt itself. Entries are stored as they
//! are encoded, requests are executed as soon as they are read, and one write sends the answers to all requests of one
//! read. Threads share only the entries.
//!
//! It is not a directory server: there is no schema, no access control other than that changes require a bind, nothing
//! on disk, and all attributes compare as text, ignoring case.

mod config;
mod connection;
mod directory;
mod dispatch;
#[cfg(feature = "memory")]
mod in_memory;
mod operation;
mod refusal;
mod reply;
mod sasl;
mod script;
mod server;
mod session;
mod stats;
mod users;
mod worker;

#[cfg(feature = "memory")]
pub use brunt_embedded::clock::Clock;
pub use config::Config;
#[cfg(feature = "memory")]
pub use in_memory::InMemory;
pub use script::{Script, ScriptError};
pub use server::{Running, Server, StartError};
pub use stats::{Operation, Stats, Tally};
