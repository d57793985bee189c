//! Standard error of a quiet command, or of a program that a script started under the name of an older tool: [`hold`].
//!
//! Scripts of older tools read both streams together, and cron mails whatever a job writes. So what this program tells
//! is held until it is known what came of the run: then nothing is written if nothing has to be done about it, and one
//! line otherwise. If the program ends in another way, everything is written.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many bytes are held; what comes after them is dropped.
const HELD_MAX: usize = 1 << 18;

/// What happens to text for standard error.
enum Errors {
    Written,
    Held(String),
    Dropped,
}

static ERRORS: Mutex<Errors> = Mutex::new(Errors::Written);

/// Holds what is written to standard error from now on.
pub fn hold() {
    *errors() = Errors::Held(String::new());
}

/// Whether it is held.
pub fn is_held() -> bool {
    matches!(*errors(), Errors::Held(_))
}

/// Drops what is held, and what follows.
pub(super) fn drop_rest() {
    *errors() = Errors::Dropped;
}

/// What was held. From now on text is written again.
pub(super) fn ended() -> String {
    match std::mem::replace(&mut *errors(), Errors::Written) {
        Errors::Held(text) => text,
        Errors::Written | Errors::Dropped => String::new(),
    }
}

/// Whether this text is held or dropped, so that it must not be written.
pub(super) fn takes(text: &str) -> bool {
    match &mut *errors() {
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

fn errors() -> MutexGuard<'static, Errors> {
    ERRORS.lock().unwrap_or_else(PoisonError::into_inner)
}
