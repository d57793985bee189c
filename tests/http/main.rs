//! Plans, LoadGen jobs and `brunt http` against real servers: nginx, Keycloak, OpenDJ's gateway, slapd and Kea.
//!
//! The counts of a run are compared with the server's own log, to the last request and for every status. Every test
//! runs the same binary as users and reads the same output: the exit code, the report, standard error and the record.
//! If a server's programs are not installed, its tests are skipped, visibly; see `brunt_testbed::require`.

mod answers;
mod brunt;
mod command;
mod connections;
mod identity;
mod identity_keys;
mod identity_plans;
mod interrupted;
mod jobs;
mod logged;
mod many;
mod mixed;
mod secured;
mod visited;
mod ways;
