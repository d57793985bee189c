//! `brunt perfdhcp` against the server that comes with it, on the loopback interface, with a script that says when the
//! server misbehaves. The client's output and record are compared with the server's counts, or with the expected values
//! from the script and the schedule.

mod endings;
mod overload;
mod server;
mod sockets;
