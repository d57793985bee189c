//! What an answer gives: the values in its body, its head and the URL that it came from.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::Url;

use super::bits::{DRAWN, bits};
use super::file::Response;
use super::leaves::leaves;
use super::page::{Kind, Page};
use super::source::{Rank, Source, Sources, Spot};
use crate::imported::Location;

/// Headers whose values are of the connection, the cache or the moment.
const ORDINARY: [&str; 20] = [
    "accept-ranges",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "age",
    "alt-svc",
    "cache-control",
    "connection",
    "content-",
    "date",
    "expires",
    "last-modified",
    "permissions-policy",
    "referrer-policy",
    "report-to",
    "server",
    "strict-transport-security",
    "transfer-encoding",
    "vary",
    "x-content-type-options",
];

/// The answer of a step.
pub(super) struct Given<'a> {
    pub(super) step: usize,
    pub(super) response: &'a Response,
    /// Where it came from.
    pub(super) url: &'a Url,
    /// Whether it is followed at once, so that a plan does not see it.
    pub(super) passing: bool,
    /// Whether redirects led to it.
    pub(super) redirected: bool,
    pub(super) page: Option<&'a Page>,
}

impl Given<'_> {
    /// Gives all values.
    pub(super) fn give(&self, sources: &mut Sources) {
        self.cookies(sources);
        self.headers(sources);
        if self.passing {
            return;
        }
        if self.redirected {
            self.place(sources, self.url, &Location::Url);
        }
        let text = self.response.text();
        let leaves = leaves(&text).filter(|_| text.starts_with(['{', '[', ' ', '\n', '\r', '\t']));
        if let Some(leaves) = leaves {
            for leaf in leaves.into_iter().filter(|leaf| !leaf.pointer.is_empty()) {
                let place = Spot::Location(Location::Json(leaf.pointer));
                self.whole(sources, &leaf.name, &leaf.value, place, Rank::Named, false);
            }
            return;
        }
        if let Some(page) = self.page {
            self.page(sources, page);
        }
        let kind = self.response.kind();
        if ["text/", "xml", "html", "form-urlencoded"].iter().any(|it| kind.contains(it)) {
            self.body(sources, &text);
        }
    }

    fn cookies(&self, sources: &mut Sources) {
        for (name, value) in self.response.cookies() {
            let place = Spot::Location(Location::Cookie(name.to_owned()));
            self.whole(sources, name, value, place, Rank::Header, true);
        }
    }

    fn headers(&self, sources: &mut Sources) {
        for header in &self.response.headers {
            let lower = header.name.to_ascii_lowercase();
            let ordinary =
                |it: &&str| **it == *lower || it.ends_with('-') && lower.starts_with(*it);
            if lower == "set-cookie" || lower.starts_with(':') || ORDINARY.iter().any(ordinary) {
                continue;
            }
            let named = Location::Header(header.name.clone());
            if lower == "location" {
                if let Ok(url) = self.url.join(&header.value) {
                    self.location(sources, &header.value, &url, &named);
                }
                continue;
            }
            self.whole(
                sources,
                &header.name,
                &header.value,
                Spot::Location(named),
                Rank::Header,
                false,
            );
        }
    }

    /// The values in a header that names a URL, which may be relative.
    fn location(&self, sources: &mut Sources, value: &str, url: &Url, place: &Location) {
        let parameter = |name: Option<String>| match name {
            Some(name) => Location::Parameter(Box::new(place.clone()), name),
            None => place.clone(),
        };
        for (name, held) in pairs(url) {
            self.whole(
                sources,
                &name,
                &held,
                Spot::Location(parameter(Some(name.clone()))),
                Rank::Named,
                true,
            );
        }
        let text: Rc<str> = value.into();
        let end = value.find(['?', '#']).unwrap_or(value.len());
        let begin = value.find("://").map_or(0, |at| at + 3);
        for range in split(&value[..end], &['/']).filter(|range| range.start > begin) {
            let source =
                self.source("", text.clone(), Spot::Location(place.clone()), Rank::Named, true);
            sources.give(Source { range, ..source });
        }
    }

    /// The values in the URL that redirects led to.
    fn place(&self, sources: &mut Sources, url: &Url, place: &dyn Fn(Option<String>) -> Location) {
        for (name, held) in pairs(url) {
            let spot = Spot::Location(place(Some(name.clone())));
            self.whole(sources, &name, &held, spot, Rank::Named, true);
        }
        let text: Rc<str> = url.as_str().into();
        let begin = url.as_str().find("://").map_or(0, |at| at + 3);
        let end = url.as_str().find(['?', '#']).unwrap_or(url.as_str().len());
        for range in split(&url.as_str()[..end], &['/']).filter(|range| range.start > begin) {
            let source =
                self.source("", text.clone(), Spot::Location(place(None)), Rank::Named, true);
            sources.give(Source { range, ..source });
        }
    }

    fn page(&self, sources: &mut Sources, page: &Page) {
        for value in &page.values {
            let (rank, likely) = match value.kind {
                Kind::Input => (Rank::Named, true),
                Kind::Meta => (Rank::Header, true),
                Kind::Data => (Rank::Link, false),
            };
            let place = Location::Html(value.selector.clone(), Some(value.attribute.clone()));
            self.whole(sources, &value.name, &value.held, Spot::Location(place), rank, likely);
        }
        // A selector by the beginning of a link selects the first that begins so.
        let mut seen = HashSet::new();
        for link in &page.links {
            let Some(end) = link.to.find('?').filter(|end| *end > 0) else { continue };
            let begin = &link.to[..=end];
            if !seen.insert(begin) || !super::page::is_quotable(begin) {
                continue;
            }
            let place = Location::Html(format!("a[href^='{begin}']"), Some("href".to_owned()));
            let text: Rc<str> = link.to.as_str().into();
            let source = self.source("", text.clone(), Spot::Location(place), Rank::Link, false);
            let pairs = split(&link.to, &['&', '#']).filter(|range| range.end > end);
            for pair in pairs {
                let from = pair.start.max(end + 1);
                let Some((name, value)) = link.to[from..pair.end].split_once('=') else { continue };
                let range = pair.end - value.len()..pair.end;
                sources.give(Source { name: name.to_owned(), range, ..source.clone() });
            }
        }
    }

    /// The words of a text that are drawn.
    fn body(&self, sources: &mut Sources, text: &str) {
        let whole: Rc<str> = text.into();
        let ends = |c: char| !c.is_ascii_alphanumeric() && !"-_.~+/=%".contains(c);
        for range in split_by(text, &ends) {
            if range.len() >= 6 && bits(&text[range.clone()]) >= DRAWN {
                let source = self.source("", whole.clone(), Spot::Body, Rank::Text, false);
                sources.give(Source { range, ..source });
            }
        }
    }

    /// A text, what it is when decoded, and its pieces.
    fn whole(
        &self,
        sources: &mut Sources,
        name: &str,
        value: &str,
        place: Spot,
        rank: Rank,
        likely: bool,
    ) {
        let source = self.source(name, value.into(), place, rank, likely);
        let decoded = decoded(value).map(|decoded| (decoded, "url-decode"));
        let decoded = decoded.into_iter().chain(unpacked(value).map(|it| (it, "base64-decode")));
        for filtered in decoded {
            sources.give(Source { filtered: Some(filtered), ..source.clone() });
        }
        for range in split(value, SEPARATORS) {
            if range.len() < value.len() && bits(&value[range.clone()]) >= super::bits::LIKELY {
                sources.give(Source { range, ..source.clone() });
            }
        }
        sources.give(source);
    }

    fn source(&self, name: &str, text: Rc<str>, place: Spot, rank: Rank, likely: bool) -> Source {
        let created = self.response.status == 201;
        let range = 0..text.len();
        let (place, rank) =
            if self.passing { (Spot::Passing, Rank::Nowhere) } else { (place, rank) };
        let (name, step) = (name.to_owned(), self.step);
        Source {
            name,
            step,
            rank,
            likely,
            created,
            text,
            place,
            range,
            filtered: None,
            variable: None,
            found: OnceCell::new(),
        }
    }
}

