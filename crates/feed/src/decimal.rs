//! Number formats in the notation of Java's `DecimalFormat`, for integers.
//!
//! Value patterns (`[1:999%0000]`) and `MakeLDIF` (`<random:numeric:1:999:0000>`) both use it. The parts that apply to
//! integers are supported: zeros, hashes, grouping, a fraction of zeros, and text around them. Exponents, percent and a
//! separate format for negative numbers are refused.

/// A compiled number format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decimal {
    prefix: String,
    suffix: String,
    /// The minimum number of digits.
    digits: usize,
    /// How many digits form a group; 0 for none.
    group: usize,
    /// The number of zeros after the point.
    fraction: usize,
}

const DIGITS_MAX: usize = 64;

/// Why a text is not a number format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// It has no place for a digit.
    #[error("the number format `{0}` has neither `0` nor `#`")]
    NoDigit(String),
    /// A character with a meaning that is not supported.
    #[error("`{0}` cannot be used here in the number format `{1}`; write it as in `0000`")]
    Character(char, String),
    /// Its characters are not in order.
    #[error("the number format `{0}` is not well formed; write it as in `0000` or `#,##0.00`")]
    Order(String),
    /// It is too long.
    #[error("the number format `{0}` has more than {DIGITS_MAX} digits")]
    Long(String),
}

impl Decimal {
    /// Parses the notation.
    pub(crate) fn parse(text: &str) -> Result<Self, DecimalError> {
        let is_digit = |char| matches!(char, '0' | '#' | ',' | '.');
        let start = text.find(is_digit).ok_or_else(|| DecimalError::NoDigit(text.to_owned()))?;
        let length = text[start..].find(|char| !is_digit(char)).unwrap_or(text.len() - start);
        let (prefix, number, suffix) =
            (&text[..start], &text[start..start + length], &text[start + length..]);
        let special = |char: char| {
            char.is_ascii_digit()
                || matches!(char, 'E' | '%' | '\u{2030}' | ';' | '\'' | '\u{a4}' | '-')
        };
        if let Some(char) =
            prefix.chars().chain(suffix.chars()).find(|&char| special(char) || is_digit(char))
        {
            return Err(DecimalError::Character(char, text.to_owned()));
        }
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let plain = whole.replace(',', "");
        let hashes = plain.len() - plain.trim_start_matches('#').len();
        let zeros = fraction.len() - fraction.trim_start_matches('0').len();
        let ordered =
            !plain[hashes..].contains('#') && fraction[zeros..].chars().all(|char| char == '#');
        let group = whole.rfind(',').map_or(0, |comma| whole.len() - comma - 1);
        if !ordered
            || whole.ends_with(',')
            || whole.starts_with(',')
            || plain.len() + fraction.len() == 0
        {
            return Err(DecimalError::Order(text.to_owned()));
        }
        if plain.len() > DIGITS_MAX || fraction.len() > DIGITS_MAX {
            return Err(DecimalError::Long(text.to_owned()));
        }
        // Java writes at least one digit if nothing else would be written.
        let digits = (plain.len() - hashes).max(usize::from(zeros == 0));
        Ok(Self {
            prefix: prefix.to_owned(),
            suffix: suffix.to_owned(),
            digits,
            group,
            fraction: zeros,
        })
    }

    /// Appends `integer` in this format.
    pub(crate) fn write(&self, integer: i64, out: &mut Vec<u8>) {
        if integer < 0 {
            out.push(b'-');
        }
        out.extend_from_slice(self.prefix.as_bytes());
        let mut buffer = itoa::Buffer::new();
        let magnitude = integer.unsigned_abs();
        let written: &[u8] = if magnitude == 0 { b"" } else { buffer.format(magnitude).as_bytes() };
        let length = written.len().max(self.digits);
        for at in 0..length {
            let left = length - at;
            if self.group > 0 && at > 0 && left.is_multiple_of(self.group) {
                out.push(b',');
            }
            out.push(if left > written.len() { b'0' } else { written[written.len() - left] });
        }
        if self.fraction > 0 {
            out.push(b'.');
            out.resize(out.len() + self.fraction, b'0');
        }
        out.extend_from_slice(self.suffix.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: &str, integer: i64) -> String {
        let mut out = Vec::new();
        Decimal::parse(format).unwrap().write(integer, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn decimal_integers_are_formatted_like_java() {
        for (format, integer, expected) in [
            ("0000", 7, "0007"),
            ("0000", -7, "-0007"),
            ("0000", 12345, "12345"),
            ("#", 0, "0"),
            ("###", 5, "5"),
            ("#,##0.00", 1_234_567, "1,234,567.00"),
            ("#,##0.00", 1, "1.00"),
            ("0,000", 7, "0,007"),
            ("x0", 1000, "x1000"),
            ("x00y", -3, "-x03y"),
            ("#.00", 0, ".00"),
            ("0.##", 4, "4"),
        ] {
            assert_eq!(written(format, integer), expected, "{format}");
        }
    }

    #[test]
    fn decimal_other_formats_are_refused() {
        for format in [
            "", "abc", "0#", "0E0", "0%", "0;(0)", "0000x100", "0000x2", "0,", ",0", ".", "0.#0",
            "-0",
        ] {
            assert!(Decimal::parse(format).is_err(), "{format}");
        }
        assert!(Decimal::parse(&"0".repeat(65)).is_err());
    }
}
