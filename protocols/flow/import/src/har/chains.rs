//! [`Chains`]: requests that a redirect led to, which are no steps of their own.

use std::collections::HashMap;

use url::Url;

use super::file::Entry;

/// For each entry the first of its chain, and for that one the last.
#[derive(Debug)]
pub(super) struct Chains {
    first: HashMap<usize, usize>,
    last: HashMap<usize, usize>,
    any: bool,
}

impl Chains {
    pub(super) fn new(entries: &[Entry], urls: &[Option<Url>], kept: &[usize]) -> Self {
        let (mut first, mut last) = (HashMap::new(), HashMap::new());
        let mut waiting: HashMap<(String, Url), usize> = HashMap::new();
        for at in kept {
            let (entry, Some(url)) = (&entries[*at], &urls[*at]) else { continue };
            let method = entry.request.method.clone();
            let head = waiting.remove(&(method.clone(), url.clone())).unwrap_or(*at);
            first.insert(*at, head);
            last.insert(head, *at);
            if let Some(mut to) = entry.redirect() {
                to.set_fragment(None);
                let repeats = matches!(entry.response.status, 307 | 308);
                let method = if repeats { method } else { "GET".to_owned() };
                waiting.insert((method, to), head);
            }
        }
        let any = first.iter().any(|(at, first)| at != first);
        Self { first, last, any }
    }

    /// The first of the chain that an entry is in; itself if no redirect led to it.
    pub(super) fn first(&self, at: usize) -> usize {
        self.first.get(&at).copied().unwrap_or(at)
    }

    /// The last of the chain that begins with an entry.
    pub(super) fn last(&self, at: usize) -> usize {
        self.last.get(&at).copied().unwrap_or(at)
    }

    /// Whether there is any chain.
    pub(super) fn any(&self) -> bool {
        self.any
    }
}
