//! [`inert`]: makes text from an outside source harmless to a terminal and to the lines around it.
//!
//! Text from servers is shown in messages, tables and records. An escape sequence in it could hide or forge what is on
//! a screen, a line break could add a line, and direction marks could reorder words.

/// Which of the characters that move the cursor are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// None: the text is one line, and each of these characters becomes a space.
    Line,
    /// Line breaks and tabs: the text was written by this program and contains words from an outside source.
    Lines,
}

/// Whether a text contains only harmless characters.
pub fn is_inert(text: &str, layout: Layout) -> bool {
    !text.chars().any(|char| is_active(char, layout))
}

/// A text in which every character that affects its surroundings is made visible: an escape is `\u{1b}`.
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

/// Whether a character changes the direction of the text around it, or is a line break that only some programs
/// recognise.
pub const fn is_directional(char: char) -> bool {
    matches!(
        char,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// A document in which no mark changes the direction of what stands around it: each becomes U+FFFD, which is a plain
/// character in HTML and in JSON.
pub fn without_directions(text: String) -> String {
    if text.contains(is_directional) { text.replace(is_directional, "\u{fffd}") } else { text }
}

fn is_active(char: char, layout: Layout) -> bool {
    match char {
        '\n' | '\t' => layout == Layout::Line,
        char => char.is_control() || is_directional(char),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inert_text_has_no_control_characters() {
        let text = "a\u{1b}[2J\u{7}b\r\nc\td\u{9b}\u{202e}e";
        assert_eq!(inert(text, Layout::Line), "a\\u{1b}[2J\\u{7}b  c d\\u{9b}\\u{202e}e");
        assert_eq!(inert(text, Layout::Lines), "a\\u{1b}[2J\\u{7}b \nc\td\\u{9b}\\u{202e}e");
        for layout in [Layout::Line, Layout::Lines] {
            assert!(!is_inert(text, layout) && is_inert(&inert(text, layout), layout));
        }
        assert_eq!(without_directions("a\u{202e}b\u{2067}\n".to_owned()), "a\u{fffd}b\u{fffd}\n");
        assert!(is_inert("na\u{ef}ve \u{1f600}", Layout::Line));
    }
}
