//! [`LdapStep`]: one compiled LDAP operation with placeholders for the values of variables.
//!
//! The operations of the rate tools are filled from rows that a plan draws; these operations are filled with the
//! variables of a flow's user when they are due. A value in a filter is a BER assertion value and needs no escaping; in
//! a DN it is escaped by the rules of RFC 4514.

use super::buffers::Arena;
use brunt_feed::{Escape, Hole, Text, TextPiece, Unfilled, Values};
use brunt_ldap_wire::filter::{Filter, FilterError};
use brunt_ldap_wire::request::{self, Attribute, Change, ModifyOp, Scope, Search};
use brunt_ldap_wire::{Skeleton, Text as Slots, op};

/// An operation that is not compiled. The placeholders in the text of a DN are escaped for a DN.
#[derive(Clone, Debug)]
pub enum LdapOperation {
    /// A simple bind.
    Bind {
        /// The DN to bind as.
        dn: Text,
        /// The password.
        password: Text,
    },
    /// A search.
    Search {
        /// The base DN of the search.
        base: Text,
        /// The scope.
        scope: Scope,
        /// The filter; its shape is the same for all values.
        filter: Text,
        /// The attributes to return; an empty list requests all user attributes.
        attributes: Vec<String>,
        /// How many entries to return at most; 0 is no limit.
        size_limit: i32,
    },
    /// A comparison.
    Compare {
        /// The entry.
        dn: Text,
        /// The attribute.
        attribute: String,
        /// The value.
        value: Text,
    },
    /// A modify.
    Modify {
        /// The entry.
        dn: Text,
        /// The operation, the attribute and the values of each change.
        changes: Vec<(ModifyOp, String, Vec<Text>)>,
    },
    /// An add.
    Add {
        /// The entry.
        dn: Text,
        /// Its attributes and their values.
        attributes: Vec<(String, Vec<Text>)>,
    },
    /// A delete.
    Delete {
        /// The entry.
        dn: Text,
    },
}

impl LdapOperation {
    /// Whether it is a bind.
    pub fn is_bind(&self) -> bool {
        matches!(self, Self::Bind { .. })
    }

    /// Whether it changes entries.
    pub fn changes(&self) -> bool {
        matches!(self, Self::Modify { .. } | Self::Add { .. } | Self::Delete { .. })
    }
}

/// A compiled operation.
#[derive(Clone, Debug)]
pub struct LdapStep {
    pub(super) skeleton: Skeleton,
    fills: Vec<(Hole, Escape)>,
    /// The tag of the message that ends it.
    pub(super) expected: u8,
    /// Whether the server returns entries, of which the first is read.
    pub(super) finds: bool,
    /// Whether it changes the identity of the connection.
    pub(super) binds: bool,
}

impl LdapStep {
    /// Compiles an operation; fails if a filter is invalid, or if its shape depends on values.
    pub fn new(task: &LdapOperation) -> Result<Self, FilterError> {
        let mut fills = Fills::default();
        let skeleton = fills.skeleton(task)?;
        let expected = match task {
            LdapOperation::Bind { .. } => op::BIND_RESPONSE,
            LdapOperation::Search { .. } => op::SEARCH_DONE,
            LdapOperation::Compare { .. } => op::COMPARE_RESPONSE,
            LdapOperation::Modify { .. } => op::MODIFY_RESPONSE,
            LdapOperation::Add { .. } => op::ADD_RESPONSE,
            LdapOperation::Delete { .. } => op::DELETE_RESPONSE,
        };
        Ok(Self {
            skeleton,
            fills: fills.0,
            expected,
            finds: matches!(task, LdapOperation::Search { .. }),
            binds: matches!(task, LdapOperation::Bind { .. }),
        })
    }

    /// The variables it uses.
    pub fn holes(&self) -> impl Iterator<Item = Hole> {
        self.fills.iter().map(|(hole, _)| *hole)
    }

    /// Writes the values it needs, end to end.
    pub(super) fn fill(&self, values: &Values, arena: &mut Arena) -> Result<(), Unfilled> {
        arena.clear();
        for (hole, escape) in &self.fills {
            let value = values.value(*hole).ok_or(Unfilled::Unset(*hole))?;
            arena.push_with(|bytes| {
                let start = bytes.len();
                bytes.extend_from_slice(value);
                escape.apply(bytes, start);
            });
        }
        Ok(())
    }
}

/// The values for the slots of a skeleton, numbered in order of appearance.
#[derive(Default)]
struct Fills(Vec<(Hole, Escape)>);

