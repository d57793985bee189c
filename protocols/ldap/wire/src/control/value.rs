//! The values of controls: read from answers, and written by a server.
//!
//! Each function takes the value of one control and does not depend on the message around it, so the offsets of its
//! errors count from the beginning of that value.

use std::fmt;

use crate::ber::{DecodeError, Reader, Writer, tag};
use crate::response::Entry;

/// The information from the password policy (draft-behera-ldap-password-policy section 6.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PasswordPolicy {
    /// A warning; the request was performed nevertheless.
    pub warning: Option<PolicyWarning>,
    /// An error.
    pub error: Option<PolicyError>,
}

/// A warning of the password policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyWarning {
    /// The password expires in this many seconds.
    ExpiresIn(i32),
    /// The password has expired, and this many more binds are allowed.
    GraceBindsLeft(i32),
}

/// An error of the password policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// The password has expired.
    PasswordExpired,
    /// The account is locked.
    AccountLocked,
    /// The password must be changed first.
    ChangeAfterReset,
    /// The user may not change the password.
    ModificationNotAllowed,
    /// The old password is needed.
    MustSupplyOldPassword,
    /// The new password is too weak.
    InsufficientQuality,
    /// The new password is too short.
    TooShort,
    /// The password was changed too recently.
    TooYoung,
    /// The new password was used before.
    InHistory,
    /// The new password is too long.
    TooLong,
}

impl PolicyError {
    const ALL: [Self; 10] = [
        Self::PasswordExpired,
        Self::AccountLocked,
        Self::ChangeAfterReset,
        Self::ModificationNotAllowed,
        Self::MustSupplyOldPassword,
        Self::InsufficientQuality,
        Self::TooShort,
        Self::TooYoung,
        Self::InHistory,
        Self::TooLong,
    ];
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PasswordExpired => "the password has expired",
            Self::AccountLocked => "the account is locked",
            Self::ChangeAfterReset => "the password must be changed first",
            Self::ModificationNotAllowed => "the password may not be changed",
            Self::MustSupplyOldPassword => "the old password is needed",
            Self::InsufficientQuality => "the new password is too weak",
            Self::TooShort => "the new password is too short",
            Self::TooYoung => "the password was changed a moment ago",
            Self::InHistory => "the new password was used before",
            Self::TooLong => "the new password is too long",
        })
    }
}

impl PasswordPolicy {
    /// Decodes the value of a response control.
    pub fn decode(value: &[u8]) -> Result<Self, DecodeError> {
        let mut outer = Reader::new(value);
        let mut reader = outer.nested(tag::SEQUENCE)?;
        outer.end()?;
        let warning = match reader.optional(tag::context_constructed(0))? {
            Some(element) => Some(PolicyWarning::decode(reader.inside(&element)?)?),
            None => None,
        };
        let error = match reader.optional(tag::context(1))? {
            Some(element) => {
                let number = usize::try_from(element.integer()?).unwrap_or_default();
                let expected = "an error of the password policy";
                let unknown = DecodeError::Value { offset: element.content_offset, expected };
                Some(PolicyError::ALL.get(number).copied().ok_or(unknown)?)
            }
            None => None,
        };
        reader.end()?;
        Ok(Self { warning, error })
    }

    /// The value of a response control.
    pub fn encode(&self) -> Vec<u8> {
        let mut value = Vec::new();
        Writer::new(&mut value).constructed(tag::SEQUENCE, |w| {
            if let Some(warning) = self.warning {
                w.constructed(tag::context_constructed(0), |w| match warning {
                    PolicyWarning::ExpiresIn(seconds) => w.integer(tag::context(0), seconds),
                    PolicyWarning::GraceBindsLeft(count) => w.integer(tag::context(1), count),
                });
            }
            if let Some(error) = self.error {
                w.integer(tag::context(1), error as i32);
            }
        });
        value
    }
}

impl PolicyWarning {
    fn decode(mut reader: Reader<'_>) -> Result<Self, DecodeError> {
        let element = reader.element()?;
        reader.end()?;
        match element.tag {
            0x80 => Ok(Self::ExpiresIn(element.integer()?)),
            0x81 => Ok(Self::GraceBindsLeft(element.integer()?)),
            found => Err(DecodeError::Choice { offset: element.offset, found }),
        }
    }
}

/// A page: the number of entries, and the cookie with which to continue (RFC 2696 section 2). In a request the number
/// is the size of the page, in an answer the server's estimate of the total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<'a> {
    /// The number of entries.
    pub size: i32,
    /// The cookie with which to continue; empty at the beginning and at the end.
    pub cookie: &'a [u8],
}

