//! An LDAP directory in memory.
//!
//! It is written to cost as little as a server can, so that what remains when brunt is pointed at it
//! is brunt itself. An entry is kept in the bytes it travels in, requests are carried out within the
//! read that brought them, and one write answers all of them. Threads share nothing but the entries.
//!
//! It is not a directory server: there is no schema, no access control beyond "whoever writes must
//! have bound", nothing on disk, and every attribute compares as text without case.

mod config;
mod connection;
mod directory;
mod dispatch;
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

pub use config::Config;
pub use script::{Script, ScriptError};
pub use server::{Running, Server, StartError};
pub use stats::{Operation, Stats, Tally};
