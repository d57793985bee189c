//! Distinguished names (RFC 4514): parsed, compared, escaped.
//!
//! A server without a schema cannot know how each attribute is compared, so all are compared as most attributes are:
//! case is ignored, runs of spaces count as one space, and spaces at the ends are ignored (RFC 4518, simplified). Two
//! names denote the same entry if their [normal forms](normalize) are identical.

use std::error::Error;
use std::fmt;

/// A distinguished name. The first RDN is the entry's own, the last the one nearest to the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dn {
    /// Its RDNs.
    pub rdns: Vec<Rdn>,
}

/// A relative distinguished name: one attribute and its value, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rdn {
    /// Its attributes and values, as written.
    pub pairs: Vec<Pair>,
}

/// An attribute and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The attribute, as written.
    pub attribute: String,
    /// The value, with its escapes removed. A value written as `#…` is the BER that the digits represent.
    pub value: Vec<u8>,
}

/// Why a text is not a DN. Offsets count bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DnError {
    /// No `=` after an attribute, or no attribute before it.
    Attribute {
        /// Where the RDN begins.
        offset: usize,
    },
    /// A backslash with neither two hexadecimal digits nor a special character after it.
    Escape {
        /// The offset of the backslash.
        offset: usize,
    },
    /// A character that must be escaped in a value.
    Unescaped {
        /// Its offset.
        offset: usize,
    },
    /// A value that begins with `#` and contains anything other than pairs of digits.
    Hexadecimal {
        /// Where the value begins.
        offset: usize,
    },
    /// A quotation mark without a matching one.
    Quote {
        /// Its offset.
        offset: usize,
    },
}

impl fmt::Display for DnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute { offset } => {
                write!(f, "no attribute=value at byte {offset} of the DN")
            }
            Self::Escape { offset } => write!(
                f,
                "the backslash at byte {offset} of the DN escapes nothing; write \\5c for a backslash itself"
            ),
            Self::Unescaped { offset } => {
                write!(f, "the character at byte {offset} of the DN needs a backslash before it")
            }
            Self::Hexadecimal { offset } => {
                write!(
                    f,
                    "the value at byte {offset} of the DN begins with # and is not hexadecimal"
                )
            }
            Self::Quote { offset } => {
                write!(f, "the quotation mark at byte {offset} of the DN is not closed")
            }
        }
    }
}

impl Error for DnError {}

impl Dn {
    /// Parses a DN. The empty DN has no RDN. Semicolons are accepted as separators, and values may be in quotation
    /// marks, because older names use them (RFC 4514 section 2.4).
    pub fn parse(text: &[u8]) -> Result<Self, DnError> {
        let mut parser = Parser { text, at: 0 };
        let mut rdns = Vec::new();
        parser.skip_spaces();
        if parser.peek().is_none() {
            return Ok(Self { rdns });
        }
        loop {
            let mut pairs = vec![parser.pair()?];
            while parser.take(b"+") {
                pairs.push(parser.pair()?);
            }
            rdns.push(Rdn { pairs });
            if !parser.take(b",;") {
                return Ok(Self { rdns });
            }
        }
    }

    /// Appends the normal form.
    pub fn normalize(&self, out: &mut Vec<u8>) {
        for (n, rdn) in self.rdns.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            rdn.normalize(out);
        }
    }
}

impl Rdn {
    /// Appends the normal form: attributes in lower case and sorted, values folded and escaped.
    pub fn normalize(&self, out: &mut Vec<u8>) {
        let mut pairs: Vec<Vec<u8>> = self.pairs.iter().map(Pair::normal_form).collect();
        pairs.sort_unstable();
        out.extend(pairs.join(&b'+'));
    }
}

impl Pair {
    fn normal_form(&self) -> Vec<u8> {
        let mut form = self.attribute.to_ascii_lowercase().into_bytes();
        form.push(b'=');
        let mut value = Vec::new();
        fold(&self.value, &mut value);
        escape(&value, &mut form);
        form
    }
}

/// Appends the normal form of a DN: equal names have equal forms, and the form of the parent is the text after the
/// first comma that is not escaped.
pub fn normalize(text: &[u8], out: &mut Vec<u8>) -> Result<(), DnError> {
    if is_plain(text) {
        out.extend(text.iter().map(u8::to_ascii_lowercase));
        return Ok(());
    }
    Dn::parse(text)?.normalize(out);
    Ok(())
}

/// Whether a name only needs to be converted to lower case: it has no spaces, no escapes, and one pair in each RDN.
fn is_plain(text: &[u8]) -> bool {
    let pair = |rdn: &[u8]| {
        let mut sides = rdn.splitn(2, |byte| *byte == b'=');
        let (Some([first, attribute @ ..]), Some(value)) = (sides.next(), sides.next()) else {
            return false;
        };
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._@".contains(byte);
        let name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        first.is_ascii_alphabetic() && attribute.iter().all(name) && value.iter().all(plain)
    };
    text.split(|byte| *byte == b',').all(pair)
}

