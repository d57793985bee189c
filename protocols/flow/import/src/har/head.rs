//! The URL and the headers of a recorded request, as those of a step.

use url::{Position, Url, form_urlencoded};

use super::Reading;
use super::file::{Entry, Pair};
use super::flow::{At, Flow};
use super::sent::{Part, may_hold};
use crate::form;
use crate::imported::Step;
use crate::notation::{literal, outside};

/// Headers that belong to the connection or the browser and not to the request. A name that ends in a hyphen is a
/// prefix.
const VOLATILE: [&str; 19] = [
    "accept-encoding",
    "cache-control",
    "connection",
    "content-length",
    "cookie",
    "dnt",
    "host",
    "if-modified-since",
    "if-none-match",
    "keep-alive",
    "pragma",
    "priority",
    "proxy-connection",
    "sec-",
    "te",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
    "x-client-data",
];
/// Headers that are kept only if their value is from an answer.
const CONDITIONAL: [&str; 2] = ["if-match", "if-unmodified-since"];

impl Flow {
    /// A URL in the notation of plans.
    pub(super) fn url(&mut self, step: &str, url: &Url) -> String {
        let mut out = literal(&url[..Position::BeforePath]);
        let mut before = "";
        for (number, segment) in url.path().split('/').enumerate() {
            let (name, key) = (format!("{before}_id"), number.to_string());
            let at = At { step, part: Part::Segment, name: &name, key: &key };
            if number > 0 {
                out.push('/');
                let stands = self.replaced(at, &crate::percent_decoded(segment));
                out.push_str(&stands.map_or_else(|| literal(segment), |stands| encoded(&stands)));
            }
            before = segment;
        }
        if let Some(query) = url.query() {
            out.push('?');
            let pairs = query.split('&').map(|pair| self.parameter(step, pair));
            out.push_str(&pairs.collect::<Vec<_>>().join("&"));
        }
        form::query(&out, &mut self.variables)
    }

    fn parameter(&mut self, step: &str, pair: &str) -> String {
        let Some((spelled, _)) = pair.split_once('=') else { return literal(pair) };
        let Some((name, value)) = form_urlencoded::parse(pair.as_bytes()).next() else {
            return literal(pair);
        };
        let at = At { step, part: Part::Query, name: &name, key: &name };
        match self.replaced(at, &value) {
            Some(stands) => format!("{}={}", literal(spelled), encoded(&stands)),
            None => literal(pair),
        }
    }
}

/// A text in the notation of plans, percent-encoded outside of its holes.
fn encoded(text: &str) -> String {
    outside(text, |plain| literal(&form::percent(plain.as_bytes())))
}

impl Reading<'_> {
    pub(super) fn headers(&mut self, entry: &Entry, step: &mut Step) {
        for Pair { name, value } in &entry.request.headers {
            let lower = name.to_ascii_lowercase();
            self.client(&lower, value);
            let nameable = name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
            if is_volatile(&lower, step) || !nameable || name.is_empty() {
                if !lower.starts_with(':') {
                    self.message.dropped.insert(lower);
                }
                continue;
            }
            let mut value = value.replace(['\r', '\n', '\0'], " ");
            if lower == "referer" {
                value.truncate(value.find(['?', '#']).unwrap_or(value.len()));
            }
            let at = At { step: &step.name, part: Part::Header, name: &lower, key: &lower };
            let stands = if may_hold(&lower) { self.flow.replaced(at, &value) } else { None };
            if stands.is_none() && CONDITIONAL.contains(&lower.as_str()) {
                self.message.dropped.insert(lower);
                continue;
            }
            let value = stands.unwrap_or_else(|| literal(&value));
            step.headers.push((name.clone(), self.flow.variables.header(name, &value)));
        }
    }

    /// What a header reveals about the client.
    fn client(&mut self, lower: &str, value: &str) {
        if lower == "accept-encoding" {
            self.imported.client.compression = true;
        }
        if lower != "cookie" {
            return;
        }
        self.imported.client.cookies = true;
        let names = value.split(';').filter_map(|pair| pair.split('=').next());
        for name in names.map(str::trim).filter(|name| !name.is_empty()) {
            if !self.message.cookies_set.contains(name) {
                self.message.cookies_missing.insert(name.to_owned());
            }
        }
    }
}

/// Whether a header is left out: a form and a link have those of their page.
fn is_volatile(lower: &str, step: &Step) -> bool {
    let known =
        |known: &&str| **known == *lower || known.ends_with('-') && lower.starts_with(*known);
    let of_page = step.act.is_some() && matches!(lower, "content-type" | "origin" | "referer");
    let of_visit = lower == "referer" && step.method == "GET";
    VOLATILE.iter().any(known) || of_page || of_visit
}
