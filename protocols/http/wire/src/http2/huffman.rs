//! Decoding the Huffman code of RFC 7541 appendix B.
//!
//! The code is canonical: codes of a length are consecutive, in the order of their symbols, and follow those of all
//! shorter lengths. So the lengths are the whole code, and a symbol is found by comparing the next bits with the first
//! code of each length.

use super::FieldError;

/// The number of bits of each symbol: the 256 bytes, and the end of the string.
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5,
    5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6,
    6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22,
    23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22,
    21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20,
    22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19,
    21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22,
    22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];
/// The symbol that marks the end of a string, which no string may contain.
const END: u16 = 256;
const LENGTH_MAX: usize = 30;

/// The codes of one length.
#[derive(Clone, Copy)]
struct Row {
    /// The number of bits.
    length: u32,
    /// Every code below this, in the upper bits of a word, has this length or a shorter one.
    limit: u64,
    /// The first code, in the same way.
    first: u64,
    /// Where its symbol is in [`SYMBOLS`].
    at: usize,
}

/// How many lengths there are.
const ROWS: usize = rows_used();

const fn rows_used() -> usize {
    let (mut used, mut length) = (0, 1);
    while length <= LENGTH_MAX {
        if symbols_of(length) > 0 {
            used += 1;
        }
        length += 1;
    }
    used
}

#[cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "only the compiler calls it, and reports a wrong index"
    )
)]
const fn symbols_of(length: usize) -> usize {
    let (mut count, mut symbol) = (0, 0);
    while symbol < LENGTHS.len() {
        if LENGTHS[symbol] as usize == length {
            count += 1;
        }
        symbol += 1;
    }
    count
}

/// The symbols in the order of their codes.
const SYMBOLS: [u16; 257] = sorted();

#[cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "only the compiler calls it, and reports a wrong index"
    )
)]
const fn sorted() -> [u16; 257] {
    let mut symbols = [0; 257];
    let (mut at, mut length) = (0, 1);
    while length <= LENGTH_MAX {
        let mut symbol = 0;
        while symbol < LENGTHS.len() {
            if LENGTHS[symbol] as usize == length {
                symbols[at] = symbol as u16;
                at += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    symbols
}

const TABLE: [Row; ROWS] = table();

#[cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "only the compiler calls it, and reports a wrong index"
    )
)]
const fn table() -> [Row; ROWS] {
    let mut rows = [Row { length: 0, limit: 0, first: 0, at: 0 }; ROWS];
    let (mut row, mut at, mut length) = (0, 0, 1);
    let mut next: u64 = 0;
    while length <= LENGTH_MAX {
        let count = symbols_of(length);
        if count > 0 {
            let first = next;
            // 1 << 64 is one more than the last word: the last limit is never reached.
            let width = (count as u64) << (64 - length - 1);
            next = first.wrapping_add(width.wrapping_mul(2));
            let limit = if next == 0 { u64::MAX } else { next };
            rows[row] = Row { length: length as u32, limit, first, at };
            row += 1;
            at += count;
        }
        length += 1;
    }
    rows
}

/// Appends the decoded string to `out`.
pub(super) fn decode(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), FieldError> {
    // The next bits are the upper ones; those after the last are zeros.
    let (mut bits, mut known): (u64, u32) = (0, 0);
    let mut rest = bytes.iter();
    loop {
        while known <= 56
            && let Some(byte) = rest.next()
        {
            bits |= u64::from(*byte) << (56 - known);
            known += 8;
        }
        let row = TABLE.iter().find(|row| bits < row.limit).or(TABLE.last());
        let Some(row) = row.filter(|row| row.length <= known) else {
            return padding(bits, known);
        };
        let offset = usize::try_from((bits - row.first) >> (64 - row.length));
        let symbol = offset.ok().and_then(|offset| SYMBOLS.get(row.at + offset)).copied();
        match symbol.and_then(|symbol| u8::try_from(symbol).ok()) {
            Some(byte) => out.push(byte),
            None => return Err(FieldError::Huffman),
        }
        bits <<= row.length;
        known -= row.length;
    }
}

/// A string ends with less than a byte of the first bits of [`END`], all ones.
fn padding(bits: u64, known: u32) -> Result<(), FieldError> {
    let ones = bits.leading_ones() >= known;
    if known < 8 && ones { Ok(()) } else { Err(FieldError::Huffman) }
}

const _: () = assert!(SYMBOLS[256] == END && SYMBOLS[0] == b'0' as u16);

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Result<Vec<u8>, FieldError> {
        let mut out = Vec::new();
        decode(bytes, &mut out).map(|()| out)
    }

    /// Encodes with codes that are counted up from the lengths, bit by bit.
    fn encoded(text: &[u8]) -> Vec<u8> {
        let mut symbols: Vec<usize> = (0..257).collect();
        symbols.sort_by_key(|symbol| (LENGTHS[*symbol], *symbol));
        let mut codes = vec![0_u32; 257];
        let (mut code, mut before) = (0_u32, LENGTHS[symbols[0]]);
        for symbol in symbols {
            code <<= LENGTHS[symbol] - before;
            before = LENGTHS[symbol];
            codes[symbol] = code;
            code += 1;
        }
        let mut bits: Vec<bool> = Vec::new();
        for byte in text {
            let (code, length) = (codes[usize::from(*byte)], LENGTHS[usize::from(*byte)]);
            bits.extend((0..length).rev().map(|bit| code >> bit & 1 == 1));
        }
        bits.resize(bits.len().next_multiple_of(8), true);
        bits.chunks(8)
            .map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | u8::from(*bit)))
            .collect()
    }

    #[test]
    fn huffman_strings_of_the_standard_are_decoded() {
        // RFC 7541 appendix C.4.1, C.4.2 and C.6.1.
        let examples: [(&[u8], &str); 4] = [
            (
                &[0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff],
                "www.example.com",
            ),
            (&[0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf], "no-cache"),
            (&[0x64, 0x02], "302"),
            (&[0xae, 0xc3, 0x77, 0x1a, 0x4b], "private"),
        ];
        for (bytes, text) in examples {
            assert_eq!(decoded(bytes).unwrap(), text.as_bytes());
            assert_eq!(encoded(text.as_bytes()), bytes);
        }
    }

    #[test]
    fn huffman_decodes_every_byte_in_any_place() {
        let every: Vec<u8> = (0..=255).collect();
        assert_eq!(decoded(&encoded(&every)).unwrap(), every);
        for byte in 0..=255 {
            for text in [vec![byte], vec![byte; 9], vec![b'0', byte, b'~', byte]] {
                assert_eq!(decoded(&encoded(&text)).unwrap(), text);
            }
        }
        assert_eq!(decoded(b"").unwrap(), b"");
    }

    #[test]
    fn huffman_refuses_the_end_symbol_and_wrong_padding() {
        // Thirty ones are the end symbol; eight are more than padding may be.
        for wrong in [&[0xff; 4][..], &[0xff], &[0x07, 0xff], &[0x00], &[0xf8, 0xff, 0xff]] {
            assert_eq!(decoded(wrong), Err(FieldError::Huffman), "{wrong:x?}");
        }
    }
}
