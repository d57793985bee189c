//! A [`Task`]: what the exchanges of a run do.
//!
//! It must not depend on what performs them.

use super::lifecycle::LifecycleOptions;
use super::mix::Mix;

/// What the exchanges of a run do.
#[derive(Debug)]
pub enum Task<L> {
    /// Acquire, renew and release at rates.
    Mix(Mix),
    /// Release these leases, one in each exchange.
    Release(Vec<L>),
    /// Live: each session is a client that decides when its next exchange is due.
    Live(LifecycleOptions),
}
