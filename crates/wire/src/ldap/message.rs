//! Requests, read: what a server needs to know of each, borrowed from the message.
//!
//! A server looks at all of a request, so all of it is decoded at once, and whatever is malformed is
//! found before anything is done. Controls are read to the end as well: a server must refuse critical
//! ones it does not know.

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
    /// What is asked.
    pub request: Request<'a>,
    /// With which controls.
    pub controls: Vec<RawControl<'a>>,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Request<'a> {
    /// A bind (RFC 4511 section 4.2).
    Bind {
        /// The version of the protocol.
        version: i32,
        /// Who.
        name: &'a [u8],
        /// With what.
        authentication: Authentication<'a>,
    },
    /// An unbind (RFC 4511 section 4.3).
    Unbind,
    /// A search (RFC 4511 section 4.5).
    Search(Search<'a>),
    /// A modify (RFC 4511 section 4.6).
    Modify {
        /// Which entry.
        dn: &'a [u8],
        /// What to change.
        changes: Vec<Change<'a>>,
    },
    /// An add (RFC 4511 section 4.7).
    Add {
        /// Which entry.
        dn: &'a [u8],
        /// Its attributes.
        attributes: Vec<Attribute<'a>>,
    },
    /// A delete (RFC 4511 section 4.8).
    Delete {
        /// Which entry.
        dn: &'a [u8],
    },
    /// A modify DN (RFC 4511 section 4.9).
    ModifyDn {
        /// Which entry.
        dn: &'a [u8],
        /// Its new name.
        new_rdn: &'a [u8],
        /// Whether the values of the old name go.
        delete_old_rdn: bool,
        /// Where it goes, if it moves.
        new_superior: Option<&'a [u8]>,
    },
    /// A compare (RFC 4511 section 4.10).
    Compare {
        /// Which entry.
        dn: &'a [u8],
        /// Which attribute.
        attribute: &'a [u8],
        /// Which value.
        value: &'a [u8],
    },
    /// An abandon (RFC 4511 section 4.11).
    Abandon {
        /// The message id of the request that nobody waits for any more.
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

/// With what somebody binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authentication<'a> {
    /// A password.
    Simple(&'a [u8]),
    /// A step of a SASL mechanism.
    Sasl {
        /// Which.
        mechanism: &'a [u8],
        /// What the client says.
        credentials: Option<&'a [u8]>,
    },
}

/// A search, received.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// Where to begin.
    pub base: &'a [u8],
    /// How far to go.
    pub scope: Scope,
    /// When to follow aliases.
    pub deref: Deref,
    /// How many entries to return at most; 0 is no limit.
    pub size_limit: i32,
    /// How many seconds to search at most; 0 is no limit.
    pub time_limit: i32,
    /// Whether to return names of attributes without their values.
    pub types_only: bool,
    /// What to look for.
    pub filter: Filter<&'a [u8]>,
    /// What to return.
    pub attributes: Vec<&'a [u8]>,
}

/// One modification of a modify, received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// What to do.
    pub op: ModifyOp,
    /// With which attribute and which values.
    pub attribute: Attribute<'a>,
}

/// An attribute with its values, received.
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
