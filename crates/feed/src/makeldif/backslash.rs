//! What a backslash takes the meaning from, in a template file as in a DN.
//!
//! Both put one before a character that is meant as it stands, and two where a backslash is meant, so what counts is
//! how many stand in a row. It must not know which characters have a meaning.

/// Whether the byte at `at` follows an odd number of backslashes.
pub(super) fn escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn two_backslashes_are_one_that_is_meant() {
        let text = br"a,\,\\,\\\,";
        let commas = (0..text.len()).filter(|&at| text[at] == b',');
        let found: Vec<bool> = commas.map(|at| escaped(text, at)).collect();
        assert_eq!(found, [false, true, false, true]);
    }
}
