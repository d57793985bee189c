//! [`Task`]: one request, or one sleep, as a task file describes it.

use super::attributes::{self, Attributes};
use super::document::{Document, Kind, Node, Value, compact};
use super::fields::{Fields, nearest};
use super::file_position::FilePosition;
use super::files::Files;
use super::job_error::JobError;

/// The keys that only tasks have.
const OWN: &[&str] =
    &["name", "request", "url-endpoint", "url-payload", "data-payload", "threshold"];
/// The methods of RFC 9110 and RFC 5789.
const METHODS: &[&str] =
    &["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "PATCH", "CONNECT"];
/// The word that marks a sleep in a `url-endpoint`.
const SLEEP: &str = "$SLEEP";
/// The longest time in milliseconds that a file may give: the maximum of a Java `int`.
pub(super) const MILLIS_MAX: u64 = i32::MAX as u64;

/// The action of a task.
#[derive(Clone, Debug)]
pub enum Task {
    /// Waits this number of milliseconds, plus those that the workload gives.
    Sleep(u64),
    /// Sends a request.
    Request(Box<Request>),
}

/// A request that still contains its wildcards.
#[derive(Clone, Debug)]
pub struct Request {
    /// `request`.
    pub method: String,
    /// The beginning of URLs.
    pub base: String,
    /// `url-endpoint`.
    pub endpoint: String,
    /// `url-payload`.
    pub payload: String,
    /// `data-payload`.
    pub data: Option<Data>,
    /// The attributes of all levels, the task's own overriding those above.
    pub attributes: Attributes,
    /// Where it is described.
    pub spot: FilePosition,
}

/// The payload of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// A string, as it stands.
    Text(String),
    /// An object, as compact JSON.
    Object(String),
    /// An array, as compact JSON.
    List(String),
}

impl Data {
    /// The text that is sent, which still contains its wildcards.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Object(text) | Self::List(text) => text,
        }
    }
}

/// Reads a task file.
pub(super) fn read(
    document: &Document,
    above: &Attributes,
    files: &mut Files,
) -> Result<Task, JobError> {
    let (task, threshold) = described(&document.value(), above, files)?;
    match threshold {
        None => Ok(task),
        Some(threshold) => Err(threshold.fault(
            "a task file has no threshold",
            "write it after the task's name in the workload: { \"task\": 200 }",
        )),
    }
}

/// Reads the description of a task, and the position of its threshold if it has one.
pub(super) fn described<'a>(
    value: &Value<'a>,
    above: &Attributes,
    files: &mut Files,
) -> Result<(Task, Option<Value<'a>>), JobError> {
    let known = [OWN, attributes::KEYS].concat();
    let fields = Fields::read(value, &known, &mut files.notes)?;
    let threshold = fields.one("threshold").cloned();
    let endpoint =
        fields.must("url-endpoint", "write the path that follows the location")?.text()?;
    if endpoint.contains(SLEEP) {
        let time = fields.must("url-payload", "set how many milliseconds it sleeps")?;
        return Ok((Task::Sleep(time.whole(0, MILLIS_MAX)?), threshold));
    }
    let method = method(fields.must("request", "write the method: GET, POST, PUT ...")?)?;
    let payload = fields.text("url-payload")?.unwrap_or_default();
    let data = fields.one("data-payload").map(data).transpose()?.flatten();
    let attributes = Attributes::read(&fields, &mut files.notes)?.over(above);
    let base = attributes.base().ok_or_else(|| {
        value.fault(
            "the location of this task's service is not set",
            "write \"service-location-port\" into the job, the workload or the task",
        )
    })?;
    Ok((
        Task::Request(Box::new(Request {
            method,
            base,
            endpoint: endpoint.to_owned(),
            payload: payload.to_owned(),
            data,
            attributes,
            spot: FilePosition::new(value),
        })),
        threshold,
    ))
}

/// Whether a byte is one of a token (RFC 9110 section 5.6.2).
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A method is a token of RFC 9110, and is case-sensitive.
fn method(value: &Value<'_>) -> Result<String, JobError> {
    let text = value.text()?;
    let upper = text.to_ascii_uppercase();
    let misspelt = text != upper && METHODS.contains(&upper.as_str());
    if !text.is_empty() && text.bytes().all(is_token) && !misspelt {
        return Ok(text.to_owned());
    }
    let near = nearest(text, METHODS);
    Err(value.fault(
        format!("\"{text}\" is not a method"),
        near.map_or_else(
            || format!("write one of {}", METHODS.join(", ")),
            |near| format!("did you mean \"{near}\"?"),
        ),
    ))
}

fn data(value: &Value<'_>) -> Result<Option<Data>, JobError> {
    let node: &Node = value.node;
    Ok(Some(match &node.kind {
        Kind::Null => return Ok(None),
        Kind::Text(text) => Data::Text(text.clone()),
        Kind::Object(_) => Data::Object(compact(node)),
        Kind::List(_) => Data::List(compact(node)),
        Kind::Bool(_) | Kind::Number(_) => {
            let what = format!("{} is no payload", node.kind.words());
            return Err(value.fault(what, "write an object, an array or a string"));
        }
    }))
}
