//! Decoding requests: everything that a server needs to know of each, borrowed from the message.
//!
//! A server needs all of a request, so all of it is decoded at once, and any malformed part is found before the request
//! is processed. Controls are decoded completely as well: a server must refuse critical ones that it does not know.

use super::control::{Controls, RawControl};
use super::filter::Filter;
use super::op;
use super::request::{Deref, ModifyOp, Scope};
use super::response::Strings;
use crate::ber::{DecodeError, Element, Reader, tag};

/// A request.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// The message id.
    pub message_id: i32,
    /// The operation.
    pub request: Request<'a>,
    /// Its controls.
    pub controls: Vec<RawControl<'a>>,
}

/// An operation.
#[derive(Clone, Debug)]
pub enum Request<'a> {
    /// A bind (RFC 4511 section 4.2).
    Bind {
        /// The version of the protocol.
        version: i32,
        /// The name.
        name: &'a [u8],
        /// The credentials.
        authentication: Authentication<'a>,
    },
    /// An unbind (RFC 4511 section 4.3).
    Unbind,
    /// A search (RFC 4511 section 4.5).
    Search(Search<'a>),
    /// A modify (RFC 4511 section 4.6).
    Modify {
        /// The entry.
        dn: &'a [u8],
        /// The changes.
        changes: Vec<Change<'a>>,
    },
    /// An add (RFC 4511 section 4.7).
    Add {
        /// The entry.
        dn: &'a [u8],
        /// Its attributes.
        attributes: Vec<Attribute<'a>>,
    },
    /// A delete (RFC 4511 section 4.8).
    Delete {
        /// The entry.
        dn: &'a [u8],
    },
    /// A modify DN (RFC 4511 section 4.9).
    ModifyDn {
        /// The entry.
        dn: &'a [u8],
        /// Its new RDN.
        new_rdn: &'a [u8],
        /// Whether to delete the values of the old RDN.
        delete_old_rdn: bool,
        /// Its new parent, if it is moved.
        new_superior: Option<&'a [u8]>,
    },
    /// A compare (RFC 4511 section 4.10).
    Compare {
        /// The entry.
        dn: &'a [u8],
        /// The attribute.
        attribute: &'a [u8],
        /// The value.
        value: &'a [u8],
    },
    /// An abandon (RFC 4511 section 4.11).
    Abandon {
        /// The message id of the request whose result is no longer needed.
        target: i32,
    },
    /// An extended request (RFC 4511 section 4.12).
    Extended {
        /// Its OID.
        name: &'a [u8],
        /// Its value.
        value: Option<&'a [u8]>,
    },
}

/// The credentials of a bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authentication<'a> {
    /// A password.
    Simple(&'a [u8]),
    /// A step of a SASL mechanism.
    Sasl {
        /// The mechanism.
        mechanism: &'a [u8],
        /// The client's credentials.
        credentials: Option<&'a [u8]>,
    },
}

/// A received search.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// The base entry.
    pub base: &'a [u8],
    /// The scope.
    pub scope: Scope,
    /// When to follow aliases.
    pub deref: Deref,
    /// The maximum number of entries to return; 0 is no limit.
    pub size_limit: i32,
    /// The maximum number of seconds to search; 0 is no limit.
    pub time_limit: i32,
    /// Whether to return names of attributes without their values.
    pub types_only: bool,
    /// The filter.
    pub filter: Filter<&'a [u8]>,
    /// The attributes to return.
    pub attributes: Vec<&'a [u8]>,
}

/// One modification of a received modify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// The kind of modification.
    pub op: ModifyOp,
    /// The attribute and its values.
    pub attribute: Attribute<'a>,
}

/// A received attribute with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Its name, with options if it has some.
    pub name: &'a [u8],
    /// Its values.
    pub values: Vec<&'a [u8]>,
}

impl<'a> Message<'a> {
    /// Decodes one whole message.
    pub fn decode(message: &'a [u8]) -> Result<Self, DecodeError> {
        let mut outer = Reader::new(message);
        let mut reader = outer.nested(tag::SEQUENCE)?;
        outer.end()?;
        let message_id = reader.integer()?;
        let operation = reader.element()?;
        let request = Request::decode(&reader, &operation)?;
        let controls = Controls::after(&mut reader)?.collect::<Result<_, _>>()?;
        Ok(Self { message_id, request, controls })
    }

    /// The control with this OID, if it is there.
    pub fn control(&self, oid: &str) -> Option<&RawControl<'a>> {
        self.controls.iter().find(|control| control.is(oid))
    }
}

