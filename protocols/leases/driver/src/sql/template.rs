//! A [`SqlTemplate`]: a statement with parameters, to be prepared or rendered with its values, and [`Bind`], which
//! takes the values.

use super::Dialect;
use std::fmt::Write as _;

/// Takes the values of a statement in the order of its parameters.
pub trait Bind<'a> {
    /// A whole number.
    fn number(&mut self, value: i64);
    /// Octets that are not text.
    fn octets(&mut self, value: &'a [u8]);
    /// Text.
    fn text(&mut self, value: &'a str);
    /// A boolean.
    fn truth(&mut self, value: bool);
}

/// A statement with parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlTemplate {
    dialect: Dialect,
    /// The text before, between and after the parameters.
    pieces: Vec<String>,
}

impl SqlTemplate {
    /// The template in which each `?` is a parameter.
    pub(super) fn new(dialect: Dialect, text: &str) -> Self {
        Self { dialect, pieces: text.split('?').map(str::to_owned).collect() }
    }

    /// How many parameters it has.
    pub fn parameters(&self) -> usize {
        self.pieces.len() - 1
    }

    /// The text to prepare, with the dialect's placeholders.
    pub fn placeholders(&self) -> String {
        let mut text = String::new();
        for (place, piece) in self.pieces.iter().enumerate() {
            match (place, self.dialect) {
                (0, _) => {}
                (place, Dialect::Postgres) => {
                    let _ = write!(text, "${place}");
                }
                _ => text.push('?'),
            }
            text.push_str(piece);
        }
        text
    }

    /// Starts to render it at the end of `text`, with values in place of parameters. [`RenderedSql::end`] ends it.
    pub fn render<'t>(&'t self, text: &'t mut String) -> RenderedSql<'t> {
        text.push_str(&self.pieces[0]);
        RenderedSql { template: self, next: 1, text }
    }
}

/// A template that is being rendered.
pub struct RenderedSql<'t> {
    template: &'t SqlTemplate,
    next: usize,
    text: &'t mut String,
}

impl RenderedSql<'_> {
    /// Checks that every parameter was bound.
    pub fn end(self) {
        debug_assert_eq!(self.next, self.template.pieces.len(), "a gap was left open");
    }

    fn advance(&mut self) {
        if let Some(piece) = self.template.pieces.get(self.next) {
            self.text.push_str(piece);
        }
        self.next += 1;
    }
}

impl<'a> Bind<'a> for RenderedSql<'_> {
    fn number(&mut self, value: i64) {
        let _ = write!(self.text, "{value}");
        self.advance();
    }

    fn octets(&mut self, value: &'a [u8]) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.text.push_str(match self.template.dialect {
            Dialect::Postgres => "'\\x",
            Dialect::Sqlite | Dialect::Mysql(_) => "X'",
        });
        for octet in value {
            self.text.push(char::from(DIGITS[usize::from(octet >> 4)]));
            self.text.push(char::from(DIGITS[usize::from(octet & 15)]));
        }
        self.text.push('\'');
        self.advance();
    }

    fn text(&mut self, value: &'a str) {
        self.text.push('\'');
        for character in value.chars() {
            // MySQL reads a backslash as the beginning of an escape, unless configured otherwise.
            let doubled = character == '\'' || (character == '\\' && self.escapes());
            if doubled {
                self.text.push(character);
            }
            self.text.push(character);
        }
        self.text.push('\'');
        self.advance();
    }

    fn truth(&mut self, value: bool) {
        self.text.push_str(match (self.template.dialect, value) {
            (Dialect::Postgres, true) => "true",
            (Dialect::Postgres, false) => "false",
            (_, true) => "1",
            (_, false) => "0",
        });
        self.advance();
    }
}

impl RenderedSql<'_> {
    fn escapes(&self) -> bool {
        matches!(self.template.dialect, Dialect::Mysql(_))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Engine;
    use super::*;

    fn message(dialect: Dialect) -> String {
        let template = SqlTemplate::new(dialect, "a = ? AND b = ? AND c = ? AND d = ?;");
        let mut text = String::new();
        let mut rendered = template.render(&mut text);
        rendered.number(-7);
        rendered.octets(&[0x00, 0x27, 0xff]);
        rendered.text(r"o'neill\");
        rendered.truth(true);
        rendered.end();
        text
    }

    #[test]
    fn sql_values_cannot_escape_their_place() {
        let mysql = Dialect::Mysql(Engine::InnoDb);
        let sqlite = r"a = -7 AND b = X'0027ff' AND c = 'o''neill\' AND d = 1;";
        assert_eq!(message(Dialect::Sqlite), sqlite);
        assert_eq!(message(mysql), r"a = -7 AND b = X'0027ff' AND c = 'o''neill\\' AND d = 1;");
        let postgres = r"a = -7 AND b = '\x0027ff' AND c = 'o''neill\' AND d = true;";
        assert_eq!(message(Dialect::Postgres), postgres);
    }

    #[test]
    fn sql_placeholders_follow_the_dialect() {
        let text = "a = ? OR b = ?";
        assert_eq!(SqlTemplate::new(Dialect::Sqlite, text).placeholders(), text);
        let postgres = SqlTemplate::new(Dialect::Postgres, text);
        assert_eq!(postgres.placeholders(), "a = $1 OR b = $2");
        assert_eq!(postgres.parameters(), 2);
    }
}
