//! An identity API in memory: OpenAM's, OpenDJ's and OpenIDM's REST, OAuth 2.0, and what a client can be tried on.
//!
//! It is written to cost as little as a server can, so that what remains when brunt is pointed at it
//! is brunt itself: requests are read in place, carried out within the read that brought them, and
//! the answers of one read leave in one write. Users that nobody has touched are made from their
//! numbers as they are asked for. HTTP/2 is hyper's, over the same handlers.
//!
//! It is not an identity server: there is one realm, no schema, no policy beyond "users see and change
//! themselves, administrators everything", and nothing outlives it.

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
