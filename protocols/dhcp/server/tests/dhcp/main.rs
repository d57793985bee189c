//! Tests of the embedded DHCP server with messages of another library, with noise, and with perfdhcp.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod hostile;
mod lab;
mod perfdhcp;
mod script;
mod speed;
mod v4;
mod v6;
