//! Controls (RFC 4511 section 4.1.11): in requests and as received.
//!
//! A [`Control`] is a part of a request that will be compiled, so its value may contain slots. A [`RawControl`] is an
//! encoded one and borrows from its message; its value is decoded by [`value`] only on demand.

mod option;
mod trace_context;
pub mod value;

pub use option::{ControlError, ControlOption, Source};
pub use trace_context::{W3C_TRACE_CONTEXT, add_trace_context};

use crate::ber::{DecodeError, Element, Node, Reader, Text, Writer, tag};
use crate::filter::Filter;

/// Authorization identity, request (RFC 3829).
pub const AUTHORIZATION_IDENTITY: &str = "2.16.840.1.113730.3.4.16";
/// Authorization identity, response (RFC 3829).
pub const AUTHORIZATION_IDENTITY_RESPONSE: &str = "2.16.840.1.113730.3.4.15";
/// Password policy, request and response (draft-behera-ldap-password-policy).
pub const PASSWORD_POLICY: &str = "1.3.6.1.4.1.42.2.27.8.5.1";
/// Proxied authorization v2 (RFC 4370).
pub const PROXIED_AUTHORIZATION: &str = "2.16.840.1.113730.3.4.18";
/// Assertion (RFC 4528).
pub const ASSERTION: &str = "1.3.6.1.1.12";
/// Manage DSA IT (RFC 3296).
pub const MANAGE_DSA_IT: &str = "2.16.840.1.113730.3.4.2";
/// Pre-read, request and response (RFC 4527).
pub const PRE_READ: &str = "1.3.6.1.1.13.1";
/// Post-read, request and response (RFC 4527).
pub const POST_READ: &str = "1.3.6.1.1.13.2";
/// Permissive modify: adding an existing value and deleting a missing one both succeed.
pub const PERMISSIVE_MODIFY: &str = "1.2.840.113556.1.4.1413";
/// Simple paged results, request and response (RFC 2696).
pub const PAGED_RESULTS: &str = "1.2.840.113556.1.4.319";
/// Server-side sorting, request (RFC 2891).
pub const SORT: &str = "1.2.840.113556.1.4.473";
/// Server-side sorting, response (RFC 2891).
pub const SORT_RESPONSE: &str = "1.2.840.113556.1.4.474";
/// Deletes an entry with everything below it (draft-armijo-ldap-treedelete).
pub const TREE_DELETE: &str = "1.2.840.113556.1.4.805";
/// Subentries (RFC 3672).
pub const SUBENTRIES: &str = "1.3.6.1.4.1.4203.1.10.1";
/// Only report what would happen, without doing it (draft-zeilenga-ldap-noop).
pub const NO_OPERATION: &str = "1.3.6.1.4.1.4203.1.10.2";

/// The tag of the controls of a message.
pub(super) const CONTROLS: u8 = tag::context_constructed(0);

/// A control of a request; its value may contain slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// Its OID.
    pub oid: String,
    /// Whether a server that does not know it must refuse the request.
    pub critical: bool,
    /// The contents of its value.
    pub value: Option<Vec<Node>>,
}

impl Control {
    /// A control without a value.
    pub fn new(oid: impl Into<String>, critical: bool) -> Self {
        Self { oid: oid.into(), critical, value: None }
    }

    /// The same control with this value.
    #[must_use]
    pub fn with_value(mut self, value: &Text) -> Self {
        let Node::Element(_, parts) = Node::octets(value) else { return self };
        self.value = Some(parts);
        self
    }

    /// The same control with a value that is BER.
    #[must_use]
    pub fn with_node(mut self, value: Node) -> Self {
        self.value = Some(vec![value]);
        self
    }

    /// Requests the authorization identity from a bind (RFC 3829 section 3).
    pub fn authorization_identity() -> Self {
        Self::new(AUTHORIZATION_IDENTITY, false)
    }

    /// Requests warnings and errors of the password policy.
    pub fn password_policy() -> Self {
        Self::new(PASSWORD_POLICY, false)
    }

    /// Acts as another identity: `dn:uid=…` or `u:name` (RFC 4370 section 3). Always critical.
    pub fn proxied_authorization(identity: &Text) -> Self {
        Self::new(PROXIED_AUTHORIZATION, true).with_value(identity)
    }

    /// Performs the operation only if the filter is true of the entry (RFC 4528 section 3).
    pub fn assertion(filter: &Filter<Text>, critical: bool) -> Self {
        Self::new(ASSERTION, critical).with_node(filter.node())
    }

    /// Treats referral objects as entries (RFC 3296 section 3).
    pub fn manage_dsa_it(critical: bool) -> Self {
        Self::new(MANAGE_DSA_IT, critical)
    }

    /// Returns these attributes as they were before the change (RFC 4527 section 3.1).
    pub fn pre_read(attributes: &[Text], critical: bool) -> Self {
        Self::new(PRE_READ, critical).with_node(selection(attributes))
    }

