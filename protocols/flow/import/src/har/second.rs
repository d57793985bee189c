//! [`Second`]: a second recording of the same visit, by another person.

use std::collections::{HashMap, VecDeque};

use url::Url;

use super::bits::{LIKELY, bits};
use super::file::Entry;
use super::sent::{Part, values};

/// The values of one request, by part and name.
type Values = HashMap<(Part, String), String>;

/// The requests of a second recording, by what is the same for everyone.
#[derive(Debug, Default)]
pub(super) struct Second(HashMap<String, VecDeque<Values>>);

impl Second {
    pub(super) fn new(entries: &[Entry]) -> Self {
        let mut found: HashMap<String, VecDeque<Values>> = HashMap::new();
        for entry in entries {
            let Some(url) = entry.url() else { continue };
            found.entry(shape(entry, &url)).or_default().push_back(values(entry, &url));
        }
        Self(found)
    }

    /// The values of the request like this one, which is then past.
    pub(super) fn like(&mut self, entry: &Entry, url: &Url) -> Option<Values> {
        self.0.get_mut(&shape(entry, url))?.pop_front()
    }
}

/// The method, the host and the path, without what looks drawn or is a number.
fn shape(entry: &Entry, url: &Url) -> String {
    let steady = |segment: &&str| {
        bits(segment) < LIKELY && !segment.bytes().any(|byte| byte.is_ascii_digit())
    };
    let segments = url.path().split('/');
    let segments = segments.map(|segment| if steady(&segment) { segment } else { "*" });
    let path = segments.collect::<Vec<_>>().join("/");
    format!("{} {}{path}", entry.request.method, url.host_str().unwrap_or_default())
}
