//! Search filters (RFC 4511 section 4.5.1.7) as a tree: parsed from text, decoded from bytes, and written in both
//! forms.
//!
//! The tree is generic over its leaves. A filter that will be sent has [`Text`] leaves, so that a value may be a slot;
//! a received filter borrows its leaves from the message. Slots are only in leaves, so the value of a slot never
//! affects the structure of a filter.

mod decode;
mod parse;
mod show;

pub use parse::{FilterError, Position};
pub use show::escape;

use crate::ber::{Node, Text, tag};

/// The maximum nesting depth of filters, in text and in bytes.
pub const DEPTH_MAX: usize = 24;

/// A search filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter<T> {
    /// All of these; true if there is none (RFC 4526).
    And(Vec<Self>),
    /// One of these; false if there is none (RFC 4526).
    Or(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// `attribute=value`.
    Equality {
        /// The attribute description.
        attribute: T,
        /// The assertion value.
        value: T,
    },
    /// `attribute=initial*any*any*last`.
    Substrings {
        /// The attribute description.
        attribute: T,
        /// What values begin with.
        initial: Option<T>,
        /// What values contain, in this order.
        any: Vec<T>,
        /// What values end with.
        last: Option<T>,
    },
    /// `attribute>=value`.
    GreaterOrEqual {
        /// The attribute description.
        attribute: T,
        /// The assertion value.
        value: T,
    },
    /// `attribute<=value`.
    LessOrEqual {
        /// The attribute description.
        attribute: T,
        /// The assertion value.
        value: T,
    },
    /// `attribute=*`.
    Present(T),
    /// `attribute~=value`.
    Approximate {
        /// The attribute description.
        attribute: T,
        /// The assertion value.
        value: T,
    },
    /// `attribute:dn:rule:=value`.
    Extensible {
        /// The matching rule, by name or OID.
        rule: Option<T>,
        /// The attribute description.
        attribute: Option<T>,
        /// The assertion value.
        value: T,
        /// Whether the attributes of the entry's DN are matched too.
        dn_attributes: bool,
    },
}

impl<T> Filter<T> {
    /// The same filter with other leaves.
    pub fn map<U>(&self, leaf: &mut impl FnMut(&T) -> U) -> Filter<U> {
        match self {
            Self::And(filters) => {
                Filter::And(filters.iter().map(|filter| filter.map(leaf)).collect())
            }
            Self::Or(filters) => {
                Filter::Or(filters.iter().map(|filter| filter.map(leaf)).collect())
            }
            Self::Not(filter) => Filter::Not(Box::new(filter.map(leaf))),
            Self::Equality { attribute, value } => {
                Filter::Equality { attribute: leaf(attribute), value: leaf(value) }
            }
            Self::Substrings { attribute, initial, any, last } => Filter::Substrings {
                attribute: leaf(attribute),
                initial: initial.as_ref().map(&mut *leaf),
                any: any.iter().map(&mut *leaf).collect(),
                last: last.as_ref().map(&mut *leaf),
            },
            Self::GreaterOrEqual { attribute, value } => {
                Filter::GreaterOrEqual { attribute: leaf(attribute), value: leaf(value) }
            }
            Self::LessOrEqual { attribute, value } => {
                Filter::LessOrEqual { attribute: leaf(attribute), value: leaf(value) }
            }
            Self::Present(attribute) => Filter::Present(leaf(attribute)),
            Self::Approximate { attribute, value } => {
                Filter::Approximate { attribute: leaf(attribute), value: leaf(value) }
            }
            Self::Extensible { rule, attribute, value, dn_attributes } => Filter::Extensible {
                rule: rule.as_ref().map(&mut *leaf),
                attribute: attribute.as_ref().map(&mut *leaf),
                value: leaf(value),
                dn_attributes: *dn_attributes,
            },
        }
    }
}

impl Filter<Text> {
    /// `(attribute=value)`.
    pub fn equality(attribute: impl Into<Text>, value: impl Into<Text>) -> Self {
        Self::Equality { attribute: attribute.into(), value: value.into() }
    }

    /// `(attribute=*)`.
    pub fn present(attribute: impl Into<Text>) -> Self {
        Self::Present(attribute.into())
    }

    /// The filter as a part of a request.
    pub fn node(&self) -> Node {
        let list = |number, filters: &[Self]| {
            Node::Element(
                tag::context_constructed(number),
                filters.iter().map(Self::node).collect(),
            )
        };
        let assertion = |number, attribute, value| {
            let parts = vec![Node::octets(attribute), Node::octets(value)];
            Node::Element(tag::context_constructed(number), parts)
        };
        match self {
            Self::And(filters) => list(0, filters),
            Self::Or(filters) => list(1, filters),
            Self::Not(filter) => Node::Element(tag::context_constructed(2), vec![filter.node()]),
            Self::Equality { attribute, value } => assertion(3, attribute, value),
            Self::Substrings { attribute, initial, any, last } => {
                let begins = initial.iter().map(|text| Node::string(tag::context(0), text));
                let contains = any.iter().map(|text| Node::string(tag::context(1), text));
                let ends = last.iter().map(|text| Node::string(tag::context(2), text));
                let parts = Node::sequence(begins.chain(contains).chain(ends).collect());
                Node::Element(tag::context_constructed(4), vec![Node::octets(attribute), parts])
            }
            Self::GreaterOrEqual { attribute, value } => assertion(5, attribute, value),
            Self::LessOrEqual { attribute, value } => assertion(6, attribute, value),
            Self::Present(attribute) => Node::string(tag::context(7), attribute),
            Self::Approximate { attribute, value } => assertion(8, attribute, value),
            Self::Extensible { rule, attribute, value, dn_attributes } => {
                let rule = rule.iter().map(|text| Node::string(tag::context(1), text));
                let attribute = attribute.iter().map(|text| Node::string(tag::context(2), text));
                let mut parts: Vec<Node> = rule.chain(attribute).collect();
                parts.push(Node::string(tag::context(3), value));
                if *dn_attributes {
                    parts.push(Node::written(|w| w.boolean(tag::context(4), true)));
                }
                Node::Element(tag::context_constructed(9), parts)
            }
        }
    }
}

impl From<&Filter<&[u8]>> for Filter<Text> {
    fn from(filter: &Filter<&[u8]>) -> Self {
        filter.map(&mut |leaf| Text::from(*leaf))
    }
}
