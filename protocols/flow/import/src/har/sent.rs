//! The values that a recorded request sends, each with its place.

use std::collections::HashMap;

use url::{Url, form_urlencoded};

use super::file::Entry;
use super::leaves::leaves;
use crate::form;

/// The part of a request that a value is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Segment,
    Query,
    Header,
    Field,
    Member,
}

impl Part {
    /// What it is called in a message.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Segment => "the path behind",
            Self::Query => "the parameter",
            Self::Header => "the header",
            Self::Field => "the field",
            Self::Member => "the member",
        }
    }
}

/// Headers that browsers send by themselves, or that say what kind of data is wanted.
const ORDINARY: [&str; 8] = [
    "accept",
    "content-type",
    "cookie",
    "origin",
    "referer",
    "user-agent",
    "x-requested-with",
    "accept-language",
];

/// Whether a header may hold a value that an answer gave.
pub(super) fn may_hold(header: &str) -> bool {
    let lower = header.to_ascii_lowercase();
    let browser = ["sec-", ":", "accept-"].iter().any(|begin| lower.starts_with(begin));
    !browser && !ORDINARY.contains(&lower.as_str())
}

/// The values of a request by part and name. Of several of the same name it is the first.
pub(super) fn values(entry: &Entry, url: &Url) -> HashMap<(Part, String), String> {
    let mut found = HashMap::new();
    let mut keep = |part: Part, name: String, value: String| {
        found.entry((part, name)).or_insert(value);
    };
    let segments: Vec<&str> = url.path().split('/').collect();
    for (number, segment) in segments.iter().enumerate() {
        keep(Part::Segment, number.to_string(), crate::percent_decoded(segment));
    }
    for (name, value) in url.query_pairs() {
        keep(Part::Query, name.into_owned(), value.into_owned());
    }
    for header in entry.request.headers.iter().filter(|header| may_hold(&header.name)) {
        keep(Part::Header, header.name.to_ascii_lowercase(), header.value.clone());
    }
    if let Some(data) = &entry.request.post_data {
        for param in &data.params {
            keep(Part::Field, param.name.clone(), param.value.clone().unwrap_or_default());
        }
        if let Some(Ok(text)) = data.content() {
            if entry.request.kind().starts_with(form::TYPE) {
                for (name, value) in form_urlencoded::parse(text.as_bytes()) {
                    keep(Part::Field, name.into_owned(), value.into_owned());
                }
            }
            for leaf in leaves(&text).unwrap_or_default() {
                keep(Part::Member, leaf.pointer, leaf.value);
            }
        }
    }
    found
}
