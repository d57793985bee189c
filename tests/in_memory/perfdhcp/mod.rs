//! `brunt perfdhcp` against the server that comes with it, with a script that says when the server misbehaves. Output
//! and record are compared with the server's counts, or with what follows from the script and the schedule.

mod clients;
mod delays;
mod endings;
mod faults;
mod fleets;
mod phases;
mod results;
mod server;
mod stalled;
mod switches;
