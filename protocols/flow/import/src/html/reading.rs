//! [`read`]: the tags and texts of a recorded page, one after the other.

use brunt_flow_page::{Document, Meter, Part, Spent, StartTag};

/// A start tag.
pub(crate) type Tag<'a> = StartTag<'a>;

/// What is told of a page.
pub(crate) trait Reading {
    /// A start tag.
    fn open(&mut self, tag: Tag<'_>);

    /// An end tag, whether its element is open or not.
    fn close(&mut self, name: &str);

    /// A part of a text. A text may come in several parts.
    fn text(&mut self, text: &str);
}

/// Reads a page to its end. One that is made to take long is none.
pub(crate) fn read(page: &str, reading: &mut impl Reading) {
    let Ok(document) = Document::read(page.as_bytes(), &Unmetered) else { return };
    for part in document.parts() {
        match part {
            Part::Start(tag) => reading.open(tag),
            Part::End(name) => reading.close(name),
            Part::Text(text) => reading.text(text),
        }
    }
}

/// No limit: the recording has one, and reading is linear in its length.
struct Unmetered;

impl Meter for Unmetered {
    fn spend(&self, _: u64) -> Result<(), Spent> {
        Ok(())
    }
}
