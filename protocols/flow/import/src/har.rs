//! HAR 1.2: the recordings of a browser or a proxy.
//!
//! A recording is of one person at one moment. Data of that moment are left out: cookies, which each user receives once
//! answers set them; headers that browsers add for themselves; answers from a cache. A pause is the time from the end
//! of the earlier requests to the beginning of a request, so that requests that a browser makes at the same time have
//! none.

use crate::answers::drawn_words;
use crate::body;
use crate::form::{self, Multipart};
use crate::imported::{Body, Imported, Step};
use crate::notation::literal;
use crate::pairs;
use crate::secrets::{Secrets, Variables};
use base64::Engine as _;
use jiff::Timestamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

/// The most requests of a plan.
const MOST_STEPS: usize = 5_000;
/// The most words of answers that are kept, to find those which requests repeat.
const WORDS_MAX: usize = 100_000;
/// Shorter pauses are the browser's own work.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
/// Longer pauses are interruptions of the user and are shortened.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Headers that belong to the connection or the browser and not to the request. A name that ends in a hyphen is a
/// prefix.
const VOLATILE: [&str; 21] = [
    "accept-encoding",
    "cache-control",
    "connection",
    "content-length",
    "cookie",
    "dnt",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-unmodified-since",
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

/// Which requests of a recording are wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The hosts of the requests; all if empty. A name that begins with a dot includes all names below it.
    pub hosts: Vec<String>,
    /// Prefixes of the types of the answers; all if empty.
    pub types: Vec<String>,
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

#[derive(Deserialize)]
struct File {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    started_date_time: String,
    #[serde(default)]
    time: Option<f64>,
    request: Request,
    #[serde(default)]
    response: Response,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Pair>,
    #[serde(default)]
    post_data: Option<PostData>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default)]
    status: i64,
    #[serde(default)]
    headers: Vec<Pair>,
    #[serde(default)]
    content: Content,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    #[serde(default)]
    mime_type: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    #[serde(default)]
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostData {
    #[serde(default)]
    mime_type: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    params: Vec<Param>,
    /// Not in HAR 1.2, but some recorders write it for bodies that are not text.
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Param {
    name: String,
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    file_name: Option<String>,
    #[serde(default)]
    content_type: Option<String>,
}

/// Reads a recording.
pub fn har(
    text: &str,
    filter: &Filter,
    pauses: Pauses,
    secrets: Secrets,
) -> Result<Imported, HarError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let File { log } = serde_json::from_str(text)?;
    let mut reading = Reading { variables: Variables::new(secrets), ..Reading::default() };
    for entry in &log.entries {
        reading.entry(entry, filter, pauses);
        if reading.imported.steps.len() > MOST_STEPS {
            return Err(HarError::Large(log.entries.len()));
        }
    }
    if reading.imported.steps.is_empty() {
        return Err(HarError::Empty(log.entries.len()));
    }
    Ok(reading.finish())
}

#[derive(Default)]
struct Reading {
    imported: Imported,
    variables: Variables,
    /// When the earlier requests were over.
    before: Option<Timestamp>,
    filtered: usize,
    unanswered: usize,
    shortened: bool,
    dropped: BTreeSet<String>,
    cookies_set: BTreeSet<String>,
    cookies_missing: BTreeSet<String>,
    /// The machine-generated words of answers so far, and the requests that send one as it was recorded.
    words_given: HashSet<String>,
    literal: BTreeSet<String>,
    /// Requests whose body is missing in the recording.
    bodiless: BTreeSet<String>,
}

