//! What a client reads of an answer: only what it needs.
//!
//! [`frame`] determines where a message ends, [`Scan`] its message id, its type and its result. All else is read on
//! demand, in place. Every answer may come from a hostile server, so each step can fail and none can panic.

use super::control::Controls;
use super::op;
use crate::ber::{DecodeError, Reader, element_length, tag};

/// The maximum length of an accepted message, unless a caller sets another limit.
pub const MESSAGE_MAX: usize = 16 << 20;

/// The OID of a notice of disconnection (RFC 4511 section 4.4.1).
pub const NOTICE_OF_DISCONNECTION: &str = "1.3.6.1.4.1.1466.20036";

/// The length of the message that begins with the first byte; `None` if too little of it is available to determine it.
/// At most [`MESSAGE_MAX`].
#[inline]
pub fn frame(bytes: &[u8]) -> Result<Option<usize>, DecodeError> {
    frame_limited(bytes, MESSAGE_MAX)
}

/// The same with another limit.
///
/// The length may exceed the available bytes: a caller waits for the rest. Bytes that cannot begin a message are
/// refused at the first byte, and a length above the limit as soon as it is known.
#[inline]
pub fn frame_limited(bytes: &[u8], limit: usize) -> Result<Option<usize>, DecodeError> {
    match bytes.first() {
        None => Ok(None),
        Some(&tag::SEQUENCE) => element_length(bytes, limit),
        Some(&found) => Err(DecodeError::Tag { offset: 0, expected: tag::SEQUENCE, found }),
    }
}

/// The head of an answer: its message id, its type and its result.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// The message id; 0 is an unsolicited notification.
    pub message_id: i32,
    /// The tag of the operation, one of [`op`].
    pub op: u8,
    /// The result code, if the operation has one.
    pub code: Option<u32>,
    /// The contents of the operation.
    content: Reader<'a>,
    /// The bytes after the operation: its controls.
    rest: Reader<'a>,
}

/// Scans a whole message.
#[inline]
pub fn scan(message: &[u8]) -> Result<Scan<'_>, DecodeError> {
    let mut outer = Reader::new(message);
    let mut reader = outer.nested(tag::SEQUENCE)?;
    outer.end()?;
    let message_id = reader.integer()?;
    let operation = reader.element()?;
    let content = reader.inside(&operation)?;
    let code =
        if has_result(operation.tag) { Some(result_code(&mut content.clone())?) } else { None };
    Ok(Scan { message_id, op: operation.tag, code, content, rest: reader })
}

/// Whether the operation is an `LDAPResult` (RFC 4511 section 4.1.9).
const fn has_result(op: u8) -> bool {
    matches!(
        op,
        op::BIND_RESPONSE
            | op::SEARCH_DONE
            | op::MODIFY_RESPONSE
            | op::ADD_RESPONSE
            | op::DELETE_RESPONSE
            | op::MODIFY_DN_RESPONSE
            | op::COMPARE_RESPONSE
            | op::EXTENDED_RESPONSE
    )
}

#[inline]
fn result_code(reader: &mut Reader<'_>) -> Result<u32, DecodeError> {
    // Integers are never negative here, so the conversion loses nothing.
    Ok(reader.enumerated()?.unsigned_abs())
}