/// Appends a value in its form for comparison: lower case, runs of spaces reduced to one, none at the ends.
pub fn fold(value: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let mut space = false;
    let mut push = |byte: u8, out: &mut Vec<u8>| {
        if byte == b' ' {
            space = true;
            return;
        }
        if space && out.len() > start {
            out.push(b' ');
        }
        space = false;
        out.push(byte);
    };
    match std::str::from_utf8(value) {
        Ok(text) if !text.is_ascii() => {
            let lower = text.to_lowercase();
            lower.bytes().for_each(|byte| push(byte, out));
        }
        // Bytes that are not text are compared unchanged, except for ASCII letters in them.
        _ => value.iter().for_each(|byte| push(byte.to_ascii_lowercase(), out)),
    }
}

/// Appends a value escaped for use in a DN (RFC 4514 section 2.4). Bytes that are not UTF-8 become `\xx`.
pub fn escape(value: &[u8], out: &mut Vec<u8>) {
    let last = value.len().saturating_sub(1);
    let mut at = 0;
    for chunk in value.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            match byte {
                0 => out.extend_from_slice(b"\\00"),
                b'"' | b'+' | b',' | b';' | b'<' | b'>' | b'\\' => {
                    out.extend_from_slice(&[b'\\', byte]);
                }
                b'#' if at == 0 => out.extend_from_slice(b"\\#"),
                b' ' if at == 0 || at == last => out.extend_from_slice(b"\\ "),
                _ => out.push(byte),
            }
            at += 1;
        }
        for byte in chunk.invalid() {
            let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble };
            out.extend_from_slice(&[b'\\', digit(byte >> 4), digit(byte & 0x0f)]);
            at += 1;
        }
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, any: &[u8]) -> bool {
        let there = self.peek().is_some_and(|byte| any.contains(&byte));
        self.at += usize::from(there);
        there
    }

    fn skip_spaces(&mut self) {
        while self.take(b" ") {}
    }

    fn pair(&mut self) -> Result<Pair, DnError> {
        self.skip_spaces();
        let offset = self.at;
        let mut attribute = String::new();
        while let Some(byte) =
            self.peek().filter(|byte| byte.is_ascii_alphanumeric() || b"-._;".contains(byte))
        {
            attribute.push(char::from(byte));
            self.at += 1;
        }
        self.skip_spaces();
        if attribute.is_empty() || !self.take(b"=") {
            return Err(DnError::Attribute { offset });
        }
        self.skip_spaces();
        let value = match self.peek() {
            Some(b'#') => self.hexadecimal()?,
            Some(b'"') => self.quoted()?,
            _ => self.string()?,
        };
        self.skip_spaces();
        match self.peek() {
            None | Some(b',' | b';' | b'+') => Ok(Pair { attribute, value }),
            Some(_) => Err(DnError::Unescaped { offset: self.at }),
        }
    }

    /// A value as defined in RFC 4514. Spaces at its end are ignored unless they are escaped.
    fn string(&mut self) -> Result<Vec<u8>, DnError> {
        let mut value = Vec::new();
        let mut kept = 0;
        while let Some(byte) = self.peek() {
            match byte {
                b',' | b';' | b'+' => break,
                b'"' | b'<' | b'>' | 0 => return Err(DnError::Unescaped { offset: self.at }),
                b'\\' => {
                    value.push(self.escaped()?);
                    kept = value.len();
                }
                _ => {
                    self.at += 1;
                    value.push(byte);
                    if byte != b' ' {
                        kept = value.len();
                    }
                }
            }
        }
        value.truncate(kept);
        Ok(value)
    }

    fn quoted(&mut self) -> Result<Vec<u8>, DnError> {
        let offset = self.at;
        self.at += 1;
        let mut value = Vec::new();
        loop {
            match self.peek() {
                None => return Err(DnError::Quote { offset }),
                Some(b'"') => break,
                Some(b'\\') => value.push(self.escaped()?),
                Some(byte) => {
                    self.at += 1;
                    value.push(byte);
                }
            }
        }
        self.at += 1;
        Ok(value)
    }

    /// The byte that a backslash with the following character, or with two digits, represents.
    fn escaped(&mut self) -> Result<u8, DnError> {
        let error = DnError::Escape { offset: self.at };
        self.at += 1;
        let first = self.next().ok_or(error)?;
        if b" \"#+,;<=>\\".contains(&first) {
            return Ok(first);
        }
        let second = self.next().ok_or(error)?;
        pair_of_digits(first, second).ok_or(error)
    }

    /// `#` and the hexadecimal digits of a BER encoding.
    fn hexadecimal(&mut self) -> Result<Vec<u8>, DnError> {
        let error = DnError::Hexadecimal { offset: self.at };
        self.at += 1;
        let mut value = Vec::new();
        while let Some(first) = self.peek().filter(u8::is_ascii_hexdigit) {
            self.at += 1;
            let second = self.next().ok_or(error)?;
            value.push(pair_of_digits(first, second).ok_or(error)?);
        }
        if value.is_empty() { Err(error) } else { Ok(value) }
    }
}

