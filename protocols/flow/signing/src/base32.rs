//! Base32 (RFC 4648 section 6), in which applications show the seeds of one-time passwords.

/// The bytes that a text stands for; `None` if it is none. The case of letters, spaces between groups and padding do
/// not matter.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim().trim_end_matches('=').bytes().filter(|byte| !b" -".contains(byte));
    let (mut bytes, mut kept, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a',
            b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        kept = (kept << 5 | u32::from(value)) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((kept >> bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base32_decodes_the_rfc_4648_vectors() {
        // Section 10.
        for (text, bytes) in [
            ("", ""),
            ("MY======", "f"),
            ("MZXQ====", "fo"),
            ("MZXW6===", "foo"),
            ("MZXW6YQ=", "foob"),
            ("MZXW6YTB", "fooba"),
            ("MZXW6YTBOI======", "foobar"),
            ("mzxw 6ytb oi", "foobar"),
        ] {
            assert_eq!(decode(text), Some(bytes.as_bytes().to_vec()), "{text}");
        }
        for wrong in ["MZXW1", "0", "MZ=XQ", "ä"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
