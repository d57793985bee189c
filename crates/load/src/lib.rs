//! Runs: the engine with the sessions of each protocol.
//!
//! The engine is generic in its sessions, so what runs for each exchange is compiled where the two are named together.
//! That is here and nowhere else, so a change of the program does not compile it again
//! (`docs/decisions/010-builds.md`), and whoever runs a session elsewhere compiles a second copy. What was asked for,
//! and what becomes of the figures, is not known here.

pub mod dhcp;
pub mod flow;
pub mod ldap;
pub mod leases;
pub mod names;
