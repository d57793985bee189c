//! Templates: text with placeholders that the values of a row fill, compiled once.
//!
//! A placeholder is `{}`, the next argument in turn, or `{N}`, argument N counted from 1; or one of
//! Java's conversions, `%s`, `%2$s`, `%05d` (see [`Conversion`]). The two forms that take the next
//! argument share one count, which restarts in each template and is not advanced by the two forms
//! that name theirs. Any other brace is text: `{SSHA}` needs no escape. If the text itself must
//! contain something that looks like a placeholder, double its braces: `{{}}` gives `{}` and
//! `{{2}}` gives `{2}`.
//!
//! An inserted value is escaped only if it is an attribute value of the DN or an assertion value of
//! the filter around it. The text before it shows this: it comes after the `=` of its RDN, or of
//! its filter item. In `{1},dc=example,dc=com` the value is itself a DN, and in
//! `(&{1}(objectClass=person))` a filter, and both are inserted unchanged.

use crate::conversion::{Conversion, ConversionError, Percent};
use crate::{Escape, Kind, Row};

/// Why a template cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A placeholder for an argument that does not exist.
    #[error(
        "compile the template `{template}`: `{placeholder}` at character {at} wants argument {wanted}, and {}",
         instead(*.wanted, *.arity)
    )]
    Beyond {
        /// The template.
        template: String,
        /// The placeholder as written.
        placeholder: String,
        /// Its position, in characters counted from 1.
        at: usize,
        /// The argument it refers to, counted from 1.
        wanted: usize,
        /// How many arguments there are.
        arity: usize,
    },
    /// An invalid conversion.
    #[error("compile the template `{template}`: at character {at}, {problem}")]
    Conversion {
        /// The template.
        template: String,
        /// Its position, in characters counted from 1.
        at: usize,
        /// What is wrong and what would be correct.
        problem: ConversionError,
    },
    /// A conversion for integers, although the argument is text.
    #[error(
        "compile the template `{template}`: `{placeholder}` at character {at} writes an integer, and argument {wanted} \
         gives text; use `%s` or `{{{wanted}}}`"
    )]
    NotInteger {
        /// The template.
        template: String,
        /// The placeholder as written.
        placeholder: String,
        /// Its position, in characters counted from 1.
        at: usize,
        /// The argument, counted from 1.
        wanted: usize,
    },
}

/// Why there is no argument `wanted` among `arity`, and what to write.
fn instead(wanted: usize, arity: usize) -> String {
    let there = match arity {
        0 => "there is none".to_owned(),
        1 => "there is one".to_owned(),
        _ => format!("there are {arity}"),
    };
    if wanted == 0 {
        return format!(
            "arguments are counted from 1, of which {there}; write `{{1}}` for the first, or `{{{{0}}}}` where \
             text is meant"
        );
    }
    format!("{there}; add a `-g` for it, or write `{{{{{wanted}}}}}` or `%%` where text is meant")
}

/// A placeholder that a value fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    argument: usize,
    conversion: Conversion,
    in_rdn: bool,
    in_assertion: bool,
}

impl Slot {
    /// The argument that fills it, counted from 0.
    pub fn argument(&self) -> usize {
        self.argument
    }

    /// Appends the value unchanged.
    pub fn render(&self, row: &Row, out: &mut Vec<u8>) {
        self.conversion.write(row, self.argument, out);
    }

    /// Appends the value, escaped if this placeholder requires it.
    pub fn render_escaped(&self, row: &Row, escape: Escape, out: &mut Vec<u8>) {
        let start = out.len();
        self.render(row, out);
        let within = match escape {
            Escape::None => false,
            Escape::Dn => self.in_rdn,
            Escape::Filter => self.in_assertion,
            Escape::Url | Escape::Form | Escape::Json | Escape::Base64 => true,
        };
        if within {
            escape.apply(out, start);
        }
    }
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text that is the same in every exchange.
    Text(String),
    /// A placeholder that a value fills.
    Slot(Slot),
}

/// A compiled template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

impl Template {
    /// Compiles `text` for rows of `arity` values.
    pub fn compile(text: &str, arity: usize) -> Result<Self, TemplateError> {
        // Without the arguments, any value may turn out to be an integer.
        Self::compile_for(text, arity, &|_| Kind::Integer)
    }

