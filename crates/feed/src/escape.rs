//! Escaping a value for the context in which a template puts it: in a DN, a filter, a URL, a form, a JSON string.
//!
//! The original tools do not escape: a name such as `Smith, John (Jr)` in a data file makes them send a DN or a filter
//! with a different structure. The bytes are escaped in place in the output, from the end to the beginning, so that
//! nothing is allocated.

/// How a substituted value is escaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escape {
    /// Not at all: the value is all of what is sent, or the user wants it unescaped.
    #[default]
    None,
    /// As an attribute value in a DN, RFC 4514 section 2.4.
    Dn,
    /// As an assertion value in a filter, RFC 4515 section 3.
    Filter,
    /// As a segment of a path or a value in the query of a URL: everything except the unreserved characters of RFC 3986
    /// section 2.3 becomes `%HH`.
    Url,
    /// As a value in a body of type `application/x-www-form-urlencoded`: as in a URL, with `+` for a space.
    Form,
    /// Inside the quotes of a JSON string, RFC 8259 section 7.
    Json,
    /// The whole value in base64, with padding, RFC 4648 section 4.
    Base64,
}

impl Escape {
    /// Escapes everything in `out` from `start` on.
    pub fn apply(self, out: &mut Vec<u8>, start: usize) {
        match self {
            Self::None => return,
            Self::Base64 => return base64(out, start),
            _ => {}
        }
        let value = &out[start..];
        // Numbers and most words need no escaping.
        if value.iter().all(u8::is_ascii_alphanumeric) {
            return;
        }
        let text = std::str::from_utf8(value).is_ok();
        let forms = |index: usize, byte: u8, length: usize| {
            self.form(byte, index == 0, index + 1 == length, text)
        };
        let length = value.len();
        let bytes = value.iter().enumerate();
        let lengths = bytes.map(|(index, &byte)| forms(index, byte, length).length());
        let written: usize = lengths.sum();
        let mut from = out.len();
        out.resize(start + written, 0);
        let mut to = start + written;
        while from > start {
            from -= 1;
            let byte = out[from];
            let form = forms(from - start, byte, length);
            to -= form.length();
            form.write(byte, &mut out[to..]);
        }
    }

    const fn form(self, byte: u8, first: bool, last: bool, text: bool) -> Form {
        match self {
            Self::None | Self::Base64 => Form::Plain,
            Self::Form if byte == b' ' => Form::Other(b'+'),
            Self::Url | Self::Form => url(byte),
            Self::Json => json(byte),
            // Bytes that are not UTF-8 must be escaped in a string that both RFCs define as UTF-8.
            Self::Dn | Self::Filter if byte >= 0x80 && !text => Form::Hex,
            Self::Filter => match byte {
                0 | b'(' | b')' | b'*' | b'\\' => Form::Hex,
                _ => Form::Plain,
            },
            Self::Dn => match byte {
                0 => Form::Hex,
                b'"' | b'+' | b',' | b';' | b'<' | b'>' | b'\\' => Form::Slashed,
                b' ' if first || last => Form::Slashed,
                b'#' if first => Form::Slashed,
                _ => Form::Plain,
            },
        }
    }
}

const fn url(byte: u8) -> Form {
    match byte {
        b'-' | b'.' | b'_' | b'~' => Form::Plain,
        _ if byte.is_ascii_alphanumeric() => Form::Plain,
        _ => Form::Percent,
    }
}

const fn json(byte: u8) -> Form {
    match byte {
        b'"' | b'\\' => Form::Slashed,
        b'\n' => Form::Letter(b'n'),
        b'\r' => Form::Letter(b'r'),
        b'\t' => Form::Letter(b't'),
        ..0x20 => Form::Unicode,
        _ => Form::Plain,
    }
}

/// How one byte is written.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    /// As another byte.
    Other(u8),
    /// `\b`
    Slashed,
    /// A backslash and a letter that represents it.
    Letter(u8),
    /// `\hh`
    Hex,
    /// `%HH`
    Percent,
    /// `\u00hh`
    Unicode,
}

impl Form {
    const fn length(self) -> usize {
        match self {
            Self::Plain | Self::Other(_) => 1,
            Self::Slashed | Self::Letter(_) => 2,
            Self::Hex | Self::Percent => 3,
            Self::Unicode => 6,
        }
    }

