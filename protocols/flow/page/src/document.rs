//! [`Document`]: the tags and texts of a page, in order.

use crate::meter::{Meter, Spent, spend_bytes};
use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, State};
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// The tokenizer cannot be stopped, so it is fed this many bytes at a time.
const FED: usize = 8 << 10;

/// What a tag or a text costs, and an attribute: they are kept until the answer has been examined.
const UNITS_A_NODE: u64 = 16;
const UNITS_AN_ATTRIBUTE: u64 = 8;

/// The most bytes that may separate attributes since the last tag or text. The tokenizer compares the name of each
/// attribute with all before it in the same tag, which takes too long in a tag made for it.
const SEPARATORS_MAX: usize = 16 << 10;

/// The tags and texts of a page.
#[derive(Debug)]
pub struct Document {
    pub(crate) nodes: Vec<Node>,
}

/// A tag or a text.
#[derive(Debug)]
pub(crate) enum Node {
    Start(Tag),
    End(LocalName),
    Text(StrTendril),
}

impl Document {
    /// Reads a page. Bytes that are not UTF-8 become replacement characters.
    pub fn read(bytes: &[u8], meter: &dyn Meter) -> Result<Self, Spent> {
        Self::tokenized(bytes, meter, None)
    }

    /// Reads text in which only character references have a meaning.
    pub(crate) fn read_text(bytes: &[u8], meter: &dyn Meter) -> Result<Self, Spent> {
        Self::tokenized(bytes, meter, Some(State::RawData(RawKind::Rcdata)))
    }

    fn tokenized(
        bytes: &[u8],
        meter: &dyn Meter,
        initial_state: Option<State>,
    ) -> Result<Self, Spent> {
        spend_bytes(meter, bytes.len())?;
        // Most pages are valid, and to know that is much cheaper than to search for what has to be replaced.
        let valid = std::str::from_utf8(bytes).map(Cow::Borrowed);
        let text = valid.unwrap_or_else(|_| String::from_utf8_lossy(bytes));
        let sink = Sink::new(meter);
        let options = TokenizerOpts { initial_state, ..TokenizerOpts::default() };
        let tokenizer = Tokenizer::new(sink, options);
        let queue = BufferQueue::default();
        for chunk in chunks(&text) {
            let separators = chunk.bytes().filter(|byte| separates(*byte)).count();
            let before = tokenizer.sink.separators.get();
            tokenizer.sink.separators.set(before + separators);
            queue.push_back(StrTendril::from_slice(chunk));
            // Tags that change the state do so by their own result; no script is ever run.
            while !queue.is_empty() {
                let _ = tokenizer.feed(&queue);
            }
            if tokenizer.sink.spent.get() || tokenizer.sink.separators.get() > SEPARATORS_MAX {
                return Err(Spent);
            }
        }
        tokenizer.end();
        if tokenizer.sink.spent.get() {
            return Err(Spent);
        }
        Ok(Self { nodes: tokenizer.sink.nodes.into_inner() })
    }
}

/// The parts of a text, cut between characters.
fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = FED.min(rest.len())..=rest.len();
        let end = ends.into_iter().find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at(end);
        rest = after;
        Some(chunk)
    })
}

/// Whether a byte may be between two attributes of a tag.
fn separates(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'')
}

/// Keeps the tokens.
struct Sink<'a> {
    nodes: RefCell<Vec<Node>>,
    meter: &'a dyn Meter,
    spent: Cell<bool>,
    separators: Cell<usize>,
}

impl<'a> Sink<'a> {
    fn new(meter: &'a dyn Meter) -> Self {
        Self { nodes: RefCell::default(), meter, spent: Cell::new(false), separators: Cell::new(0) }
    }

    fn keep(&self, node: Node) {
        let attributes = match &node {
            Node::Start(tag) => tag.attrs.len() as u64,
            Node::End(_) | Node::Text(_) => 0,
        };
        let units = UNITS_A_NODE + UNITS_AN_ATTRIBUTE * attributes;
        if self.spent.get() || self.meter.spend(units).is_err() {
            self.spent.set(true);
            return;
        }
        self.nodes.borrow_mut().push(node);
    }
}

impl TokenSink for Sink<'_> {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let content = match &token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => content(&tag.name),
            _ => TokenSinkResult::Continue,
        };
        if !matches!(token, Token::ParseError(_)) {
            self.separators.set(0);
        }
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => self.keep(Node::Start(tag)),
            Token::TagToken(tag) => self.keep(Node::End(tag.name)),
            Token::CharacterTokens(text) => self.keep(Node::Text(text)),
            _ => {}
        }
        content
    }
}

/// How the content of an element is read: that of some is text, whatever it looks like. Without scripts `noscript` is
/// an element like any other.
fn content(name: &LocalName) -> TokenSinkResult<()> {
    match &**name {
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => {
            TokenSinkResult::RawData(RawKind::Rawtext)
        }
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "plaintext" => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}

/// The value of an attribute of a tag.
pub(crate) fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| &*attribute.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Unlimited;

    fn read(page: &str) -> Vec<String> {
        let nodes = Document::read(page.as_bytes(), &Unlimited).unwrap().nodes;
        let shown = |node: Node| match node {
            Node::Start(tag) => {
                let attributes = tag.attrs.iter();
                let attributes = attributes.map(|one| format!(" {}={}", one.name.local, one.value));
                format!("<{}{}>", tag.name, attributes.collect::<String>())
            }
            Node::End(name) => format!("</{name}>"),
            Node::Text(text) => text.to_string(),
        };
        nodes.into_iter().map(shown).collect()
    }

    #[test]
    fn document_decodes_references_and_keeps_scripts_as_text() {
        assert_eq!(
            read("<A HREF='/x?a=1&amp;b=2' autofocus>a &lt; b</A>").concat(),
            "<a href=/x?a=1&b=2 autofocus=>a < b</a>"
        );
        assert_eq!(
            read("<script>if (a<b) '<form>'</script><textarea><form></textarea>").concat(),
            "<script>if (a<b) '<form>'</script><textarea><form></textarea>"
        );
        assert_eq!(read("<script>").len(), 1);
        assert_eq!(read("<p").len(), 0);
    }

    #[test]
    fn document_gives_up_on_an_expensive_tag() {
        let attributes = |count: usize| {
            let names: Vec<String> = (0..count).map(|number| format!(" a{number:x}")).collect();
            format!("<p{}>", names.concat())
        };
        assert!(Document::read(attributes(1000).as_bytes(), &Unlimited).is_ok());
        assert!(Document::read(attributes(100_000).as_bytes(), &Unlimited).is_err());
        let wide = " ".repeat(500_000);
        assert!(Document::read(format!("<p>{wide}</p>").as_bytes(), &Unlimited).is_ok());
    }
}
