//! [`Page`]: what is kept of an HTML answer for later requests.
//!
//! A document is passed once. Forms are kept as they would be sent; of links only those that were requested. The memory
//! for a page is bounded, whatever it contains: the excess is left out, and a form that lost a part is not sent.

use crate::document::{Document, Node, attribute};
use crate::fields::Controls;
use crate::form::Form;
use crate::meter::{Meter, Spent};
use crate::open_elements::OpenElements;
use crate::page_error::{FormError, LinkError};
use crate::referrer::Referrer;
use crate::selector::{Matches, Selector};
use html5ever::tokenizer::Tag;
use url::Url;

/// The most forms that are kept, and forms that are only named in messages.
const FORMS_MAX: usize = 8;

/// What later requests need of a page.
#[derive(Clone, Debug, Default)]
pub struct PageQuery {
    /// The selectors of forms.
    pub forms: Vec<Selector>,
    /// Whether any form may be sent, and not only those that are selected.
    pub any_form: bool,
    /// The selectors of links.
    pub links: Vec<Selector>,
}

/// What is kept of a page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Where it came from, after redirects, without a fragment.
    pub url: Url,
    /// The status it came with.
    pub status: u16,
    /// The Referer that later requests send.
    pub referrer: Referrer,
    base: Option<String>,
    forms: Vec<Form>,
    /// How many forms it has, kept or not.
    count: usize,
    /// The first target of each selector of links.
    links: Vec<Option<String>>,
    /// How many scripts it has.
    scripts: usize,
    /// Its error message.
    error: Option<String>,
}

impl Page {
    /// Keeps what is wanted of a document, which came from `url`.
    pub fn read(
        document: &Document,
        query: &PageQuery,
        (url, status, referrer): (Url, u16, Referrer),
        meter: &dyn Meter,
    ) -> Result<Self, Spent> {
        let error = crate::error_text(document, meter)?;
        let mut page = Self {
            url,
            status,
            referrer,
            base: None,
            forms: Vec::new(),
            count: 0,
            links: vec![None; query.links.len()],
            scripts: 0,
            error,
        };
        page.url.set_fragment(None);
        let mut reader = Reader {
            query,
            meter,
            elements: OpenElements::default(),
            forms: query.forms.iter().map(Matches::new).collect(),
            links: query.links.iter().map(Matches::new).collect(),
            controls: Controls::new(meter),
        };
        reader.read(document, &mut page)?;
        Ok(page)
    }

    /// The only form that may be meant: one of those that the selector with this number selects, or of all; if there
    /// are several, the one that has all these fields. Without a selector it must have them.
    pub fn form(&self, selector: Option<usize>, fields: &[&str]) -> Result<&Form, FormError> {
        let meant = |form: &&Form| selector.is_none_or(|number| form.selected.contains(&number));
        let complete = |form: &&Form| fields.iter().all(|field| form.has(field));
        let fitting: Vec<&Form> = self.forms.iter().filter(meant).collect();
        let complete: Vec<&Form> = fitting.iter().copied().filter(complete).collect();
        let chosen = match (&fitting[..], &complete[..], selector) {
            ([one], _, Some(_)) | (_, [one], _) => *one,
            ([], ..) | (_, [], _) => {
                let lacking =
                    fields.iter().filter(|field| !self.forms.iter().any(|form| form.has(field)));
                return Err(FormError::None {
                    lacking: lacking.map(|field| (*field).to_owned()).collect(),
                    page: self.words(),
                });
            }
            _ => {
                let words = complete.iter().map(|form| form.words()).collect();
                return Err(FormError::Several { forms: words, url: shown(&self.url) });
            }
        };
        if chosen.cut { Err(FormError::TooLarge(chosen.words())) } else { Ok(chosen) }
    }

    /// Where the first link leads that the selector with this number selects.
    pub fn link(&self, selector: usize) -> Result<Url, LinkError> {
        let href = self.links.get(selector).and_then(Option::as_deref);
        let href = href.ok_or_else(|| LinkError::None { page: self.words() })?;
        self.resolve(href).ok_or_else(|| LinkError::NotOne(href.to_owned()))
    }

    /// The URL that a reference on this page means.
    pub(crate) fn resolve(&self, reference: &str) -> Option<Url> {
        let base = self.base.as_ref().and_then(|base| self.url.join(base).ok());
        base.as_ref().unwrap_or(&self.url).join(reference.trim()).ok()
    }

    /// A description of the page: its URL, what it contains, and its error message.
    pub fn words(&self) -> String {
        let place = format!("{} ({})", shown(&self.url), self.status);
        let forms: Vec<String> = self.forms.iter().map(Form::words).collect();
        let more = if self.count > forms.len() {
            format!(" and {} more", self.count - forms.len())
        } else {
            String::new()
        };
        let has = match (&forms[..], self.scripts) {
            ([], 0) => "the page has no form".to_owned(),
            ([], 1) => "the page has no form and a script: see Pages drawn by scripts".to_owned(),
            ([], scripts) => {
                format!("the page has no form and {scripts} scripts: see Pages drawn by scripts")
            }
            (forms, _) => format!("it has {}{more}", forms.join("; ")),
        };
        let message = self.error.as_ref().map(|text| format!("; it says \"{text}\""));
        format!("{place}; {has}{}", message.unwrap_or_default())
    }

    /// Its error message, if it has one.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

/// A URL without what may be secret in it.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}

/// The document while it is passed.
struct Reader<'a> {
    query: &'a PageQuery,
    meter: &'a dyn Meter,
    elements: OpenElements,
    forms: Vec<Matches<'a>>,
    links: Vec<Matches<'a>>,
    controls: Controls<'a>,
}

impl Reader<'_> {
    fn read(&mut self, document: &Document, page: &mut Page) -> Result<(), Spent> {
        for node in &document.nodes {
            match node {
                Node::Start(tag) => self.start(tag, page)?,
                Node::End(name) => {
                    self.elements.close(name, self.meter)?;
                    self.controls.end(name, self.elements.depth());
                }
                Node::Text(text) => self.controls.text(text),
            }
            let depth = self.elements.depth();
            self.forms.iter_mut().chain(&mut self.links).for_each(|matches| matches.leave(depth));
        }
        let controls = std::mem::replace(&mut self.controls, Controls::new(self.meter));
        page.count = controls.count();
        page.forms = controls.forms(FORMS_MAX, self.query.any_form)?;
        Ok(())
    }

    fn start(&mut self, tag: &Tag, page: &mut Page) -> Result<(), Spent> {
        let mut selected = Vec::new();
        for (number, matches) in self.forms.iter_mut().enumerate() {
            if matches.enter(tag, self.meter)? {
                selected.push(number);
            }
        }
        for (matches, found) in self.links.iter_mut().zip(&mut page.links) {
            let href = attribute(tag, "href").filter(|_| matches!(&*tag.name, "a" | "area"));
            if matches.enter(tag, self.meter)? && found.is_none() {
                *found = href.map(str::to_owned);
            }
        }
        match &*tag.name {
            "base" if page.base.is_none() => {
                page.base = attribute(tag, "href").map(str::to_owned);
            }
            "script" => page.scripts += 1,
            "meta"
                if attribute(tag, "name")
                    .is_some_and(|name| name.eq_ignore_ascii_case("referrer")) =>
            {
                page.referrer.narrow(attribute(tag, "content").unwrap_or_default());
            }
            _ => {}
        }
        self.elements.open(tag);
        self.controls.start(tag, self.elements.depth(), selected)
    }
}

#[cfg(test)]
mod tests;
