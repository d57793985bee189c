//! Character references of HTML in a text.

use crate::document::{Document, Node};
use crate::meter::{Meter, Spent};

/// The text with its character references (`&amp;`, `&#39;`) decoded. Tags in it stay as they are.
pub fn decode_entities(text: &[u8], meter: &dyn Meter) -> Result<String, Spent> {
    let nodes = Document::read_text(text, meter)?.nodes;
    let text = |node| match node {
        Node::Text(text) => Some(text),
        Node::Start(_) | Node::End(_) => None,
    };
    Ok(nodes.into_iter().filter_map(text).map(|text| text.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Unlimited;

    #[test]
    fn entities_of_both_kinds_are_decoded() {
        let decoded = |text: &str| decode_entities(text.as_bytes(), &Unlimited).unwrap();
        assert_eq!(
            decoded("a&amp;b &#39;&#x2F;&eacute; <b>&unknown; &"),
            "a&b '/\u{e9} <b>&unknown; &"
        );
        assert_eq!(decoded(""), "");
    }
}