impl<'a> Scan<'a> {
    /// The complete result of an operation that has one.
    pub fn result(&self) -> Result<LdapResult<'a>, DecodeError> {
        if !has_result(self.op) {
            return Err(DecodeError::Choice { offset: 0, found: self.op });
        }
        LdapResult::decode(self.op, self.content)
    }

    /// The entry of a `SearchResultEntry`.
    pub fn entry(&self) -> Result<Entry<'a>, DecodeError> {
        self.demand(op::SEARCH_ENTRY)?;
        Entry::decode(self.content)
    }

    /// The URIs of a `SearchResultReference`.
    pub fn reference(&self) -> Result<Strings<'a>, DecodeError> {
        self.demand(op::SEARCH_REFERENCE)?;
        Ok(Strings { reader: self.content })
    }

    /// Name and value of an `IntermediateResponse` (RFC 4511 section 4.13).
    pub fn intermediate(&self) -> Result<Intermediate<'a>, DecodeError> {
        self.demand(op::INTERMEDIATE_RESPONSE)?;
        let mut reader = self.content;
        let name = reader.optional(tag::context(0))?.map(|element| element.content);
        let value = reader.optional(tag::context(1))?.map(|element| element.content);
        reader.end()?;
        Ok(Intermediate { name, value })
    }

    /// The controls of the answer.
    pub fn controls(&self) -> Result<Controls<'a>, DecodeError> {
        Controls::after(&mut self.rest.clone())
    }

    /// Whether the server announces that it will close the connection (RFC 4511 section 4.4.1).
    pub fn is_notice_of_disconnection(&self) -> bool {
        self.message_id == 0
            && self.op == op::EXTENDED_RESPONSE
            && self
                .result()
                .is_ok_and(|result| result.name == Some(NOTICE_OF_DISCONNECTION.as_bytes()))
    }

    fn demand(&self, expected: u8) -> Result<(), DecodeError> {
        if self.op == expected {
            Ok(())
        } else {
            Err(DecodeError::Tag { offset: 0, expected, found: self.op })
        }
    }
}

/// The result of an operation (RFC 4511 section 4.1.9), with the additional fields of binds and extended operations.
#[derive(Clone, Debug)]
pub struct LdapResult<'a> {
    /// The result code.
    pub code: u32,
    /// The nearest ancestor that exists.
    pub matched_dn: &'a [u8],
    /// The diagnostic message.
    pub diagnostic: &'a [u8],
    /// The URIs of other servers.
    pub referrals: Strings<'a>,
    /// The server's credentials in a SASL bind.
    pub server_credentials: Option<&'a [u8]>,
    /// The name of an extended response.
    pub name: Option<&'a [u8]>,
    /// The value of an extended response.
    pub value: Option<&'a [u8]>,
}

impl<'a> LdapResult<'a> {
    fn decode(op: u8, mut reader: Reader<'a>) -> Result<Self, DecodeError> {
        let code = result_code(&mut reader)?;
        let matched_dn = reader.octets()?;
        let diagnostic = reader.octets()?;
        let referrals = match reader.optional(tag::context_constructed(3))? {
            Some(element) => Strings { reader: reader.inside(&element)? },
            None => Strings { reader: Reader::new(&[]) },
        };
        let mut result = Self {
            code,
            matched_dn,
            diagnostic,
            referrals,
            server_credentials: None,
            name: None,
            value: None,
        };
        match op {
            op::BIND_RESPONSE => {
                result.server_credentials =
                    reader.optional(tag::context(7))?.map(|element| element.content);
            }
            op::EXTENDED_RESPONSE => {
                result.name = reader.optional(tag::context(10))?.map(|element| element.content);
                result.value = reader.optional(tag::context(11))?.map(|element| element.content);
            }
            _ => {}
        }
        reader.end()?;
        Ok(result)
    }
}

/// An intermediate response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intermediate<'a> {
    /// Its name.
    pub name: Option<&'a [u8]>,
    /// Its value.
    pub value: Option<&'a [u8]>,
}

/// An entry of a search result; its attributes are decoded on demand.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    dn: &'a [u8],
    attributes: Reader<'a>,
}

impl<'a> Entry<'a> {
    /// Reads the contents of a `SearchResultEntry` (RFC 4511 section 4.5.2).
    pub fn decode(mut reader: Reader<'a>) -> Result<Self, DecodeError> {
        let dn = reader.octets()?;
        let attributes = reader.nested(tag::SEQUENCE)?;
        reader.end()?;
        Ok(Self { dn, attributes })
    }