    /// Compiles `text` for rows of `arity` values, where value N is of kind `kind(N)`.
    pub(crate) fn compile_for(
        text: &str,
        arity: usize,
        kind: &dyn Fn(usize) -> Kind,
    ) -> Result<Self, TemplateError> {
        let mut compiler = Compiler { text, arity, kind, next: 0, template: Self::default() };
        let mut at = 0;
        while at < text.len() {
            at += compiler.step(at)?;
        }
        Ok(compiler.template)
    }

    /// Appends text, for a template that has its own generators.
    pub(crate) fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Appends a placeholder for `argument`, counted from 0.
    pub(crate) fn push_slot(&mut self, argument: usize, conversion: Conversion) {
        let in_rdn = in_value(&self.pieces, b",+;");
        let in_assertion = in_value(&self.pieces, b"()");
        self.pieces.push(Piece::Slot(Slot { argument, conversion, in_rdn, in_assertion }));
    }

    /// The parts, in order; no two texts are adjacent.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The placeholders, in order.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Slot(slot) => Some(slot),
            Piece::Text(_) => None,
        })
    }

    /// Whether the result is the same for every row.
    pub fn is_constant(&self) -> bool {
        self.slots().next().is_none()
    }

    /// Appends the result for `row`.
    pub fn render(&self, row: &Row, escape: Escape, out: &mut Vec<u8>) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Slot(slot) => slot.render_escaped(row, escape, out),
            }
        }
    }
}

/// Whether a value follows `pieces`: there is an `=` after the last of `separators`.
fn in_value(pieces: &[Piece], separators: &[u8]) -> bool {
    for piece in pieces.iter().rev() {
        let Piece::Text(text) = piece else { continue };
        let bytes = text.as_bytes();
        for at in (0..bytes.len()).rev() {
            let slashes = bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
            if bytes[at] == b'=' {
                return true;
            }
            if separators.contains(&bytes[at]) && slashes % 2 == 0 {
                return false;
            }
        }
    }
    false
}

struct Compiler<'a> {
    text: &'a str,
    arity: usize,
    kind: &'a dyn Fn(usize) -> Kind,
    next: usize,
    template: Template,
}

impl Compiler<'_> {
    /// Compiles the part at byte `at` and returns how many bytes it takes.
    fn step(&mut self, at: usize) -> Result<usize, TemplateError> {
        let rest = &self.text[at..];
        if let Some(inner) = rest.strip_prefix('{').and_then(braced) {
            // `{{2}}`: the doubled braces mean literal braces.
            if rest[1 + inner.len()..].starts_with('}') {
                self.template.push_text(inner);
                return Ok(inner.len() + 2);
            }
        }
        if let Some(whole) = braced(rest) {
            let digits = &whole[1..whole.len() - 1];
            let index =
                if digits.is_empty() { None } else { Some(digits.parse().unwrap_or(usize::MAX)) };
            self.place(at, whole, index, Conversion::default())?;
            return Ok(whole.len());
        }
        if let Some(after) = rest.strip_prefix('%') {
            let (percent, length) =
                Conversion::parse(after).map_err(|problem| TemplateError::Conversion {
                    template: self.text.to_owned(),
                    at: self.character(at),
                    problem,
                })?;
            match percent {
                Percent::Conversion(conversion, index) => {
                    self.place(at, &rest[..=length], index, conversion)?;
                }
                Percent::Sign | Percent::Plain => self.template.push_text("%"),
            }
            return Ok(1 + length);
        }
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let length = rest[first..].find(['{', '%']).map_or(rest.len(), |found| found + first);
        self.template.push_text(&rest[..length]);
        Ok(length)
    }

    fn place(
        &mut self,
        at: usize,
        written: &str,
        index: Option<usize>,
        conversion: Conversion,
    ) -> Result<(), TemplateError> {
        let wanted = index.unwrap_or_else(|| {
            self.next += 1;
            self.next
        });
        let (template, placeholder, at) =
            (self.text.to_owned(), written.to_owned(), self.character(at));
        if wanted == 0 || wanted > self.arity {
            return Err(TemplateError::Beyond {
                template,
                placeholder,
                at,
                wanted,
                arity: self.arity,
            });
        }
        if conversion.wants_integer() && (self.kind)(wanted - 1) == Kind::Text {
            return Err(TemplateError::NotInteger { template, placeholder, at, wanted });
        }
        self.template.push_slot(wanted - 1, conversion);
        Ok(())
    }

    fn character(&self, at: usize) -> usize {
        self.text[..at].chars().count() + 1
    }
}

/// The placeholder in braces that `text` begins with.
fn braced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('{')?;
    let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
    inside[digits..].starts_with('}').then(|| &text[..digits + 2])
}

#[cfg(test)]
mod tests;
