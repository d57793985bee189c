//! HAR 1.2: the recordings of a browser or a proxy.
//!
//! A recording is of one person at one moment. Data of that moment are left out: cookies, which each user receives once
//! answers set them; headers that browsers add for themselves; answers from a cache. What an answer gave and a later
//! request sends is taken from the answer (see [`flow`]), a form of a page is sent as a form (see [`act`]), and a
//! redirect is followed. A pause is the time from the end of the earlier requests to the beginning of a request, so
//! that requests that a browser makes at the same time have none.

mod act;
mod bits;
mod body;
mod chains;
mod file;
mod flow;
mod given;
mod head;
mod kept;
mod leaves;
mod made;
mod neighbours;
mod notes;
mod page;
pub(crate) mod person;
mod second;
mod sent;
mod source;

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use url::Url;

use crate::imported::{Body, Imported, PageAction, Step};
use crate::secrets::{Secrets, Variables};
use chains::Chains;
use file::{Entry, File};
use flow::Flow;
use given::Given;
use made::Verifiers;
use notes::{Left, Notes};
use page::Page;
use second::Second;

/// The most requests of a plan.
const MOST_STEPS: usize = 5_000;
/// Shorter pauses are the browser's own work.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
/// Longer pauses are interruptions of the user and are shortened.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// The most origins that a plan names.
const ORIGINS_MAX: usize = 256;
/// How many redirects a request follows, if redirects led to any.
const REDIRECTS: u8 = 20;

/// Which requests of a recording are wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The hosts of the requests; if empty, those that belong to the visit. A name that begins with a dot includes all
    /// names below it.
    pub hosts: Vec<String>,
    /// Prefixes of the types of the answers; all if empty.
    pub types: Vec<String>,
    /// Whether the hosts of third parties are wanted as well.
    pub all_hosts: bool,
    /// Whether styles, scripts, pictures and the like are wanted as well.
    pub statics: bool,
}

/// What is done with the pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pauses {
    /// They are kept.
    #[default]
    Recorded,
    /// There are none.
    None,
}

/// A file that cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum HarError {
    /// It does not follow HAR 1.2.
    #[error("read the recording as HAR 1.2: {0}")]
    Malformed(#[from] serde_json::Error),
    /// The second one does not.
    #[error("read the second recording as HAR 1.2: {0}")]
    Second(#[source] serde_json::Error),
    /// It contains no request, or none that passes the filter.
    #[error(
        "find a request in the recording: {0} are there, and each was filtered out or never answered"
    )]
    Empty(usize),
    /// It contains too many requests.
    #[error(
        "make one plan of {0} requests: {MOST_STEPS} are the most, so name the host with --host"
    )]
    Large(usize),
}

/// Reads a recording.
pub fn har(
    text: &str,
    filter: &Filter,
    pauses: Pauses,
    secrets: Secrets,
) -> Result<Imported, HarError> {
    har_beside(text, None, filter, pauses, secrets)
}

/// Reads a recording beside a `second` one of the same visit by another person: what is equal in both is the same for
/// everyone, and what differs is not.
pub fn har_beside(
    text: &str,
    second: Option<&str>,
    filter: &Filter,
    pauses: Pauses,
    secrets: Secrets,
) -> Result<Imported, HarError> {
    let entries = entries(text)?;
    let second = second.map(entries_of_second).transpose()?;
    let urls: Vec<Option<Url>> = entries.iter().map(Entry::url).collect();
    let mut left = Left::default();
    let kept = kept::kept(&entries, &urls, filter, &mut left);
    let chains = Chains::new(&entries, &urls, &kept);
    let steps = kept.iter().filter(|at| chains.first(**at) == **at).count();
    if steps == 0 {
        return Err(HarError::Empty(entries.len()));
    }
    if steps > MOST_STEPS {
        return Err(HarError::Large(entries.len()));
    }
    let flow = Flow::new(Variables::new(secrets), Verifiers::new(&entries));
    let mut reading = Reading {
        entries: &entries,
        urls: &urls,
        kept: &kept,
        chains: &chains,
        second,
        pauses,
        flow,
        imported: Imported { visit: true, ..Imported::default() },
        step_of: HashMap::new(),
        page: None,
        before: None,
        message: Notes { left, ..Notes::default() },
    };
    reading.flow.variables.reserved(person::FEEDER);
    for at in &kept {
        reading.entry(*at);
    }
    Ok(reading.finish())
}

