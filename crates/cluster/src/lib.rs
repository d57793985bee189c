//! Several machines as one run.
//!
//! A *coordinator* orders a run, *agents* carry out their shares of it, and a *plane* carries what they tell each
//! other. Nothing here makes load or knows a protocol: the program brings both, this crate sees records and intervals.

pub mod bundle;
pub mod keys;
pub mod manifest;
pub mod policy;
pub mod signature;
