//! The LDAP rate tools against real servers: a slapd for each test, and one OpenDJ that all share.
//!
//! The counts of a tool are compared with what the server reports, to the last operation. Every test runs the same
//! binary as users and reads the same output: the exit code, the table, standard error and the record. If a server's
//! programs are not installed, its tests are skipped, visibly; see `brunt_testbed::require`.

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
mod socket;
mod spread;
mod trust;
mod unboundid;
mod unboundid_secured;
mod unboundid_shared;
