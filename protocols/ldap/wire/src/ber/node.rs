//! A request as a tree: bytes, slots, and elements around them.
//!
//! Builders produce it, and a [`Skeleton`](crate::Skeleton) is compiled from it. It only
//! exists before the run; exchanges do not use it.

use super::{Piece, Text, Writer, tag};

/// A part of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Encoded bytes.
    Bytes(Vec<u8>),
    /// The place of the value with this number.
    Slot(usize),
    /// An element with this tag around these parts.
    Element(u8, Vec<Self>),
}

impl Node {
    /// A SEQUENCE.
    pub fn sequence(parts: Vec<Self>) -> Self {
        Self::Element(tag::SEQUENCE, parts)
    }

    /// An OCTET STRING.
    pub fn octets(text: &Text) -> Self {
        Self::string(tag::OCTET_STRING, text)
    }

    /// A string under another tag.
    pub fn string(tag: u8, text: &Text) -> Self {
        let parts = text.pieces().iter().map(|piece| match piece {
            Piece::Static(bytes) => Self::Bytes(bytes.clone()),
            Piece::Slot(slot) => Self::Slot(*slot),
        });
        Self::Element(tag, parts.collect())
    }

    /// Bytes that `fill` writes, once.
    pub fn written(fill: impl FnOnce(&mut Writer<'_>)) -> Self {
        let mut bytes = Vec::new();
        fill(&mut Writer::new(&mut bytes));
        Self::Bytes(bytes)
    }

    /// An INTEGER.
    pub fn integer(value: i32) -> Self {
        Self::written(|w| w.integer(tag::INTEGER, value))
    }

    /// An ENUMERATED.
    pub fn enumerated(value: i32) -> Self {
        Self::written(|w| w.integer(tag::ENUMERATED, value))
    }

    /// A BOOLEAN.
    pub fn boolean(value: bool) -> Self {
        Self::written(|w| w.boolean(tag::BOOLEAN, value))
    }

    /// The bytes, if neither this node nor one inside it is a slot.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.append(&mut bytes).then_some(bytes)
    }

    /// Appends the bytes and says whether there was no slot.
    fn append(&self, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Bytes(bytes) => {
                out.extend_from_slice(bytes);
                true
            }
            Self::Slot(_) => false,
            Self::Element(tag, parts) => {
                let mut content = Vec::new();
                let fixed = parts.iter().all(|part| part.append(&mut content));
                Writer::new(out).primitive(*tag, &content);
                fixed
            }
        }
    }
}