fn entries(text: &str) -> Result<Vec<Entry>, HarError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let File { log } = serde_json::from_str(text)?;
    Ok(log.entries)
}

fn entries_of_second(text: &str) -> Result<Second, HarError> {
    let entries = entries(text).map_err(|error| match error {
        HarError::Malformed(error) => HarError::Second(error),
        other => other,
    })?;
    Ok(Second::new(&entries))
}

struct Reading<'a> {
    entries: &'a [Entry],
    urls: &'a [Option<Url>],
    kept: &'a [usize],
    chains: &'a Chains,
    second: Option<Second>,
    pauses: Pauses,
    flow: Flow,
    imported: Imported,
    /// The step of each entry that no redirect led to.
    step_of: HashMap<usize, usize>,
    /// The last page.
    page: Option<Page>,
    /// When the earlier requests were over.
    before: Option<Timestamp>,
    message: Notes,
}

impl Reading<'_> {
    fn entry(&mut self, at: usize) {
        let (entry, Some(url)) = (&self.entries[at], &self.urls[at]) else { return };
        let pause = self.pause(entry).filter(|_| self.pauses == Pauses::Recorded);
        let first = self.chains.first(at);
        if self.imported.steps.is_empty() {
            url.host_str().unwrap_or_default().clone_into(&mut self.imported.name);
        }
        let other = self.second.as_mut().and_then(|second| second.like(entry, url));
        if first == at {
            self.flow.other = other;
            self.flow.moment = entry.times().map(|(began, _)| began);
            let mut step = self.step(entry, url);
            step.pause = pause;
            self.expect(at, &mut step);
            self.step_of.insert(at, self.imported.steps.len());
            self.imported.steps.push(step);
        }
        self.answer(at, first, url);
    }

    /// The step that makes a request.
    fn step(&mut self, entry: &Entry, url: &Url) -> Step {
        if let Some(page) = self.page.take() {
            let step = self.on_page(&page, entry, url);
            self.page = Some(page);
            if let Some(step) = step {
                return step;
            }
        }
        let mut step = Step {
            name: format!("{} {}", entry.request.method, brunt_redact::url(url.path())),
            method: entry.request.method.clone(),
            ..Step::default()
        };
        step.url = self.flow.url(&step.name, url);
        let name = named(&step.method, &step.url);
        self.headers(entry, &mut step);
        self.body(entry, &mut step);
        step.name = name;
        step
    }

    /// The step that sends a form or follows a link of the last page.
    fn on_page(&mut self, page: &Page, entry: &Entry, url: &Url) -> Option<Step> {
        let mut step = Step { method: entry.request.method.clone(), ..Step::default() };
        if let Some(sent) = act::sent(page, entry, url) {
            let form = sent.form;
            let called = form.id.as_deref().or(form.name.as_deref());
            let last = url.path().rsplit('/').find(|segment| !segment.is_empty());
            step.name = format!("submit {}", called.or(last).unwrap_or("form"));
            let fields = sent.changed.iter();
            let fields = fields.map(|(name, value)| {
                (name.clone(), self.flow.field_of_form(&step.name, form, name, value))
            });
            let fields: Vec<_> = fields.collect();
            step.body = if fields.is_empty() { Body::None } else { Body::Form(fields) };
            for name in sent.unsent {
                self.message.unsent.insert(format!("{name} of {}", step.name));
            }
            step.act = Some(PageAction::Submit { selector: sent.selector, press: sent.press });
        } else {
            let selector = act::followed(page, entry, url)?;
            step.name = format!("follow {}", brunt_redact::url(url.path()));
            step.act = Some(PageAction::Follow(selector));
        }
        self.headers(entry, &mut step);
        Some(step)
    }

    /// What the answer to a step must be.
    fn expect(&self, at: usize, step: &mut Step) {
        let last = self.chains.last(at);
        let (response, Some(url)) = (&self.entries[last].response, &self.urls[last]) else {
            return;
        };
        let lands = last != at || response.is_page() && response.status < 400;
        if lands && self.entries[last].redirect().is_none() {
            step.lands = Some(landing(url));
        }
        let status = u16::try_from(response.status).ok().filter(|status| *status != 304);
        let follows = self.chains.any() && self.entries[last].redirect().is_some();
        let silent = response.status < 400 && (step.lands.is_some() || follows);
        step.statuses = status.into_iter().filter(|_| !silent).collect();
    }

    fn answer(&mut self, at: usize, first: usize, url: &Url) {
        let response = &self.entries[at].response;
        let passing = self.chains.last(first) != at;
        let page = (!passing && response.is_page()).then(|| Page::from_response(response, url));
        let place = if at == first { url.clone() } else { self.place(at, url) };
        let step = self.step_of.get(&first).copied().unwrap_or_default();
        let given = Given {
            step,
            response,
            url: &place,
            passing,
            redirected: at != first,
            page: page.as_ref(),
        };
        given.give(&mut self.flow.sources);
        for (name, _) in response.cookies() {
            self.imported.client.cookies = true;
            self.message.cookies_set.insert(name.to_owned());
        }
        if page.is_some() {
            self.page = page;
        }
    }

    /// Where an answer came from, with the fragment of the redirect that led there.
    fn place(&self, at: usize, url: &Url) -> Url {
        let before = self.entries[..at].iter().rev().take(50).filter_map(Entry::redirect);
        let fragment = before.into_iter().find(|to| {
            let mut plain = to.clone();
            plain.set_fragment(None);
            plain == *url
        });
        fragment.unwrap_or_else(|| url.clone())
    }

    fn pause(&mut self, entry: &Entry) -> Option<Duration> {
        let (started, ended) = entry.times()?;
        let before = self.before;
        self.before = Some(before.map_or(ended, |before| before.max(ended)));
        let pause = Duration::try_from(started.duration_since(before?)).ok()?;
        self.message.shortened |= pause > LONGEST_PAUSE;
        let whole = pause.min(LONGEST_PAUSE).as_millis();
        Some(Duration::from_millis(u64::try_from(whole).ok()?))
            .filter(|pause| *pause >= SHORTEST_PAUSE)
    }

    fn finish(mut self) -> Imported {
        self.imported.client.origins = self.origins();
        if self.chains.any() {
            self.imported.client.redirects = REDIRECTS;
        }
        let mut extracted = Vec::new();
        for (at, extracts) in std::mem::take(&mut self.flow.extracts) {
            let step = &mut self.imported.steps[at];
            extracted.extend(extracts.iter().map(|it| format!("{} (from {})", it.name, step.name)));
            step.extracts.extend(extracts);
        }
        let own = std::mem::take(&mut self.imported.notes);
        self.imported.notes = self.message.notes(own, &extracted, &self.flow);
        self.imported.variables = self.flow.variables.into_list();
        self.imported.feeder = self.flow.person.feeder();
        self.imported
    }
}

