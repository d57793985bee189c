//! An answer before it is written, for every version of HTTP.
//!
//! A thread reuses answers, so that a buffer for a body is allocated only once.

use std::io::Write as _;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

/// A body buffer that grew beyond this is freed.
const KEPT_BYTES: usize = 16 << 10;

/// The media type of most answers.
pub(super) const JSON: &str = "application/json;charset=utf-8";
/// The media type of answers for people.
pub(super) const TEXT: &str = "text/plain;charset=utf-8";

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    /// The fields besides those that follow from the body.
    pub(super) fields: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
    /// A body that is too long for memory, instead of `body`.
    pub(super) filler: Option<Filler>,
    /// How long to wait before it is sent.
    pub(super) wait: Duration,
}

/// A body of meaningless bytes, and whether it is sent in chunks rather than with its length.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Filler {
    pub(super) bytes: u64,
    #[serde(default)]
    pub(super) chunked: bool,
}

/// The contents of such bodies: readable lines of letters.
pub(super) const FILLING: [u8; 8192] = {
    let mut filling = [b'a'; 8192];
    let mut at = 0;
    while at < filling.len() {
        filling[at] = if at % 64 == 63 { b'\n' } else { b'a' + (at % 64 % 26) as u8 };
        at += 1;
    }
    filling
};

impl Reply {
    pub(super) const fn new() -> Self {
        Self {
            status: 200,
            content_type: JSON,
            fields: Vec::new(),
            body: Vec::new(),
            filler: None,
            wait: Duration::ZERO,
        }
    }

    /// Resets it, keeping its buffers.
    pub(super) fn clear(&mut self) {
        self.status = 200;
        self.content_type = JSON;
        self.fields.clear();
        self.body.clear();
        if self.body.capacity() > KEPT_BYTES {
            self.body = Vec::new();
        }
        self.filler = None;
        self.wait = Duration::ZERO;
    }

    /// Answers with this, as JSON.
    pub(super) fn json(&mut self, status: u16, value: &Value) {
        self.status = status;
        self.content_type = JSON;
        self.body.clear();
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut self.body, value);
    }

    /// Answers with a line of text.
    pub(super) fn text(&mut self, status: u16, text: &str) {
        self.status = status;
        self.content_type = TEXT;
        self.body.clear();
        let _ = writeln!(self.body, "{text}");
    }

    /// Answers with an error in the form that OpenAM, OpenDJ and OpenIDM share.
    pub(super) fn error(&mut self, status: u16, message: &str) {
        self.json(status, &json!({"code": status, "reason": reason(status), "message": message}));
    }

    pub(super) fn field(&mut self, name: &'static str, value: String) {
        self.fields.push((name, value));
    }

    /// Whether an answer of its status has a body at all (RFC 9110 section 6.4.1).
    pub(super) const fn has_body(&self) -> bool {
        !matches!(self.status, 100..=199 | 204 | 304)
    }
}

/// The reason phrase of a status.
pub(super) fn reason(status: u16) -> &'static str {
    let status = http::StatusCode::from_u16(status).ok();
    status.and_then(|status| status.canonical_reason()).unwrap_or("Unnamed")
}
