//! Leases in real MariaDB and PostgreSQL servers: the changes are counted by the servers' own clients, never by brunt.
//!
//! The stores are first driven directly, with every schema, family and kind of statement, because there a wrong row has
//! one possible cause; then by the command that users run. If a server's programs are not installed, its tests are
//! skipped, visibly; see `brunt_testbed::require`.

#![expect(clippy::unwrap_used, reason = "what the tests share is tests: every failure is a panic")]

mod backends;
mod database;
mod idle;
mod kea;
mod lost;
mod refused;
mod runs;
