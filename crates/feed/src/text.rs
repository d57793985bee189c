//! [`Text`]: text with holes, and [`Values`]: the values for the holes.
//!
//! A hole is a number and not a name: names are resolved once, when a plan is read, so that rendering a text is a pass
//! over its pieces. [`Template`](crate::Template) does the same for values that all come from one row; here values are
//! set and removed individually, as answers provide them.

use crate::{Escape, starred};
use std::fmt;
use std::sync::Arc;

/// A place for a value: the number of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hole(pub u16);

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPiece {
    /// Literal bytes.
    Literal(Box<[u8]>),
    /// A value, escaped for its context.
    Hole(Hole, Escape),
}

/// Text with holes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    pieces: Vec<TextPiece>,
}

/// The maximum number of bytes that the holes of one text are filled with. Values composed of values that are
/// themselves composed grow fast.
pub const FILLED_MAX: usize = 16 << 20;

/// Why a text cannot be rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfilled {
    /// The variable in this hole has no value yet.
    Unset(Hole),
    /// With the value in this hole, the text has more than [`FILLED_MAX`] bytes of values.
    Long(Hole),
}

/// A text that names something unknown, or is malformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A name that is not declared.
    #[error("find the variable '{0}': nothing declares or extracts it")]
    Unknown(String),
    /// A hole without an end.
    #[error(
        "find the end of '${{{0}': a hole is written ${{name}}, and a dollar sign before a brace $${{"
    )]
    Unclosed(String),
}

impl Text {
    /// Text without a hole.
    pub fn literal(bytes: impl Into<Vec<u8>>) -> Self {
        Self::from_pieces(vec![TextPiece::Literal(bytes.into().into_boxed_slice())])
    }

    /// Text from these pieces; empty literals are omitted and adjacent ones joined.
    pub fn from_pieces(pieces: impl IntoIterator<Item = TextPiece>) -> Self {
        let mut joined: Vec<TextPiece> = Vec::new();
        for piece in pieces {
            match (joined.last_mut(), piece) {
                (_, TextPiece::Literal(bytes)) if bytes.is_empty() => {}
                (Some(TextPiece::Literal(before)), TextPiece::Literal(bytes)) => {
                    *before = [&before[..], &bytes[..]].concat().into_boxed_slice();
                }
                (_, piece) => joined.push(piece),
            }
        }
        Self { pieces: joined }
    }

    /// Parses `${name}`; `$${` means `${`, and any other dollar sign means itself. `find` resolves the names.
    pub fn parse(
        text: &str,
        escape: Escape,
        mut find: impl FnMut(&str) -> Option<Hole>,
    ) -> Result<Self, TextError> {
        let mut pieces = Vec::new();
        let literal = |text: &str| TextPiece::Literal(text.as_bytes().into());
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if rest[..at].ends_with('$') {
                pieces.push(literal(&rest[..at - 1]));
                pieces.push(literal("${"));
                rest = &rest[at + 2..];
                continue;
            }
            pieces.push(literal(&rest[..at]));
            let inside = &rest[at + 2..];
            let end = inside.find('}').ok_or_else(|| TextError::Unclosed(inside.to_owned()))?;
            let name = inside[..end].trim();
            let hole = find(name).ok_or_else(|| TextError::Unknown(name.to_owned()))?;
            pieces.push(TextPiece::Hole(hole, escape));
            rest = &inside[end + 1..];
        }
        pieces.push(literal(rest));
        Ok(Self::from_pieces(pieces))
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[TextPiece] {
        &self.pieces
    }

    /// The holes, in order.
    pub fn holes(&self) -> impl Iterator<Item = Hole> {
        self.pieces.iter().filter_map(|piece| match piece {
            TextPiece::Hole(hole, _) => Some(*hole),
            TextPiece::Literal(_) => None,
        })
    }

