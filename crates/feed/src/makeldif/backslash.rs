//! Whether a character is escaped by a backslash, in a template file or in a DN.
//!
//! In both, a backslash precedes a character that is meant literally, and a doubled backslash means a backslash, so the
//! number of consecutive backslashes decides. It must not depend on which characters are special.

/// Whether the byte at `at` follows an odd number of backslashes.
pub(super) fn escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn doubled_backslash_does_not_escape() {
        let text = br"a,\,\\,\\\,";
        let commas = (0..text.len()).filter(|&at| text[at] == b',');
        let found: Vec<bool> = commas.map(|at| escaped(text, at)).collect();
        assert_eq!(found, [false, true, false, true]);
    }
}
