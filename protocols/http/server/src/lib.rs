//! An identity API in memory: OpenAM's, OpenDJ's and OpenIDM's REST, OAuth 2.0, an OpenID
//! provider with pages, SCIM, and endpoints for testing clients.
//!
//! It costs little CPU time, so that a run against it measures brunt itself: a request is executed as soon as it is
//! read, and users that were not changed are generated from their numbers on request. HTTP/1 and HTTP/2 are hyper's,
//! with the same handlers; faults that concern bytes are applied below it.
//!
//! It is not an identity server: there is one realm, no schema, no policy other than that users read and change
//! themselves and administrators everything, and nothing is stored.

mod calendar;
mod call;
mod config;
mod connection;
mod crest;
mod directory;
mod distortion;
mod heads;
mod idp;
#[cfg(feature = "memory")]
mod in_memory;
mod log;
mod oauth;
mod offline;
mod openam;
mod outgoing;
mod plain;
mod query;
mod realm;
mod refusal;
mod reply;
mod request;
mod routes;
mod scim;
mod script;
mod server;
mod service;
mod stats;
mod tokens;
mod wire;
mod worker;

pub use config::Config;
#[cfg(feature = "memory")]
pub use in_memory::InMemory;
pub use offline::Offline;
pub use script::{Script, ScriptError};
pub use server::{Running, Server, StartError};
pub use stats::{Stats, Tally};
