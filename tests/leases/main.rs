//! Leases in real MariaDB and PostgreSQL servers: what is done to them is counted by their own clients, never by brunt.
//!
//! The stores are driven first by themselves, every schema, family and way of asking, because there a wrong row has one
//! possible cause; then by the command that users run. A server whose programs are not installed excuses its tests,
//! visibly; see `brunt_testbed::require`.

#![expect(clippy::unwrap_used, reason = "what the tests share is tests: every failure is a panic")]

mod backends;
mod database;
mod idle;
mod kea;
mod lost;
mod refused;
mod runs;
