//! Words of a command line as a shell would split them, for the syntax that people commonly paste.
//!
//! No known crate reads `$'..'`, which browsers write when they copy a request for cURL, and none leaves variables
//! unexpanded, so this is written here: quotes, escapes, comments, and the `^` of the Windows prompt. A variable
//! becomes a hole, since it stands for its value at the time when the plan is run. Command substitutions are refused,
//! and text after the command (a pipe to `jq`) is left out with a note.

use crate::notation::hole;
use std::iter::Peekable;
use std::str::Chars;

/// How many words a command line may have.
const MOST_WORDS: usize = 10_000;

/// A command line in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The words, in the notation of plans.
    pub(crate) words: Vec<String>,
    /// The variables that occur in them, each once.
    pub(crate) variables: Vec<String>,
    /// The text after the command, which is not part of it.
    pub(crate) left_out: Option<String>,
}

/// A command line that cannot be split into words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShellError {
    /// A quote that does not end.
    #[error("find the end of what a {0} opens: copy the whole command")]
    Unclosed(&'static str),
    /// Something that only a shell can carry out.
    #[error("tell what {0} stands for: run it first, and put what it prints in its place")]
    Executed(&'static str),
    /// A variable with more than a name.
    #[error("read the variable '${{{0}}}': a name alone can be imported")]
    Variable(String),
    /// A dollar sign before a variable.
    #[error("write a dollar sign right before the variable '{0}' in a plan")]
    Dollar(String),
    /// An escape that is not a character.
    #[error("read the escape '\\{0}' in $'..': it means no character of text")]
    Escape(String),
    /// Too many words.
    #[error("read more than {MOST_WORDS} words")]
    TooLong,
}

/// Splits a command line.
pub(crate) fn words(text: &str) -> Result<Line, ShellError> {
    // Browsers copy for the prompt of Windows with a ^ before each quote, the first of which follows the command.
    let copied =
        ["curl ^\"", "curl.exe ^\""].iter().any(|start| text.trim_start().starts_with(start));
    let unescaped = copied.then(|| prompt(text));
    let text = unescaped.as_deref().unwrap_or(text);
    let mut splitter =
        Splitter { chars: text.chars().peekable(), line: Line::default(), word: None };
    splitter.run()?;
    Ok(splitter.line)
}

/// The rest of a line after the prompt of Windows has removed its `^`.
fn prompt(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '^' => {
                if chars.peek() == Some(&'\r') {
                    chars.next();
                }
                match chars.next() {
                    Some('\n') | None => out.push(' '),
                    Some(escaped) => out.push(escaped),
                }
            }
            // A percent sign is doubled there only in files, and is literal in text that a browser copies.
            char => out.push(char),
        }
    }
    // Characters with a special meaning to other shells inside double quotes have none there.
    out.replace('`', "\\`").replace('$', "\\$")
}

struct Splitter<'a> {
    chars: Peekable<Chars<'a>>,
    line: Line,
    word: Option<String>,
}

