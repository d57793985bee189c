//! Prose, names and command lines, made to fit a screen.
//!
//! Prose is broken between words. A name in a column loses its middle, since names of steps and hosts differ at their
//! ends. A command line is broken so that it can be copied.

/// Breaks prose into lines. Words longer than a line are not cut: a path must stay whole.
///
/// The first line begins with `first`, the others with as many spaces.
pub fn wrapped(text: &str, first: &str, width: usize) -> String {
    let indent = first.chars().count();
    let mut lines = String::from(first);
    let (mut column, mut empty) = (indent, true);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !empty && column + 1 + length > width {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            (column, empty) = (indent, true);
        }
        if !empty {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        (column, empty) = (column + length, false);
    }
    lines.push('\n');
    lines
}

/// A name in this many columns: a longer name loses its middle.
pub(crate) fn shortened(name: &str, width: usize, dots: &str) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    let kept = width.saturating_sub(dots.chars().count());
    let tail = kept / 2;
    let head = name.chars().take(kept - tail);
    let tail = name.chars().skip(length - tail);
    head.chain(dots.chars().take(width)).chain(tail).collect()
}

/// A command line as it would be typed, over several lines if it is longer than a screen is wide.
pub fn command_line<T: AsRef<str>>(words: &[T], width: usize) -> String {
    let mut lines = String::new();
    let mut column = 0;
    for word in words.iter().map(|word| quoted(word.as_ref())) {
        let length = word.chars().count();
        // Room is kept for the backslash.
        if column > 0 && column + 1 + length > width.saturating_sub(2) {
            lines.push_str(" \\\n ");
            column = 1;
        }
        if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(&word);
        column += length;
    }
    lines
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:,=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_fill_their_width() {
        let text = wrapped("one two three /a/very/long/path four", "- ", 12);
        assert_eq!(text, "- one two\n  three\n  /a/very/long/path\n  four\n");
        assert_eq!(wrapped("", "", 10), "\n");
        // Twelve columns hold exactly this.
        assert_eq!(wrapped("abcd efghi", "- ", 12), "- abcd efghi\n");
    }

    #[test]
    fn shortened_name_keeps_both_ends() {
        assert_eq!(shortened("sign in", 7, ".."), "sign in");
        assert_eq!(shortened("sign in again", 8, ".."), "sig..ain");
        assert_eq!(shortened("sign in again", 8, "\u{2026}"), "sign\u{2026}ain");
        assert_eq!(shortened("Größenänderung", 5, ".."), "Gr..g");
        assert_eq!([0, 1, 2, 3].map(|width| shortened("abcdef", width, "..").len()), [0, 1, 2, 3]);
    }

    #[test]
    fn command_line_can_be_pasted() {
        let words = ["brunt", "authrate", "-D", "uid=user.{},dc=x", "-g", "rand(0,9)", "it's"];
        assert_eq!(
            command_line(&words, 80),
            r"brunt authrate -D 'uid=user.{},dc=x' -g 'rand(0,9)' 'it'\''s'"
        );
        assert_eq!(
            command_line(&words, 24),
            "brunt authrate -D \\\n  'uid=user.{},dc=x' \\\n  -g 'rand(0,9)' \\\n  'it'\\''s'"
        );
    }
}
