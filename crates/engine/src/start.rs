//! When a run begins: [`Start`], and what is known once it could ([`Ready`]).

use brunt_record::Codes;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// When a run begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Start {
    /// As soon as every session is ready.
    #[default]
    WhenReady,
    /// At a time of day that was agreed on with other machines; as soon as every session is ready if it is past by
    /// then.
    At(SystemTime),
    /// At a time of day that is told once every session is ready.
    WhenTold(StartSignal),
}

/// Tells a run that waits when to begin. Clones are the same signal.
#[derive(Clone, Debug, Default)]
pub struct StartSignal(Arc<OnceLock<SystemTime>>);

impl StartSignal {
    /// A signal of which nothing was told.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells when to begin. What is told first counts.
    pub fn tell(&self, at: SystemTime) {
        self.0.get_or_init(|| at);
    }

    /// When to begin, once that was told.
    pub fn told(&self) -> Option<SystemTime> {
        self.0.get().copied()
    }
}

impl PartialEq for StartSignal {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A run that has made its sessions ready, as far as it could, and waits to be told when to begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ready {
    /// How many sessions this machine was asked for.
    pub sessions: u32,
    /// How many of them are ready.
    pub ready: u32,
    /// Why attempts to make the others ready failed.
    pub unready: Codes,
}
