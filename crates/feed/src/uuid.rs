//! Random UUIDs (RFC 9562, version 4) drawn from a stream, so that they repeat with the seed.

use crate::stream::Draws;

/// Appends a UUID made from the next draws.
pub fn write(draws: &mut Draws, out: &mut Vec<u8>) {
    let bits = (u128::from(draws.bits()) << 64) | u128::from(draws.bits());
    let bits = bits & !(0xf << 76) | (0x4 << 76);
    let bits = bits & !(0x3 << 62) | (0x2 << 62);
    for place in (0..32).rev() {
        if matches!(place, 23 | 19 | 15 | 11) {
            out.push(b'-');
        }
        out.push(b"0123456789abcdef"[(bits >> (4 * place)) as usize & 15]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Stream;

    #[test]
    fn uuid_version_and_variant_are_set() {
        let stream = Stream::new(0, 0);
        let mut variants = std::collections::HashSet::new();
        for number in 0..100 {
            let mut out = Vec::new();
            write(&mut stream.at(number), &mut out);
            assert_eq!(out.len(), 36);
            let dashes: Vec<usize> = (0..36).filter(|&at| out[at] == b'-').collect();
            assert_eq!(dashes, [8, 13, 18, 23]);
            assert_eq!(out[14], b'4');
            variants.insert(out[19]);
        }
        assert_eq!(variants, b"89ab".iter().copied().collect());
    }
}
