//! [`OpenElements`]: the elements that are open at a place in a document.

use crate::meter::{Meter, Spent};
use html5ever::LocalName;
use html5ever::tokenizer::Tag;

/// Elements without content, whose start tag ends them.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Elements whose content is not HTML, where `<a/>` is a whole element.
const FOREIGN: [&str; 2] = ["svg", "math"];

/// The elements that are open, from the outermost on.
#[derive(Default)]
pub(crate) struct OpenElements {
    names: Vec<LocalName>,
    foreign: usize,
}

impl OpenElements {
    /// How many elements are open.
    pub(crate) fn depth(&self) -> usize {
        self.names.len()
    }

    /// The innermost open element.
    pub(crate) fn innermost(&self) -> Option<&str> {
        self.names.last().map(|name| &**name)
    }

    /// Opens an element; returns whether it has content, or is over with its start tag.
    pub(crate) fn open(&mut self, tag: &Tag) -> bool {
        let foreign = FOREIGN.contains(&&*tag.name);
        let whole = tag.self_closing && (foreign || self.foreign > 0);
        if whole || VOID.contains(&&*tag.name) {
            return false;
        }
        self.foreign += usize::from(foreign);
        self.names.push(tag.name.clone());
        true
    }

    /// Closes the innermost element of this name and all within it. An end tag without an element changes nothing.
    pub(crate) fn close(&mut self, name: &LocalName, meter: &dyn Meter) -> Result<(), Spent> {
        let mut searched = 0;
        let found = self.names.iter().rposition(|open| {
            searched += 1;
            open == name
        });
        meter.spend(searched)?;
        if let Some(at) = found {
            let closed = self.names.drain(at..);
            self.foreign -= closed.filter(|name| FOREIGN.contains(&&**name)).count();
        }
        Ok(())
    }
}
