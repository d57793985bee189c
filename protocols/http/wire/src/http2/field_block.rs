//! [`FieldDecoder`]: the fields of heads as a server encodes them (RFC 7541).

use super::{huffman, static_table};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

/// How large the table of a connection may become.
pub const TABLE_SIZE_MAX: usize = 4096;
/// The instruction that the table of the other side shrinks to nothing, which must follow a setting that shrinks it
/// (RFC 7541 section 4.2).
pub const TABLE_SIZE: u8 = 0x20;
/// What an entry counts in addition to its bytes (RFC 7541 section 4.1).
const OVERHEAD: usize = 32;

/// Why the fields of a head cannot be decoded. The state of the whole connection is lost with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// They end within a field.
    Short,
    /// A number that is too large.
    Number,
    /// An entry that is in no table.
    Index,
    /// A string that is not in the Huffman code.
    Huffman,
    /// A table that is too large, or whose size changes where it may not.
    TableSize,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Short => "the fields end within a field",
            Self::Number => "a number is too large",
            Self::Index => "an entry is in no table",
            Self::Huffman => "a string is not in the Huffman code",
            Self::TableSize => "the size of the table is not allowed",
        })
    }
}

impl std::error::Error for FieldError {}

/// The decoder of one connection: the fields that it may refer to, and buffers.
#[derive(Clone, Debug)]
pub struct FieldDecoder {
    /// The newest is first.
    entries: VecDeque<Entry>,
    size: usize,
    size_max: usize,
    changes: u64,
    /// Whether the last head refers to an entry of this table, or has changed its size.
    refers: bool,
    /// The entries that the last head added.
    added: Vec<Entry>,
    name: Vec<u8>,
    value: Vec<u8>,
}

/// A field of the table.
#[derive(Clone, Debug)]
struct Entry {
    /// The name and the value, end to end.
    bytes: Rc<[u8]>,
    /// The length of the name.
    name: usize,
}

impl Entry {
    fn size(&self) -> usize {
        self.bytes.len() + OVERHEAD
    }
}

impl Default for FieldDecoder {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            size: 0,
            size_max: TABLE_SIZE_MAX,
            changes: 0,
            refers: false,
            added: Vec::new(),
            name: Vec::new(),
            value: Vec::new(),
        }
    }
}

impl FieldDecoder {
    /// How often the table has changed. While it does not change, the same bytes are the same fields.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether the last head that was decoded is the same fields whatever is in the table.
    pub fn is_independent(&self) -> bool {
        !self.refers
    }

    /// Does to the table what decoding the bytes of the last head again would do, if that is independent.
    pub fn repeat(&mut self) {
        for at in 0..self.added.len() {
            let Some(entry) = self.added.get(at).cloned() else { return };
            self.insert(entry);
        }
    }

    /// Decodes the fields of one head, and shows the name and the value of each.
    pub fn decode(
        &mut self,
        block: &[u8],
        show: &mut impl FnMut(&[u8], &[u8]),
    ) -> Result<(), FieldError> {
        let mut input = Input(block);
        let mut first = true;
        self.refers = false;
        self.added.clear();
        while let Some(byte) = input.0.first().copied() {
            match byte {
                0x80.. => {
                    let index = input.integer(7)?;
                    self.copy(index, true)?;
                    show(&self.name, &self.value);
                }
                0x40.. => {
                    self.literal(&mut input, 6)?;
                    show(&self.name, &self.value);
                    self.add();
                }
                0x20.. => {
                    let size = input.integer(5)?;
                    if !first || size > TABLE_SIZE_MAX {
                        return Err(FieldError::TableSize);
                    }
                    self.refers = true;
                    self.resize(size);
                    continue;
                }
                _ => {
                    self.literal(&mut input, 4)?;
                    show(&self.name, &self.value);
                }
            }
            first = false;
        }
        Ok(())
    }

    /// Reads a field that is not in a table, or whose name alone is.
    fn literal(&mut self, input: &mut Input<'_>, bits: u32) -> Result<(), FieldError> {
        match input.integer(bits)? {
            0 => input.string(&mut self.name)?,
            index => self.copy(index, false)?,
        }
        input.string(&mut self.value)
    }

    /// Copies an entry of the tables, or its name alone.
    fn copy(&mut self, index: usize, whole: bool) -> Result<(), FieldError> {
        let Self { entries, name, value, refers, .. } = self;
        let at = index.checked_sub(1).ok_or(FieldError::Index)?;
        let (known_name, known_value) = if let Some((name, value)) = static_table::ENTRIES.get(at) {
            (name.as_bytes(), value.as_bytes())
        } else {
            *refers = true;
            let entry = entries.get(at - static_table::ENTRIES.len());
            let split = entry.and_then(|entry| entry.bytes.split_at_checked(entry.name));
            split.ok_or(FieldError::Index)?
        };
        name.clear();
        name.extend_from_slice(known_name);
        if whole {
            value.clear();
            value.extend_from_slice(known_value);
        }
        Ok(())
    }

    /// Adds the field to the table.
    fn add(&mut self) {
        let name = self.name.len();
        self.name.extend_from_slice(&self.value);
        let entry = Entry { bytes: self.name.as_slice().into(), name };
        self.name.truncate(name);
        // A head that refers to the table is not repeated, and may add far more than its own length.
        if !self.refers {
            self.added.push(entry.clone());
        }
        self.insert(entry);
    }

    /// Adds an entry, and removes as many of the oldest as there is no room for.
    fn insert(&mut self, entry: Entry) {
        self.changes += 1;
        let size = entry.size();
        self.evict(self.size_max.saturating_sub(size));
        if size <= self.size_max {
            self.size += size;
            self.entries.push_front(entry);
        }
    }

