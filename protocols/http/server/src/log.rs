//! The log of requests as they were received: a line of JSON for each, to compare with what a client sent.
//!
//! A line is written before the answer is sent, so that a client that has the answer finds the line.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::request::Request;

/// The most bytes of a body in a line.
pub(super) const BODY_BYTES: usize = 64 << 10;

/// The file of the log.
#[derive(Debug)]
pub(super) struct Log(Mutex<File>);

/// What the log records about a request besides its contents.
pub(super) struct RequestContext {
    pub(super) number: u64,
    pub(super) connection: u64,
    pub(super) now: Duration,
    pub(super) status: u16,
}

impl Log {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        // Requests hold passwords and tokens.
        let file = File::options().write(true).create(true).truncate(true).mode(0o600).open(path);
        file.map(Mutex::new).map(Self)
    }

    /// Writes a line. If the disk is full, lines are lost, not answers.
    pub(super) fn write(&self, request: &Request<'_>, about: &RequestContext) {
        let mut line = json!({
            "n": about.number,
            "connection": about.connection,
            "time_us": about.now.as_micros() as u64,
            "version": request.version.name(),
            "method": request.method,
            "target": request.target,
            "headers": fields(request),
        });
        if let Some(line) = line.as_object_mut() {
            body(request, line);
            line.insert("status".to_owned(), json!(about.status));
        }
        let line = format!("{line}\n");
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = file.write_all(line.as_bytes());
    }
}

/// The names and values of a request's fields, in their order.
pub(super) fn fields(request: &Request<'_>) -> Value {
    let mut fields = Vec::new();
    request.fields.each(|name, value| {
        fields.push(json!([String::from_utf8_lossy(name), String::from_utf8_lossy(value)]));
    });
    Value::Array(fields)
}

/// The beginning of a request's body: as text, or in Base64 if it is not text.
pub(super) fn body(request: &Request<'_>, into: &mut serde_json::Map<String, Value>) {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    let shown = &request.body[..request.body.len().min(BODY_BYTES)];
    // Text that was cut within a character is still text.
    let text = match std::str::from_utf8(shown) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() && shown.len() == BODY_BYTES => {
            std::str::from_utf8(&shown[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    };
    match text {
        Some(text) => into.insert("body".to_owned(), json!(text)),
        None => into.insert("body_base64".to_owned(), json!(BASE64_STANDARD.encode(shown))),
    };
    into.insert("body_bytes".to_owned(), json!(request.body_bytes));
}