    /// The DN.
    pub const fn dn(&self) -> &'a [u8] {
        self.dn
    }

    /// The attributes, in order.
    pub const fn attributes(&self) -> Attributes<'a> {
        Attributes { reader: self.attributes }
    }

    /// The values of the attribute with this name, ignoring case; `None` if the entry does not have it.
    pub fn attribute(&self, name: &[u8]) -> Result<Option<Strings<'a>>, DecodeError> {
        for attribute in self.attributes() {
            let attribute = attribute?;
            if attribute.name.eq_ignore_ascii_case(name) {
                return Ok(Some(attribute.values));
            }
        }
        Ok(None)
    }

    /// The first value of the attribute with this name.
    pub fn value(&self, name: &[u8]) -> Result<Option<&'a [u8]>, DecodeError> {
        match self.attribute(name)? {
            Some(mut values) => values.next().transpose(),
            None => Ok(None),
        }
    }
}

/// An attribute of an entry.
#[derive(Clone, Debug)]
pub struct Attribute<'a> {
    /// Its name, with options if it has some.
    pub name: &'a [u8],
    /// Its values.
    pub values: Strings<'a>,
}

/// The attributes of an entry. The iteration ends after the first malformed one.
#[derive(Clone, Debug)]
pub struct Attributes<'a> {
    reader: Reader<'a>,
}

impl<'a> Attributes<'a> {
    fn attribute(&mut self) -> Result<Attribute<'a>, DecodeError> {
        let mut reader = self.reader.nested(tag::SEQUENCE)?;
        let name = reader.octets()?;
        let values = Strings { reader: reader.nested(tag::SET)? };
        reader.end()?;
        Ok(Attribute { name, values })
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Result<Attribute<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let attribute = self.attribute();
        if attribute.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(attribute)
    }
}

/// A list of strings: values, referrals. The iteration ends after the first malformed one.
#[derive(Clone, Debug)]
pub struct Strings<'a> {
    pub(super) reader: Reader<'a>,
}

impl<'a> Iterator for Strings<'a> {
    type Item = Result<&'a [u8], DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let string = self.reader.octets();
        if string.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code;
    use crate::control::{self, RawControl, value};
    use crate::reply::{self, Answer};

    #[test]
    fn stream_is_cut_where_messages_end() {
        let mut stream = Vec::new();
        reply::result(&mut stream, 1, op::SEARCH_DONE, &Answer::code(code::SUCCESS), &[]);
        let first = stream.len();
        reply::result(
            &mut stream,
            2,
            op::MODIFY_RESPONSE,
            &Answer::because(53, &"no ".repeat(60)),
            &[],
        );
        for end in 0..=first {
            let known = if end < 2 { None } else { Some(first) };
            assert_eq!(frame(&stream[..end]), Ok(known));
        }
        assert_eq!(frame(&stream[first..]), Ok(Some(stream.len() - first)));
        let scan = scan(&stream[first..]).unwrap();
        assert_eq!((scan.message_id, scan.op, scan.code), (2, op::MODIFY_RESPONSE, Some(53)));
        assert_eq!(scan.result().unwrap().diagnostic.len(), 180);
    }

    #[test]
    fn invalid_message_start_is_refused_at_once() {
        let tag = DecodeError::Tag { offset: 0, expected: tag::SEQUENCE, found: b'H' };
        assert_eq!(frame(b"HTTP/1.1 400"), Err(tag));
        assert_eq!(frame(b"H"), Err(tag));
        // A TLS alert in answer to a plain request.
        assert!(matches!(frame(&[0x15, 3, 1, 0, 2]), Err(DecodeError::Tag { found: 0x15, .. })));
        let large = frame(&[0x30, 0x84, 0x01, 0x00, 0x00, 0x00]);
        assert_eq!(
            large,
            Err(DecodeError::TooLarge { length: (16 << 20) + 6, limit: MESSAGE_MAX })
        );
        assert!(matches!(frame_limited(&[0x30, 0x7f], 100), Err(DecodeError::TooLarge { .. })));
    }

