//! The LDAP rate tools against real servers: a slapd of each test's own, and one OpenDJ that all share.
//!
//! What a tool counted is compared with what the server says it saw, to the last operation. Every test runs the binary
//! that users run and reads what they would: the exit code, the table, the words on standard error and the record.
//! A server whose programs are not installed excuses its tests, visibly; see `brunt_testbed::require`.

mod added;
mod brunt;
mod directory;
mod evidence;
mod found;
mod generated;
mod identity;
mod idle;
mod lockout;
mod modified;
mod monitored;
mod refused;
mod renamed;
mod searched;
mod spread;
mod trust;
