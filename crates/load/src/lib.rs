//! Runs: the engine with the sessions of each protocol.
//!
//! The engine is generic in its sessions, so what runs for each exchange is compiled where the two are named together.
//! That is here and nowhere else, and therefore this crate is optimised, and the program around it, which is several
//! times as large and runs once a second at most, need not be (`docs/decisions/010-builds.md`). Whoever runs a session
//! elsewhere compiles a second, slower copy. What was asked for, and what becomes of the figures, is not known here.

pub mod dhcp;
pub mod flow;
pub mod ldap;
pub mod leases;
pub mod names;