impl Reading {
    fn entry(&mut self, entry: &Entry, filter: &Filter, pauses: Pauses) {
        let (request, response) = (&entry.request, &entry.response);
        let http = request.url.starts_with("http://") || request.url.starts_with("https://");
        let host =
            url::Url::parse(&request.url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let Some(host) = host.filter(|host| http && wanted(filter, host, response)) else {
            self.filtered += 1;
            return;
        };
        if response.status <= 0 {
            self.unanswered += 1;
            return;
        }
        let pause = self.pause(entry).filter(|_| pauses == Pauses::Recorded);
        if self.imported.steps.is_empty() {
            self.imported.name = host;
        }
        let url = url::Url::parse(&request.url).map_or_else(
            |_| request.url.clone(),
            |mut url| {
                url.set_fragment(None);
                url.to_string()
            },
        );
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        let path = brunt_redact::url(path.split('?').next().unwrap_or_default());
        // The type that was sent: a recorder's own opinion of it may be another.
        let sent = request.headers.iter().find(|it| it.name.eq_ignore_ascii_case("content-type"));
        let sent = sent.map(|it| it.value.as_str());
        let body = request.post_data.as_ref().map(|data| self.body(data, sent));
        let (body, kind) = body.unwrap_or_default();
        let status = u16::try_from(response.status).ok().filter(|status| *status != 304);
        let mut step = Step {
            name: format!("{} /{path}", request.method),
            method: request.method.clone(),
            url: form::query(&literal(&url), &mut self.variables),
            body,
            pause,
            statuses: status.into_iter().collect(),
            ..Step::default()
        };
        self.headers(&request.headers, &mut step);
        if step.body == Body::None && announces_body(&request.headers) {
            self.bodiless.insert(step.name.clone());
        }
        if let Some(kind) = kind {
            step.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            step.headers.push(("Content-Type".to_owned(), kind));
        }
        if matches!(step.body, Body::Form(_)) {
            step.headers.retain(|(name, value)| {
                !(name.eq_ignore_ascii_case("content-type")
                    && value.eq_ignore_ascii_case(form::TYPE))
            });
        }
        self.correlate(&mut step);
        self.note_literal(&step, response);
        self.answered(response);
        for header in &response.headers {
            if header.name.eq_ignore_ascii_case("set-cookie") {
                // Some put several into one value, a line each.
                for line in header.value.lines() {
                    let name = line.split(['=', ';']).next().unwrap_or_default();
                    self.cookies_set.insert(name.trim().to_owned());
                }
            }
        }
        self.imported.steps.push(step);
    }

    /// Makes a request take from earlier answers the values that they contained.
    fn correlate(&mut self, step: &mut Step) {
        let variables = &mut self.variables;
        let mut replace = |text: &mut String| *text = variables.correlated(std::mem::take(text));
        replace(&mut step.url);
        step.headers.iter_mut().for_each(|(_, value)| replace(value));
        match &mut step.body {
            Body::Text(text) => replace(text),
            Body::Form(fields) => fields.iter_mut().for_each(|(_, value)| replace(value)),
            Body::None | Body::Bytes(_) | Body::File(_) => {}
        }
    }

    /// Keeps the values of the answer to the step that will be added next.
    fn answered(&mut self, response: &Response) {
        let (step, content) = (self.imported.steps.len(), &response.content);
        for Pair { name, value } in &response.headers {
            self.variables.answers.header(step, name, value);
        }
        let kind = content.mime_type.as_deref().unwrap_or_default();
        let Some(text) = content.text.as_deref() else { return };
        let text = if content.encoding.as_deref() == Some("base64") {
            let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_default();
            Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
        } else {
            Cow::Borrowed(text)
        };
        if kind.contains("json") {
            self.variables.answers.body(step, &text);
        } else if kind.contains("html") {
            self.variables.answers.page(step, &text);
        }
        let headers = response.headers.iter().map(|header| header.value.as_str());
        for word in drawn_words(&text).chain(headers.flat_map(drawn_words)) {
            if self.words_given.len() < WORDS_MAX {
                self.words_given.insert(word.to_owned());
            }
        }
    }

    /// Notes that a request sends a value as it was recorded, although an earlier answer contained it.
    fn note_literal(&mut self, step: &Step, response: &Response) {
        // Paths, and whatever the addresses of scripts and pictures contain, are the same for every user.
        let kind = response.content.mime_type.as_deref().unwrap_or_default();
        let data = kind.contains("json") || kind.contains("html");
        let query = step.url.split_once('?').map(|(_, query)| query).filter(|_| data);
        let mut texts: Vec<&str> = query.into_iter().collect();
        match &step.body {
            Body::Text(text) => texts.push(text),
            Body::Form(fields) => texts.extend(fields.iter().map(|(_, value)| value.as_str())),
            Body::None | Body::Bytes(_) | Body::File(_) => {}
        }
        let given = |word: &str| self.words_given.contains(word);
        if texts.into_iter().flat_map(drawn_words).any(given) {
            self.literal.insert(step.name.clone());
        }
    }

    fn pause(&mut self, entry: &Entry) -> Option<Duration> {
        let started: Timestamp = entry.started_date_time.parse().ok()?;
        let took = entry.time.filter(|time| time.is_finite() && *time > 0.0).unwrap_or(0.0);
        let took = Duration::try_from_secs_f64(took / 1000.0).unwrap_or_default();
        let before = self.before;
        let ended = started.checked_add(took).unwrap_or(started);
        self.before = Some(before.map_or(ended, |before| before.max(ended)));
        let pause = Duration::try_from(started.duration_since(before?)).ok()?;
        self.shortened |= pause > LONGEST_PAUSE;
        let whole = pause.min(LONGEST_PAUSE).as_millis();
        Some(Duration::from_millis(u64::try_from(whole).ok()?))
            .filter(|pause| *pause >= SHORTEST_PAUSE)
    }

    fn headers(&mut self, headers: &[Pair], step: &mut Step) {
        for Pair { name, value } in headers {
            let lower = name.to_ascii_lowercase();
            if lower == "accept-encoding" {
                self.imported.client.compression = true;
            }
            if lower == "cookie" {
                self.imported.client.cookies = true;
                let names = value.split(';').filter_map(|pair| pair.split('=').next());
                for name in names.map(str::trim).filter(|name| !name.is_empty()) {
                    if !self.cookies_set.contains(name) {
                        self.cookies_missing.insert(name.to_owned());
                    }
                }
            }
            let volatile =
                |known: &&str| *known == lower || known.ends_with('-') && lower.starts_with(*known);
            let nameable = name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
            if VOLATILE.iter().any(volatile) || !nameable || name.is_empty() {
                if !lower.starts_with(':') {
                    self.dropped.insert(lower);
                }
                continue;
            }
            let value = literal(&value.replace(['\r', '\n', '\0'], " "));
            step.headers.push((name.clone(), self.variables.header(name, &value)));
        }
    }

    /// The body of a request, and its type if it differs from the recorded one. `sent` is the type in the header.
    fn body(&mut self, data: &PostData, sent: Option<&str>) -> (Body, Option<String>) {
        let kind = sent.unwrap_or(&data.mime_type).trim().to_ascii_lowercase();
        if let Some(text) = data.text.as_ref().filter(|text| !text.is_empty()) {
            let decoded = match data.encoding.as_deref() {
                Some("base64") => base64::engine::general_purpose::STANDARD.decode(text).ok(),
                _ => None,
            };
            let text = match decoded.map(String::from_utf8) {
                None => literal(text),
                Some(Ok(text)) => literal(&text),
                Some(Err(error)) => {
                    let bytes = error.into_bytes();
                    self.imported.notes.extend(body::left_in(&bytes, &self.variables));
                    return (Body::Bytes(bytes), None);
                }
            };
            let body = if kind.starts_with(form::TYPE) {
                form::body(&text, &mut self.variables)
            } else {
                Body::Text(body::text(&text, &mut self.variables))
            };
            return (body, None);
        }
        if data.params.is_empty() {
            return (Body::None, None);
        }
        let several = kind.starts_with("multipart/");
        let mut fields = Vec::new();
        for Param { name, value, .. } in &data.params {
            let value = value.as_deref().unwrap_or_default();
            let value = if several {
                body::part(name, &literal(value), &mut self.variables)
            } else {
                pairs::member(name, value, &mut self.variables)
            };
            fields.push((name.clone(), value));
        }
        if !several {
            return (Body::Form(fields), None);
        }
        let mut multipart =
            Multipart::new(&fields.iter().map(|(_, value)| value.as_bytes()).collect::<Vec<_>>());
        for (param, (name, value)) in data.params.iter().zip(&fields) {
            if param.file_name.is_some() && value.is_empty() {
                let note =
                    format!("the content of the file in the field '{name}' was not recorded");
                self.imported.notes.push(note);
            }
            let (file, kind) = (param.file_name.as_deref(), param.content_type.as_deref());
            multipart.part(name, file, kind, value.as_bytes());
        }
        let (kind, bytes) = multipart.finish();
        (Body::Text(String::from_utf8_lossy(&bytes).into_owned()), Some(kind))
    }

    fn finish(mut self) -> Imported {
        let mut notes = std::mem::take(&mut self.imported.notes);
        let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
        if self.filtered > 0 {
            notes.push(format!("requests left out by the filters: {}", self.filtered));
        }
        if self.unanswered > 0 {
            notes.push(format!(
                "requests left out because no answer was recorded: {}",
                self.unanswered
            ));
        }
        if !self.dropped.is_empty() {
            let dropped = list(&self.dropped);
            notes
                .push(format!("headers of the browser and of that moment are left out: {dropped}"));
        }
        if !self.cookies_missing.is_empty() {
            let names = list(&self.cookies_missing);
            notes.push(format!(
                "these cookies were sent and no answer in the recording sets them, so no user will have them: {names}"
            ));
        }
        if self.shortened {
            notes.push(format!("pauses are {} s at most", LONGEST_PAUSE.as_secs()));
        }
        let mut extracted = Vec::new();
        for (step, extract) in self.variables.answers.extracts() {
            if let Some(step) = self.imported.steps.get_mut(step) {
                extracted.push(format!("{} (from {})", extract.name, step.name));
                step.extracts.push(extract);
            }
        }
        if !extracted.is_empty() {
            notes.push(format!(
                "values that later requests use are extracted from answers: {}",
                extracted.join(", ")
            ));
        }
        if !self.literal.is_empty() {
            notes.push(format!(
                "values that an earlier answer contained are sent as they were recorded, which a server may refuse: \
                 extract them in the plan, for {}",
                list(&self.literal)
            ));
        }
        if !self.bodiless.is_empty() {
            notes.push(format!(
                "the recording does not have the body of these requests, which are sent without one: {}",
                list(&self.bodiless)
            ));
        }
        notes.extend(self.variables.taken_note());
        self.imported.notes = notes;
        self.imported.variables = self.variables.into_list();
        self.imported
    }
}

/// Whether a request was sent with a body, by its header.
fn announces_body(headers: &[Pair]) -> bool {
    headers.iter().any(|Pair { name, value }| {
        let length = name.eq_ignore_ascii_case("content-length")
            && value.trim().parse::<u64>().is_ok_and(|length| length > 0);
        let kind = name.eq_ignore_ascii_case("content-type")
            && value.trim().to_ascii_lowercase().starts_with("multipart/");
        length || kind
    })
}

fn wanted(filter: &Filter, host: &str, response: &Response) -> bool {
    let host_wanted = |wanted: &String| {
        wanted.eq_ignore_ascii_case(host)
            || wanted.starts_with('.') && host.ends_with(wanted.as_str())
    };
    let kind = response.content.mime_type.as_deref().unwrap_or_default();
    (filter.hosts.is_empty() || filter.hosts.iter().any(host_wanted))
        && (filter.types.is_empty()
            || filter.types.iter().any(|wanted| kind.starts_with(wanted.as_str())))
}

#[cfg(test)]
mod tests;