    /// Returns these attributes as they are after the change (RFC 4527 section 3.2).
    pub fn post_read(attributes: &[Text], critical: bool) -> Self {
        Self::new(POST_READ, critical).with_node(selection(attributes))
    }

    /// Adding an existing value and deleting a missing one both succeed.
    pub fn permissive_modify(critical: bool) -> Self {
        Self::new(PERMISSIVE_MODIFY, critical)
    }

    /// Returns a page of this many entries; the cookie is empty in the first request, and the server's in later ones
    /// (RFC 2696 section 2).
    pub fn paged_results(size: i32, cookie: &Text, critical: bool) -> Self {
        let page = Node::sequence(vec![Node::integer(size), Node::octets(cookie)]);
        Self::new(PAGED_RESULTS, critical).with_node(page)
    }

    /// Sorts the results (RFC 2891 section 1.1).
    pub fn sort(keys: &[SortKey], critical: bool) -> Self {
        let keys = keys.iter().map(|key| {
            Node::written(|w| {
                w.constructed(tag::SEQUENCE, |w| {
                    w.octets(key.attribute.as_bytes());
                    if let Some(rule) = &key.rule {
                        w.primitive(tag::context(0), rule.as_bytes());
                    }
                    if key.reverse {
                        w.boolean(tag::context(1), true);
                    }
                });
            })
        });
        Self::new(SORT, critical).with_node(Node::sequence(keys.collect()))
    }

    /// The control as a part of a request. If `criticality` is false, which is its default, it is not written (RFC 4511
    /// section 5.1).
    fn node(&self) -> Node {
        let mut parts = vec![Node::octets(&Text::from(self.oid.as_str()))];
        if self.critical {
            parts.push(Node::boolean(true));
        }
        if let Some(value) = &self.value {
            parts.push(Node::Element(tag::OCTET_STRING, value.clone()));
        }
        Node::sequence(parts)
    }
}

/// A sort key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The attribute.
    pub attribute: String,
    /// The ordering rule, if it is not the attribute's own.
    pub rule: Option<String>,
    /// In reverse order.
    pub reverse: bool,
}

fn selection(attributes: &[Text]) -> Node {
    Node::sequence(attributes.iter().map(Node::octets).collect())
}

/// The controls of a request as its last part, `None` if there are none.
pub fn node(controls: &[Control]) -> Option<Node> {
    if controls.is_empty() {
        return None;
    }
    Some(Node::Element(CONTROLS, controls.iter().map(Control::node).collect()))
}

/// A control in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawControl<'a> {
    /// Its OID.
    pub oid: &'a [u8],
    /// Whether a server that does not know it must refuse the request.
    pub critical: bool,
    /// Its value.
    pub value: Option<&'a [u8]>,
}

impl RawControl<'_> {
    /// Whether this is the control with this OID.
    pub fn is(&self, oid: &str) -> bool {
        self.oid == oid.as_bytes()
    }
}

/// Writes the controls of a message, nothing if there are none.
pub fn write(controls: &[RawControl<'_>], writer: &mut Writer<'_>) {
    if controls.is_empty() {
        return;
    }
    writer.constructed(CONTROLS, |w| {
        for control in controls {
            w.constructed(tag::SEQUENCE, |w| {
                w.octets(control.oid);
                if control.critical {
                    w.boolean(tag::BOOLEAN, true);
                }
                if let Some(value) = control.value {
                    w.octets(value);
                }
            });
        }
    });
}

/// The controls of a message, in sequence. The iteration ends after the first malformed one.
#[derive(Clone, Debug)]
pub struct Controls<'a> {
    reader: Reader<'a>,
}

impl<'a> Controls<'a> {
    /// Reads what follows the operation of a message: nothing, or only the controls.
    pub fn after(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let controls = match reader.optional(CONTROLS)? {
            Some(element) => reader.inside(&element)?,
            None => Reader::new(&[]),
        };
        reader.end()?;
        Ok(Self { reader: controls })
    }

    /// The control with this OID, if it is there.
    pub fn find(self, oid: &str) -> Result<Option<RawControl<'a>>, DecodeError> {
        for control in self {
            let control = control?;
            if control.is(oid) {
                return Ok(Some(control));
            }
        }
        Ok(None)
    }

    fn control(&mut self) -> Result<RawControl<'a>, DecodeError> {
        let mut reader = self.reader.nested(tag::SEQUENCE)?;
        let oid = reader.octets()?;
        let critical =
            reader.optional(tag::BOOLEAN)?.map_or(Ok(false), |element| element.boolean())?;
        let value = reader.optional(tag::OCTET_STRING)?.map(|element: Element<'a>| element.content);
        reader.end()?;
        Ok(RawControl { oid, critical, value })
    }
}

impl<'a> Iterator for Controls<'a> {
    type Item = Result<RawControl<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let control = self.control();
        if control.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(control)
    }
}