    /// The bytes of a text without holes.
    pub fn constant(&self) -> Option<&[u8]> {
        match &self.pieces[..] {
            [] => Some(&[]),
            [TextPiece::Literal(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// Appends the text to `out`, with every hole filled.
    pub fn render(&self, values: &Values, out: &mut Vec<u8>) -> Result<(), Unfilled> {
        let mut filled = 0;
        for piece in &self.pieces {
            match piece {
                TextPiece::Literal(bytes) => out.extend_from_slice(bytes),
                TextPiece::Hole(hole, escape) => {
                    let start = out.len();
                    let value = values.value(*hole).ok_or(Unfilled::Unset(*hole))?;
                    if filled + value.len() > FILLED_MAX {
                        return Err(Unfilled::Long(*hole));
                    }
                    out.extend_from_slice(value);
                    escape.apply(out, start);
                    filled += out.len() - start;
                }
            }
        }
        Ok(())
    }
}

/// The values of one virtual user, by hole. Buffers are reused when values change.
#[derive(Clone, Default)]
pub struct Values {
    values: Vec<Value>,
    /// Those of all users, for holes without a value here.
    shared: Option<Arc<Self>>,
}

#[derive(Clone, Default)]
struct Value {
    set: bool,
    hidden: bool,
    /// Whether all its values are secrets, or none is, regardless of the setting for the current one.
    mark: Option<bool>,
    bytes: Vec<u8>,
}

impl Value {
    fn is_hidden(&self) -> bool {
        self.mark.unwrap_or(self.hidden)
    }
}

impl Values {
    /// Creates this many variables, without values.
    pub fn new(count: usize) -> Self {
        Self { values: vec![Value::default(); count], shared: None }
    }

    /// Uses these values, which are stored once for all users, for holes without a value here.
    pub fn share(&mut self, values: &Arc<Self>) {
        self.shared = Some(Arc::clone(values));
    }

    /// The value in this hole, if it has one.
    pub fn value(&self, hole: Hole) -> Option<&[u8]> {
        let own = self.values.get(usize::from(hole.0)).filter(|value| value.set);
        match own {
            Some(value) => Some(&value.bytes),
            None => self.shared.as_ref()?.value(hole),
        }
    }

    /// Sets the value of a hole: `write` appends it to an empty buffer.
    pub fn fill(&mut self, hole: Hole, write: impl FnOnce(&mut Vec<u8>)) {
        if let Some(value) = self.values.get_mut(usize::from(hole.0)) {
            value.set = true;
            value.bytes.clear();
            write(&mut value.bytes);
        }
    }

    /// Sets the value of a hole.
    pub fn set(&mut self, hole: Hole, bytes: &[u8]) {
        self.fill(hole, |value| value.extend_from_slice(bytes));
    }

    /// Sets a hole to a value composed of others; if `write` fails, the hole has no value.
    pub fn fill_from<E>(
        &mut self,
        hole: Hole,
        write: impl FnOnce(&Self, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(value) = self.values.get_mut(usize::from(hole.0)) else { return Ok(()) };
        // While it is being written it has no value, so a text that refers to itself finds none.
        value.set = false;
        let mut bytes = std::mem::take(&mut value.bytes);
        bytes.clear();
        let written = write(self, &mut bytes);
        let value = &mut self.values[usize::from(hole.0)];
        value.set = written.is_ok();
        value.bytes = bytes;
        written
    }

    /// Sets whether the value of a hole is a secret, which [`shown`](Self::shown) hides.
    pub fn hide(&mut self, hole: Hole, hidden: bool) {
        if let Some(value) = self.values.get_mut(usize::from(hole.0)) {
            value.hidden = hidden;
        }
    }

    /// Marks every value of a hole as a secret, now and later.
    pub fn hide_always(&mut self, hole: Hole) {
        if let Some(value) = self.values.get_mut(usize::from(hole.0)) {
            value.mark = Some(true);
        }
    }

    /// Marks no value of a hole as a secret, now and later.
    pub fn hide_never(&mut self, hole: Hole) {
        if let Some(value) = self.values.get_mut(usize::from(hole.0)) {
            value.mark = Some(false);
        }
    }

    /// Whether no value of a hole is a secret, whatever it looks like.
    pub fn is_open(&self, hole: Hole) -> bool {
        self.values.get(usize::from(hole.0)).is_some_and(|value| value.mark == Some(false))
    }

    /// Whether the value of a hole is a secret.
    pub fn is_hidden(&self, hole: Hole) -> bool {
        self.values.get(usize::from(hole.0)).is_some_and(Value::is_hidden)
    }

    /// A text for people to read, with `***` in place of every secret, in any of the ways in which it may have been
    /// escaped.
    pub fn shown(&self, text: &str) -> String {
        let shared = self.shared.iter().flat_map(|shared| &shared.values);
        let hidden = self.values.iter().chain(shared);
        let hidden = hidden.filter(|value| value.set && value.is_hidden());
        starred(text, hidden.map(|value| &value.bytes[..]))
    }

    /// Removes the value of a hole.
    pub fn unset(&mut self, hole: Hole) {
        if let Some(value) = self.values.get_mut(usize::from(hole.0)) {
            value.set = false;
        }
    }
}

/// Values may be secrets, so none are shown.
impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").field("count", &self.values.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Text, TextError> {
        let find = |name: &str| ["user", "host"].iter().position(|known| *known == name);
        Text::parse(text, Escape::None, |name| find(name).map(|at| Hole(at as u16)))
    }

    #[test]
    fn holes_are_filled_and_dollars_kept() {
        let text = parse("a${user}$b $${user} 5$ ${ host }").unwrap();
        let mut values = Values::new(2);
        let mut out = Vec::new();
        assert_eq!(text.render(&values, &mut out), Err(Unfilled::Unset(Hole(0))));
        values.set(Hole(0), b"jo");
        values.set(Hole(1), b"h");
        out.clear();
        text.render(&values, &mut out).unwrap();
        assert_eq!(out, b"ajo$b ${user} 5$ h");
    }

    #[test]
    fn unknown_and_open_holes_are_reported() {
        assert_eq!(parse("${nobody}").unwrap_err(), TextError::Unknown("nobody".to_owned()));
        assert!(parse("${user").unwrap_err().to_string().contains("${user"));
        assert_eq!(parse("plain").unwrap().constant(), Some(&b"plain"[..]));
        assert_eq!(parse("").unwrap().constant(), Some(&b""[..]));
        assert_eq!(parse("$${x}").unwrap().constant(), Some(&b"${x}"[..]));
        assert_eq!(parse("${user}").unwrap().constant(), None);
    }

    #[test]
    fn values_are_escaped_by_their_position() {
        let text = Text::parse("(cn=${user})", Escape::Filter, |_| Some(Hole(0))).unwrap();
        let mut values = Values::new(1);
        values.set(Hole(0), b"a*");
        let mut out = Vec::new();
        text.render(&values, &mut out).unwrap();
        assert_eq!(out, b"(cn=a\\2a)");
        values.unset(Hole(0));
        assert_eq!(values.value(Hole(0)), None);
    }

    #[test]
    fn value_made_of_others_is_complete_or_unset() {
        let mut values = Values::new(2);
        values.set(Hole(0), b"jo");
        let text = parse("<${user}>").unwrap();
        values.fill_from(Hole(1), |values, out| text.render(values, out)).unwrap();
        assert_eq!(values.value(Hole(1)), Some(&b"<jo>"[..]));
        // A value does not see itself, and is removed if it fails.
        let failed = values.fill_from(Hole(0), |values, out| text.render(values, out));
        assert_eq!((failed, values.value(Hole(0))), (Err(Unfilled::Unset(Hole(0))), None));
    }

    #[test]
    fn shared_values_fill_holes_without_an_own_value() {
        let mut all = Values::new(2);
        all.set(Hole(0), b"hunter2");
        all.hide_always(Hole(0));
        let mut values = Values::new(2);
        values.share(&Arc::new(all));
        values.set(Hole(1), b"own");
        assert_eq!(values.value(Hole(0)), Some(&b"hunter2"[..]));
        assert_eq!(values.shown("own hunter2"), "own ***");
        values.set(Hole(0), b"mine");
        assert_eq!(values.value(Hole(0)), Some(&b"mine"[..]));
        values.unset(Hole(0));
        assert_eq!(values.value(Hole(0)), Some(&b"hunter2"[..]));
        assert_eq!(values.value(Hole(2)), None);
    }

    #[test]
    fn secrets_are_hidden() {
        let mut values = Values::new(2);
        values.set(Hole(0), b"hunter2");
        values.set(Hole(1), b"public");
        values.hide(Hole(0), true);
        assert_eq!(values.shown("hunter2 is public, hunter2"), "*** is public, ***");
        assert_eq!((values.is_hidden(Hole(0)), values.is_hidden(Hole(1))), (true, false));
        values.hide(Hole(0), false);
        assert_eq!(values.shown("hunter2"), "hunter2");
        values.hide_always(Hole(0));
        values.hide(Hole(0), false);
        assert_eq!((values.shown("hunter2"), values.is_hidden(Hole(0))), ("***".to_owned(), true));
        values.set(Hole(0), b"a b/\"c");
        for sent in ["a b/\"c", "a b/\\\"c", "a%20b%2F%22c", "a+b%2F%22c", "YSBiLyJj"] {
            assert_eq!(values.shown(&format!("<{sent}>")), "<***>", "{sent}");
        }
    }
}
