//! `brunt perfdhcp` against real Kea servers, each test on its own network, beside the tool it replaces.
//!
//! The counts of a run are compared with Kea's lease file, with Kea's statistics and with a capture of the wire, to the
//! last message. Every test runs the same binary as users and reads the same output: the exit code, the report,
//! standard error and the record. Without Kea, or without the permission to create network namespaces, these tests are
//! skipped, visibly; see `brunt_testbed::require`.

mod brunt;
mod clients;
mod counted;
mod embedded;
mod ended;
mod expected;
mod found;
mod granted;
mod lives;
mod monitored;
mod network;
mod packets;
mod paused;
mod relayed;
mod said;
mod same;
mod shared;
mod switches;
mod templates;