    /// Writes `byte` at the beginning of `place`.
    fn write(self, byte: u8, place: &mut [u8]) {
        let small = |digit: u8| b"0123456789abcdef"[usize::from(digit)];
        let large = |digit: u8| b"0123456789ABCDEF"[usize::from(digit)];
        match self {
            Self::Plain => place[0] = byte,
            Self::Other(other) => place[0] = other,
            Self::Slashed => place[..2].copy_from_slice(&[b'\\', byte]),
            Self::Letter(letter) => place[..2].copy_from_slice(&[b'\\', letter]),
            Self::Hex => {
                place[..3].copy_from_slice(&[b'\\', small(byte >> 4), small(byte & 15)]);
            }
            Self::Percent => {
                place[..3].copy_from_slice(&[b'%', large(byte >> 4), large(byte & 15)]);
            }
            Self::Unicode => {
                let digits = [small(byte >> 4), small(byte & 15)];
                place[..6].copy_from_slice(&[b'\\', b'u', b'0', b'0', digits[0], digits[1]]);
            }
        }
    }
}

/// Converts everything in `out` from `start` on to base64, beginning at the end.
fn base64(out: &mut Vec<u8>, start: usize) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let length = out.len() - start;
    let groups = length.div_ceil(3);
    out.resize(start + groups * 4, 0);
    for group in (0..groups).rev() {
        let from = start + group * 3;
        let count = (length - group * 3).min(3);
        let mut three = [0; 3];
        three[..count].copy_from_slice(&out[from..from + count]);
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        let digit = |at: u32| DIGITS[(bits >> (18 - 6 * at)) as usize & 63];
        let mut four = [digit(0), digit(1), digit(2), digit(3)];
        four[count + 1..].fill(b'=');
        out[start + group * 4..start + group * 4 + 4].copy_from_slice(&four);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(escape: Escape, value: &[u8]) -> Vec<u8> {
        let mut out = b"kept,(*) ".to_vec();
        let start = out.len();
        out.extend_from_slice(value);
        escape.apply(&mut out, start);
        assert!(out.starts_with(b"kept,(*) "));
        out.split_off(start)
    }

    #[test]
    fn dn_values_follow_rfc_4514() {
        for (value, expected) in [
            ("James \"Jim\" Smith, III", r#"James \"Jim\" Smith\, III"#),
            ("#hash # inside", r"\#hash # inside"),
            (" both ends ", r"\ both ends\ "),
            (" ", r"\ "),
            (r"a+b;c<d>e\f=g", r"a\+b\;c\<d\>e\\f=g"),
            ("Lučić", "Lučić"),
            ("a\0b", r"a\00b"),
            ("", ""),
        ] {
            assert_eq!(escaped(Escape::Dn, value.as_bytes()), expected.as_bytes());
        }
    }

    #[test]
    fn filter_values_follow_rfc_4515() {
        for (value, expected) in [
            (
                "Parens R Us (for all your parenthetical needs)",
                r"Parens R Us \28for all your parenthetical needs\29",
            ),
            ("*", r"\2a"),
            (r"C:\MyFile", r"C:\5cMyFile"),
            ("\0\0\0\u{4}", "\\00\\00\\00\u{4}"),
            ("Lučić, #1", "Lučić, #1"),
        ] {
            assert_eq!(escaped(Escape::Filter, value.as_bytes()), expected.as_bytes());
        }
    }

    #[test]
    fn binary_values_become_hex_pairs() {
        assert_eq!(escaped(Escape::Filter, b"a\xff"), br"a\ff");
        assert_eq!(escaped(Escape::Dn, b"\xc4\x8d\xff"), br"\c4\8d\ff");
        assert_eq!(escaped(Escape::None, b"(\xff*"), b"(\xff*");
    }

    #[test]
    fn urls_and_forms_follow_rfc_3986_and_the_url_standard() {
        // `jq -rn --arg v ... '$v|@uri'` writes the same.
        assert_eq!(escaped(Escape::Url, "a b/ü?*~".as_bytes()), b"a%20b%2F%C3%BC%3F%2A~");
        assert_eq!(escaped(Escape::Form, b"a b&c=d+e"), b"a+b%26c%3Dd%2Be");
        assert_eq!(escaped(Escape::Form, b" "), b"+");
        assert_eq!(escaped(Escape::Url, b"\xff"), b"%FF");
    }

    #[test]
    fn json_strings_follow_rfc_8259() {
        assert_eq!(
            escaped(Escape::Json, "say \"\\\" \n\r\t\u{1}\u{1f} ü/".as_bytes()),
            r#"say \"\\\" \n\r\t\u0001\u001f ü/"#.as_bytes()
        );
    }

    #[test]
    fn base64_follows_rfc_4648() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
            ("Aladdin:open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ];
        for (value, expected) in cases {
            assert_eq!(escaped(Escape::Base64, value.as_bytes()), expected.as_bytes());
        }
        assert_eq!(escaped(Escape::Base64, b"\xff\xef\xbf"), b"/++/");
    }
}
