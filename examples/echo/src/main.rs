//! An example of a protocol over datagrams: brunt with one command more, `echo`, which measures a UDP echo server
//! (RFC 862).
//!
//! [`message`] has the bytes, [`table`] the exchanges in flight, [`session`] one conversation, [`load`] the sessions of
//! a run, and [`tool`] the command. Nothing else of brunt knows it, and yet it has a search for the highest rate,
//! agents, all outputs, objectives and the verdict. CONTRIBUTING.md says what a protocol of the program itself changes
//! beside its folder.

mod load;
mod message;
mod session;
mod table;
mod tool;

use std::process::ExitCode;

fn main() -> ExitCode {
    brunt_app::main_with(tool::TOOLS)
}
