//! References: `{"$ref": "#/components/..."}` within one document (RFC 6901 in a fragment).

use super::Api;
use crate::node::{NOTHING, Node};
use crate::percent_decoded;

/// The longest chain of references.
const LONGEST_CHAIN: usize = 32;

impl<'a> Api<'a> {
    /// The value of a node, with references followed. A reference that cannot be resolved gives an empty value and a
    /// note.
    pub(super) fn resolved(&mut self, node: &'a Node) -> &'a Node {
        let mut node = node;
        for _ in 0..LONGEST_CHAIN {
            let Some(reference) = node.at("$ref").text() else { return node };
            let Some(found) = find(self.document, reference) else {
                let why =
                    if reference.starts_with('#') { "leads nowhere" } else { "is in another file" };
                self.note(format!(
                    "the reference {reference} {why}; what it stands for is left out"
                ));
                return &NOTHING;
            };
            node = found;
        }
        self.note("references that lead to one another in a circle are left out".to_owned());
        &NOTHING
    }
}

/// The value that a reference within the document points to.
pub(super) fn find<'a>(document: &'a Node, reference: &str) -> Option<&'a Node> {
    let pointer = reference.strip_prefix('#')?;
    let decoded = percent_decoded(pointer);
    let mut node = document;
    for token in decoded.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        node = match node {
            Node::List(list) => list.get(name.parse::<usize>().ok()?)?,
            node => node.member(&name)?,
        };
    }
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_pointers_follow_rfc_6901() {
        // RFC 6901, section 5 and 6.
        let text = r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8," ":7}"#;
        let document = Node::json(text).unwrap();
        for (reference, found) in [
            ("#/foo/0", "\"bar\""),
            ("#/", "0"),
            ("#/a~1b", "1"),
            ("#/c%25d", "2"),
            ("#/m~0n", "8"),
            ("#/%20", "7"),
        ] {
            assert_eq!(
                find(&document, reference).map(Node::to_json).as_deref(),
                Some(found),
                "{reference}"
            );
        }
        assert_eq!(find(&document, "#"), Some(&document));
        assert!(find(&document, "#/no").is_none() && find(&document, "x.yaml#/foo").is_none());
    }
}