impl<'a> Request<'a> {
    fn decode(around: &Reader<'a>, operation: &Element<'a>) -> Result<Self, DecodeError> {
        let content = operation.content;
        let mut reader = around.inside(operation)?;
        let request = match operation.tag {
            op::UNBIND_REQUEST => return Ok(Self::Unbind),
            op::DELETE_REQUEST => return Ok(Self::Delete { dn: content }),
            op::ABANDON_REQUEST => return Ok(Self::Abandon { target: operation.integer()? }),
            op::BIND_REQUEST => bind(&mut reader)?,
            op::SEARCH_REQUEST => Self::Search(search(&mut reader)?),
            op::MODIFY_REQUEST => {
                Self::Modify { dn: reader.octets()?, changes: changes(&mut reader)? }
            }
            op::ADD_REQUEST => {
                let dn = reader.octets()?;
                let mut list = reader.nested(tag::SEQUENCE)?;
                let mut attributes = Vec::new();
                while !list.is_empty() {
                    attributes.push(attribute(&mut list)?);
                }
                Self::Add { dn, attributes }
            }
            op::MODIFY_DN_REQUEST => Self::ModifyDn {
                dn: reader.octets()?,
                new_rdn: reader.octets()?,
                delete_old_rdn: reader.boolean()?,
                new_superior: reader.optional(tag::context(0))?.map(|element| element.content),
            },
            op::COMPARE_REQUEST => {
                let dn = reader.octets()?;
                let mut assertion = reader.nested(tag::SEQUENCE)?;
                let (attribute, value) = (assertion.octets()?, assertion.octets()?);
                assertion.end()?;
                Self::Compare { dn, attribute, value }
            }
            op::EXTENDED_REQUEST => Self::Extended {
                name: reader.expect(tag::context(0))?.content,
                value: reader.optional(tag::context(1))?.map(|element| element.content),
            },
            found => return Err(DecodeError::Choice { offset: operation.offset, found }),
        };
        reader.end()?;
        Ok(request)
    }
}

fn bind<'a>(reader: &mut Reader<'a>) -> Result<Request<'a>, DecodeError> {
    let version = reader.integer()?;
    let name = reader.octets()?;
    let choice = reader.element()?;
    let authentication = match choice.tag {
        0x80 => Authentication::Simple(choice.content),
        0xa3 => {
            let mut inner = reader.inside(&choice)?;
            let mechanism = inner.octets()?;
            let credentials = inner.optional(tag::OCTET_STRING)?.map(|element| element.content);
            inner.end()?;
            Authentication::Sasl { mechanism, credentials }
        }
        found => return Err(DecodeError::Choice { offset: choice.offset, found }),
    };
    Ok(Request::Bind { version, name, authentication })
}

fn search<'a>(reader: &mut Reader<'a>) -> Result<Search<'a>, DecodeError> {
    let base = reader.octets()?;
    let element = reader.expect(tag::ENUMERATED)?;
    let scope = match element.integer()? {
        0 => Scope::Base,
        1 => Scope::One,
        2 => Scope::Subtree,
        3 => Scope::Subordinate,
        _ => {
            return Err(DecodeError::Value { offset: element.content_offset, expected: "a scope" });
        }
    };
    let element = reader.expect(tag::ENUMERATED)?;
    let deref = match element.integer()? {
        0 => Deref::Never,
        1 => Deref::Searching,
        2 => Deref::Finding,
        3 => Deref::Always,
        _ => {
            let expected = "a way to treat aliases";
            return Err(DecodeError::Value { offset: element.content_offset, expected });
        }
    };
    let (size_limit, time_limit) = (reader.integer()?, reader.integer()?);
    let types_only = reader.boolean()?;
    let filter = Filter::decode(reader)?;
    let attributes = strings(reader.nested(tag::SEQUENCE)?)?;
    Ok(Search { base, scope, deref, size_limit, time_limit, types_only, filter, attributes })
}

fn changes<'a>(reader: &mut Reader<'a>) -> Result<Vec<Change<'a>>, DecodeError> {
    let mut list = reader.nested(tag::SEQUENCE)?;
    let mut changes = Vec::new();
    while !list.is_empty() {
        let mut change = list.nested(tag::SEQUENCE)?;
        let element = change.expect(tag::ENUMERATED)?;
        let op = match element.integer()? {
            0 => ModifyOp::Add,
            1 => ModifyOp::Delete,
            2 => ModifyOp::Replace,
            3 => ModifyOp::Increment,
            _ => {
                let expected = "a kind of modification";
                return Err(DecodeError::Value { offset: element.content_offset, expected });
            }
        };
        let attribute = attribute(&mut change)?;
        change.end()?;
        changes.push(Change { op, attribute });
    }
    Ok(changes)
}

fn attribute<'a>(reader: &mut Reader<'a>) -> Result<Attribute<'a>, DecodeError> {
    let mut inner = reader.nested(tag::SEQUENCE)?;
    let name = inner.octets()?;
    let values = strings(inner.nested(tag::SET)?)?;
    inner.end()?;
    Ok(Attribute { name, values })
}

