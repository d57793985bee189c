//! Which requests of a recording become steps.
//!
//! A browser loads much that is no part of what is tested: styles, pictures, and requests to third parties. A
//! host belongs to the visit if it is that of the first page, if a redirect, a form or a link of such a host leads
//! to it, or if it gives or takes a value that another such host takes or gives.

use std::collections::{BTreeMap, HashMap, HashSet};

use url::Url;

use super::Filter;
use super::bits::{DRAWN, bits};
use super::file::{Entry, Response};
use super::leaves::leaves;
use super::notes::Left;
use super::page::Page;
use super::sent::{Part, values};

/// Endings of paths that are looked at where the type of an answer is not known.
const STATIC_ENDINGS: [&str; 18] = [
    ".css", ".js", ".mjs", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif",
    ".ico", ".woff", ".woff2", ".ttf", ".otf", ".mp4", ".wasm",
];

/// The kept entries, by position.
pub(super) fn kept(
    entries: &[Entry],
    urls: &[Option<Url>],
    filter: &Filter,
    left: &mut Left,
) -> Vec<usize> {
    let mut candidates = Vec::new();
    for (at, (entry, url)) in entries.iter().zip(urls).enumerate() {
        let Some(url) = url else {
            left.filtered += 1;
            continue;
        };
        let typed = filter.types.iter().any(|it| entry.response.recorded_kind().starts_with(it));
        let wanted = filter.types.is_empty() || typed || entry.redirect().is_some();
        if !host_wanted(filter, url) || !wanted {
            left.filtered += 1;
        } else if entry.response.status <= 0 {
            left.unanswered += 1;
        } else if !filter.statics && !typed && is_static(entry, url) {
            left.statics += 1;
            left.static_bytes += entry.response.size();
        } else {
            candidates.push(at);
        }
    }
    if !filter.types.is_empty() {
        candidates = with_chains(entries, urls, filter, candidates, left);
    }
    if filter.all_hosts || !filter.hosts.is_empty() {
        return candidates;
    }
    let hosts = hosts_of_visit(entries, urls, &candidates);
    let mut third: BTreeMap<String, usize> = BTreeMap::new();
    candidates.retain(|at| {
        let host = host(urls, *at);
        let keeps = hosts.contains(host);
        if !keeps {
            *third.entry(host.to_owned()).or_default() += 1;
        }
        keeps
    });
    left.third_parties = third;
    candidates
}

fn host_wanted(filter: &Filter, url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    filter.hosts.is_empty()
        || filter.hosts.iter().any(|wanted| {
            wanted.eq_ignore_ascii_case(host)
                || wanted.starts_with('.') && host.ends_with(wanted.as_str())
        })
}

/// Those of the wanted types, and the redirects that lead to one of them.
fn with_chains(
    entries: &[Entry],
    urls: &[Option<Url>],
    filter: &Filter,
    candidates: Vec<usize>,
    left: &mut Left,
) -> Vec<usize> {
    let mut targets: HashSet<&Url> = HashSet::new();
    let mut kept = Vec::new();
    for at in candidates.into_iter().rev() {
        let kind = entries[at].response.recorded_kind();
        let typed = filter.types.iter().any(|wanted| kind.starts_with(wanted));
        let leads = entries[at].redirect().is_some_and(|mut to| {
            to.set_fragment(None);
            targets.contains(&to)
        });
        if typed || leads {
            targets.extend(urls[at].as_ref());
            kept.push(at);
        } else {
            left.filtered += 1;
        }
    }
    kept.reverse();
    kept
}

