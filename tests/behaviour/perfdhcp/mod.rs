//! `brunt perfdhcp` against the server that comes with it, on the loopback interface, with a script that says when the
//! server misbehaves. The client's output and record are compared with the server's counts, or with the expected values
//! from the script and the schedule.

mod clients;
mod delays;
mod endings;
mod faults;
mod fleets;
mod overload;
mod phases;
mod results;
mod server;
mod stalled;
mod stopped;
mod switches;
