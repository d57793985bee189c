//! A value with slots: a sequence of static bytes and slots.
//!
//! A slot is a number; its value is supplied when the request is encoded. This module does not
//! depend on where the values come from (a counter, a file, an answer of the server).

use std::fmt;

/// A part of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Bytes that are the same in every request.
    Static(Vec<u8>),
    /// The place of the value with this number, counted from 0.
    Slot(usize),
}

/// A string of an LDAP request, made of static bytes and slots. Neighbouring static bytes are one
/// piece, and no piece is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Text {
    pieces: Vec<Piece>,
}

/// The values that fill the slots of one request.
pub trait Values {
    /// The value with this number. A number without a value yields no bytes, so callers compare
    /// [`Skeleton::slots`](crate::Skeleton::slots) with their values before a run begins.
    fn value(&self, slot: usize) -> &[u8];
}

impl Text {
    /// The empty text.
    pub const fn new() -> Self {
        Self { pieces: Vec::new() }
    }

    /// A text that consists of one slot.
    pub fn slot(slot: usize) -> Self {
        Self { pieces: vec![Piece::Slot(slot)] }
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Whether there is neither a byte nor a slot.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The bytes, if there is no slot.
    pub fn as_static(&self) -> Option<&[u8]> {
        match self.pieces.as_slice() {
            [] => Some(&[]),
            [Piece::Static(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// How many values are needed: one more than the highest slot, 0 if there are no slots.
    pub fn slots(&self) -> usize {
        let numbers = self.pieces.iter().map(|piece| match piece {
            Piece::Static(_) => 0,
            Piece::Slot(slot) => slot + 1,
        });
        numbers.max().unwrap_or(0)
    }

    /// Appends static bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(Piece::Static(last)) => last.extend_from_slice(bytes),
            _ => self.pieces.push(Piece::Static(bytes.to_vec())),
        }
    }

    /// Appends a slot.
    pub fn push_slot(&mut self, slot: usize) {
        self.pieces.push(Piece::Slot(slot));
    }

    /// Appends the text with these values in its slots.
    pub fn render<V: Values + ?Sized>(&self, values: &V, out: &mut Vec<u8>) {
        for piece in &self.pieces {
            match piece {
                Piece::Static(bytes) => out.extend_from_slice(bytes),
                Piece::Slot(slot) => out.extend_from_slice(values.value(*slot)),
            }
        }
    }
}

impl Extend<Piece> for Text {
    fn extend<I: IntoIterator<Item = Piece>>(&mut self, pieces: I) {
        for piece in pieces {
            match piece {
                Piece::Static(bytes) => self.push_bytes(&bytes),
                Piece::Slot(slot) => self.push_slot(slot),
            }
        }
    }
}

impl FromIterator<Piece> for Text {
    fn from_iter<I: IntoIterator<Item = Piece>>(pieces: I) -> Self {
        let mut text = Self::new();
        text.extend(pieces);
        text
    }
}

impl From<Vec<Piece>> for Text {
    fn from(pieces: Vec<Piece>) -> Self {
        pieces.into_iter().collect()
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        let mut text = Self::new();
        text.push_bytes(bytes);
        text
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

/// Slots are shown as `{1}`, counted from 1 as the templates of the command line count them.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Static(bytes) => write!(f, "{}", String::from_utf8_lossy(bytes))?,
                Piece::Slot(slot) => write!(f, "{{{}}}", slot + 1)?,
            }
        }
        Ok(())
    }
}

impl<T: AsRef<[u8]>> Values for [T] {
    fn value(&self, slot: usize) -> &[u8] {
        self.get(slot).map_or(&[], AsRef::as_ref)
    }
}

impl<T: AsRef<[u8]>, const N: usize> Values for [T; N] {
    fn value(&self, slot: usize) -> &[u8] {
        self.as_slice().value(slot)
    }
}

impl<T: AsRef<[u8]>> Values for Vec<T> {
    fn value(&self, slot: usize) -> &[u8] {
        self.as_slice().value(slot)
    }
}

/// The values of a text without slots.
impl Values for () {
    fn value(&self, _slot: usize) -> &[u8] {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_joins_neighbouring_static_bytes() {
        let text = Text::from(vec![
            Piece::Static(b"uid=".to_vec()),
            Piece::Static(Vec::new()),
            Piece::Static(b"user.".to_vec()),
            Piece::Slot(1),
            Piece::Static(b",dc=example".to_vec()),
        ]);
        assert_eq!(text.pieces().len(), 3);
        assert_eq!(text.slots(), 2);
        assert_eq!(text.as_static(), None);
        assert_eq!(text.to_string(), "uid=user.{2},dc=example");
        let mut out = Vec::new();
        text.render(&["no", "7"], &mut out);
        assert_eq!(out, b"uid=user.7,dc=example");
        assert_eq!(Text::from("").as_static(), Some(&b""[..]));
    }
}
