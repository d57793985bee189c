//! `brunt perfdhcp` against real Kea servers, on a network of each test's own, beside the tool it replaces.
//!
//! What a run counted is compared with what Kea wrote into its lease file, with Kea's statistics and with a capture of
//! the wire, to the last message. Every test runs the binary that users run and reads what they would: the exit code,
//! the report, the words on standard error and the record. A machine without Kea, or a user who may not make network
//! namespaces, excuses these tests, visibly; see `brunt_testbed::require`.

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
