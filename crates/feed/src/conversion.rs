//! `%05d` and similar conversions: the part of Java's format strings that templates of the original tools use.
//!
//! `OpenDJ`'s rate tools formatted every template with `String.format`; those of DS only know braces and treat a
//! percent sign as text. Templates for both must continue to work, so a percent sign is a conversion only where it
//! looks like one. The rules:
//!
//! * `%%` is a percent sign.
//! * `%[N$][flags][width]` before `d`, `s`, `x` or `X` is a conversion. Flags: `-` for all, `0` for `d` and `x`, `+`,
//!   `,` and space for `d`.
//! * The same before another conversion letter of Java's, or with flags that the letter does not allow, is an error
//!   that recommends `%%`, unless it looks like prose.
//! * It looks like prose, and stays unchanged, if the flags contain a space and there is no width, or if the letter is
//!   none of the four and another letter or digit follows: `100% done`, `5%free`.
//! * Everything else stays unchanged: `100%`, `50%, or so`.

use crate::Row;

const WIDTH_MAX: u32 = 4096;

/// How one value is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    letter: Letter,
    width: u32,
    padding: Padding,
    sign: Sign,
    grouped: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Padding {
    #[default]
    Before,
    After,
    Zeros,
}

/// What precedes a number that is not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sign {
    #[default]
    None,
    Plus,
    Space,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Letter {
    #[default]
    Text,
    Decimal,
    Hex {
        upper: bool,
    },
}

/// The meaning of a percent sign in a template.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Percent {
    /// A doubled percent sign.
    Sign,
    /// A conversion, with the number of its argument (counted from 1) if it names one.
    Conversion(Conversion, Option<usize>),
    /// An ordinary character.
    Plain,
}

/// A text that looks like a conversion and is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`%{text}` {fault}; write `%%` where a percent sign is meant")]
pub struct ConversionError {
    text: String,
    fault: ConversionProblem,
}

/// What is wrong with a conversion. It reads after the conversion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum ConversionProblem {
    #[error("is a conversion that templates do not have: there are %s, %d, %x and %X")]
    Letter,
    #[error("has the flag `{0}`, which its letter does not take")]
    Flag(char),
    #[error("has a precision, which no conversion here takes")]
    Precision,
    #[error("has two flags that exclude each other")]
    Exclusive,
    #[error("is wider than {WIDTH_MAX} characters")]
    Width,
    #[error("has a flag for padding and no width to pad to")]
    NoWidth,
    #[error("names an argument that cannot be: they are counted from 1")]
    Index,
}

impl Conversion {
    /// Parses the text after a percent sign. Also returns how many bytes belong to the conversion.
    pub(crate) fn parse(after: &str) -> Result<(Percent, usize), ConversionError> {
        if after.starts_with('%') {
            return Ok((Percent::Sign, 1));
        }
        let parsed = Spec::parse(after);
        let Some(letter) = after[parsed.length..].chars().next().filter(char::is_ascii_alphabetic)
        else {
            return Ok((Percent::Plain, 0));
        };
        let followed = after[parsed.length + 1..].chars().next().is_some_and(char::is_alphanumeric);
        let known = matches!(letter, 'd' | 's' | 'x' | 'X');
        let spaced = parsed.flags.contains(' ') && parsed.width.is_empty();
        if followed && (spaced || !known) || !known && !"bBhHScCoeEfgGaAtTn".contains(letter) {
            return Ok((Percent::Plain, 0));
        }
        let text = &after[..=parsed.length];
        let length = parsed.length + 1;
        match parsed.conversion(letter) {
            Ok((conversion, index)) => Ok((Percent::Conversion(conversion, index), length)),
            Err(fault) => Err(ConversionError { text: text.to_owned(), fault }),
        }
    }

    /// Whether the conversion is only for integers.
    pub(crate) fn wants_integer(self) -> bool {
        self.letter != Letter::Text
    }