impl Splitter<'_> {
    fn run(&mut self) -> Result<(), ShellError> {
        while let Some(char) = self.chars.next() {
            match char {
                '\'' => self.single()?,
                '"' => self.double()?,
                '\\' => self.escaped(),
                '$' => self.dollar(false)?,
                '`' => return Err(ShellError::Executed("`..`")),
                '#' if self.word.is_none() => while self.chars.next_if(|c| *c != '\n').is_some() {},
                '|' | '>' | '<' | ';' | '&' | '(' | ')' => {
                    self.end_word()?;
                    let rest = char.to_string() + &self.chars.by_ref().collect::<String>();
                    self.line.left_out = Some(rest.trim().to_owned()).filter(|it| it != ";");
                    return Ok(());
                }
                '\n' => {
                    self.end_word()?;
                    let rest = self.chars.clone().collect::<String>();
                    if !self.line.words.is_empty() && !rest.trim().is_empty() {
                        self.line.left_out = Some(rest.trim().to_owned());
                        return Ok(());
                    }
                }
                char if char.is_whitespace() => self.end_word()?,
                char => self.push(char),
            }
        }
        self.end_word()
    }

    /// Adds a literal character. A brace after a literal dollar sign must not become a hole.
    fn push(&mut self, char: char) {
        let word = self.word.get_or_insert_default();
        if char == '{' && word.ends_with('$') {
            word.push('$');
        }
        word.push(char);
    }

    fn end_word(&mut self) -> Result<(), ShellError> {
        if let Some(word) = self.word.take() {
            if self.line.words.len() == MOST_WORDS {
                return Err(ShellError::TooLong);
            }
            self.line.words.push(word);
        }
        Ok(())
    }

    fn escaped(&mut self) {
        match self.chars.next() {
            // The line continues.
            Some('\n') | None => {}
            Some('\r') if self.chars.peek() == Some(&'\n') => {
                self.chars.next();
            }
            Some(char) => self.push(char),
        }
    }

    fn single(&mut self) -> Result<(), ShellError> {
        self.word.get_or_insert_default();
        loop {
            match self.chars.next().ok_or(ShellError::Unclosed("single quote"))? {
                '\'' => return Ok(()),
                char => self.push(char),
            }
        }
    }

    fn double(&mut self) -> Result<(), ShellError> {
        self.word.get_or_insert_default();
        let unclosed = || ShellError::Unclosed("double quote");
        loop {
            match self.chars.next().ok_or_else(unclosed)? {
                '"' => return Ok(()),
                '\\' => match self.chars.next().ok_or_else(unclosed)? {
                    '\n' => {}
                    char @ ('"' | '\\' | '$' | '`') => self.push(char),
                    char => {
                        self.push('\\');
                        self.push(char);
                    }
                },
                '$' => self.dollar(true)?,
                '`' => return Err(ShellError::Executed("`..`")),
                char => self.push(char),
            }
        }
    }

    /// Reads what follows a dollar sign: a variable, `$'..'`, or nothing special.
    fn dollar(&mut self, quoted: bool) -> Result<(), ShellError> {
        let named = |char: &char| char.is_ascii_alphanumeric() || *char == '_';
        match self.chars.peek().copied() {
            Some('\'') if !quoted => {
                self.chars.next();
                self.ansi()
            }
            // A translated text, which is the text itself.
            Some('"') if !quoted => Ok(()),
            Some('(') => Err(ShellError::Executed("$(..)")),
            Some('{') => {
                self.chars.next();
                let mut name = String::new();
                loop {
                    match self.chars.next().ok_or(ShellError::Unclosed("brace"))? {
                        '}' => break,
                        char => name.push(char),
                    }
                }
                let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                if !plain || !name.chars().all(|char| named(&char)) {
                    return Err(ShellError::Variable(name));
                }
                self.variable(name)
            }
            Some(char) if char.is_ascii_alphabetic() || char == '_' => {
                let mut name = String::new();
                while let Some(char) = self.chars.next_if(named) {
                    name.push(char);
                }
                self.variable(name)
            }
            _ => {
                self.push('$');
                Ok(())
            }
        }
    }

    fn variable(&mut self, name: String) -> Result<(), ShellError> {
        let word = self.word.get_or_insert_default();
        if word.ends_with('$') {
            return Err(ShellError::Dollar(name));
        }
        word.push_str(&hole(&name));
        if !self.line.variables.contains(&name) {
            self.line.variables.push(name);
        }
        Ok(())
    }

    /// Reads the inside of `$'..'`: the escapes of C.
    fn ansi(&mut self) -> Result<(), ShellError> {
        self.word.get_or_insert_default();
        let unclosed = || ShellError::Unclosed("$'");
        let mut bytes = Vec::new();
        loop {
            match self.chars.next().ok_or_else(unclosed)? {
                '\'' => break,
                '\\' => self.ansi_escape(&mut bytes)?,
                char => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| ShellError::Escape("x.. (not UTF-8)".to_owned()))?;
        text.chars().for_each(|char| self.push(char));
        Ok(())
    }

    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), ShellError> {
        let kind = self.chars.next().ok_or(ShellError::Unclosed("$'"))?;
        let plain = match kind {
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'v' => 11,
            '\\' | '\'' | '"' | '?' => kind as u8,
            'x' => {
                let (value, text) = self.number(16, 2, String::new());
                let value = value.and_then(|value| u8::try_from(value).ok());
                value.ok_or(ShellError::Escape(format!("x{text}")))?
            }
            'u' | 'U' => {
                let (value, text) = self.number(16, if kind == 'u' { 4 } else { 8 }, String::new());
                let char = self.joined(value, &text)?;
                bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            '0'..='7' => {
                let (value, text) = self.number(8, 3, kind.to_string());
                let value = value.and_then(|value| u8::try_from(value).ok());
                value.ok_or(ShellError::Escape(text))?
            }
            other => {
                bytes.push(b'\\');
                bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
        };
        bytes.push(plain);
        Ok(())
    }

    /// A character from its number; Chrome writes those beyond the first plane as two halves, `\ud83d\ude00`.
    fn joined(&mut self, value: Option<u32>, text: &str) -> Result<char, ShellError> {
        let wrong = || ShellError::Escape(format!("u{text}"));
        let high = value.ok_or_else(wrong)?;
        if !(0xD800..0xDC00).contains(&high) {
            return char::from_u32(high).ok_or_else(wrong);
        }
        if self.chars.next() != Some('\\') || self.chars.next() != Some('u') {
            return Err(wrong());
        }
        let (low, _) = self.number(16, 4, String::new());
        let low = low.filter(|low| (0xDC00..0xE000).contains(low)).ok_or_else(wrong)?;
        char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)).ok_or_else(wrong)
    }

    /// Up to `most` digits, those in `text` included.
    fn number(&mut self, radix: u32, most: usize, mut text: String) -> (Option<u32>, String) {
        while text.len() < most
            && let Some(digit) = self.chars.next_if(|char| char.is_digit(radix))
        {
            text.push(digit);
        }
        (u32::from_str_radix(&text, radix).ok(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn split(text: &str, expected: &[&str]) {
        assert_eq!(
            words(text).map(|line| line.words),
            Ok(expected.iter().map(ToString::to_string).collect())
        );
    }

    #[test]
    fn shell_quotes_and_escapes_are_parsed() {
        split("curl  a 'b c' \"d\\\"e\" f\\ g ''", &["curl", "a", "b c", "d\"e", "f g", ""]);
        split("a\\\n  b \\\r\n c # no\n", &["a", "b", "c"]);
        split("'{\"a\":\"\\n\"}' x'y'\"z\"", &["{\"a\":\"\\n\"}", "xyz"]);
        split("a#b 'x#' #c", &["a#b", "x#"]);
        split("\"a\\nb \\$HOME\"", &["a\\nb $HOME"]);
    }

    #[test]
    fn shell_commands_copied_from_browsers_are_parsed() {
        split(r"$'it\'s\n\u0021\x41\101\ud83d\ude00'", &["it's\n!AA😀"]);
        split(
            "curl ^\"https://h/^?a=1^&b=2^\" ^\r\n  -H ^\"x: ^\\^\"y^\\^\"^\"",
            &["curl", "https://h/?a=1&b=2", "-H", "x: \"y\""],
        );
        split(r"$'a${b}'", &["a$${b}"]);
    }

    #[test]
    fn shell_variables_become_holes() {
        let line = words("-H \"Bearer $TOKEN\" ${A}b '$TOKEN' 5$ '${x}' $A").unwrap();
        assert_eq!(line.words, ["-H", "Bearer ${TOKEN}", "${A}b", "$TOKEN", "5$", "$${x}", "${A}"]);
        assert_eq!(line.variables, ["TOKEN", "A"]);
        // Two adjacent quoted parts must not form a hole.
        split("'$''{x}'", &["$${x}"]);
    }

    #[test]
    fn shell_pipes_and_redirections_are_omitted_and_noted() {
        let left_out = |text| words(text).unwrap().left_out;
        assert_eq!(left_out("curl x | jq ."), Some("| jq .".to_owned()));
        assert_eq!(left_out("curl x > f"), Some("> f".to_owned()));
        assert_eq!(left_out("curl x;"), None);
        assert_eq!(left_out("\n curl x\n"), None);
        assert_eq!(left_out("curl x\ncurl y"), Some("curl y".to_owned()));
    }

    #[test]
    fn shell_substitutions_are_refused() {
        for (text, named) in [
            ("a 'b", "single quote"),
            ("a \"b", "double quote"),
            ("$'a", "$'"),
            ("${a", "brace"),
            ("$(date)", "$(..)"),
            ("\"$(date)\"", "$(..)"),
            ("`date`", "`..`"),
            ("\"`date`\"", "`..`"),
            ("${a:-b}", "a:-b"),
            ("\\$$A", "dollar sign"),
            (r"$'\ud83d'", "ud83d"),
            (r"$'\xff'", "UTF-8"),
        ] {
            let error = words(text).unwrap_err().to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
