//! [`StatusLine`]: the line on standard error that is updated in place during an operation.
//!
//! It is shown only on a terminal that supports escape sequences, and is never wider than the terminal: a line that
//! wraps cannot be erased. Any other output to the terminal erases it first, so it leaves nothing behind.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Moves the cursor to the beginning of its line and erases the line.
const WIPE: &str = "\r\x1b[K";
/// The width that is assumed for a terminal that reports none.
const USUAL: usize = 80;

/// Whether there is a line to erase: a process has one standard error.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// The sequence that erases the line, if there is one.
pub(super) fn wiped() -> &'static str {
    if SHOWN.swap(false, Ordering::Relaxed) { WIPE } else { "" }
}

/// A line that is updated in place.
pub struct StatusLine {
    shows: bool,
}

impl Default for StatusLine {
    fn default() -> Self {
        Self::new()
    }
}

impl StatusLine {
    /// A line, if the terminal can show it and standard error is not kept free.
    pub fn new() -> Self {
        Self { shows: super::obeys() && !super::is_held() }
    }

    /// Whether the line is shown.
    pub const fn shows(&self) -> bool {
        self.shows
    }

    /// Replaces the line by this text.
    pub fn show(&self, text: &str) {
        if self.shows && !super::full_screen::is_shown() {
            let width = super::width(&io::stderr()).unwrap_or(USUAL);
            let line = format!("{WIPE}{}", cut(text, width));
            SHOWN.store(true, Ordering::Relaxed);
            let _ = io::stderr().lock().write_all(line.as_bytes());
        }
    }

    /// Erases the line.
    pub fn clear(&self) {
        if self.shows {
            super::tell("");
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// As much of a text as fits; the last column stays free, since some terminals wrap when it is written to.
fn cut(text: &str, width: usize) -> String {
    text.chars().take(width.saturating_sub(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_never_reaches_the_last_column() {
        assert_eq!(cut("12 of 30 s", 80), "12 of 30 s");
        assert_eq!(cut("12 of 30 s", 10), "12 of 30 ");
        assert_eq!(cut("Größe", 4), "Grö");
        assert_eq!(cut("x", 0), "");
    }
}
