//! Several machines as one run.
//!
//! A *coordinator* orders a run, *agents* carry out their shares of it, and a *plane* carries what they tell each
//! other. Nothing here makes load, starts a process or knows a protocol: the program brings all that, and here is what
//! is said, when, and what becomes of it if somebody is not heard.

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