fn pair_of_digits(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    Some((digit(high)? << 4 | digit(low)?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(text: &str) -> String {
        let mut form = Vec::new();
        normalize(text.as_bytes(), &mut form).unwrap_or_else(|error| panic!("{text}: {error}"));
        String::from_utf8(form).unwrap()
    }

    #[test]
    fn dn_examples_of_rfc_4514_are_parsed() {
        let values = |text: &str| {
            let dn = Dn::parse(text.as_bytes()).unwrap();
            let pairs = dn.rdns.into_iter().flat_map(|rdn| rdn.pairs);
            pairs.map(|pair| (pair.attribute, pair.value)).collect::<Vec<_>>()
        };
        let expected = |pairs: &[(&str, &[u8])]| {
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.to_vec()))
                .collect::<Vec<_>>()
        };
        for (text, pairs) in [
            (
                "UID=jsmith,DC=example,DC=net",
                &[("UID", &b"jsmith"[..]), ("DC", b"example"), ("DC", b"net")][..],
            ),
            (
                "OU=Sales+CN=J.  Smith,DC=example,DC=net",
                &[("OU", b"Sales"), ("CN", b"J.  Smith"), ("DC", b"example"), ("DC", b"net")],
            ),
            (
                "CN=James \\\"Jim\\\" Smith\\, III,DC=net",
                &[("CN", b"James \"Jim\" Smith, III"), ("DC", b"net")],
            ),
            ("CN=Before\\0dAfter,DC=net", &[("CN", b"Before\rAfter"), ("DC", b"net")]),
            ("1.3.6.1.4.1.1466.0=#04024869", &[("1.3.6.1.4.1.1466.0", &[4, 2, 0x48, 0x69])]),
            ("CN=Lu\\C4\\8Di\\C4\\87", &[("CN", "Lu\u{10d}i\u{107}".as_bytes())]),
            ("", &[]),
            ("cn=", &[("cn", b"")]),
            ("o=\"a, b\" ; c = d ", &[("o", b"a, b"), ("c", b"d")]),
            ("cn=x\\ ,o=y", &[("cn", b"x "), ("o", b"y")]),
        ] {
            assert_eq!(values(text), expected(pairs), "{text}");
        }
    }

    #[test]
    fn dn_equal_names_have_equal_forms() {
        for (one, other) in [
            ("UID=User.1, OU=People ,DC=Example", "uid=user.1,ou=people,dc=example"),
            ("cn=a  b", "CN=A B"),
            ("cn=b+ou=c", "OU=C+cn=B"),
            ("cn=\\41", "cn=a"),
            ("cn=\\ a", "cn=a"),
            ("cn=\u{c4}", "cn=\u{e4}"),
        ] {
            assert_eq!(normal(one), normal(other));
        }
        assert_eq!(normal("UID=User.1,DC=a"), "uid=user.1,dc=a");
        assert_eq!(normal("cn=A\\,B , dc=c"), "cn=a\\,b,dc=c");
        assert_ne!(normal("cn=a\\,b"), normal("cn=a,b=b"));
        assert_eq!(normal(""), "");
    }

    #[test]
    fn dn_fast_and_full_normalization_agree() {
        for text in ["uid=user.1,ou=People,dc=example,dc=com", "o=", "a=b", "mail=x@y.z,C-d=1_2"] {
            assert!(is_plain(text.as_bytes()), "{text}");
            let mut long = Vec::new();
            Dn::parse(text.as_bytes()).unwrap().normalize(&mut long);
            assert_eq!(normal(text).as_bytes(), long);
        }
        for text in
            ["", "a", "a=b,", ",a=b", "a=b,,c=d", "=b", "1.2=a", "a=b+c=d", "a= b", "a=b\\,c"]
        {
            assert!(!is_plain(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn dn_errors_name_the_offset() {
        for (text, error) in [
            ("uid", DnError::Attribute { offset: 0 }),
            ("a=b,", DnError::Attribute { offset: 4 }),
            ("a=b,,c=d", DnError::Attribute { offset: 4 }),
            ("=b", DnError::Attribute { offset: 0 }),
            ("a=b\\", DnError::Escape { offset: 3 }),
            ("a=\\zz", DnError::Escape { offset: 2 }),
            ("a=b<c", DnError::Unescaped { offset: 3 }),
            ("a=#0", DnError::Hexadecimal { offset: 2 }),
            ("a=#", DnError::Hexadecimal { offset: 2 }),
            ("a=\"b", DnError::Quote { offset: 2 }),
            ("a=\"b\"c", DnError::Unescaped { offset: 5 }),
        ] {
            assert_eq!(Dn::parse(text.as_bytes()), Err(error), "{text}");
            assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn dn_escaping_round_trips() {
        let values: [&[u8]; 9] = [
            b"",
            b" ",
            b"  ",
            b"#a",
            b" a b ",
            b"a+b,c;d<e>f\\g\"h=i",
            b"\0",
            b"\n\r",
            b"\xff\xfea\xc3\xa4",
        ];
        for value in values {
            let mut text = b"cn=".to_vec();
            escape(value, &mut text);
            let dn = Dn::parse(&text).unwrap();
            assert_eq!(dn.rdns[0].pairs[0].value, value, "{}", String::from_utf8_lossy(&text));
        }
    }
}