impl Fills {
    fn skeleton(&mut self, task: &LdapOperation) -> Result<Skeleton, FilterError> {
        Ok(match task {
            LdapOperation::Bind { dn, password } => {
                request::bind_simple(&self.slots(dn), &self.slots(password), &[])
            }
            LdapOperation::Search { base, scope, filter, attributes, size_limit } => {
                let base = self.slots(base);
                let filter = Filter::parse_text(&self.slots(filter))?;
                let mut search = Search::new(base, *scope, filter);
                search.size_limit = *size_limit;
                search.attributes = attributes.iter().map(|name| name.as_str().into()).collect();
                search.skeleton(&[])
            }
            LdapOperation::Compare { dn, attribute, value } => {
                let dn = self.slots(dn);
                request::compare(&dn, &attribute.as_str().into(), &self.slots(value), &[])
            }
            LdapOperation::Modify { dn, changes } => {
                let dn = self.slots(dn);
                let change = |(op, attribute, values): &(ModifyOp, String, Vec<Text>)| Change {
                    op: *op,
                    attribute: attribute.as_str().into(),
                    values: values.iter().map(|value| self.slots(value)).collect(),
                };
                let changes: Vec<_> = changes.iter().map(change).collect();
                request::modify(&dn, &changes, &[])
            }
            LdapOperation::Add { dn, attributes } => {
                let dn = self.slots(dn);
                let attribute = |(name, values): &(String, Vec<Text>)| Attribute {
                    name: name.as_str().into(),
                    values: values.iter().map(|value| self.slots(value)).collect(),
                };
                let attributes: Vec<_> = attributes.iter().map(attribute).collect();
                request::add(&dn, &attributes, &[])
            }
            LdapOperation::Delete { dn } => request::delete(&self.slots(dn), &[]),
        })
    }

    fn slots(&mut self, text: &Text) -> Slots {
        let mut slots = Slots::new();
        for piece in text.pieces() {
            match piece {
                TextPiece::Literal(bytes) => slots.push_bytes(bytes),
                TextPiece::Hole(hole, escape) => {
                    slots.push_slot(self.0.len());
                    self.0.push((*hole, *escape));
                }
            }
        }
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_ldap_wire::message::{Message, Request};

    fn text(text: &str, escape: Escape) -> Text {
        Text::parse(text, escape, |name| name.parse().ok().map(Hole)).unwrap()
    }

    fn encoded(task: &LdapOperation, values: &[&[u8]]) -> Result<Vec<u8>, Unfilled> {
        let mut known = Values::new(values.len());
        for (hole, value) in (0..).map(Hole).zip(values) {
            known.set(hole, value);
        }
        let (step, mut arena, mut out) =
            (LdapStep::new(task).unwrap(), Arena::default(), Vec::new());
        step.fill(&known, &mut arena)?;
        step.skeleton.encode(7, &arena, &mut out);
        Ok(out)
    }

    #[test]
    fn step_values_are_escaped_only_in_dns() {
        let dn = text("uid=${0},ou=people", Escape::Dn);
        let task = LdapOperation::Compare {
            dn,
            attribute: "mail".to_owned(),
            value: text("${0}@${1}", Escape::None),
        };
        let bytes = encoded(&task, &[b"a,b", b"x*y"]).unwrap();
        let message = Message::decode(&bytes).unwrap();
        let Request::Compare { dn, attribute, value } = message.request else {
            panic!("{message:?}")
        };
        assert_eq!(
            (dn, attribute, value),
            (&b"uid=a\\,b,ou=people"[..], &b"mail"[..], &b"a,b@x*y"[..])
        );
        assert_eq!(encoded(&task, &[b"a"]), Err(Unfilled::Unset(Hole(1))));
    }

    #[test]
    fn step_filter_keeps_its_structure() {
        let search = |filter: &str| LdapOperation::Search {
            base: Text::literal("dc=x"),
            scope: Scope::Subtree,
            filter: text(filter, Escape::None),
            attributes: vec!["mail".to_owned()],
            size_limit: 1,
        };
        let bytes = encoded(&search("(uid=${0})"), &[b"*)(uid=*"]).unwrap();
        let message = Message::decode(&bytes).unwrap();
        let Request::Search(found) = message.request else { panic!("{message:?}") };
        assert_eq!(found.base, b"dc=x");
        assert!(bytes.windows(8).any(|eight| eight == b"*)(uid=*"));
        assert!(LdapStep::new(&search("(${0}")).is_err());
        assert!(LdapStep::new(&search("${0}")).is_err(), "only the value would be the filter");
    }
}
