//! Compiled LDAP requests, with slots for the values that differ between exchanges.
//!
//! Each function makes a [`Skeleton`], which is encoded once for each exchange. Requests about which nothing is known
//! before the run (an abandon, an entry from its own template) are written directly by the `encode_` functions.

use super::control::{self, Control};
use super::filter::Filter;
use super::op;
use super::skeleton::Skeleton;
use crate::ber::{Node, Text, Writer, tag};

/// StartTLS (RFC 4511 section 4.14).
pub const START_TLS: &str = "1.3.6.1.4.1.1466.20037";
/// Who am I? (RFC 4532).
pub const WHO_AM_I: &str = "1.3.6.1.4.1.4203.1.11.3";
/// Cancel (RFC 3909).
pub const CANCEL: &str = "1.3.6.1.1.8";
/// Password modify (RFC 3062).
pub const PASSWORD_MODIFY: &str = "1.3.6.1.4.1.4203.1.11.1";

/// The version in every bind.
const VERSION: i32 = 3;

/// A bind with a name and a password (RFC 4511 section 4.2). An empty password requests an anonymous or unauthenticated
/// bind (RFC 4513 section 5.1); the caller must decide whether to refuse that.
pub fn bind_simple(name: &Text, password: &Text, controls: &[Control]) -> Skeleton {
    bind(name, Node::string(tag::context(0), password), controls)
}

/// One step of a SASL bind (RFC 4511 section 4.2, RFC 4513 section 5.2).
pub fn bind_sasl(
    name: &Text,
    mechanism: &str,
    credentials: Option<&Text>,
    controls: &[Control],
) -> Skeleton {
    let mut parts = vec![Node::octets(&Text::from(mechanism))];
    parts.extend(credentials.map(Node::octets));
    bind(name, Node::Element(tag::context_constructed(3), parts), controls)
}

fn bind(name: &Text, authentication: Node, controls: &[Control]) -> Skeleton {
    let parts = vec![Node::integer(VERSION), Node::octets(name), authentication];
    message(op::BIND_REQUEST, parts, controls)
}

/// The scope of a search below its base (RFC 4511 section 4.5.1.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Only the base.
    Base,
    /// The entries directly below the base.
    One,
    /// The base and everything below it.
    #[default]
    Subtree,
    /// Everything below the base, without the base (draft-sermersheim-ldap-subordinate-scope).
    Subordinate,
}

/// When a search follows aliases (RFC 4511 section 4.5.1.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deref {
    /// Never.
    #[default]
    Never,
    /// Below the base, but not when finding it.
    Searching,
    /// When finding the base, but not below it.
    Finding,
    /// Always.
    Always,
}

/// A search (RFC 4511 section 4.5.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The base entry.
    pub base: Text,
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
    pub filter: Filter<Text>,
    /// The attributes to return; if empty, all user attributes.
    pub attributes: Vec<Text>,
}

impl Search {
    /// A search without limits that returns all user attributes.
    pub const fn new(base: Text, scope: Scope, filter: Filter<Text>) -> Self {
        Self {
            base,
            scope,
            deref: Deref::Never,
            size_limit: 0,
            time_limit: 0,
            types_only: false,
            filter,
            attributes: Vec::new(),
        }
    }

    /// The compiled request.
    pub fn skeleton(&self, controls: &[Control]) -> Skeleton {
        let attributes = Node::sequence(self.attributes.iter().map(Node::octets).collect());
        let parts = vec![
            Node::octets(&self.base),
            Node::enumerated(self.scope as i32),
            Node::enumerated(self.deref as i32),
            Node::integer(self.size_limit),
            Node::integer(self.time_limit),
            Node::boolean(self.types_only),
            self.filter.node(),
            attributes,
        ];
        message(op::SEARCH_REQUEST, parts, controls)
    }
}