    #[test]
    fn padded_lengths_are_read() {
        // Active Directory writes every length of a constructed element in four bytes.
        let bytes =
            [0x30, 0x84, 0, 0, 0, 0x10, 2, 1, 7, 0x65, 0x84, 0, 0, 0, 7, 0x0a, 1, 0, 4, 0, 4, 0];
        assert_eq!(frame(&bytes), Ok(Some(bytes.len())));
        let scan = scan(&bytes).unwrap();
        assert_eq!((scan.message_id, scan.op, scan.code), (7, op::SEARCH_DONE, Some(0)));
    }

    #[test]
    fn notice_of_disconnection_is_recognized() {
        let mut bytes = Vec::new();
        reply::notice_of_disconnection(
            &mut bytes,
            &Answer::because(code::UNAVAILABLE, "going down"),
        );
        let notice = scan(&bytes).unwrap();
        assert!(notice.is_notice_of_disconnection());
        assert_eq!(
            (notice.code, notice.result().unwrap().diagnostic),
            (Some(52), &b"going down"[..])
        );

        for (id, name) in [(1, Some(NOTICE_OF_DISCONNECTION)), (0, Some("1.2.3")), (0, None)] {
            bytes.clear();
            reply::extended(&mut bytes, id, &Answer::default(), name, None, &[]);
            assert!(!scan(&bytes).unwrap().is_notice_of_disconnection(), "{id} {name:?}");
        }
    }

    #[test]
    fn intermediate_responses_are_read() {
        let mut bytes = Vec::new();
        reply::intermediate(&mut bytes, 3, Some("1.2.3"), Some(b"x"), &[]);
        let scanned = scan(&bytes).unwrap();
        assert_eq!(scanned.code, None);
        assert_eq!(
            scanned.intermediate(),
            Ok(Intermediate { name: Some(&b"1.2.3"[..]), value: Some(&b"x"[..]) })
        );
        assert!(scanned.result().is_err());
        assert!(scanned.entry().is_err());
        assert!(scanned.reference().is_err());
        bytes.clear();
        reply::intermediate(&mut bytes, 3, None, None, &[]);
        assert_eq!(
            scan(&bytes).unwrap().intermediate(),
            Ok(Intermediate { name: None, value: None })
        );
    }

    #[test]
    fn controls_are_found_by_oid() {
        let entry = reply::read_entry_value(b"o=x", [("cn", ["one", "two"])]);
        let controls = [
            RawControl { oid: b"1.2.3", critical: true, value: None },
            RawControl { oid: control::POST_READ.as_bytes(), critical: false, value: Some(&entry) },
        ];
        let mut bytes = Vec::new();
        reply::result(&mut bytes, 4, op::MODIFY_RESPONSE, &Answer::default(), &controls);
        let scan = scan(&bytes).unwrap();
        assert_eq!(scan.controls().unwrap().collect::<Result<Vec<_>, _>>(), Ok(controls.to_vec()));
        let found = scan.controls().unwrap().find(control::POST_READ).unwrap().unwrap();
        let entry = value::read_entry(found.value.unwrap()).unwrap();
        assert_eq!(entry.value(b"CN"), Ok(Some(&b"one"[..])));
        assert_eq!(scan.controls().unwrap().find("1.2"), Ok(None));
    }

    #[test]
    fn iterators_end_after_the_first_error() {
        // A reference whose second URI claims to be longer than the remaining bytes.
        let bytes = [0x30, 0x0b, 2, 1, 1, 0x73, 0x06, 4, 1, b'x', 4, 9, b'y'];
        let mut addresses = scan(&bytes).unwrap().reference().unwrap();
        assert_eq!(addresses.next(), Some(Ok(&b"x"[..])));
        assert_eq!(addresses.next(), Some(Err(DecodeError::Truncated { offset: 10 })));
        assert_eq!(addresses.next(), None);
    }
}
