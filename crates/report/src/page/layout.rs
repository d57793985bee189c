//! Prose in lines that are not longer than a screen is wide.

/// Breaks prose into lines. Words longer than a line are not cut: a path has to stay whole.
///
/// The first line begins with `first`, the others with as many spaces.
pub(super) fn wrapped(text: &str, first: &str, width: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_long_as_they_may_be() {
        let text = wrapped("one two three /a/very/long/path four", "- ", 12);
        assert_eq!(text, "- one two\n  three\n  /a/very/long/path\n  four\n");
        assert_eq!(wrapped("", "", 10), "\n");
        // Twelve columns hold exactly this.
        assert_eq!(wrapped("abcd efghi", "- ", 12), "- abcd efghi\n");
    }
}
