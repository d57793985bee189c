//! [`Part`]: the parts of a page in order, for searches that no selector can express.

use crate::document::{Document, Node};
use html5ever::tokenizer::Tag;

/// A part of a page.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// A start tag.
    Start(StartTag<'a>),
    /// The name of an end tag.
    End(&'a str),
    /// A text, or a part of one.
    Text(&'a str),
}

/// A start tag.
#[derive(Clone, Copy, Debug)]
pub struct StartTag<'a>(&'a Tag);

impl Document {
    /// The tags and texts.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.nodes.iter().map(|node| match node {
            Node::Start(tag) => Part::Start(StartTag(tag)),
            Node::End(name) => Part::End(name),
            Node::Text(text) => Part::Text(text),
        })
    }
}

impl<'a> StartTag<'a> {
    /// The name of the element, in lower case.
    pub fn name(self) -> &'a str {
        &self.0.name
    }

    /// The value of an attribute; empty if the attribute has none.
    pub fn attribute(self, name: &str) -> Option<&'a str> {
        crate::document::attribute(self.0, name)
    }

    /// The attributes in order: their names in lower case, and their values without entities.
    pub fn attributes(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.attrs.iter().map(|it| (&*it.name.local, &*it.value))
    }
}
