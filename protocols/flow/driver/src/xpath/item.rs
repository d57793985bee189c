//! [`Item`]: a node in the sense of XPath, in which attributes are nodes too.

use roxmltree::{Attribute, Node, NodeType};

/// A node of a document.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item<'a, 'i> {
    Node(Node<'a, 'i>),
    /// An attribute: its element, and its number.
    Attribute(Node<'a, 'i>, usize),
}

impl<'a, 'i> Item<'a, 'i> {
    /// The key that sorts nodes in document order.
    pub(super) fn key(&self) -> (u32, usize) {
        match self {
            Self::Node(node) => (node.id().get(), 0),
            Self::Attribute(node, at) => (node.id().get(), at + 1),
        }
    }

    /// Its text, XPath 1.0 section 5: for an element, all text inside.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Attribute(..) => self.attribute().map_or("", |own| own.value()).to_owned(),
            Self::Node(node) => match node.node_type() {
                NodeType::Root | NodeType::Element => {
                    let texts = node.descendants().filter(Node::is_text);
                    texts.filter_map(|text| text.text()).collect()
                }
                NodeType::PI => node.pi().and_then(|own| own.value).unwrap_or_default().to_owned(),
                NodeType::Comment | NodeType::Text => node.text().unwrap_or_default().to_owned(),
            },
        }
    }

    /// The name without its prefix; empty if it has none.
    pub(super) fn local_name(&self) -> &'a str {
        match self {
            Self::Attribute(..) => self.attribute().map_or("", |own| own.name()),
            Self::Node(node) if node.is_pi() => node.pi().map_or("", |own| own.target),
            Self::Node(node) => node.tag_name().name(),
        }
    }

    /// The namespace of the name.
    pub(super) fn namespace(&self) -> Option<&'a str> {
        match self {
            Self::Attribute(..) => self.attribute().and_then(|own| own.namespace()),
            Self::Node(node) => node.tag_name().namespace(),
        }
    }

    /// The name with a prefix for its namespace.
    pub(super) fn name(&self) -> String {
        let prefix = self.namespace().and_then(|uri| self.element().lookup_prefix(uri));
        match prefix.filter(|prefix| !prefix.is_empty()) {
            Some(prefix) => format!("{prefix}:{}", self.local_name()),
            None => self.local_name().to_owned(),
        }
    }

    /// Whether its namespace is the one that `prefix` means here.
    pub(super) fn is_of(&self, prefix: &str) -> bool {
        let meant = match prefix {
            "xml" => Some("http://www.w3.org/XML/1998/namespace"),
            other => self.element().lookup_namespace_uri(Some(other)),
        };
        meant.is_some() && meant == self.namespace()
    }

    /// The attributes of an element.
    pub(super) fn attributes(self) -> impl Iterator<Item = Self> {
        let (node, count) = match self {
            Self::Node(node) => (node, node.attributes().len()),
            Self::Attribute(node, _) => (node, 0),
        };
        (0..count).map(move |at| Self::Attribute(node, at))
    }

    /// How many namespaces are in scope.
    pub(super) fn namespaces(&self) -> usize {
        self.element().namespaces().len()
    }

    /// The element that it is or belongs to.
    pub(super) fn element(&self) -> Node<'a, 'i> {
        match self {
            Self::Node(node) | Self::Attribute(node, _) => *node,
        }
    }

    fn attribute(&self) -> Option<Attribute<'a, 'i>> {
        match self {
            Self::Node(_) => None,
            Self::Attribute(node, at) => node.attributes().nth(*at),
        }
    }
}
