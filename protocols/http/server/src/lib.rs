//! An identity API in memory: OpenAM's, OpenDJ's and OpenIDM's REST, OAuth 2.0, and endpoints for testing clients.
//!
//! It costs as little CPU time as possible, so that a run against it measures brunt itself: requests are parsed in
//! place and executed as soon as they are read, and one write sends the answers to all requests of one read. Users that
//! were not changed are generated from their numbers on request. HTTP/2 is hyper's, with the same handlers.
//!
//! It is not an identity server: there is one realm, no schema, no policy other than that users read and change
//! themselves and administrators everything, and nothing is stored.

mod call;
mod config;
mod connection;
mod crest;
mod directory;
mod h2;
mod log;
mod oauth;
mod openam;
mod plain;
mod query;
mod reader;
mod realm;
mod refusal;
mod reply;
mod routes;
mod script;
mod server;
mod stats;
mod tokens;
mod worker;

pub use config::Config;
pub use reader::{Fields, Limits, Malformed, Progress, Reader, Request, Version};
pub use script::{Script, ScriptError};
pub use server::{Running, Server, StartError};
pub use stats::{Stats, Tally};
