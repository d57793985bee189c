//! [`Selector`]: which elements of a page are meant, in the notation of CSS.
//!
//! Elements are seen by their start and end tags, and not as the tree that a browser makes of them. While a document is
//! passed once, each open element knows which parts of the selector it and those around it match, so the work for an
//! element does not depend on how deep it is.

use crate::document::{Document, Node, attribute};
use crate::meter::{Meter, Spent, spend_bytes};
use crate::open_elements::OpenElements;
use html5ever::tokenizer::Tag;
use std::fmt;
use std::sync::Arc;

/// The elements that are meant.
#[derive(Clone, Debug)]
pub struct Selector {
    text: Arc<str>,
    /// The parts of all alternatives, each after the part it depends on.
    parts: Arc<[Part]>,
}

/// What an element must be, and what must be around it.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) name: Option<String>,
    pub(crate) tests: Vec<Test>,
    /// The part that an element around it must match.
    pub(crate) within: Option<Within>,
    /// Whether an element that matches it is meant.
    pub(crate) last: bool,
}

/// What must be around an element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Within {
    /// An element anywhere around it that matches the part before.
    Any,
    /// The element directly around it, which matches the part before.
    Parent,
}

/// A condition on an attribute.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) attribute: String,
    pub(crate) must: Must,
}

/// What an attribute must be.
#[derive(Debug)]
pub(crate) enum Must {
    Exist,
    Be(String),
    BeginWith(String),
    EndWith(String),
    Contain(String),
    /// One of its words, which spaces separate.
    HaveWord(String),
}

impl Must {
    fn holds(&self, value: &str) -> bool {
        match self {
            Self::Exist => true,
            Self::Be(text) => value == text,
            // An empty text matches nothing, as CSS has it.
            Self::BeginWith(text) => !text.is_empty() && value.starts_with(&**text),
            Self::EndWith(text) => !text.is_empty() && value.ends_with(&**text),
            Self::Contain(text) => !text.is_empty() && value.contains(&**text),
            Self::HaveWord(word) => value.split_ascii_whitespace().any(|one| one == word),
        }
    }
}

impl Part {
    fn holds(&self, tag: &Tag) -> bool {
        let named = self.name.as_ref().is_none_or(|name| *tag.name == **name);
        named
            && self.tests.iter().all(|test| {
                attribute(tag, &test.attribute).is_some_and(|value| test.must.holds(value))
            })
    }
}

impl Selector {
    /// The selector of this text, with its parts.
    pub(crate) fn new(text: &str, parts: Vec<Part>) -> Self {
        Self { text: text.into(), parts: parts.into() }
    }

    /// The values of the first elements that it selects, `most` of them at the most: their texts, or the values of an
    /// attribute of those that have it.
    pub fn values(
        &self,
        document: &Document,
        attribute: Option<&str>,
        most: usize,
        meter: &dyn Meter,
    ) -> Result<Vec<String>, Spent> {
        let mut search = Search { attribute, most, meter, open: Vec::new(), values: Vec::new() };
        search.search(document, self)?;
        Ok(search.values)
    }

    /// How many elements it selects, of those that have the attribute if one is given.
    pub fn count(
        &self,
        document: &Document,
        name: Option<&str>,
        meter: &dyn Meter,
    ) -> Result<usize, Spent> {
        let (mut elements, mut matches) = (OpenElements::default(), Matches::new(self));
        let mut count = 0;
        for node in &document.nodes {
            match node {
                Node::Start(tag) => {
                    let found = matches.enter(tag, meter)?;
                    let has = name.is_none_or(|name| attribute(tag, name).is_some());
                    count += usize::from(found && has);
                    elements.open(tag);
                }
                Node::End(name) => elements.close(name, meter)?,
                Node::Text(_) => {}
            }
            matches.leave(elements.depth());
        }
        Ok(count)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Which parts of a selector the open elements match.
pub(crate) struct Matches<'s> {
    selector: &'s Selector,
    frames: Vec<Frame>,
}

/// The parts that an open element matches, and those that it or an element around it matches, as bits.
#[derive(Clone, Copy, Default)]
struct Frame {
    own: u64,
    around: u64,
}

impl<'s> Matches<'s> {
    pub(crate) fn new(selector: &'s Selector) -> Self {
        Self { selector, frames: Vec::new() }
    }

