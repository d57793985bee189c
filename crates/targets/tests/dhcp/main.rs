//! The embedded DHCP server, asked by messages that another library made, by noise, and by perfdhcp.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod hostile;
mod lab;
mod perfdhcp;
mod script;
mod speed;
mod v4;
mod v6;
