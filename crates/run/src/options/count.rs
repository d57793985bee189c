//! [`count`]: a number as large as those of operations are.

use super::value_error::ValueError;

/// A number with an optional k or m as a multiplier.
pub fn count(text: &str) -> Result<u64, ValueError> {
    let (digits, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        _ => (text, 1),
    };
    let read = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    read.filter(|number| *number > 0).ok_or(ValueError::Count)
}
