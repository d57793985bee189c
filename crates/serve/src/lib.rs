//! A website where load tests are built, run, kept and compared.
//!
//! The server makes no load and reads no document that a person wrote: children of the same program do. It keeps
//! history as a directory of ordinary records, of which its database is an index that can be made again.

pub mod agents;
mod api;
mod app;
mod assets;
mod auth;
mod call;
pub mod child;
pub mod history;
mod listen;
mod pages;
mod problem;
pub mod queue;
mod routes;
mod schedule;
mod site;
mod store;
mod tail;
mod trial;
mod vault;
pub mod watch;

pub use call::cookie_values;
pub use ipnet::IpNet;
pub use listen::Hosts;
pub use site::{Settings, Site};
pub use trial::Trial;
