//! An XML body, parsed within the work limit of an answer.
//!
//! The parser compares each attribute of an element with its other attributes, and each declared prefix with all that
//! are in scope, and it cannot be interrupted. So the tags are counted first, in one pass over the text, and a document
//! that would need too many comparisons is not parsed.

use super::unexamined::Unexamined;
use super::work::Work;
use roxmltree::{Document, Error, ParsingOptions};

/// The maximum number of elements, attributes and texts in a body.
const NODES_MAX: u32 = 500_000;

/// Bytes of names that are compared for one unit of work.
const BYTES_A_UNIT: u64 = 16;

/// Parses a document. One that declares a document type is refused, so nothing of it is ever expanded.
pub(super) fn parse<'a>(body: &'a [u8], work: &Work) -> Result<Document<'a>, Unexamined> {
    let text = std::str::from_utf8(body).map_err(|_| Unexamined::NotXml { line: 1, column: 1 })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    work.spend(comparisons(text))?;
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| match error {
        Error::DtdDetected => Unexamined::Doctype,
        Error::NodesLimitReached
        | Error::AttributesLimitReached
        | Error::NamespacesLimitReached => Unexamined::Work,
        other => {
            let at = other.pos();
            Unexamined::NotXml { line: at.row as usize, column: at.col as usize }
        }
    })
}

/// The namespaces in scope at an element: the maximum number, and the length of the tags that declare them.
#[derive(Clone, Copy, Default)]
struct Scope {
    count: u64,
    bytes: u64,
}

/// An upper bound of the units that the parser needs for `text`. Text that is not XML is scanned as far as possible.
fn comparisons(text: &str) -> u64 {
    let (mut units, mut declared) = ((text.len() as u64) / BYTES_A_UNIT, 0_u64);
    let (mut scope, mut around) = (Scope::default(), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let after = |mark: &str| rest.find(mark).map(|at| at + mark.len());
        let length = if let Some(comment) = rest.strip_prefix("<!--") {
            comment.find("-->").map(|at| at + "<!---->".len())
        } else if rest.starts_with("<![CDATA[") {
            after("]]>")
        } else if rest.starts_with("<?") {
            after("?>")
        } else if rest.starts_with("<!") {
            // A document type, at which the parser stops as well.
            None
        } else if rest.starts_with("</") {
            scope = around.pop().unwrap_or_default();
            after(">")
        } else {
            let tag = Tag::read(rest);
            units = units.saturating_add(tag.comparisons(scope, declared));
            declared += tag.declarations;
            if !tag.closed {
                around.push(scope);
                if tag.declarations > 0 {
                    scope.count += tag.declarations;
                    scope.bytes += tag.length as u64;
                }
            }
            Some(tag.length)
        };
        match length.and_then(|length| rest.get(length..)) {
            Some(further) => rest = further,
            None => break,
        }
    }
    units
}

/// The start tag of an element.
struct Tag {
    length: usize,
    /// Attributes and namespace declarations.
    attributes: u64,
    declarations: u64,
    /// Whether it also ends the element.
    closed: bool,
}

impl Tag {
    /// The tag at the beginning of `text`; if it has no end, it extends to the end of the text.
    fn read(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut tag = Self { length: bytes.len(), attributes: 0, declarations: 0, closed: false };
        let mut quote = None;
        for (at, byte) in bytes.iter().enumerate() {
            match (quote, byte) {
                (Some(open), byte) if byte == open => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => tag.attributes += 1,
                (None, b'x') if bytes[at..].starts_with(b"xmlns") => tag.declarations += 1,
                (None, b'>') => {
                    tag.length = at + 1;
                    tag.closed = bytes[at - 1] == b'/';
                    break;
                }
                _ => {}
            }
        }
        tag
    }

