//! What a terminal can show: its width, its characters, its colours.

/// Where a text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Colours, for a terminal.
    pub colour: bool,
    /// The number of columns, which no text exceeds.
    pub width: usize,
    /// Characters beyond ASCII.
    pub unicode: bool,
}

/// In a narrower screen charts have no room for a bar.
const NARROWEST: usize = 40;
/// Longer lines are hard to read, even if they fit.
const WIDEST: usize = 120;

impl Default for Screen {
    /// A file or a pipe.
    fn default() -> Self {
        Self { colour: false, width: 80, unicode: true }
    }
}

impl Screen {
    /// The width of tables: the whole screen.
    pub(crate) fn whole(self) -> usize {
        self.width.max(NARROWEST)
    }

    /// The width of prose and charts.
    pub(crate) fn columns(self) -> usize {
        self.width.clamp(NARROWEST, WIDEST)
    }

    /// Text in a colour or weight of the terminal, by the number of its escape sequence.
    pub(crate) fn dress(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// One of two ways to draw something.
    pub(crate) fn either<T>(self, unicode: T, ascii: T) -> T {
        if self.unicode { unicode } else { ascii }
    }
}
