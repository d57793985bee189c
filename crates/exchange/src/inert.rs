//! [`inert`]: text from elsewhere that can do nothing to a terminal or to the lines around it.
//!
//! What a server says is shown in messages, tables and records. An escape sequence in it could hide or forge what is
//! on a screen, a line break could add a line, and marks of direction could turn words around.

/// What may stay of the characters that move the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Nothing: it is one line, and each of them is a space.
    Line,
    /// Line breaks and tabs: it is text of this program with words from elsewhere in it.
    Lines,
}

/// Whether a text has characters that are to be made inert.
pub fn is_inert(text: &str, layout: Layout) -> bool {
    !text.chars().any(|char| is_active(char, layout))
}

/// A text with every character that acts on its surroundings made visible: an escape is `\u{1b}`.
pub fn inert(text: &str, layout: Layout) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            char if !is_active(char, layout) => shown.push(char),
            '\t' | '\n' | '\r' => shown.push(' '),
            char => shown.extend(char.escape_unicode()),
        }
    }
    shown
}

fn is_active(char: char, layout: Layout) -> bool {
    match char {
        '\n' | '\t' => layout == Layout::Line,
        // Marks that turn the direction of the text around them, and breaks that only some readers see.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        char => char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let text = "a\u{1b}[2J\u{7}b\r\nc\td\u{9b}\u{202e}e";
        assert_eq!(inert(text, Layout::Line), "a\\u{1b}[2J\\u{7}b  c d\\u{9b}\\u{202e}e");
        assert_eq!(inert(text, Layout::Lines), "a\\u{1b}[2J\\u{7}b \nc\td\\u{9b}\\u{202e}e");
        for layout in [Layout::Line, Layout::Lines] {
            assert!(!is_inert(text, layout) && is_inert(&inert(text, layout), layout));
        }
        assert!(is_inert("na\u{ef}ve \u{1f600}", Layout::Line));
    }
}