impl Reading<'_> {
    /// The origins of the kept requests, each once.
    fn origins(&self) -> Vec<String> {
        let mut origins: Vec<String> = Vec::new();
        for url in self.kept.iter().filter_map(|at| self.urls[*at].as_ref()) {
            let origin = url.origin().ascii_serialization();
            if !origins.contains(&origin) && origins.len() < ORIGINS_MAX {
                origins.push(origin);
            }
        }
        origins
    }
}

/// The name of a step: its method and path, with what differs by name.
fn named(method: &str, url: &str) -> String {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default().replace("${", "{");
    format!("{method} /{}", brunt_redact::url(&path))
}

/// The path of a URL, with `*` in place of what another user has otherwise.
fn landing(url: &Url) -> String {
    let segments = url.path().split('/').map(|segment| {
        let number = segment.len() > 1 && segment.bytes().all(|byte| byte.is_ascii_digit());
        if number || bits::bits(segment) >= bits::LIKELY && !is_word_like(segment) {
            "*"
        } else {
            segment
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Whether a segment of a path reads as words, however long.
fn is_word_like(segment: &str) -> bool {
    bits::bits(segment) < bits::DRAWN && segment.bytes().all(|byte| !byte.is_ascii_digit())
}

#[cfg(test)]
mod origins;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
