//! [`StatusLine`]: the line on standard error that is written over while something goes on.
//!
//! It is shown on a terminal that obeys escape sequences and nowhere else, and is never wider than the terminal: what
//! wraps cannot be wiped. Whatever else is written to the terminal wipes it first, so it leaves nothing behind.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Puts the cursor at the begin of its line and wipes what is there.
const WIPE: &str = "\r\x1b[K";
/// How many columns a terminal has that does not say.
const USUAL: usize = 80;

/// Whether there is a line to be wiped: a process has one standard error.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// What wipes the line, if there is one.
pub(super) fn wiped() -> &'static str {
    if SHOWN.swap(false, Ordering::Relaxed) { WIPE } else { "" }
}

/// A line that is written over.
pub(crate) struct StatusLine {
    shows: bool,
}

impl StatusLine {
    /// A line, if it is wanted and there is a terminal that can show it.
    pub(crate) fn new(wanted: bool) -> Self {
        Self { shows: wanted && super::obeys() }
    }

    /// Whether there is somebody to show it to.
    pub(crate) const fn shows(&self) -> bool {
        self.shows
    }

    /// Shows this instead of what was there.
    pub(crate) fn show(&self, text: &str) {
        if self.shows && !super::full_screen::is_shown() {
            let width = super::width(&io::stderr()).unwrap_or(USUAL);
            let line = format!("{WIPE}{}", cut(text, width));
            SHOWN.store(true, Ordering::Relaxed);
            let _ = io::stderr().lock().write_all(line.as_bytes());
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
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
