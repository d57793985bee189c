//! Writing answers: the part of the protocol that a server needs.
//!
//! They are written directly rather than compiled, since every answer is different. A message is appended to the
//! contents of the buffer, so that a server can send many at once.

use super::control::{self, RawControl};
use super::op;
use super::request::write_entry;
use super::response::NOTICE_OF_DISCONNECTION;
use crate::ber::{Writer, tag};

/// The result of an operation (RFC 4511 section 4.1.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The result code.
    pub code: u32,
    /// The nearest ancestor that exists.
    pub matched_dn: &'a [u8],
    /// The diagnostic message.
    pub diagnostic: &'a [u8],
    /// The URIs of other servers.
    pub referrals: &'a [&'a [u8]],
}

impl<'a> Answer<'a> {
    /// An answer with only a code.
    pub const fn code(code: u32) -> Self {
        Self { code, matched_dn: &[], diagnostic: &[], referrals: &[] }
    }

    /// An answer with a code and a reason.
    pub const fn because(code: u32, diagnostic: &'a str) -> Self {
        Self { code, matched_dn: &[], diagnostic: diagnostic.as_bytes(), referrals: &[] }
    }

    fn write(&self, w: &mut Writer<'_>) {
        w.integer(tag::ENUMERATED, self.code.cast_signed());
        w.octets(self.matched_dn);
        w.octets(self.diagnostic);
        if !self.referrals.is_empty() {
            w.constructed(tag::context_constructed(3), |w| {
                for referral in self.referrals {
                    w.octets(referral);
                }
            });
        }
    }
}

/// Appends the answer to a search, modify, add, delete, modify DN or compare: `op` is the tag of the
/// response, such as [`op::SEARCH_DONE`].
pub fn result(
    out: &mut Vec<u8>,
    message_id: i32,
    op: u8,
    answer: &Answer<'_>,
    controls: &[RawControl<'_>],
) {
    message(out, message_id, op, controls, |w| answer.write(w));
}

/// Appends a `BindResponse` (RFC 4511 section 4.2.2).
pub fn bind(
    out: &mut Vec<u8>,
    message_id: i32,
    answer: &Answer<'_>,
    server_credentials: Option<&[u8]>,
    controls: &[RawControl<'_>],
) {
    message(out, message_id, op::BIND_RESPONSE, controls, |w| {
        answer.write(w);
        if let Some(credentials) = server_credentials {
            w.primitive(tag::context(7), credentials);
        }
    });
}

/// Appends an `ExtendedResponse` (RFC 4511 section 4.12).
pub fn extended(
    out: &mut Vec<u8>,
    message_id: i32,
    answer: &Answer<'_>,
    name: Option<&str>,
    value: Option<&[u8]>,
    controls: &[RawControl<'_>],
) {
    message(out, message_id, op::EXTENDED_RESPONSE, controls, |w| {
        answer.write(w);
        if let Some(name) = name {
            w.primitive(tag::context(10), name.as_bytes());
        }
        if let Some(value) = value {
            w.primitive(tag::context(11), value);
        }
    });
}

/// Appends a notice of disconnection (RFC 4511 section 4.4.1).
pub fn notice_of_disconnection(out: &mut Vec<u8>, answer: &Answer<'_>) {
    extended(out, 0, answer, Some(NOTICE_OF_DISCONNECTION), None, &[]);
}

/// Appends a `SearchResultEntry` (RFC 4511 section 4.5.2).
pub fn entry<N, V, A>(
    out: &mut Vec<u8>,
    message_id: i32,
    dn: &[u8],
    attributes: impl IntoIterator<Item = (N, V)>,
    controls: &[RawControl<'_>],
) where
    N: AsRef<[u8]>,
    V: IntoIterator<Item = A>,
    A: AsRef<[u8]>,
{
    message(out, message_id, op::SEARCH_ENTRY, controls, |w| write_entry(w, dn, attributes));
}

/// The value of a pre-read or post-read response control (RFC 4527 section 3).
pub fn read_entry_value<N, V, A>(dn: &[u8], attributes: impl IntoIterator<Item = (N, V)>) -> Vec<u8>
where
    N: AsRef<[u8]>,
    V: IntoIterator<Item = A>,
    A: AsRef<[u8]>,
{
    let mut value = Vec::new();
    Writer::new(&mut value).constructed(op::SEARCH_ENTRY, |w| write_entry(w, dn, attributes));
    value
}

/// Appends a `SearchResultReference` (RFC 4511 section 4.5.3).
pub fn reference(
    out: &mut Vec<u8>,
    message_id: i32,
    addresses: &[&[u8]],
    controls: &[RawControl<'_>],
) {
    message(out, message_id, op::SEARCH_REFERENCE, controls, |w| {
        for address in addresses {
            w.octets(address);
        }
    });
}

/// Appends an `IntermediateResponse` (RFC 4511 section 4.13).
pub fn intermediate(
    out: &mut Vec<u8>,
    message_id: i32,
    name: Option<&str>,
    value: Option<&[u8]>,
    controls: &[RawControl<'_>],
) {
    message(out, message_id, op::INTERMEDIATE_RESPONSE, controls, |w| {
        if let Some(name) = name {
            w.primitive(tag::context(0), name.as_bytes());
        }
        if let Some(value) = value {
            w.primitive(tag::context(1), value);
        }
    });
}

fn message(
    out: &mut Vec<u8>,
    message_id: i32,
    op: u8,
    controls: &[RawControl<'_>],
    content: impl FnOnce(&mut Writer<'_>),
) {
    Writer::new(out).constructed(tag::SEQUENCE, |w| {
        w.integer(tag::INTEGER, message_id);
        w.constructed(op, content);
        control::write(controls, w);
    });
}