    /// Writes value `index` of `row`. If an integer is expected and the value is text, the text is written with
    /// padding: the run continues, and the target's answer shows how it treated the value.
    pub(crate) fn write(self, row: &Row, index: usize, out: &mut Vec<u8>) {
        if self == Self::default() {
            out.extend_from_slice(row.get(index));
            return;
        }
        let start = out.len();
        match (self.letter, row.integer(index)) {
            (Letter::Decimal, Some(integer)) => self.decimal(integer, out),
            (Letter::Hex { upper }, Some(integer)) => self.hex(integer, upper, out),
            _ => out.extend_from_slice(row.get(index)),
        }
        // The width counts characters, so continuation bytes are not counted.
        let chars = out[start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        let missing = (self.width as usize).saturating_sub(chars);
        let end = out.len();
        out.resize(end + missing, b' ');
        if self.padding == Padding::Before {
            out[start..].rotate_right(missing);
        }
    }

    fn decimal(self, integer: i64, out: &mut Vec<u8>) {
        let start = out.len();
        match (integer, self.sign) {
            (..0, _) => out.push(b'-'),
            (_, Sign::Plus) => out.push(b'+'),
            (_, Sign::Space) => out.push(b' '),
            (_, Sign::None) => {}
        }
        let signs = out.len() - start;
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(integer.unsigned_abs()).as_bytes();
        let groups = if self.grouped { (digits.len() - 1) / 3 } else { 0 };
        self.fill(digits.len() + groups + signs, out);
        for (at, digit) in digits.iter().enumerate() {
            if self.grouped && at > 0 && (digits.len() - at).is_multiple_of(3) {
                out.push(b',');
            }
            out.push(*digit);
        }
    }

    fn hex(self, integer: i64, upper: bool, out: &mut Vec<u8>) {
        let bits = integer as u64;
        let digits = (u64::BITS - bits.leading_zeros()).div_ceil(4).max(1);
        self.fill(digits as usize, out);
        let alphabet = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
        for place in (0..digits).rev() {
            out.push(alphabet[(bits >> (4 * place)) as usize & 15]);
        }
    }

    /// Writes the zeros that extend `length` characters to the width.
    fn fill(self, length: usize, out: &mut Vec<u8>) {
        if self.padding == Padding::Zeros {
            out.resize(out.len() + (self.width as usize).saturating_sub(length), b'0');
        }
    }
}

/// The text between a percent sign and the letter.
struct Spec<'a> {
    index: Option<&'a str>,
    flags: &'a str,
    width: &'a str,
    precise: bool,
    length: usize,
}

impl<'a> Spec<'a> {
    fn parse(after: &'a str) -> Self {
        let digits = prefix(after, |char| char.is_ascii_digit());
        let index =
            (!digits.is_empty() && after[digits.len()..].starts_with('$')).then_some(digits);
        let mut rest = index.map_or(after, |digits| &after[digits.len() + 1..]);
        let flags = prefix(rest, |char| "-0+, #(".contains(char));
        rest = &rest[flags.len()..];
        let width = prefix(rest, |char| char.is_ascii_digit());
        rest = &rest[width.len()..];
        let precise = rest.strip_prefix('.').map(|rest| prefix(rest, |char| char.is_ascii_digit()));
        rest = precise.map_or(rest, |digits| &rest[1 + digits.len()..]);
        let precise = precise.is_some();
        Self { index, flags, width, precise, length: after.len() - rest.len() }
    }

    fn conversion(&self, letter: char) -> Result<(Conversion, Option<usize>), ConversionProblem> {
        let (letter, allowed) = match letter {
            's' => (Letter::Text, "-"),
            'd' => (Letter::Decimal, "-0+, "),
            'x' | 'X' => (Letter::Hex { upper: letter == 'X' }, "-0"),
            _ => return Err(ConversionProblem::Letter),
        };
        if let Some(flag) = self.flags.chars().find(|&flag| !allowed.contains(flag)) {
            return Err(ConversionProblem::Flag(flag));
        }
        if self.precise {
            return Err(ConversionProblem::Precision);
        }
        let has = |flag| self.flags.contains(flag);
        if has('-') && has('0') || has('+') && has(' ') {
            return Err(ConversionProblem::Exclusive);
        }
        let width = if self.width.is_empty() { Some(0) } else { self.width.parse().ok() };
        let Some(width) = width.filter(|&width| width <= WIDTH_MAX) else {
            return Err(ConversionProblem::Width);
        };
        if width == 0 && (has('-') || has('0')) {
            return Err(ConversionProblem::NoWidth);
        }
        let index = match self.index.map(str::parse::<usize>) {
            None => None,
            Some(Ok(index)) if index > 0 => Some(index),
            Some(_) => return Err(ConversionProblem::Index),
        };
        let padding = match (has('-'), has('0')) {
            (true, _) => Padding::After,
            (_, true) => Padding::Zeros,
            _ => Padding::Before,
        };
        let sign = match (has('+'), has(' ')) {
            (true, _) => Sign::Plus,
            (_, true) => Sign::Space,
            _ => Sign::None,
        };
        Ok((Conversion { letter, width, padding, sign, grouped: has(',') }, index))
    }
}

fn prefix(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|char| !belongs(char)).unwrap_or(text.len())]
}
