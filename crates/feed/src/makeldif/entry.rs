//! One generated entry: a buffer that is reused for every entry.

use super::place::{EntryPosition, Given};

/// A DN and attribute values. The values of one attribute are next to each other.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    bytes: Vec<u8>,
    dn_end: usize,
    values: Vec<Span>,
    given: Vec<Given>,
}

/// The offsets of the beginning of a name, the beginning of its value, and the end of the value.
#[derive(Clone, Copy, Debug)]
struct Span {
    name: usize,
    value: usize,
    end: usize,
}

impl Entry {
    /// An empty entry.
    pub fn new() -> Self {
        Self::default()
    }

    /// The DN.
    pub fn dn(&self) -> &[u8] {
        &self.bytes[..self.dn_end]
    }

    /// The attribute values, each with the name of its attribute.
    pub fn values(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.values
            .iter()
            .map(|span| (&self.bytes[span.name..span.value], &self.bytes[span.value..span.end]))
    }

    pub(super) fn fill(&mut self, place: &EntryPosition<'_>) {
        self.bytes.clear();
        self.values.clear();
        self.given.clear();
        place.dn(&mut self.bytes);
        self.dn_end = self.bytes.len();
        let definition = place.definition();
        self.given.resize(definition.lines.len(), Given::Unknown);
        for &line in &definition.order {
            let name = self.bytes.len();
            self.bytes.extend_from_slice(definition.lines[line].name.as_bytes());
            let value = self.bytes.len();
            let here = EntryPosition { given: &self.given, ..*place };
            if here.value(line, &mut self.bytes) {
                let end = self.bytes.len();
                self.values.push(Span { name, value, end });
                self.given[line] = Given::Value(value..end);
            } else {
                self.given[line] = Given::Nothing;
                self.bytes.truncate(name);
            }
        }
    }
}