fn strings(reader: Reader<'_>) -> Result<Vec<&[u8]>, DecodeError> {
    Strings { reader }.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ber::{DEPTH_MAX, Node, Text, Writer};
    use crate::filter;
    use crate::request;

    /// Builds a message from these parts.
    fn message(parts: Vec<Node>) -> Vec<u8> {
        let mut whole = vec![Node::integer(5)];
        whole.extend(parts);
        Node::sequence(whole).to_bytes().unwrap()
    }

    fn refused(parts: Vec<Node>) -> DecodeError {
        Message::decode(&message(parts)).unwrap_err()
    }

    fn search(scope: i32, filter: Node) -> Node {
        let empty = Node::octets(&Text::new());
        let zero = Node::integer(0);
        let parts = vec![
            empty,
            Node::enumerated(scope),
            Node::enumerated(0),
            zero.clone(),
            zero,
            Node::boolean(false),
            filter,
            Node::sequence(Vec::new()),
        ];
        Node::Element(op::SEARCH_REQUEST, parts)
    }

    fn nots(depth: usize) -> Node {
        let mut filter = Node::string(tag::context(7), &"cn".into());
        for _ in 1..depth {
            filter = Node::Element(tag::context_constructed(2), vec![filter]);
        }
        filter
    }

    #[test]
    fn cancel_names_its_target() {
        let mut out = Vec::new();
        request::encode_cancel(&mut out, 9, 300);
        let message = Message::decode(&out).unwrap();
        let Request::Extended { name, value: Some(value) } = message.request else {
            panic!("{message:?}")
        };
        assert_eq!((message.message_id, name), (9, request::CANCEL.as_bytes()));
        // RFC 3909 section 2.1: SEQUENCE { cancelID MessageID }.
        assert_eq!(value, [0x30, 0x04, 0x02, 0x02, 0x01, 0x2c]);
    }

    #[test]
    fn password_modify_has_the_given_fields() {
        let mut out = Vec::new();
        request::password_modify(None, Some(&"o".into()), Some(&Text::slot(0)), &[]).encode(
            1,
            &["n"],
            &mut out,
        );
        let message = Message::decode(&out).unwrap();
        let Request::Extended { value: Some(value), .. } = message.request else {
            panic!("{message:?}")
        };
        // RFC 3062 section 2: userIdentity [0], oldPasswd [1], newPasswd [2], each optional.
        assert_eq!(value, [0x30, 0x06, 0x81, 0x01, b'o', 0x82, 0x01, b'n']);
    }

    #[test]
    fn filter_depth_is_limited_in_messages() {
        assert!(Message::decode(&message(vec![search(2, nots(filter::DEPTH_MAX))])).is_ok());
        let deep = refused(vec![search(2, nots(filter::DEPTH_MAX + 1))]);
        assert!(matches!(deep, DecodeError::TooDeep { .. }), "{deep}");
        let deeper = refused(vec![search(2, nots(4000))]);
        assert!(matches!(deeper, DecodeError::TooDeep { .. }), "{deeper}");
        const { assert!(filter::DEPTH_MAX + 4 <= DEPTH_MAX as usize) };
    }

    #[test]
    fn invalid_request_is_refused_with_its_reason() {
        let delete = Node::string(op::DELETE_REQUEST, &"o=x".into());
        for (parts, expected) in [
            (vec![], "runs past the end"),
            (vec![Node::string(0x41, &Text::new())], "tag 0x41, which means nothing"),
            (vec![delete.clone(), delete], "goes on at byte"),
            (vec![search(4, nots(1))], "is not a scope"),
            (vec![search(2, Node::string(0x8a, &Text::new()))], "tag 0x8a, which means nothing"),
            (vec![Node::string(op::ABANDON_REQUEST, &Text::new())], "integer at byte"),
            (
                vec![Node::Element(
                    op::BIND_REQUEST,
                    vec![
                        Node::integer(3),
                        Node::octets(&Text::new()),
                        Node::string(0x81, &Text::new()),
                    ],
                )],
                "tag 0x81, which means nothing",
            ),
        ] {
            let error = refused(parts).to_string();
            assert!(error.contains(expected), "{error} instead of {expected}");
        }
    }

    #[test]
    fn malformed_control_invalidates_the_message() {
        let delete = Node::string(op::DELETE_REQUEST, &"o=x".into());
        let control = Node::Element(0xa0, vec![Node::sequence(vec![Node::boolean(true)])]);
        let error = refused(vec![delete, control]);
        assert!(matches!(error, DecodeError::Tag { expected: tag::OCTET_STRING, .. }), "{error}");
    }

    #[test]
    fn unbind_needs_no_contents() {
        let mut out = Vec::new();
        Writer::new(&mut out).raw(&[0x30, 0x05, 0x02, 0x01, 0x03, 0x42, 0x00]);
        assert!(matches!(Message::decode(&out).unwrap().request, Request::Unbind));
    }
}
