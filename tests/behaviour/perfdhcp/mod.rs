//! `brunt perfdhcp` against the server that comes with it, on the loopback interface, with a script that says when the
//! server misbehaves. What the client prints and records is held against what the server counted, or against what the
//! script and the schedule make of it.

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
