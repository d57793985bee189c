//! [`Theme`]: what a terminal can show beside plain letters.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

/// What a terminal can show beside plain letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Theme {
    /// Colours.
    pub colour: bool,
    /// Characters beyond ASCII.
    pub unicode: bool,
}

impl Theme {
    /// Whether lines are drawn in dots of a quarter of a row. Without colours such lines could not be distinguished.
    pub(super) const fn fine(self) -> bool {
        self.colour && self.unicode
    }

    /// Text in a colour, if colours are shown.
    pub(super) fn colour(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    /// Text that stands out, with and without colours.
    pub(super) fn loud(self, colour: Color) -> Style {
        self.colour(colour).add_modifier(Modifier::BOLD)
    }

    /// One of two characters, depending on the terminal.
    pub(super) const fn either(self, unicode: char, ascii: char) -> char {
        if self.unicode { unicode } else { ascii }
    }

    /// A bar that is filled to this share, `width` characters long.
    pub(super) fn bar(self, share: f64, width: usize) -> String {
        let filled = ((share.clamp(0.0, 1.0) * width as f64).round() as usize).min(width);
        let (full, empty) = (self.either('\u{2588}', '#'), self.either('\u{2591}', '-'));
        std::iter::repeat_n(full, filled)
            .chain(std::iter::repeat_n(empty, width - filled))
            .collect()
    }
}

/// The style of text that a reader may skip.
pub(super) const fn faint() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// A heading.
pub(super) fn bold(text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), Style::new().add_modifier(Modifier::BOLD))
}
