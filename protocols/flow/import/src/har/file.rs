//! The parts of a HAR file that an import reads.
//!
//! Recorders differ in what they leave out, so only what identifies a request is required.

use base64::Engine as _;
use jiff::Timestamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::time::Duration;
use url::Url;

#[derive(Deserialize)]
pub(super) struct File {
    pub(super) log: Log,
}

#[derive(Deserialize)]
pub(super) struct Log {
    pub(super) entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    #[serde(default)]
    started_date_time: String,
    #[serde(default)]
    time: Option<f64>,
    pub(super) request: Request,
    #[serde(default)]
    pub(super) response: Response,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) url: String,
    #[serde(default)]
    pub(super) headers: Vec<Pair>,
    #[serde(default)]
    pub(super) post_data: Option<PostData>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    #[serde(default)]
    pub(super) status: i64,
    #[serde(default)]
    pub(super) headers: Vec<Pair>,
    #[serde(default)]
    pub(super) content: Content,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    #[serde(default)]
    mime_type: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
    #[serde(default)]
    pub(super) size: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct Pair {
    pub(super) name: String,
    #[serde(default)]
    pub(super) value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PostData {
    #[serde(default)]
    pub(super) mime_type: String,
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) params: Vec<Param>,
    /// Not in HAR 1.2, but some recorders write it for bodies that are not text.
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Param {
    pub(super) name: String,
    #[serde(default)]
    pub(super) value: Option<String>,
    #[serde(default)]
    pub(super) file_name: Option<String>,
    #[serde(default)]
    pub(super) content_type: Option<String>,
}

impl Entry {
    /// When it began, and when it was over.
    pub(super) fn times(&self) -> Option<(Timestamp, Timestamp)> {
        let started: Timestamp = self.started_date_time.parse().ok()?;
        let took = self.time.filter(|time| time.is_finite() && *time > 0.0).unwrap_or(0.0);
        let took = Duration::try_from_secs_f64(took / 1000.0).unwrap_or_default();
        Some((started, started.checked_add(took).unwrap_or(started)))
    }

    /// The URL of a request over HTTP, without a fragment.
    pub(super) fn url(&self) -> Option<Url> {
        let mut url = Url::parse(&self.request.url).ok()?;
        url.set_fragment(None);
        (matches!(url.scheme(), "http" | "https") && url.host_str().is_some()).then_some(url)
    }

    /// Where a redirect leads.
    pub(super) fn redirect(&self) -> Option<Url> {
        let is_redirect = matches!(self.response.status, 301 | 302 | 303 | 307 | 308);
        let to = self.response.header("location").filter(|_| is_redirect)?;
        self.url()?.join(to).ok()
    }
}

impl Request {
    /// The type of its body. That which was sent: a recorder's own opinion of it may be another.
    pub(super) fn kind(&self) -> String {
        self.sent_kind().trim().to_ascii_lowercase()
    }

    /// The same as it was sent.
    pub(super) fn sent_kind(&self) -> &str {
        let sent = self.headers.iter().find(|it| it.name.eq_ignore_ascii_case("content-type"));
        let recorded = self.post_data.as_ref().map(|data| data.mime_type.as_str());
        sent.map(|it| it.value.as_str()).or(recorded).unwrap_or_default()
    }
}

impl PostData {
    /// The body: text, or bytes that are not text; none if the recording does not have it.
    pub(super) fn content(&self) -> Option<Result<Cow<'_, str>, Vec<u8>>> {
        let text = self.text.as_ref().filter(|text| !text.is_empty())?;
        let bytes = match self.encoding.as_deref() {
            Some("base64") => base64::engine::general_purpose::STANDARD.decode(text).ok(),
            _ => None,
        };
        Some(match bytes.map(String::from_utf8) {
            None => Ok(Cow::Borrowed(text)),
            Some(Ok(text)) => Ok(Cow::Owned(text)),
            Some(Err(error)) => Err(error.into_bytes()),
        })
    }
}

impl Response {
    /// The type of its body, without parameters.
    pub(super) fn kind(&self) -> String {
        let kind = self.content.mime_type.as_deref().unwrap_or_default();
        kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// The type of its body as it was recorded.
    pub(super) fn recorded_kind(&self) -> &str {
        self.content.mime_type.as_deref().unwrap_or_default()
    }

    /// The first header of that name, which is in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|it| it.name.eq_ignore_ascii_case(name));
        header.map(|it| it.value.as_str())
    }

    /// Its body as text; empty if the recording does not have it.
    pub(super) fn text(&self) -> Cow<'_, str> {
        let text = self.content.text.as_deref().unwrap_or_default();
        if self.content.encoding.as_deref() != Some("base64") {
            return Cow::Borrowed(text);
        }
        let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_default();
        Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Whether it is a page.
    pub(super) fn is_page(&self) -> bool {
        self.kind().contains("html")
    }

    /// The names and values of the cookies that it sets.
    pub(super) fn cookies(&self) -> impl Iterator<Item = (&str, &str)> {
        let set = self.headers.iter().filter(|it| it.name.eq_ignore_ascii_case("set-cookie"));
        // Some put several into one value, a line each.
        set.flat_map(|it| it.value.lines()).map(|line| {
            let pair = line.split(';').next().unwrap_or_default();
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name.trim(), value.trim().trim_matches('"'))
        })
    }

    /// How many bytes its body has.
    pub(super) fn size(&self) -> u64 {
        let stated = self.content.size.filter(|size| size.is_finite() && *size > 0.0);
        let text = self.content.text.as_ref().map_or(0, String::len) as u64;
        stated.and_then(|size| format!("{size:.0}").parse().ok()).unwrap_or(text)
    }
}
