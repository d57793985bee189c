//! Plans, LoadGen jobs and `brunt http` against real servers: nginx, Keycloak, OpenDJ's gateway, slapd and Kea.
//!
//! What a run counted is compared with the server's own log, to the last request and for every status. Every test runs
//! the binary that users run and reads what they would: the exit code, the report, the words on standard error and the
//! record. A server whose programs are not installed excuses its tests, visibly; see `brunt_testbed::require`.

mod answers;
mod brunt;
mod command;
mod connections;
mod identity;
mod jobs;
mod logged;
mod many;
mod mixed;
mod secured;
mod shared;
mod times;
mod ways;
