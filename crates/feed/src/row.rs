//! The values drawn for one exchange: a buffer that is reused for every exchange.
//!
//! There is one byte buffer and one list of ends, so that a row that has grown to its final size is
//! filled without allocating. A value is kept as text even if it is a number, since most templates
//! need the text; the number is also kept, for `%05d`.

/// The values of one exchange, in the order of the arguments.
#[derive(Clone, Debug, Default)]
pub struct Row {
    bytes: Vec<u8>,
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    end: usize,
    integer: Option<i64>,
}

impl Row {
    /// An empty row.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many values the row contains.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether the row contains no value.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Value `index`, counted from 0; empty beyond the last.
    pub fn get(&self, index: usize) -> &[u8] {
        let Some(cell) = self.cells.get(index) else { return &[] };
        let start = index.checked_sub(1).map_or(0, |before| self.cells[before].end);
        &self.bytes[start..cell.end]
    }

    /// Value `index` as a number, if it is one.
    pub fn integer(&self, index: usize) -> Option<i64> {
        self.cells.get(index).and_then(|cell| cell.integer)
    }

    /// Appends a value, such as the result of a search, as the last argument of the bind that
    /// follows.
    pub fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.close(None);
    }

    /// Appends a number.
    pub fn push_integer(&mut self, value: i64) {
        self.bytes.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        self.close(Some(value));
    }

    /// Removes all values and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.cells.clear();
    }

    /// The buffer for the bytes of the next value; [`close`](Self::close) ends it.
    pub(crate) fn open(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Ends the value written to [`open`](Self::open).
    pub(crate) fn close(&mut self, integer: Option<i64>) {
        self.cells.push(Cell { end: self.bytes.len(), integer });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_keeps_values_in_order() {
        let mut row = Row::new();
        row.push(b"uid=a");
        row.push_integer(-42);
        row.push(b"");
        assert_eq!(row.len(), 3);
        assert_eq!(row.get(0), b"uid=a");
        assert_eq!(row.get(1), b"-42");
        assert_eq!(row.integer(1), Some(-42));
        assert_eq!(row.integer(0), None);
        assert_eq!(row.get(2), b"");
        assert_eq!(row.get(3), b"");
        row.clear();
        assert!(row.is_empty());
    }
}