/// What a modification does with its values (RFC 4511 section 4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModifyOp {
    /// Adds them.
    Add,
    /// Deletes them, or all values if none are given.
    Delete,
    /// Replaces all values by them.
    Replace,
    /// Adds the given number to the existing one (RFC 4525).
    Increment,
}

/// One modification of a modify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The kind of modification.
    pub op: ModifyOp,
    /// The attribute.
    pub attribute: Text,
    /// The values.
    pub values: Vec<Text>,
}

/// Changes an entry (RFC 4511 section 4.6).
pub fn modify(dn: &Text, changes: &[Change], controls: &[Control]) -> Skeleton {
    let changes = changes.iter().map(|change| {
        let attribute = attribute(&change.attribute, &change.values);
        Node::sequence(vec![Node::enumerated(change.op as i32), attribute])
    });
    let parts = vec![Node::octets(dn), Node::sequence(changes.collect())];
    message(op::MODIFY_REQUEST, parts, controls)
}

/// An attribute of an entry to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: Text,
    /// Its values.
    pub values: Vec<Text>,
}

/// Adds an entry (RFC 4511 section 4.7).
pub fn add(dn: &Text, attributes: &[Attribute], controls: &[Control]) -> Skeleton {
    let attributes = attributes.iter().map(|each| attribute(&each.name, &each.values));
    let parts = vec![Node::octets(dn), Node::sequence(attributes.collect())];
    message(op::ADD_REQUEST, parts, controls)
}

fn attribute(name: &Text, values: &[Text]) -> Node {
    let values = values.iter().map(Node::octets).collect();
    Node::sequence(vec![Node::octets(name), Node::Element(tag::SET, values)])
}

/// Deletes an entry (RFC 4511 section 4.8).
pub fn delete(dn: &Text, controls: &[Control]) -> Skeleton {
    Skeleton::message(&Node::string(op::DELETE_REQUEST, dn), control::node(controls).as_ref())
}

/// Renames or moves an entry (RFC 4511 section 4.9).
pub fn modify_dn(
    dn: &Text,
    new_rdn: &Text,
    delete_old_rdn: bool,
    new_superior: Option<&Text>,
    controls: &[Control],
) -> Skeleton {
    let mut parts = vec![Node::octets(dn), Node::octets(new_rdn), Node::boolean(delete_old_rdn)];
    parts.extend(new_superior.map(|text| Node::string(tag::context(0), text)));
    message(op::MODIFY_DN_REQUEST, parts, controls)
}

/// Compares a value (RFC 4511 section 4.10).
pub fn compare(dn: &Text, attribute: &Text, value: &Text, controls: &[Control]) -> Skeleton {
    let assertion = Node::sequence(vec![Node::octets(attribute), Node::octets(value)]);
    message(op::COMPARE_REQUEST, vec![Node::octets(dn), assertion], controls)
}

/// Any other extended operation (RFC 4511 section 4.12).
pub fn extended(oid: &str, value: Option<&Text>, controls: &[Control]) -> Skeleton {
    let value = value.map(|text| Node::string(tag::context(1), text));
    extended_node(oid, value, controls)
}

/// Requests TLS (RFC 4511 section 4.14.1).
pub fn start_tls() -> Skeleton {
    extended(START_TLS, None, &[])
}

/// Requests the authorization identity that the server associates with the connection (RFC 4532 section 2.1).
pub fn who_am_i(controls: &[Control]) -> Skeleton {
    extended(WHO_AM_I, None, controls)
}

/// Changes a password. Without a user, the bound user's own password is changed; without a new password, the server
/// generates one (RFC 3062 section 2).
pub fn password_modify(
    user: Option<&Text>,
    old: Option<&Text>,
    new: Option<&Text>,
    controls: &[Control],
) -> Skeleton {
    let fields = [user, old, new].into_iter().enumerate();
    let parts =
        fields.filter_map(|(n, text)| text.map(|text| Node::string(tag::context(n as u8), text)));
    let value = Node::Element(tag::context(1), vec![Node::sequence(parts.collect())]);
    extended_node(PASSWORD_MODIFY, Some(value), controls)
}

