//! The Internet checksum (RFC 1071), over data in one or several pieces.
//!
//! All pieces except the last must have an even length, as all headers have. It must not depend on the content.

/// The ones' complement sum of all words, complemented. Over data that contains a correct checksum, it is 0.
pub(super) fn checksum(pieces: &[&[u8]]) -> u16 {
    let mut sum: u64 = 0;
    for piece in pieces {
        let (words, rest) = piece.as_chunks::<2>();
        sum += words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum::<u64>();
        sum += rest.first().map_or(0, |byte| u64::from(*byte) << 8);
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_1071_is_right() {
        // Section 3: 0001 f203 f4f5 f6f7 sum up to ddf2.
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(checksum(&[&bytes]), !0xddf2);
        assert_eq!(checksum(&[&bytes[..2], &bytes[2..]]), !0xddf2);
        assert_eq!(checksum(&[&bytes, &[0x22, 0x0d]]), 0);
    }

    #[test]
    fn an_odd_end_is_filled_with_zero() {
        assert_eq!(checksum(&[&[0x12]]), !0x1200);
        assert_eq!(checksum(&[]), 0xffff);
        assert_eq!(checksum(&[&vec![0xff; 65_536]]), 0);
    }
}
