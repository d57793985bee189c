//! A website where load tests are built, run, stored and compared.
//!
//! The server generates no load and reads no document that a user wrote: child processes of the same program do both.
//! The history is a directory of ordinary records. The database is an index of it and can be rebuilt.

pub mod agents;
mod api;
mod app;
mod assets;
mod auth;
pub mod backup;
mod cache;
mod call;
mod changes;
pub mod child;
mod comparison;
mod counters;
mod directory_checks;
mod disk;
pub mod history;
mod in_flight;
mod levels;
mod metrics;
mod moment;
mod notice;
pub mod oidc;
mod pages;
mod problem;
mod provider;
pub mod queue;
pub mod reach;
mod retention;
mod routes;
mod schedule;
mod site;
mod store;
mod submission;
mod tail;
mod trial;
mod vault;

pub use call::cookie_values;
pub use ipnet::IpNet;
pub use site::{Settings, Site, SiteError};
pub use trial::Trial;
