//! [`Page`]: what a recorded page offers to the requests after it: forms, links, and values in its tags.

use brunt_flow_page::{Document, Form, Meter, Part, Spent, StartTag, forms};
use std::cell::Cell;
use url::Url;

use super::file::Response;

/// The most links and values of a page that are kept.
const KEPT_MAX: usize = 5_000;
/// The most forms of a page that are kept.
const FORMS_MAX: usize = 64;
/// The work that a page may take, in units of its reader: so much for each byte, and as much as any answer of a run.
const UNITS_A_BYTE: u64 = 20;
const UNITS: u64 = 5_000_000;

/// A recorded page.
#[derive(Debug)]
pub(super) struct Page {
    /// What its relative URLs refer to.
    base: Url,
    /// Where it came from.
    url: Url,
    pub(super) forms: Vec<Form>,
    pub(super) links: Vec<Link>,
    pub(super) values: Vec<Value>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) id: Option<String>,
    /// Where it leads, as the page has it.
    pub(super) to: String,
}

/// A value in a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// Its name in the page.
    pub(super) name: String,
    pub(super) held: String,
    /// What selects its element.
    pub(super) selector: String,
    /// The attribute of the element that it is in.
    pub(super) attribute: String,
    /// What kind of element it is in.
    pub(super) kind: Kind,
}

/// The kind of an element with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Input,
    Meta,
    Data,
}

impl Page {
    /// The page that an answer is. `url` is where the answer came from.
    pub(super) fn from_response(response: &Response, url: &Url) -> Self {
        let Found { forms, base, links, mut values } = Found::read(&response.text());
        let base = base.and_then(|base| url.join(&base).ok()).unwrap_or_else(|| url.clone());
        // A selector finds the first element that it fits.
        let mut seen = std::collections::HashSet::new();
        values.retain(|value| seen.insert((value.selector.clone(), value.attribute.clone())));
        Self { base, url: url.clone(), forms, links, values }
    }

    /// A URL of the page, resolved. An empty one is the page itself.
    pub(super) fn resolve(&self, to: &str) -> Option<Url> {
        let to = to.trim();
        let mut url = if to.is_empty() { self.url.clone() } else { self.base.join(to).ok()? };
        url.set_fragment(None);
        Some(url)
    }

    /// Whether this link is the first that the attribute of a link selects when it begins so.
    pub(super) fn is_first_link(&self, link: &Link, begin: &str) -> bool {
        self.links.iter().find(|known| known.to.starts_with(begin)) == Some(link)
    }
}

#[derive(Default)]
struct Found {
    forms: Vec<Form>,
    base: Option<String>,
    links: Vec<Link>,
    values: Vec<Value>,
}

impl Found {
    /// Reads a page to its end. One that is made to take long has nothing.
    fn read(page: &str) -> Self {
        let work = Work(Cell::new(UNITS + UNITS_A_BYTE * page.len() as u64));
        let mut found = Self::default();
        let Ok(document) = Document::read(page.as_bytes(), &work) else { return found };
        for part in document.parts() {
            if let Part::Start(tag) = part {
                found.open(tag);
            }
        }
        found.forms = forms(&document, FORMS_MAX, &work).unwrap_or_default();
        found
    }

    fn value(&mut self, tag: StartTag<'_>, key: &str, attribute: &str, kind: Kind) {
        let (name, value) = (tag.attribute(key), tag.attribute(attribute));
        let Some((name, value)) = name.zip(value).filter(|(name, _)| is_quotable(name)) else {
            return;
        };
        let selector = format!("{}[{key}='{name}']", tag.name());
        self.keep(name, value, selector, attribute, kind);
    }

    fn keep(&mut self, name: &str, value: &str, selector: String, attribute: &str, kind: Kind) {
        if self.values.len() < KEPT_MAX && !value.is_empty() {
            let (name, held) = (name.to_owned(), value.to_owned());
            self.values.push(Value { name, held, selector, attribute: attribute.to_owned(), kind });
        }
    }
}

impl Found {
    fn open(&mut self, tag: StartTag<'_>) {
        match tag.name() {
            "base" if self.base.is_none() => self.base = tag.attribute("href").map(str::to_owned),
            "a" | "area" if self.links.len() < KEPT_MAX => {
                if let Some(to) = tag.attribute("href") {
                    let id = tag.attribute("id").map(str::to_owned);
                    self.links.push(Link { id, to: to.to_owned() });
                }
            }
            "input" => self.value(tag, "name", "value", Kind::Input),
            "meta" if tag.attribute("name").is_some() => {
                self.value(tag, "name", "content", Kind::Meta);
            }
            "meta" => self.value(tag, "property", "content", Kind::Meta),
            _ => {}
        }
        for (name, value) in tag.attributes() {
            if let Some(short) = name.strip_prefix("data-") {
                self.keep(short, value, format!("{}[{name}]", tag.name()), name, Kind::Data);
            }
        }
    }
}

/// The work that is left for a page.
struct Work(Cell<u64>);

impl Meter for Work {
    fn spend(&self, units: u64) -> Result<(), Spent> {
        self.0.set(self.0.get().checked_sub(units).ok_or(Spent)?);
        Ok(())
    }
}

/// Whether a selector can contain a text in quotes.
pub(super) fn is_quotable(text: &str) -> bool {
    !text.is_empty() && text.len() < 200 && !text.contains(['\'', '\\', '\n', '\r'])
}

/// Whether a selector can contain a text as the name of an element or a class.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}