/// Whether it is a part of a page that is the same for everyone.
fn is_static(entry: &Entry, url: &Url) -> bool {
    if entry.request.method != "GET" {
        return false;
    }
    let kind = entry.response.kind();
    let begins =
        ["text/css", "image/", "font/", "audio/", "video/", "application/wasm", "application/font"];
    let contains = ["javascript", "ecmascript", "manifest+json"];
    let ends = || {
        let path = url.path().to_ascii_lowercase();
        STATIC_ENDINGS.iter().any(|ending| path.ends_with(ending))
    };
    begins.iter().any(|begin| kind.starts_with(begin))
        || contains.iter().any(|part| kind.contains(part))
        || entry.response.status == 304 && !kind.contains("json") && !kind.contains("html")
        || url.path() == "/favicon.ico"
        || (kind.is_empty() || kind == "application/octet-stream") && ends()
}

fn host(urls: &[Option<Url>], at: usize) -> &str {
    urls[at].as_ref().and_then(Url::host_str).unwrap_or_default()
}

fn hosts_of_visit<'a>(
    entries: &[Entry],
    urls: &'a [Option<Url>],
    candidates: &[usize],
) -> HashSet<&'a str> {
    let first = candidates.iter().find(|at| entries[**at].response.is_page());
    let Some(first) = first.or_else(|| candidates.first()) else { return HashSet::new() };
    let leads = leads(entries, urls, candidates);
    let begin = candidates.iter().take_while(|at| *at != first).filter(|at| {
        // Redirects before the first page lead to it.
        entries[**at].redirect().is_some()
    });
    let mut known: HashSet<&str> = begin.chain([first]).map(|at| host(urls, *at)).collect();
    let mut new: Vec<&str> = known.iter().copied().collect();
    while let Some(one) = new.pop() {
        for to in leads.get(one).into_iter().flatten() {
            if known.insert(to) {
                new.push(to);
            }
        }
    }
    known
}

/// From each host, the hosts that it leads to.
fn leads<'a>(
    entries: &[Entry],
    urls: &'a [Option<Url>],
    candidates: &[usize],
) -> HashMap<&'a str, HashSet<&'a str>> {
    let mut leads: HashMap<&str, HashSet<&str>> = HashMap::new();
    let mut givers: HashMap<String, &str> = HashMap::new();
    let mut led: HashMap<String, HashSet<&str>> = HashMap::new();
    for at in candidates {
        let (entry, Some(url)) = (&entries[*at], &urls[*at]) else { continue };
        let here = host(urls, *at);
        for from in led.get(&bare(url)).into_iter().flatten() {
            leads.entry(from).or_default().insert(here);
        }
        for ((part, _), value) in values(entry, url) {
            if part == Part::Segment {
                continue;
            }
            let value = value.strip_prefix("Bearer ").unwrap_or(&value);
            if let Some(giver) = givers.get(value) {
                leads.entry(giver).or_default().insert(here);
                leads.entry(here).or_default().insert(giver);
            } else if bits(value) >= DRAWN {
                givers.insert(value.to_owned(), here);
            }
        }
        for value in given(&entry.response) {
            givers.entry(value).or_insert(here);
        }
        let mut note = |to: &Url| {
            led.entry(bare(to)).or_default().insert(here);
        };
        if let Some(to) = entry.redirect() {
            note(&to);
        }
        if entry.response.is_page() {
            let page = Page::from_response(&entry.response, url);
            let actions = page.forms.iter().map(|form| form.action.as_str());
            let targets = actions.chain(page.links.iter().map(|link| link.to.as_str()));
            targets.filter_map(|to| page.resolve(to)).for_each(|to| note(&to));
        }
    }
    leads
}

/// The drawn values that an answer gives by name.
fn given(response: &Response) -> Vec<String> {
    let cookies = response.cookies().map(|(_, value)| value.to_owned());
    let leaves = leaves(&response.text()).unwrap_or_default().into_iter().map(|leaf| leaf.value);
    leaves.chain(cookies).filter(|value| bits(value) >= DRAWN).collect()
}

/// A URL without its query and fragment.
fn bare(url: &Url) -> String {
    let text = url.as_str();
    text[..text.find(['?', '#']).unwrap_or(text.len())].to_owned()
}
