//! HAR 1.2: what a browser or a proxy recorded.
//!
//! A recording is of one person at one moment. What belongs to that moment is left out: cookies, which each user gets
//! by itself once answers set them; headers that browsers add for themselves; answers that came from a cache. Pauses
//! are the time between the end of what was recorded before and the beginning of a request, so that what a browser does
//! at the same time has none.

use crate::form::{self, Multipart};
use crate::imported::{Body, Imported, Step};
use crate::notation::literal;
use crate::secrets::{Secrets, Variables};
use base64::Engine as _;
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Duration;

/// How many requests a plan is made of at most.
const MOST_STEPS: usize = 5_000;
/// Pauses that are shorter are the browser's own work.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
/// Pauses that are longer are somebody's lunch.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Headers that belong to the connection or the browser and not to the request. Names that end in a hyphen stand for
/// all that begin so.
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
    /// The hosts they go to; all where there is none. A name that begins with a dot stands for all below it.
    pub hosts: Vec<String>,
    /// What the types of their answers begin with; all where there is none.
    pub types: Vec<String>,
}

/// What becomes of the pauses.
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
    /// It is not what HAR 1.2 says.
    #[error("read the recording as HAR 1.2: {0}")]
    Malformed(#[from] serde_json::Error),
    /// There is nothing in it.
    #[error(
        "find a request in the recording: {0} are there, and each was filtered out or never answered"
    )]
    Empty(usize),
    /// There is too much in it.
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
    /// Not in HAR 1.2, but written by some for bodies that are no text.
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
    /// When the one before was over.
    before: Option<Timestamp>,
    filtered: usize,
    unanswered: usize,
    shortened: bool,
    dropped: BTreeSet<String>,
    cookies_set: BTreeSet<String>,
    cookies_missing: BTreeSet<String>,
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
        let body = request.post_data.as_ref().map(|data| self.body(data));
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
        if let Some(kind) = kind {
            step.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            step.headers.push(("Content-Type".to_owned(), kind));
        }
        if matches!(step.body, Body::Form(_)) {
            step.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        }
        self.correlate(&mut step);
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

    /// Lets a request take from former answers what they gave.
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

    /// Remembers what the answer to the step that comes next gives.
    fn answered(&mut self, response: &Response) {
        let (step, content) = (self.imported.steps.len(), &response.content);
        for Pair { name, value } in &response.headers {
            self.variables.answers.header(step, name, value);
        }
        let json = content.mime_type.as_deref().is_some_and(|kind| kind.contains("json"));
        let Some(text) = content.text.as_deref().filter(|_| json) else { return };
        if content.encoding.as_deref() == Some("base64") {
            let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_default();
            self.variables.answers.body(step, &String::from_utf8_lossy(&bytes));
        } else {
            self.variables.answers.body(step, text);
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

    /// The body of a request, and its type where it is another than was recorded.
    fn body(&mut self, data: &PostData) -> (Body, Option<String>) {
        let kind = data.mime_type.to_ascii_lowercase();
        if let Some(text) = data.text.as_ref().filter(|text| !text.is_empty()) {
            if data.encoding.as_deref() == Some("base64")
                && let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(text)
            {
                return (Body::Bytes(bytes), None);
            }
            let body = if kind.starts_with(form::TYPE) {
                form::body(literal(text), &mut self.variables)
            } else {
                Body::Text(self.variables.json(text))
            };
            return (body, None);
        }
        if data.params.is_empty() {
            return (Body::None, None);
        }
        let mut fields = Vec::new();
        for param in &data.params {
            let value = param.value.as_deref().unwrap_or_default();
            fields
                .push((param.name.clone(), form::member(&param.name, value, &mut self.variables)));
        }
        if !kind.starts_with("multipart/") {
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
        notes.extend(self.variables.taken_note());
        self.imported.notes = notes;
        self.imported.variables = self.variables.into_list();
        self.imported
    }
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
mod tests {
    use super::*;
    use crate::imported::{Extract, Place};

    const RECORDING: &str = r#"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[
      {"startedDateTime":"2026-01-02T03:04:05.000Z","time":100,
       "request":{"method":"POST","url":"https://id.example.com/token?x=1#f","httpVersion":"h2",
         "headers":[{"name":":authority","value":"id.example.com"},
           {"name":"content-type","value":"application/x-www-form-urlencoded"},
           {"name":"sec-fetch-mode","value":"cors"},{"name":"accept","value":"*/*"},
           {"name":"cookie","value":"old=1"},{"name":"accept-encoding","value":"gzip"}],
         "postData":{"mimeType":"application/x-www-form-urlencoded","text":"grant_type=password&password=hunter2"}},
       "response":{"status":200,"headers":[{"name":"set-cookie","value":"sid=1; Path=/\nb=2"}],
         "content":{"mimeType":"application/json"}}},
      {"startedDateTime":"2026-01-02T03:04:05.050+00:00","time":10,
       "request":{"method":"GET","url":"https://cdn.example.com/a.png","headers":[]},
       "response":{"status":200,"content":{"mimeType":"image/png"}}},
      {"startedDateTime":"2026-01-02T03:04:07.100Z","time":10,
       "request":{"method":"PATCH","url":"https://id.example.com/users/1",
         "headers":[{"name":"Authorization","value":"Bearer abc"},{"name":"Cookie","value":"sid=1; old=1"}],
         "postData":{"mimeType":"application/json","text":"{\"name\":\"${x}\",\"password\":\"hunter2\"}"}},
       "response":{"status":204,"content":{}}},
      {"startedDateTime":"x","request":{"method":"GET","url":"https://id.example.com/gone","headers":[]},
       "response":{"status":0}},
      {"request":{"method":"GET","url":"data:text/plain,x"},"response":{"status":200}}
    ]}}"#;

    fn import(filter: &Filter, pauses: Pauses) -> Imported {
        har(RECORDING, filter, pauses, Secrets::Named).unwrap()
    }

    #[test]
    fn requests_come_in_order_without_what_was_of_the_moment() {
        let imported = import(&Filter::default(), Pauses::Recorded);
        let names: Vec<_> = imported.steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names, ["POST /token", "GET /a.png", "PATCH /users/1"]);
        let [first, second, third] = &imported.steps[..] else { panic!("three") };
        assert_eq!(first.url, "https://id.example.com/token?x=1");
        assert_eq!(first.headers, [("accept".to_owned(), "*/*".to_owned())]);
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            first.body,
            Body::Form(vec![field("grant_type", "password"), field("password", "${password}")])
        );
        // From the end of the first, 5.1 s, since the second was over before it.
        assert_eq!(
            (first.pause, second.pause, third.pause),
            (None, None, Some(Duration::from_secs(2)))
        );
        assert_eq!(third.headers, [field("Authorization", "Bearer ${token}")]);
        assert_eq!(
            third.body,
            Body::Text("{\"name\":\"$${x}\",\"password\":\"${password}\"}".to_owned())
        );
        assert_eq!(third.statuses, [204]);
        assert!(imported.client.cookies && imported.client.compression);
    }

    const SIGN_IN: &str = r#"{"log":{"entries":[
      {"request":{"method":"POST","url":"https://h/authenticate","headers":[]},
       "response":{"status":200,"content":{"mimeType":"application/json; charset=utf-8",
         "text":"{\"authId\":\"eyJ0eXAiOiJKV1QiLCJhbGciOi\",\"callbacks\":[{\"type\":\"NameCallback\"}]}"}}},
      {"request":{"method":"POST","url":"https://h/authenticate","headers":[],
         "postData":{"mimeType":"application/json",
           "text":"{\"authId\":\"eyJ0eXAiOiJKV1QiLCJhbGciOi\",\"password\":\"hunter2\"}"}},
       "response":{"status":200,"headers":[{"name":"X-CSRF-Token","value":"c5f-1"}],
         "content":{"mimeType":"application/json","encoding":"base64",
           "text":"eyJhL2IiOlt7InRva2VuSWQiOiJBUUlDL3c9PSJ9XX0="}}},
      {"request":{"method":"GET","url":"https://h/users?t=AQIC%2Fw%3D%3D&token=AQIC%2Fw%3D%3D","headers":[
         {"name":"iPlanetDirectoryPro","value":"AQIC/w=="},{"name":"X-CSRF-Token","value":"c5f-1!"}]},
       "response":{"status":200,"content":{}}}
    ]}}"#;

    #[test]
    fn what_an_answer_gave_is_taken_from_the_answer() {
        for secrets in [Secrets::Named, Secrets::Kept] {
            let imported = har(SIGN_IN, &Filter::default(), Pauses::None, secrets).unwrap();
            let [first, second, third] = &imported.steps[..] else { panic!("three") };
            let json = |name: &str, pointer: &str| Extract {
                name: name.to_owned(),
                from: Place::Json(pointer.to_owned()),
            };
            assert_eq!(first.extracts, [json("authId", "/authId")]);
            assert_eq!(second.extracts, [json("tokenId", "/a~1b/0/tokenId")]);
            let Body::Text(body) = &second.body else { panic!("{second:?}") };
            assert!(body.contains("{\"authId\":\"${authId}\""), "{body}");
            // A short value is only looked for where a name says that it is a secret.
            assert_eq!(third.url, "https://h/users?t=AQIC%2Fw%3D%3D&token=${tokenId}");
            assert_eq!(third.headers[0].1, "${tokenId}");
            assert!(imported.notes.join("\n").contains("tokenId (from POST /authenticate)"));
        }
    }

    #[test]
    fn what_is_left_out_is_said() {
        let notes = import(&Filter::default(), Pauses::Recorded).notes.join("\n");
        for said in [
            "left out by the filters: 1",
            "no answer was recorded: 1",
            "accept-encoding, cookie, sec-fetch-mode",
            "so no user will have them: old",
            "in the environment as PASSWORD, TOKEN",
        ] {
            assert!(notes.contains(said), "{said}: {notes}");
        }
        let text = format!("{:?}", import(&Filter::default(), Pauses::Recorded));
        assert!(!text.contains("hunter2") && !text.contains("Bearer abc"));
        let kept = har(RECORDING, &Filter::default(), Pauses::None, Secrets::Kept).unwrap();
        assert!(format!("{kept:?}").contains("hunter2") && kept.variables.is_empty());
        assert!(kept.steps.iter().all(|step| step.pause.is_none()));
    }

    #[test]
    fn filters_name_hosts_and_types() {
        let filter = |hosts: &[&str], types: &[&str]| Filter {
            hosts: hosts.iter().map(ToString::to_string).collect(),
            types: types.iter().map(ToString::to_string).collect(),
        };
        let count = |filter| import(&filter, Pauses::None).steps.len();
        assert_eq!(count(filter(&["id.example.com"], &[])), 2);
        assert_eq!(count(filter(&[".example.com"], &[])), 3);
        assert_eq!(count(filter(&[], &["image/"])), 1);
        let none = har(RECORDING, &filter(&["no"], &[]), Pauses::None, Secrets::Named);
        assert!(matches!(none, Err(HarError::Empty(5))));
    }

    #[test]
    fn what_is_no_recording_says_where() {
        for (text, named) in [
            ("", "line 1"),
            ("{}", "log"),
            ("{\"log\":{\"entries\":[{}]}}", "request"),
            ("{\"log\":{\"entries\":\n[{\"request\":{\"url\":1}}]}}", "line 2"),
            ("{\"log\":{\"entries\":[]}}", "0 are there"),
        ] {
            let error = har(text, &Filter::default(), Pauses::None, Secrets::Named).unwrap_err();
            assert!(error.to_string().contains(named), "{text}: {error}");
        }
    }

    #[test]
    fn parameters_stand_for_a_body_without_text() {
        let recording = |kind: &str| {
            format!(
                r#"{{"log":{{"entries":[{{"request":{{"method":"POST","url":"http://h/",
                "postData":{{"mimeType":"{kind}",
                "params":[{{"name":"a","value":"1"}},{{"name":"f","fileName":"x.txt","contentType":"text/plain"}}]}}}},
                "response":{{"status":201}}}}]}}}}"#
            )
        };
        let import =
            |kind| har(&recording(kind), &Filter::default(), Pauses::None, Secrets::Named).unwrap();
        assert!(
            matches!(&import("application/x-www-form-urlencoded").steps[0].body, Body::Form(f) if f.len() == 2)
        );
        let parts = import("multipart/form-data; boundary=old");
        let Body::Text(text) = &parts.steps[0].body else { panic!("text") };
        assert!(text.contains("filename=\"x.txt\"") && !text.contains("old"));
        assert!(parts.steps[0].headers[0].1.starts_with("multipart/form-data; boundary="));
        assert!(parts.notes[0].contains("'f'"));
    }
}
