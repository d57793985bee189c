//! Reads Java properties files.
//!
//! The syntax is that of `java.util.Properties`: `key=value`, `key: value` or `key value`, comments, lines that
//! continue after a backslash, escapes. Each property keeps its line number, so that the caller can report where a
//! wrong value is. This module does not depend on which keys exist.

/// One property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The number of the line it starts on, from 1.
    pub line: usize,
    /// Its key, unescaped.
    pub key: String,
    /// Its value, unescaped.
    pub value: String,
}

/// Why a file is not a properties file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: \\u must be followed by four hexadecimal digits of a character")]
pub struct BadEscape {
    /// The line, from 1.
    pub line: usize,
}

/// Reads all properties of a file. Bytes that are not UTF-8 are read as Latin-1, as older versions of Java do for all
/// bytes.
pub fn parse(bytes: &[u8]) -> Result<Vec<Property>, BadEscape> {
    let mut properties = Vec::new();
    for (line, text) in logical_lines(&text_of(bytes)) {
        let (key, value) = split(&text);
        let undo = |text: &str| unescape(text).ok_or(BadEscape { line });
        properties.push(Property { line, key: undo(key)?, value: undo(value)? });
    }
    Ok(properties)
}

/// The text of a file.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// The value with the escapes that it needs to be read back unchanged.
#[cfg(test)]
pub fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for (index, letter) in value.chars().enumerate() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' ' if index == 0 => out.push_str("\\ "),
            _ => out.push(letter),
        }
    }
    out
}

/// Lines with their continuations joined, without comments and blank lines.
pub(crate) fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.replace("\r\n", "\n").split(['\n', '\r']).enumerate() {
        let line = line.trim_start_matches(BLANK);
        if open.is_none() && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let (number, mut joined) = open.take().unwrap_or((index + 1, String::new()));
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            joined.push_str(&line[..line.len() - 1]);
            open = Some((number, joined));
        } else {
            joined.push_str(line);
            out.push((number, joined));
        }
    }
    out.extend(open);
    out
}

const BLANK: [char; 3] = [' ', '\t', '\u{c}'];

/// Key and value, still escaped.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line
        .find(|letter| {
            let ends = !escaped && (BLANK.contains(&letter) || matches!(letter, '=' | ':'));
            escaped = !escaped && letter == '\\';
            ends
        })
        .unwrap_or(line.len());
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start_matches(BLANK);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, rest.trim_start_matches(BLANK))
}

/// The text with its escapes undone, if they are characters.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut units = Vec::with_capacity(text.len());
    let mut letters = text.chars();
    let mut buffer = [0; 2];
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            units.extend_from_slice(letter.encode_utf16(&mut buffer));
            continue;
        }
        match letters.next() {
            Some('u') => {
                let digits: String = letters.by_ref().take(4).collect();
                let legal =
                    digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                units.push(legal.then(|| u16::from_str_radix(&digits, 16).ok()).flatten()?);
            }
            Some('t') => units.push(u16::from(b'\t')),
            Some('n') => units.push(u16::from(b'\n')),
            Some('r') => units.push(u16::from(b'\r')),
            Some('f') => units.push(0xc),
            Some(other) => units.extend_from_slice(other.encode_utf16(&mut buffer)),
            None => {}
        }
    }
    String::from_utf16(&units).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(usize, String, String)> {
        parse(text.as_bytes()).unwrap().into_iter().map(|it| (it.line, it.key, it.value)).collect()
    }

    /// The cases are those of the description of `Properties.load` in the Java platform documentation.
    #[test]
    fn properties_examples_of_the_java_documentation() {
        let truth = |line| vec![(line, "Truth".to_owned(), "Beauty".to_owned())];
        assert_eq!(pairs("Truth = Beauty"), truth(1));
        assert_eq!(pairs(" Truth:Beauty"), truth(1));
        assert_eq!(pairs("\n# comment\\\nTruth                    :Beauty"), truth(3));
        let fruits = pairs(
            "fruits                           apple, banana, pear, \\\n   cantaloupe, \\\r\n   mango",
        );
        assert_eq!(
            fruits,
            [(1, "fruits".to_owned(), "apple, banana, pear, cantaloupe, mango".to_owned())]
        );
        assert_eq!(pairs("cheeses"), [(1, "cheeses".to_owned(), String::new())]);
    }

    #[test]
    fn properties_escapes_are_decoded() {
        let read = pairs("a\\:b\\ c=\\u00e4\\ud83d\\ude00\\t\\q\\\\\nx=y\\\\\nz=1");
        let expected = [(1, "a:b c", "ä😀\tq\\"), (2, "x", "y\\"), (3, "z", "1")];
        assert_eq!(
            read,
            expected.map(|(line, key, value)| (line, key.to_owned(), value.to_owned()))
        );
        assert_eq!(parse(b"a=b\n\nc=\\u12"), Err(BadEscape { line: 3 }));
        assert_eq!(parse(b"c=\\ud800"), Err(BadEscape { line: 1 }));
    }

    #[test]
    fn properties_bytes_that_are_not_utf8_are_latin1() {
        assert_eq!(parse(b"a=\xe4").unwrap()[0].value, "ä");
    }

    #[test]
    fn properties_escape_round_trips() {
        for value in ["", " a b", "c:\\x\\", "tab\t\nline", "#no comment", "ä=😀"] {
            assert_eq!(pairs(&format!("k={}", escape(value)))[0].2, value);
        }
    }
}