impl<'a> Page<'a> {
    /// Decodes the value of a control.
    pub fn decode(value: &'a [u8]) -> Result<Self, DecodeError> {
        let mut outer = Reader::new(value);
        let mut reader = outer.nested(tag::SEQUENCE)?;
        outer.end()?;
        let size = reader.integer()?;
        let cookie = reader.octets()?;
        reader.end()?;
        Ok(Self { size, cookie })
    }

    /// The value of a control.
    pub fn encode(&self) -> Vec<u8> {
        let mut value = Vec::new();
        Writer::new(&mut value).constructed(tag::SEQUENCE, |w| {
            w.integer(tag::INTEGER, self.size);
            w.octets(self.cookie);
        });
        value
    }
}

/// The entry in the value of a pre-read or post-read response (RFC 4527 section 3). A plain SEQUENCE is accepted as
/// well.
pub fn read_entry(value: &[u8]) -> Result<Entry<'_>, DecodeError> {
    let mut outer = Reader::new(value);
    let element = match outer.peek() {
        Some(tag::SEQUENCE) => outer.expect(tag::SEQUENCE)?,
        _ => outer.expect(crate::op::SEARCH_ENTRY)?,
    };
    outer.end()?;
    Entry::decode(outer.inside(&element)?)
}

/// The attributes that a pre-read or post-read request asks for (RFC 4527 section 3).
pub fn read_attributes(value: &[u8]) -> Result<Vec<&[u8]>, DecodeError> {
    let mut outer = Reader::new(value);
    let mut reader = outer.nested(tag::SEQUENCE)?;
    outer.end()?;
    let mut attributes = Vec::new();
    while !reader.is_empty() {
        attributes.push(reader.octets()?);
    }
    Ok(attributes)
}

/// The result code of a sort response (RFC 2891 section 1.2).
pub fn sort_result(value: &[u8]) -> Result<u32, DecodeError> {
    let mut outer = Reader::new(value);
    let mut reader = outer.nested(tag::SEQUENCE)?;
    outer.end()?;
    let code = reader.enumerated()?;
    Ok(code.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_policy_is_decoded_in_every_form() {
        // Written by hand from the ASN.1 of the draft, section 6.2.
        for (bytes, warning, error) in [
            (&[0x30, 0x03, 0x81, 0x01, 0x01][..], None, Some(PolicyError::AccountLocked)),
            (
                &[0x30, 0x05, 0xa0, 0x03, 0x81, 0x01, 0x02],
                Some(PolicyWarning::GraceBindsLeft(2)),
                None,
            ),
            (
                &[0x30, 0x06, 0xa0, 0x04, 0x80, 0x02, 0x0e, 0x10],
                Some(PolicyWarning::ExpiresIn(3600)),
                None,
            ),
            (&[0x30, 0x00], None, None),
        ] {
            let policy = PasswordPolicy { warning, error };
            assert_eq!(PasswordPolicy::decode(bytes), Ok(policy));
            assert_eq!(policy.encode(), bytes);
        }
        let unknown = PasswordPolicy::decode(&[0x30, 0x03, 0x81, 0x01, 0x0a]).unwrap_err();
        assert!(matches!(unknown, DecodeError::Value { offset: 4, .. }), "{unknown}");
    }

    #[test]
    fn page_and_sort_values_are_decoded() {
        let page = Page { size: 300, cookie: b"c" };
        let bytes = page.encode();
        assert_eq!(bytes, [0x30, 0x07, 0x02, 0x02, 0x01, 0x2c, 0x04, 0x01, b'c']);
        assert_eq!(Page::decode(&bytes), Ok(page));
        assert_eq!(sort_result(&[0x30, 0x03, 0x0a, 0x01, 0x10]), Ok(16));
    }

    #[test]
    fn read_entry_is_decoded_under_either_tag() {
        let body = [0x08, 0x04, 0x04, b'o', b'=', b'x', b'y', 0x30, 0x00];
        for first in [0x64, 0x30] {
            let mut bytes = vec![first, 0x08];
            bytes.extend(&body[1..]);
            assert_eq!(read_entry(&bytes).unwrap().dn(), b"o=xy", "{first:#x}");
        }
        assert_eq!(read_attributes(&[0x30, 0x04, 0x04, 0x02, b'c', b'n']), Ok(vec![&b"cn"[..]]));
    }
}
