//! Escaping a value for the place in a DN or a filter where a template puts it.
//!
//! What the old tools left out: a name such as `Smith, John (Jr)` in a data file made them send a
//! DN or a filter of another shape. The bytes are escaped where they lie in the output, from the
//! back, so that nothing is allocated.

/// How a substituted value is escaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escape {
    /// Not at all: the value is the whole of what is sent, or the user asked for it raw.
    #[default]
    None,
    /// As an attribute value in a DN, RFC 4514 section 2.4.
    Dn,
    /// As an assertion value in a filter, RFC 4515 section 3.
    Filter,
}

impl Escape {
    /// Escapes everything in `out` from `start` on.
    pub fn apply(self, out: &mut Vec<u8>, start: usize) {
        if self == Self::None {
            return;
        }
        let value = &out[start..];
        // Numbers and most words need no second look.
        if value.iter().all(u8::is_ascii_alphanumeric) {
            return;
        }
        let text = std::str::from_utf8(value).is_ok();
        let forms = |index: usize, byte: u8, length: usize| {
            self.form(byte, index == 0, index + 1 == length, text)
        };
        let length = value.len();
        let extra: usize =
            value.iter().enumerate().map(|(index, &byte)| forms(index, byte, length).extra()).sum();
        if extra == 0 {
            return;
        }
        let mut from = out.len();
        out.resize(from + extra, 0);
        let mut to = out.len();
        while from > start {
            from -= 1;
            let byte = out[from];
            match forms(from - start, byte, length) {
                Form::Plain => {
                    to -= 1;
                    out[to] = byte;
                }
                Form::Slashed => {
                    to -= 2;
                    out[to..to + 2].copy_from_slice(&[b'\\', byte]);
                }
                Form::Hex => {
                    to -= 3;
                    out[to..to + 3].copy_from_slice(&[b'\\', hex(byte >> 4), hex(byte & 15)]);
                }
            }
        }
    }

    const fn form(self, byte: u8, first: bool, last: bool, text: bool) -> Form {
        match (self, byte) {
            (Self::None, _) => Form::Plain,
            // What is not UTF-8 cannot stand as it is in a string that both RFCs define as UTF-8.
            (_, 0x80..) if !text => Form::Hex,
            (_, 0) | (Self::Filter, b'(' | b')' | b'*' | b'\\') => Form::Hex,
            (Self::Dn, b'"' | b'+' | b',' | b';' | b'<' | b'>' | b'\\') => Form::Slashed,
            (Self::Dn, b' ') if first || last => Form::Slashed,
            (Self::Dn, b'#') if first => Form::Slashed,
            _ => Form::Plain,
        }
    }
}

#[derive(Clone, Copy)]
enum Form {
    Plain,
    Slashed,
    Hex,
}

impl Form {
    const fn extra(self) -> usize {
        match self {
            Self::Plain => 0,
            Self::Slashed => 1,
            Self::Hex => 2,
        }
    }
}

const fn hex(digit: u8) -> u8 {
    if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }
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
    fn bytes_that_are_no_text_become_hex_pairs() {
        assert_eq!(escaped(Escape::Filter, b"a\xff"), br"a\ff");
        assert_eq!(escaped(Escape::Dn, b"\xc4\x8d\xff"), br"\c4\8d\ff");
        assert_eq!(escaped(Escape::None, b"(\xff*"), b"(\xff*");
    }
}