    /// The number of name comparisons that the parser makes for it within `scope`, after `declared` declarations.
    fn comparisons(&self, scope: Scope, declared: u64) -> u64 {
        let length = self.length as u64;
        let each = |among: u64, bytes: u64| among.saturating_add(bytes / BYTES_A_UNIT);
        // Attributes and declarations are compared with each other.
        let mut units = self.attributes.saturating_mul(each(self.attributes, length));
        // A prefix is looked up among those in scope.
        let visible = each(scope.count + self.declarations, scope.bytes + length);
        units = units.saturating_add((self.attributes + 1).saturating_mul(visible));
        if self.declarations > 0 {
            // The outer scope is copied; each name is looked up first in the part that is already copied.
            units = units.saturating_add(scope.count.saturating_mul(visible));
            // And each declaration is sorted into the list of all declarations.
            units = units.saturating_add(self.declarations.saturating_mul(declared / 32));
        }
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    fn parsed(text: &str) -> Result<(), Unexamined> {
        parse(text.as_bytes(), &Work::default()).map(drop)
    }

    /// Nested elements, each of which declares its own namespace.
    fn nested_namespaces(depth: usize) -> String {
        let mut text = String::new();
        for at in 0..depth {
            let _ = write!(text, "<a xmlns:n{at}='u{at}'>");
        }
        text + &"</a>".repeat(depth)
    }

    /// One element with this many attributes.
    fn attributes(count: usize) -> String {
        let mut text = "<a".to_owned();
        for at in 0..count {
            let _ = write!(text, " attribute{at}='v'");
        }
        text + "/>"
    }

    #[test]
    fn xml_expensive_documents_are_refused_before_parsing() {
        let nested = nested_namespaces(8_000);
        assert!(nested.len() > 190_000, "{}", nested.len());
        assert_eq!(parsed(&nested), Err(Unexamined::Work));
        let wide = attributes(46_000);
        assert!(wide.len() > 860_000, "{}", wide.len());
        assert_eq!(parsed(&wide), Err(Unexamined::Work));
        let declared = attributes(46_000).replace("attribute", "xmlns:a");
        assert_eq!(parsed(&declared), Err(Unexamined::Work));
        let prefixed = format!(
            "<r {}>{}</r>",
            (0..2_000).fold(String::new(), |text, at| text + &format!("xmlns:n{at}='u{at}' ")),
            "<n1999:e/>".repeat(50_000)
        );
        assert_eq!(parsed(&prefixed), Err(Unexamined::Work));
    }

    #[test]
    fn xml_ordinary_documents_are_parsed() {
        assert_eq!(parsed(&nested_namespaces(50)), Ok(()));
        assert_eq!(parsed(&attributes(500)), Ok(()));
        let row = "<soap:row xmlns:x='urn:x' id='1' soap:kind=\"a>b\"><x:c>text</x:c></soap:row>";
        let rows = format!(
            "<?xml version='1.0'?><!-- <a b='c'> --><soap:all xmlns:soap='urn:s'>{}\
             <![CDATA[<a b='c'>]]></soap:all>",
            row.repeat(12_000)
        );
        assert!(rows.len() > 900_000);
        assert_eq!(parsed(&rows), Ok(()));
        let deep = ["<a>".repeat(100_000), "</a>".repeat(100_000)].concat();
        assert_eq!(parsed(&deep), Ok(()));
    }

    #[test]
    fn xml_refusal_gives_a_reason() {
        assert_eq!(parsed("<!DOCTYPE a><a/>"), Err(Unexamined::Doctype));
        assert_eq!(parsed("<a>\n<b></a>"), Err(Unexamined::NotXml { line: 2, column: 4 }));
        assert_eq!(parsed(&"<a/>".repeat(2)), Err(Unexamined::NotXml { line: 1, column: 5 }));
        for broken in ["", "<", "<a", "<!-", "<!--", "<![CDATA[", "<?", "</", "<a b='", "<é", "é<"]
        {
            assert!(matches!(parsed(broken), Err(Unexamined::NotXml { .. })), "{broken}");
        }
    }
}