    fn resize(&mut self, size: usize) {
        self.changes += 1;
        self.size_max = size;
        self.evict(size);
    }

    fn evict(&mut self, most: usize) {
        while self.size > most
            && let Some(entry) = self.entries.pop_back()
        {
            self.size -= entry.size();
        }
    }
}

/// The bytes that have not been decoded yet.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    /// A number, of which the first bits are the last `bits` of a byte (RFC 7541 section 5.1).
    fn integer(&mut self, bits: u32) -> Result<usize, FieldError> {
        const SHIFT_MAX: u32 = 21;
        let most = (1_usize << bits) - 1;
        let mut value = usize::from(self.byte()?) & most;
        if value < most {
            return Ok(value);
        }
        for shift in (0..=SHIFT_MAX).step_by(7) {
            let byte = self.byte()?;
            value += usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(FieldError::Number)
    }

    fn byte(&mut self) -> Result<u8, FieldError> {
        let (byte, rest) = self.0.split_first().ok_or(FieldError::Short)?;
        self.0 = rest;
        Ok(*byte)
    }

    fn string(&mut self, out: &mut Vec<u8>) -> Result<(), FieldError> {
        let coded = self.0.first().is_some_and(|byte| *byte >= 0x80);
        let length = self.integer(7)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(FieldError::Short)?;
        self.0 = rest;
        out.clear();
        if coded {
            return huffman::decode(bytes, out);
        }
        out.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pair =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.chunks(2).map(pair).collect()
    }

    fn shown(decoder: &mut FieldDecoder, block: &[u8]) -> Result<String, FieldError> {
        let mut text = Vec::new();
        decoder.decode(block, &mut |name: &[u8], value: &[u8]| {
            text.extend_from_slice(&[name, b"=", value, b"\n"].concat());
        })?;
        Ok(String::from_utf8(text).unwrap())
    }

    #[test]
    fn field_examples_of_the_standard_are_decoded() {
        // RFC 7541 appendix C.3 and C.4: three requests, without and with the Huffman code.
        let plain = [
            "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
            "8286 84be 5808 6e6f 2d63 6163 6865",
            "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ];
        let coded = [
            "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
            "8286 84be 5886 a8eb 1064 9cbf",
            "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
        ];
        let expected = [
            ":method=GET\n:scheme=http\n:path=/\n:authority=www.example.com\n",
            ":method=GET\n:scheme=http\n:path=/\n:authority=www.example.com\ncache-control=no-cache\n",
            ":method=GET\n:scheme=https\n:path=/index.html\n:authority=www.example.com\ncustom-key=custom-value\n",
        ];
        for blocks in [plain, coded] {
            let mut decoder = FieldDecoder::default();
            for (block, expected) in blocks.iter().zip(expected) {
                assert_eq!(shown(&mut decoder, &bytes(block)).unwrap(), expected);
            }
            assert_eq!((decoder.size, decoder.changes()), (164, 3));
        }
    }

    #[test]
    fn field_table_forgets_the_oldest() {
        let mut decoder = FieldDecoder::default();
        // 64 bytes hold one entry of one letter each and nothing of the one before.
        let block = [&[0x3f, 64 - 31][..], b"\x40\x01a\x01b", b"\x40\x01c\x01d"].concat();
        assert_eq!(shown(&mut decoder, &block).unwrap(), "a=b\nc=d\n");
        assert_eq!(shown(&mut decoder, &[0xbe]).unwrap(), "c=d\n");
        assert_eq!(shown(&mut decoder, &[0xbf]), Err(FieldError::Index));
        // An entry that is larger than the table empties it (RFC 7541 section 4.4).
        let large = [&b"\x40\x01e\x40"[..], &[b'f'; 64]].concat();
        shown(&mut decoder, &large).unwrap();
        assert_eq!((shown(&mut decoder, &[0xbe]), decoder.size), (Err(FieldError::Index), 0));
    }

    #[test]
    fn repeated_head_changes_the_table_as_decoding_it_would() {
        // Entries of different sizes, of which the table holds about sixty.
        let block =
            [&b"\x88\x40\x01a\x01b"[..], b"\x40\x02cd\x1e", &[b'e'; 30], b"\x62\x01f"].concat();
        let (mut one, mut two) = (FieldDecoder::default(), FieldDecoder::default());
        shown(&mut one, &block).unwrap();
        shown(&mut two, &block).unwrap();
        assert!(one.is_independent());
        for round in 0..100 {
            one.repeat();
            shown(&mut two, &block).unwrap();
            assert_eq!((one.size, one.changes()), (two.size, two.changes()), "{round}");
            for index in [0xbe, 0xbf, 0xc0, 0xc1, 0xff] {
                let (mut one, mut two) = (one.clone(), two.clone());
                assert_eq!(shown(&mut one, &[index]), shown(&mut two, &[index]), "{round}");
            }
        }
        shown(&mut one, &[0xbe]).unwrap();
        assert!(!one.is_independent(), "it refers to the table");
        shown(&mut one, &[0x20, 0x88]).unwrap();
        assert!(!one.is_independent(), "it empties the table");
    }

    #[test]
    fn malformed_fields_are_refused() {
        for (block, error) in [
            (&[0x80][..], FieldError::Index),
            (&[0xbe], FieldError::Index),
            (&[0x40], FieldError::Short),
            (&[0x00, 5, b'a'], FieldError::Short),
            (&[0xff; 20], FieldError::Number),
            (&[0x3f, 0xe2, 0x1f], FieldError::TableSize),
            (&[0x82, 0x20], FieldError::TableSize),
            (&[0x00, 0x81, 0xff], FieldError::Huffman),
        ] {
            assert_eq!(shown(&mut FieldDecoder::default(), block), Err(error), "{block:x?}");
        }
    }
}
