//! [`Answer`]: what a handler returns, and how it becomes a response.

use std::io::Write as _;

use axum::body::Body;
use axum::response::Response;
use brunt_exchange::without_directions;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use maud::Markup;
use schemars::JsonSchema;
use serde::Serialize;

use crate::problem::{InvalidValue, Problem};

/// The fewest bytes of a body that is compressed: shorter ones are not worth it.
const PACKED_MIN: usize = 1_000;
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const JSON: &str = "application/json";
pub(crate) const PROBLEM: &str = "application/problem+json";

/// Why a request was refused or failed, as RFC 9457 defines it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct ProblemReply<'a> {
    /// What happened, in a few words.
    title: &'a str,
    /// The status of the answer.
    status: u16,
    /// Why, and what to do.
    detail: &'a str,
    /// The number of the request, by which the operator of the site finds it in the log.
    instance: String,
    /// The values that are not acceptable, if the problem is with single values: the first ten.
    #[serde(skip_serializing_if = "<[InvalidValue]>::is_empty")]
    errors: &'a [InvalidValue],
}

/// What a handler returns.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    kind: &'static str,
    headers: Vec<(HeaderName, String)>,
    body: Vec<u8>,
    /// The body in its compressed form, if that is known.
    packed: Option<&'static [u8]>,
    /// A stream that replaces the body and lasts as long as the client reads.
    stream: Option<Body>,
}

impl Answer {
    pub(crate) fn new(kind: &'static str, body: Vec<u8>) -> Self {
        let headers = Vec::new();
        Self { status: StatusCode::OK, kind, headers, body, packed: None, stream: None }
    }

    /// A file that was compressed once for all requests.
    pub(crate) fn packed(self, packed: &'static [u8]) -> Self {
        Self { packed: Some(packed), ..self }
    }

    pub(crate) fn page(markup: Markup) -> Self {
        // A name must not turn the text of the site around it.
        Self::new(HTML, without_directions(markup.into_string()).into_bytes())
    }

    pub(crate) fn json(value: &impl Serialize) -> Result<Self, Problem> {
        Ok(Self::new(JSON, serde_json::to_vec(value).map_err(Problem::bug)?))
    }

    /// A stream of messages.
    pub(crate) fn stream(kind: &'static str, body: Body) -> Self {
        Self { stream: Some(body), ..Self::new(kind, Vec::new()) }
    }

    /// Redirects a browser to another page.
    pub(crate) fn see(path: &str) -> Self {
        let status = StatusCode::SEE_OTHER;
        Self { status, ..Self::new("text/plain", Vec::new()).with(header::LOCATION, path) }
    }

    /// A file for a browser to save.
    pub(crate) fn file(kind: &'static str, name: &str, body: Vec<u8>) -> Self {
        Self::new(kind, body)
            .with(header::CONTENT_DISPOSITION, &format!("attachment; filename=\"{name}\""))
    }

    /// Whether it is a page, and not a redirect to one.
    pub(crate) fn is_page(&self) -> bool {
        self.kind == HTML
    }

    pub(crate) fn status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    pub(crate) fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// What is kept of an answer that may be given again. A stream is not.
    pub(crate) fn kept(&self) -> (StatusCode, &[u8]) {
        (self.status, &self.body)
    }

    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// An answer without a body.
    pub(crate) fn empty() -> Self {
        Self::new(JSON, Vec::new()).status(StatusCode::NO_CONTENT)
    }

    /// What was made, and its path.
    pub(crate) fn made(value: &impl Serialize, path: &str) -> Result<Self, Problem> {
        Ok(Self::json(value)?.status(StatusCode::CREATED).with(header::LOCATION, path))
    }

    /// A problem as RFC 9457 defines it.
    pub(crate) fn problem(problem: &Problem, request: &str) -> Self {
        let reply = ProblemReply {
            title: problem.title,
            status: problem.status.as_u16(),
            detail: &problem.detail,
            instance: format!("urn:request:{request}"),
            errors: &problem.faults,
        };
        let body = serde_json::to_vec(&reply).unwrap_or_default();
        Self { status: problem.status, ..Self::new(PROBLEM, body) }
    }

    /// The response to a request with these headers.
    pub(crate) fn response(self, requested: &HeaderMap) -> Response {
        let accepts = requested.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let gzip =
            accepts.is_some_and(|value| value.split(',').any(|one| one.trim().starts_with("gzip")));
        let is_text = ["text/", JSON, PROBLEM].iter().any(|kind| self.kind.starts_with(kind));
        let packed = (gzip && is_text && self.stream.is_none() && self.body.len() >= PACKED_MIN)
            .then(|| match self.packed {
                Some(packed) => packed.to_vec(),
                None => pack(&self.body, Compression::fast()),
            });
        let is_packed = packed.is_some();
        let mut response =
            Response::new(self.stream.unwrap_or_else(|| Body::from(packed.unwrap_or(self.body))));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if self.status != StatusCode::NO_CONTENT {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        }
        if is_packed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if is_text {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        for (name, value) in self.headers {
            // A value that is not a valid header was made from a user's text, and is left out.
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.append(name, value);
            }
        }
        response
    }
}

/// A body in its compressed form.
pub(crate) fn pack(body: &[u8], how: Compression) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), how);
    // Writing to memory does not fail.
    let _ = packer.write_all(body);
    packer.finish().unwrap_or_default()
}
