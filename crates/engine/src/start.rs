//! When a run begins: [`Start`], and the state of its sessions when it is ready to begin ([`Ready`]).

use brunt_record::Codes;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// When a run begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Start {
    /// As soon as every session is ready.
    #[default]
    WhenReady,
    /// At a time of day that was agreed on with other machines, or as soon as every session is ready if that is later.
    At(SystemTime),
    /// At a time of day that is signalled once every session is ready.
    OnSignal(StartSignal),
}

/// Signals a waiting run when to begin. Clones are the same signal.
#[derive(Clone, Debug, Default)]
pub struct StartSignal(Arc<OnceLock<SystemTime>>);

impl StartSignal {
    /// A signal that was not sent yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends the time at which to begin. Only the first call counts.
    pub fn send(&self, at: SystemTime) {
        self.0.get_or_init(|| at);
    }

    /// When to begin, once that was signalled.
    pub fn start_time(&self) -> Option<SystemTime> {
        self.0.get().copied()
    }
}

impl PartialEq for StartSignal {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The state of a run that has made its sessions ready, as far as it could, and waits for the signal to begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ready {
    /// The number of sessions of this machine.
    pub sessions: u32,
    /// How many of them are ready.
    pub ready: u32,
    /// Why attempts to make the others ready failed.
    pub unready: Codes,
}
