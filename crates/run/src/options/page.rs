//! [`Page`]: a text for a terminal that grows paragraph by paragraph.

use std::fmt::Write as _;

/// The widest line of a help page.
pub const WIDTH: usize = 79;

/// A text that grows paragraph by paragraph.
#[derive(Default)]
pub struct Page(pub String);

impl Page {
    /// An empty line.
    pub fn blank(&mut self) {
        self.0.push('\n');
    }

    /// A heading between empty lines.
    pub fn heading(&mut self, title: &str) {
        let _ = write!(self.0, "\n{title}:\n\n");
    }

    /// Examples, which come before the options because most readers look for a line to copy.
    pub fn examples(&mut self, examples: &[(&str, &str)]) {
        self.heading("Examples");
        for (index, (what, command)) in examples.iter().enumerate() {
            if index > 0 {
                self.blank();
            }
            self.text(what, 2, 2);
            // A command must be easy to copy, so its lines are not wrapped.
            for line in command.lines() {
                let _ = writeln!(self.0, "    {line}");
            }
        }
    }

    /// A text whose first line is indented by `first` and whose other lines are indented by `rest`.
    pub fn text(&mut self, text: &str, first: usize, rest: usize) {
        for paragraph in text.lines() {
            for (index, line) in wrap(paragraph, WIDTH - first.max(rest)).lines().enumerate() {
                let indent = if index == 0 { first } else { rest };
                let _ = writeln!(self.0, "{:indent$}{line}", "");
            }
        }
    }
}

/// Wraps text to lines of at most `width` characters; a longer word has a line of its own. Line breaks in the text
/// stay, and so do several spaces within a line.
pub fn wrap(text: &str, width: usize) -> String {
    text.split('\n').map(|line| wrap_line(line, width)).collect::<Vec<_>>().join("\n")
}

fn wrap_line(line: &str, width: usize) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut used = 0;
    let mut gap = 0;
    for word in line.split(' ') {
        let length = word.chars().count();
        if length == 0 {
            gap += 1;
            continue;
        }
        if used > 0 && used + gap + length > width {
            out.push('\n');
            used = 0;
        } else {
            out.extend(std::iter::repeat_n(' ', gap));
            used += gap;
        }
        out.push_str(word);
        used += length;
        gap = 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrap_keeps_double_spaces_and_long_words() {
        assert_eq!(wrap("a:  b c", 6), "a:  b\nc");
        assert_eq!(wrap("aaaaaaaa b\n c", 3), "aaaaaaaa\nb\n c");
    }
}
