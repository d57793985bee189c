//! [`Held`]: standard error of a quiet command, or of a program that a script started under the name of an older tool.
//!
//! Scripts of older tools read both streams together, and cron mails whatever a job writes. So the messages of this
//! program are held until the outcome of the run is known: then nothing is written if the user need not act, and one
//! line otherwise. If the program ends in another way, everything is written.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many bytes are held; what comes after them is dropped.
const HELD_MAX: usize = 1 << 18;

/// What happens to text for standard error.
#[derive(Debug, Default)]
enum Errors {
    #[default]
    Written,
    Held(String),
    Dropped,
}

/// What happens to the text that one console gets for standard error.
#[derive(Debug, Default)]
pub(super) struct Held(Mutex<Errors>);

impl Held {
    /// Holds what is written to standard error from now on.
    pub(super) fn hold(&self) {
        *self.errors() = Errors::Held(String::new());
    }

    /// Whether it is held.
    pub(super) fn is_held(&self) -> bool {
        matches!(*self.errors(), Errors::Held(_))
    }

    /// Drops what is held, and what follows.
    pub(super) fn drop_rest(&self) {
        *self.errors() = Errors::Dropped;
    }

    /// What was held. From now on text is written again.
    pub(super) fn ended(&self) -> String {
        match std::mem::replace(&mut *self.errors(), Errors::Written) {
            Errors::Held(text) => text,
            Errors::Written | Errors::Dropped => String::new(),
        }
    }

    /// Whether this text is held or dropped, so that it must not be written.
    pub(super) fn takes(&self, text: &str) -> bool {
        match &mut *self.errors() {
            Errors::Written => false,
            Errors::Held(held) => {
                if held.len() + text.len() <= HELD_MAX {
                    held.push_str(text);
                }
                true
            }
            Errors::Dropped => true,
        }
    }

    fn errors(&self) -> MutexGuard<'_, Errors> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