    /// Enters an element; returns whether the selector selects it.
    pub(crate) fn enter(&mut self, tag: &Tag, meter: &dyn Meter) -> Result<bool, Spent> {
        let outside = self.frames.last().copied().unwrap_or_default();
        let (mut own, mut selected) = (0_u64, false);
        for (number, part) in self.selector.parts.iter().enumerate() {
            let before = 1_u64.checked_shl((number as u32).wrapping_sub(1)).unwrap_or(0);
            let fits = match part.within {
                None => true,
                Some(Within::Any) => outside.around & before != 0,
                Some(Within::Parent) => outside.own & before != 0,
            };
            if fits && part.holds(tag) {
                own |= 1 << number;
                selected |= part.last;
            }
        }
        meter.spend(self.selector.parts.len() as u64)?;
        self.frames.push(Frame { own, around: outside.around | own });
        Ok(selected)
    }

    /// Leaves all but this many elements.
    pub(crate) fn leave(&mut self, depth: usize) {
        self.frames.truncate(depth);
    }
}

/// The values of selected elements, while the document is passed.
struct Search<'a> {
    attribute: Option<&'a str>,
    most: usize,
    meter: &'a dyn Meter,
    /// The selected elements that are open: how many elements are around their content, and the number of the value.
    open: Vec<(usize, usize)>,
    values: Vec<String>,
}

impl Search<'_> {
    fn search(&mut self, document: &Document, selector: &Selector) -> Result<(), Spent> {
        let (mut elements, mut matches) = (OpenElements::default(), Matches::new(selector));
        for node in &document.nodes {
            match node {
                Node::Start(tag) => {
                    let selected = matches.enter(tag, self.meter)?;
                    let content = elements.open(tag);
                    if selected {
                        self.select(tag, content.then(|| elements.depth()))?;
                    }
                }
                Node::End(name) => {
                    elements.close(name, self.meter)?;
                    self.open.retain(|(depth, _)| *depth <= elements.depth());
                }
                Node::Text(text) => self.text(text, &elements)?,
            }
            matches.leave(elements.depth());
            if self.values.len() == self.most && self.open.is_empty() {
                break;
            }
        }
        self.values.iter_mut().for_each(trim);
        Ok(())
    }

    fn select(&mut self, tag: &Tag, content: Option<usize>) -> Result<(), Spent> {
        if self.values.len() == self.most {
            return Ok(());
        }
        let Some(name) = self.attribute else {
            self.values.push(String::new());
            self.open.extend(content.map(|depth| (depth, self.values.len() - 1)));
            return Ok(());
        };
        if let Some(value) = attribute(tag, name) {
            spend_bytes(self.meter, value.len())?;
            self.values.push(value.to_owned());
        }
        Ok(())
    }

    /// Adds a text to the selected elements it is in. What scripts and styles contain belongs to no element around.
    fn text(&mut self, text: &str, elements: &OpenElements) -> Result<(), Spent> {
        self.meter.spend(self.open.len() as u64)?;
        let code = matches!(elements.innermost(), Some("script" | "style"));
        for (depth, number) in &self.open {
            if !code || *depth == elements.depth() {
                spend_bytes(self.meter, text.len())?;
                self.values[*number].push_str(text);
            }
        }
        Ok(())
    }
}

/// Removes the white space at both ends.
fn trim(text: &mut String) {
    text.truncate(text.trim_end().len());
    let start = text.len() - text.trim_start().len();
    text.drain(..start);
}

#[cfg(test)]
mod tests;
