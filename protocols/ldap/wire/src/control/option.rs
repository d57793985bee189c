//! The text of a control on a command line: `oid[:critical[:value|::base64|:<file]]`.
//!
//! This module only parses the text. The caller determines whether a value is a template, and reads
//! files.

use std::error::Error;
use std::fmt;

use super::{
    ASSERTION, AUTHORIZATION_IDENTITY, MANAGE_DSA_IT, NO_OPERATION, PASSWORD_POLICY,
    PERMISSIVE_MODIFY, PROXIED_AUTHORIZATION, SUBENTRIES, TREE_DELETE,
};

/// A control as given on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlOption {
    /// Its OID.
    pub oid: String,
    /// Whether a server that does not know it must refuse the request.
    pub critical: bool,
    /// Where its value comes from.
    pub source: Source,
}

/// Where the value of a control comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The control has no value.
    Absent,
    /// The value is this text.
    Text(String),
    /// The value was given in base64 and is these bytes.
    Bytes(Vec<u8>),
    /// The value is the contents of this file.
    File(String),
}

/// Why a text is not a control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// It is neither an OID nor one of the known names.
    Oid(String),
    /// It is neither `true` nor `false`.
    Criticality(String),
    /// It is not base64.
    Base64(String),
    /// No file name after `<`.
    NoFile,
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Oid(oid) => {
                write!(f, "'{oid}' is neither an OID such as 1.3.6.1.1.12 nor one of ")?;
                for (n, (name, _)) in NAMES.iter().enumerate() {
                    write!(f, "{}{name}", if n == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::Criticality(word) => {
                write!(f, "the criticality '{word}' is neither true nor false")
            }
            Self::Base64(text) => write!(f, "'{text}' after :: is not base 64"),
            Self::NoFile => f.write_str("no file name follows :<"),
        }
    }
}

impl Error for ControlError {}

/// Names for OIDs, as in the LDAP tools of OpenDJ, in lower case.
const NAMES: [(&str, &str); 9] = [
    ("assertion", ASSERTION),
    ("authzid", AUTHORIZATION_IDENTITY),
    ("managedsait", MANAGE_DSA_IT),
    ("noop", NO_OPERATION),
    ("permissivemodify", PERMISSIVE_MODIFY),
    ("proxiedauthv2", PROXIED_AUTHORIZATION),
    ("pwpolicy", PASSWORD_POLICY),
    ("subentries", SUBENTRIES),
    ("subtreedelete", TREE_DELETE),
];

impl ControlOption {
    /// Parses the text.
    pub fn parse(text: &str) -> Result<Self, ControlError> {
        let mut fields = text.splitn(3, ':');
        let oid = identifier(fields.next().unwrap_or_default().trim())?;
        let critical = match fields.next().map(str::trim) {
            None | Some("") => false,
            Some(word) if word.eq_ignore_ascii_case("true") => true,
            Some(word) if word.eq_ignore_ascii_case("false") => false,
            Some(word) => return Err(ControlError::Criticality(word.to_owned())),
        };
        let source = match fields.next() {
            None => Source::Absent,
            Some(value) => match (value.strip_prefix(':'), value.strip_prefix('<')) {
                (Some(text), _) => Source::Bytes(
                    base64(text.trim()).ok_or_else(|| ControlError::Base64(text.to_owned()))?,
                ),
                (_, Some(file)) if file.trim().is_empty() => return Err(ControlError::NoFile),
                (_, Some(file)) => Source::File(file.trim().to_owned()),
                _ => Source::Text(value.to_owned()),
            },
        };
        Ok(Self { oid, critical, source })
    }
}

fn identifier(text: &str) -> Result<String, ControlError> {
    let known = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    if let Some((_, oid)) = known {
        return Ok((*oid).to_owned());
    }
    let number = |arc: &str| !arc.is_empty() && arc.bytes().all(|byte| byte.is_ascii_digit());
    if text.contains('.') && text.split('.').all(number) {
        return Ok(text.to_owned());
    }
    Err(ControlError::Oid(text.to_owned()))
}

/// RFC 4648 section 4, padding included.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (body, padding) = match text.as_bytes() {
        [body @ .., b'=', b'='] => (body, 2),
        [body @ .., b'='] => (body, 1),
        body => (body, 0),
    };
    if (body.len() + padding) % 4 != 0 {
        return None;
    }
    for group in body.chunks(4) {
        let mut bits = 0_u32;
        for byte in group {
            bits = bits << 6 | sextet(*byte)?;
        }
        let missing = 4 - group.len();
        bits <<= 6 * missing as u32;
        let [_, whole @ ..] = bits.to_be_bytes();
        bytes.extend(whole.iter().take(3 - missing));
    }
    Some(bytes)
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, bool, Source) {
        let option = ControlOption::parse(text).unwrap();
        (option.oid, option.critical, option.source)
    }

    #[test]
    fn control_option_is_parsed_in_every_form() {
        let oid = "1.3.6.1.1.12".to_owned();
        assert_eq!(parsed("1.3.6.1.1.12"), (oid.clone(), false, Source::Absent));
        assert_eq!(parsed("assertion:TRUE"), (oid.clone(), true, Source::Absent));
        assert_eq!(parsed("assertion:true:"), (oid.clone(), true, Source::Text(String::new())));
        assert_eq!(
            parsed("1.3.6.1.1.12:false:dn:uid=a,dc=b"),
            (oid.clone(), false, Source::Text("dn:uid=a,dc=b".to_owned()))
        );
        assert_eq!(
            parsed("1.3.6.1.1.12:true::aGk="),
            (oid.clone(), true, Source::Bytes(b"hi".to_vec()))
        );
        assert_eq!(parsed("1.3.6.1.1.12:true:< /x "), (oid, true, Source::File("/x".to_owned())));
    }

    #[test]
    fn control_option_errors_are_named() {
        for (text, words) in [
            ("", "''"),
            ("1.2..3", "'1.2..3'"),
            ("12", "'12'"),
            ("manage", "managedsait"),
            ("1.2:maybe", "'maybe'"),
            ("1.2:true::a", "'a'"),
            ("1.2:true::a===", "'a==='"),
            ("1.2:true:<", "file name"),
        ] {
            let error = ControlOption::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn base64_decodes_the_rfc_vectors() {
        // RFC 4648 section 10.
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(base64(text).as_deref(), Some(bytes.as_bytes()));
        }
    }
}