/// What separates the pieces of a value.
pub(super) const SEPARATORS: &[char] =
    &['.', ':', ';', ',', '|', '/', '=', '&', ' ', '"', '?', '#', '<', '>'];

/// The parameters of the query and the fragment of a URL, decoded.
fn pairs(url: &Url) -> Vec<(String, String)> {
    let fragment = url.fragment().filter(|fragment| fragment.contains('=')).unwrap_or_default();
    let fragment = url::form_urlencoded::parse(fragment.as_bytes());
    url.query_pairs().chain(fragment).map(|(n, v)| (n.into_owned(), v.into_owned())).collect()
}

/// The pieces of a text between separators.
pub(super) fn split<'a>(
    text: &'a str,
    separators: &'a [char],
) -> impl Iterator<Item = Range<usize>> + 'a {
    split_by(text, &|c| separators.contains(&c)).collect::<Vec<_>>().into_iter()
}

fn split_by<'a>(
    text: &'a str,
    ends: &'a dyn Fn(char) -> bool,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut at = 0;
    text.split_inclusive(ends).filter_map(move |piece| {
        let from = at;
        at += piece.len();
        let last = piece.chars().next_back().filter(|last| ends(*last)).map_or(0, char::len_utf8);
        (piece.len() > last).then_some(from..at - last)
    })
}

/// A text without percent-encoding, if it has any.
pub(super) fn decoded(value: &str) -> Option<String> {
    if !value.contains('%') {
        return None;
    }
    let decoded = crate::percent_decoded(value);
    (decoded != value && !decoded.contains('\u{fffd}')).then_some(decoded)
}

/// What a text in Base64 contains, if that is text.
fn unpacked(value: &str) -> Option<String> {
    if value.len() < 16 || !value.len().is_multiple_of(4) {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(value).ok()?).ok()?;
    text.chars().all(|c| !c.is_control()).then_some(text)
}
