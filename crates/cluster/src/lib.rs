//! Several machines as one run.
//!
//! A *coordinator* orders a run, *agents* carry out their shares of it, and a *plane* transports their messages.
//! Nothing here makes load, starts a process or knows a protocol: the program does all that. This crate defines the
//! messages, when they are sent, and what happens if one party's messages do not arrive.

pub mod agent;
pub mod bundle;
pub mod coordinator;
pub mod keys;
pub mod manifest;
pub mod message;
pub mod plane;
pub mod policy;
pub mod roster;
pub mod signature;
