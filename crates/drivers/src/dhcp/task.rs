//! A [`Task`]: what the exchanges of a run do.
//!
//! It must not know who carries them out.

use super::lifecycle::LifecycleOptions;
use super::mix::Mix;

/// What the exchanges of a run do.
#[derive(Debug)]
pub enum Task<L> {
    /// Acquire, renew and release at rates.
    Mix(Mix),
    /// Give these leases back, one an exchange.
    Release(Vec<L>),
    /// Live: each session is a client that says itself when its next exchange is due.
    Live(LifecycleOptions),
}
