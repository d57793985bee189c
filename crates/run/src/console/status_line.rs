//! [`StatusLine`]: the line on standard error that is updated in place during an operation.
//!
//! It is shown only on a terminal that supports escape sequences, and is never wider than the terminal: a line that
//! wraps cannot be erased. Any other output to the terminal erases it first, so it leaves nothing behind.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Console;
use super::streams::Stream;

/// Moves the cursor to the beginning of its line and erases the line.
const WIPE: &str = "\r\x1b[K";
/// The width that is assumed for a terminal that reports none.
const USUAL: usize = 80;

/// The sequence that erases the line, if one is shown.
pub(super) fn wiped(shown: &AtomicBool) -> &'static str {
    if shown.swap(false, Ordering::Relaxed) { WIPE } else { "" }
}

/// A line that is updated in place.
pub struct StatusLine {
    console: Console,
    shows: bool,
}

impl StatusLine {
    /// A line, if the terminal can show it and standard error is not kept free.
    pub fn new(console: &Console) -> Self {
        Self { console: console.clone(), shows: console.obeys() && !console.is_held() }
    }

    /// Whether the line is shown.
    pub const fn shows(&self) -> bool {
        self.shows
    }

    /// Replaces the line by this text.
    pub fn show(&self, text: &str) {
        if self.shows && !self.console.is_behind_view() {
            let state = &self.console.0;
            let width = state.streams.width(Stream::Error).unwrap_or(USUAL);
            let line = format!("{WIPE}{}", cut(text, width));
            state.line.store(true, Ordering::Relaxed);
            let _ = state.streams.write(Stream::Error, &[line.as_bytes()]);
        }
    }

    /// Erases the line.
    pub fn clear(&self) {
        if self.shows {
            self.console.report("");
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
    fn status_line_never_reaches_the_last_column() {
        assert_eq!(cut("12 of 30 s", 80), "12 of 30 s");
        assert_eq!(cut("12 of 30 s", 10), "12 of 30 ");
        assert_eq!(cut("Größe", 4), "Grö");
        assert_eq!(cut("x", 0), "");
    }
}
