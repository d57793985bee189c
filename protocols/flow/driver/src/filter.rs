//! [`Filter`]: what is made of a value before it is used: a digest, another encoding.

use super::work::Work;
use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, URL_SAFE_NO_PAD};
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use brunt_feed::Escape;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::Digest as _;
use std::io::Write as _;

/// The most bytes of a value that is filtered, before and after.
pub const FILTERED_MAX: usize = 64 << 10;

/// Something that is made of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The digest MD5, RFC 1321.
    Md5,
    /// The digest SHA-1, RFC 3174.
    Sha1,
    /// The digest SHA-256, RFC 6234.
    Sha256,
    /// The digest SHA-384.
    Sha384,
    /// The digest SHA-512.
    Sha512,
    /// Compressed without a header, RFC 1951.
    Deflate,
    /// In hexadecimal, in lower case.
    Hex,
    /// In base64 for URLs, without padding, RFC 4648 section 5.
    Base64Url,
    /// Decoded from base64 of either alphabet, with or without padding.
    Base64Decode,
    /// Decoded from a URL; `+` is a space.
    UrlDecode,
    /// With its character references of HTML decoded.
    HtmlDecode,
    /// In lower case.
    Lower,
    /// In upper case.
    Upper,
    /// Without white space at both ends.
    Trim,
    /// Escaped for a position.
    Escape(Escape),
}

/// The filters by name, without escapes.
pub const FILTERS: [(&str, Filter); 14] = [
    ("md5", Filter::Md5),
    ("sha1", Filter::Sha1),
    ("sha256", Filter::Sha256),
    ("sha384", Filter::Sha384),
    ("sha512", Filter::Sha512),
    ("deflate", Filter::Deflate),
    ("hex", Filter::Hex),
    ("base64url", Filter::Base64Url),
    ("base64-decode", Filter::Base64Decode),
    ("url-decode", Filter::UrlDecode),
    ("html-decode", Filter::HtmlDecode),
    ("lower", Filter::Lower),
    ("upper", Filter::Upper),
    ("trim", Filter::Trim),
];

/// A value that cannot be filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// It is too long.
    #[error("it has more than {FILTERED_MAX} bytes, which is the most a filter takes or makes")]
    Long,
    /// It is not base64.
    #[error("it is not base64")]
    Base64,
}

impl Filter {
    /// Whether it makes bytes that are no text, so that an encoding must follow.
    pub const fn makes_bytes(self) -> bool {
        use Filter::{Deflate, Md5, Sha1, Sha256, Sha384, Sha512};
        matches!(self, Md5 | Sha1 | Sha256 | Sha384 | Sha512 | Deflate)
    }

    /// Whether it makes text of any bytes.
    pub const fn encodes(self) -> bool {
        matches!(self, Self::Hex | Self::Base64Url | Self::Escape(Escape::Base64 | Escape::Url))
    }

    /// What it makes of a value.
    fn apply(self, value: Vec<u8>) -> Result<Vec<u8>, FilterError> {
        Ok(match self {
            Self::Md5 => md5::Md5::digest(&value).to_vec(),
            Self::Sha1 => sha1::Sha1::digest(&value).to_vec(),
            Self::Sha256 => sha2::Sha256::digest(&value).to_vec(),
            Self::Sha384 => sha2::Sha384::digest(&value).to_vec(),
            Self::Sha512 => sha2::Sha512::digest(&value).to_vec(),
            Self::Deflate => deflated(&value),
            Self::Hex => hex(&value),
            Self::Base64Url => URL_SAFE_NO_PAD.encode(&value).into_bytes(),
            Self::Base64Decode => decoded(&value)?,
            Self::UrlDecode => url_decoded(&value),
            Self::HtmlDecode => {
                let decoded = brunt_flow_page::decode_entities(&value, &Work::default());
                decoded.map_err(|_| FilterError::Long)?.into_bytes()
            }
            Self::Lower => String::from_utf8_lossy(&value).to_lowercase().into_bytes(),
            Self::Upper => String::from_utf8_lossy(&value).to_uppercase().into_bytes(),
            Self::Trim => value.trim_ascii().to_vec(),
            Self::Escape(escape) => {
                let mut value = value;
                escape.apply(&mut value, 0);
                value
            }
        })
    }
}

/// What several filters make of a value, one after the other.
pub fn filtered(filters: &[Filter], value: Vec<u8>) -> Result<Vec<u8>, FilterError> {
    let short = |value: Vec<u8>| {
        if value.len() > FILTERED_MAX { Err(FilterError::Long) } else { Ok(value) }
    };
    filters.iter().try_fold(short(value)?, |value, filter| short(filter.apply(value)?))
}

fn deflated(value: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // A vector takes everything.
    let _ = encoder.write_all(value);
    encoder.finish().unwrap_or_default()
}

fn hex(value: &[u8]) -> Vec<u8> {
    let digit = |digit: u8| b"0123456789abcdef"[usize::from(digit)];
    value.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn decoded(value: &[u8]) -> Result<Vec<u8>, FilterError> {
    const EITHER: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let usual = |byte: &u8| match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => *byte,
    };
    let text: Vec<u8> = value.trim_ascii().iter().map(usual).collect();
    let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, EITHER);
    engine.decode(text).map_err(|_| FilterError::Base64)
}

fn url_decoded(value: &[u8]) -> Vec<u8> {
    let spaced: Vec<u8> =
        value.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent_encoding::percent_decode(&spaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(value: &str, filters: &[Filter]) -> String {
        String::from_utf8(filtered(filters, value.as_bytes().to_vec()).unwrap()).unwrap()
    }

    #[test]
    fn pkce_challenge_equals_rfc_7636() {
        // Appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert_eq!(made(verifier, &[Filter::Sha256, Filter::Base64Url]), challenge);
    }

    #[test]
    fn filters_equal_their_standards() {
        for (filter, expected) in [
            (Filter::Md5, "900150983cd24fb0d6963f7d28e17f72"),
            (Filter::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (Filter::Sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ] {
            assert_eq!(made("abc", &[filter, Filter::Hex]), expected);
        }
        let start = |filter| made("abc", &[filter, Filter::Hex])[..16].to_owned();
        assert_eq!(start(Filter::Sha384), "cb00753f45a35e8b");
        assert_eq!(start(Filter::Sha512), "ddaf35a193617aba");
        assert_eq!(made(" a+b%2Fc%zz ", &[Filter::UrlDecode, Filter::Trim]), "a b/c%zz");
        assert_eq!(made("a&amp;&#x41;<b>", &[Filter::HtmlDecode, Filter::Upper]), "A&A<B>");
        assert_eq!(made("ÄB", &[Filter::Lower]), "äb");
        for coded in ["-_-_", "+/+/", "-_-_\n"] {
            assert_eq!(made(coded, &[Filter::Base64Decode, Filter::Hex]), "fbffbf");
        }
        assert_eq!(made("YQ", &[Filter::Base64Decode]), made("YQ==", &[Filter::Base64Decode]));
        let error = filtered(&[Filter::Base64Decode], b"a!".to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "it is not base64");
        let long = vec![b'a'; FILTERED_MAX];
        assert_eq!(filtered(&[Filter::Hex], long), Err(FilterError::Long));
    }

    #[test]
    fn deflate_round_trips() {
        use std::io::Read as _;
        let packed = filtered(&[Filter::Deflate], b"<samlp:AuthnRequest/>".to_vec()).unwrap();
        let mut plain = String::new();
        flate2::read::DeflateDecoder::new(&packed[..]).read_to_string(&mut plain).unwrap();
        assert_eq!(plain, "<samlp:AuthnRequest/>");
    }
}