fn extended_node(oid: &str, value: Option<Node>, controls: &[Control]) -> Skeleton {
    let mut parts = vec![Node::string(tag::context(0), &Text::from(oid))];
    parts.extend(value);
    message(op::EXTENDED_REQUEST, parts, controls)
}

/// Ends the session (RFC 4511 section 4.3).
pub fn unbind() -> Skeleton {
    Skeleton::message(&Node::string(op::UNBIND_REQUEST, &Text::new()), None)
}

fn message(tag: u8, parts: Vec<Node>, controls: &[Control]) -> Skeleton {
    Skeleton::message(&Node::Element(tag, parts), control::node(controls).as_ref())
}

/// Appends an unbind (RFC 4511 section 4.3).
pub fn encode_unbind(out: &mut Vec<u8>, message_id: i32) {
    encode(out, message_id, |w| w.primitive(op::UNBIND_REQUEST, &[]));
}

/// Appends an abandon of the request with the message id `target` (RFC 4511 section 4.11). It has no answer.
pub fn encode_abandon(out: &mut Vec<u8>, message_id: i32, target: i32) {
    encode(out, message_id, |w| w.integer(op::ABANDON_REQUEST, target));
}

/// Appends a cancel of the request with the message id `target` (RFC 3909 section 2.1).
pub fn encode_cancel(out: &mut Vec<u8>, message_id: i32, target: i32) {
    encode(out, message_id, |w| {
        w.constructed(op::EXTENDED_REQUEST, |w| {
            w.primitive(tag::context(0), CANCEL.as_bytes());
            w.constructed(tag::context(1), |w| {
                w.constructed(tag::SEQUENCE, |w| w.integer(tag::INTEGER, target));
            });
        });
    });
}

/// Appends an add of an entry made at run time (RFC 4511 section 4.7).
///
/// The controls are an encoded [`control::node`] or empty, so that they cost only a copy.
pub fn encode_add<N, V, A>(
    out: &mut Vec<u8>,
    message_id: i32,
    dn: &[u8],
    attributes: impl IntoIterator<Item = (N, V)>,
    controls: &[u8],
) where
    N: AsRef<[u8]>,
    V: IntoIterator<Item = A>,
    A: AsRef<[u8]>,
{
    encode(out, message_id, |w| {
        w.constructed(op::ADD_REQUEST, |w| {
            write_entry(w, dn, attributes);
        });
        w.raw(controls);
    });
}

/// A name and attributes, as in an add request and in a search result.
pub(super) fn write_entry<N, V, A>(
    w: &mut Writer<'_>,
    dn: &[u8],
    attributes: impl IntoIterator<Item = (N, V)>,
) where
    N: AsRef<[u8]>,
    V: IntoIterator<Item = A>,
    A: AsRef<[u8]>,
{
    w.octets(dn);
    w.constructed(tag::SEQUENCE, |w| {
        for (name, values) in attributes {
            w.constructed(tag::SEQUENCE, |w| {
                w.octets(name.as_ref());
                w.constructed(tag::SET, |w| {
                    for value in values {
                        w.octets(value.as_ref());
                    }
                });
            });
        }
    });
}

/// Appends a delete of an entry made at run time (RFC 4511 section 4.8); controls as in an add.
pub fn encode_delete(out: &mut Vec<u8>, message_id: i32, dn: &[u8], controls: &[u8]) {
    encode(out, message_id, |w| {
        w.primitive(op::DELETE_REQUEST, dn);
        w.raw(controls);
    });
}

fn encode(out: &mut Vec<u8>, message_id: i32, operation: impl FnOnce(&mut Writer<'_>)) {
    Writer::new(out).constructed(tag::SEQUENCE, |w| {
        w.integer(tag::INTEGER, message_id);
        operation(w);
    });
}
