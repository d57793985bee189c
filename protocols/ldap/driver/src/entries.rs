//! Entries to be added: their source, and the buffer in which one is built.

use std::fmt;
use std::ops::Range;

/// Makes entries. Each entry is a function of its number, so that any entry can be made again in order to delete it.
pub trait EntrySource: fmt::Debug + Send + Sync {
    /// Whether there is an entry `number`: a template may make only a limited number of entries.
    fn has(&self, number: u64) -> bool {
        let _ = number;
        true
    }

    /// After how many entries their names repeat, if they do.
    fn names(&self) -> Option<u64> {
        None
    }

    /// Appends the DN of entry `number`.
    fn dn(&self, number: u64, out: &mut Vec<u8>);

    /// Writes entry `number` into `entry`, which is empty.
    fn fill(&self, number: u64, entry: &mut Entry);
}

/// One entry, in buffers that are reused for the next.
#[derive(Debug, Default)]
pub struct Entry {
    bytes: Vec<u8>,
    dn: Range<usize>,
    /// The name of each attribute, and the range of its values.
    attributes: Vec<(Range<usize>, Range<usize>)>,
    values: Vec<Range<usize>>,
}

impl Entry {
    /// Clears the entry and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.dn = 0..0;
        self.attributes.clear();
        self.values.clear();
    }

    /// Sets the DN.
    pub fn set_dn(&mut self, dn: &[u8]) {
        self.dn = self.store(dn);
    }

    /// Adds a value. The values of one attribute must be added one after another.
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        let value = self.store(value);
        self.values.push(value);
        let end = self.values.len();
        match self.attributes.last_mut() {
            Some((last, values))
                if self
                    .bytes
                    .get(last.clone())
                    .is_some_and(|last| last.eq_ignore_ascii_case(name)) =>
            {
                values.end = end;
            }
            _ => {
                let name = self.store(name);
                self.attributes.push((name, end - 1..end));
            }
        }
    }

    /// The DN.
    pub fn dn(&self) -> &[u8] {
        self.at(&self.dn)
    }

    /// Every attribute with its values.
    pub fn attributes(&self) -> impl Iterator<Item = (&[u8], impl Iterator<Item = &[u8]>)> {
        self.attributes.iter().map(|(name, values)| {
            let values = self.values.get(values.clone()).unwrap_or_default();
            (self.at(name), values.iter().map(|value| self.at(value)))
        })
    }

    fn store(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len()
    }

    fn at(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_groups_values_of_an_attribute() {
        let mut entry = Entry::default();
        for _ in 0..2 {
            entry.clear();
            entry.set_dn(b"uid=a");
            entry.push(b"objectClass", b"top");
            entry.push(b"objectclass", b"person");
            entry.push(b"uid", b"a");
            let shown: Vec<(&[u8], Vec<&[u8]>)> =
                entry.attributes().map(|(name, values)| (name, values.collect())).collect();
            let expected: [(&[u8], Vec<&[u8]>); 2] =
                [(b"objectClass", vec![b"top", b"person"]), (b"uid", vec![b"a"])];
            assert_eq!(shown, expected);
            assert_eq!(entry.dn(), b"uid=a");
        }
    }
}
