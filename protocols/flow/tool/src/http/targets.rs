//! Files of URLs: one URL per line, `METHOD URL`, or the targets of vegeta.
//!
//! A target of vegeta is a line `METHOD URL`, lines `Name: value` and a line `@FILE` with its body; an empty line ends
//! it. Or it is a line of JSON (`-format=json`), whose body is in base64. Lines that begin with `#` are comments in all
//! of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;

/// The maximum number of targets.
const MOST: usize = 60_000;

/// One request of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// The method, if the line has one.
    pub method: Option<String>,
    /// The URL.
    pub url: String,
    /// Its own fields.
    pub headers: Vec<(String, String)>,
    /// A file with its body.
    pub body_file: Option<PathBuf>,
    /// Its body.
    pub body: Option<String>,
}

/// A target of vegeta in JSON.
#[derive(Deserialize)]
struct JsonTarget {
    method: String,
    url: String,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    header: BTreeMap<String, Vec<String>>,
}

/// Why a file names no targets.
#[derive(Debug, thiserror::Error)]
pub(super) enum TargetsError {
    #[error("line {number}: {source}")]
    Line { number: usize, source: LineError },
    #[error("it contains no URL")]
    Empty,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    #[error(
        "is not a URL that begins with http:// or https://, optionally after a method such as POST"
    )]
    NoUrl,
    #[error("is neither a header such as 'Name: value' nor a body such as '@FILE'")]
    NoHeader,
    #[error("is one too many: the maximum is {MOST} URLs")]
    TooMany,
    #[error(
        "is not a target of vegeta in JSON, such as {{\"method\":\"GET\",\"url\":\"http://h/\"}}: {0}"
    )]
    Json(#[from] serde_json::Error),
    #[error("{0:?} is not a URL that begins with http:// or https://")]
    JsonUrl(String),
    #[error("its body is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    #[error("its body is not text: write the target as lines, with the body in a file (@FILE)")]
    Encoding,
}

/// Reads a file. Errors are reported with their line.
pub(super) fn parse(text: &str) -> Result<Vec<Target>, TargetsError> {
    let mut targets: Vec<Target> = Vec::new();
    // Whether fields and a body may follow: only after METHOD URL.
    let mut open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() {
            open = false;
            continue;
        }
        if line.starts_with('#') {
            continue;
        }
        let wrong = |source| TargetsError::Line { number, source };
        if line.starts_with(['{', '[']) {
            targets.extend(json(line).map_err(wrong)?);
            open = false;
        } else if is_url(line) {
            targets.push(Target { url: line.to_owned(), ..Target::default() });
            open = false;
        } else if let Some((method, url)) = request(line) {
            targets.push(Target {
                method: Some(method.to_owned()),
                url: url.to_owned(),
                ..Target::default()
            });
            open = true;
        } else {
            let target = targets.last_mut().filter(|_| open);
            let target = target.ok_or_else(|| wrong(LineError::NoUrl))?;
            if let Some(path) = line.strip_prefix('@') {
                target.body_file = Some(path.trim().into());
            } else if let Some((name, value)) = line.split_once(':') {
                target.headers.push((name.trim().to_owned(), value.trim().to_owned()));
            } else {
                return Err(wrong(LineError::NoHeader));
            }
        }
        if targets.len() > MOST {
            return Err(wrong(LineError::TooMany));
        }
    }
    if targets.is_empty() {
        return Err(TargetsError::Empty);
    }
    Ok(targets)
}

/// The targets in a line of JSON: an object, or a list of them.
fn json(line: &str) -> Result<Vec<Target>, LineError> {
    let list = if line.starts_with('[') { line.to_owned() } else { format!("[{line}]") };
    let list: Vec<JsonTarget> = serde_json::from_str(&list)?;
    list.into_iter().map(JsonTarget::target).collect()
}

impl JsonTarget {
    fn target(self) -> Result<Target, LineError> {
        if !is_url(&self.url) {
            return Err(LineError::JsonUrl(self.url));
        }
        let text =
            |body: String| String::from_utf8(BASE64.decode(body)?).map_err(|_| LineError::Encoding);
        let several = self
            .header
            .into_iter()
            .flat_map(|(name, values)| values.into_iter().map(move |value| (name.clone(), value)));
        Ok(Target {
            method: Some(self.method),
            url: self.url,
            headers: several.collect(),
            body_file: None,
            body: self.body.map(text).transpose()?,
        })
    }
}

pub(super) fn is_url(text: &str) -> bool {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    (lower.starts_with("http://") || lower.starts_with("https://"))
        && !text.contains(char::is_whitespace)
}

fn request(line: &str) -> Option<(&str, &str)> {
    let (method, url) = line.split_once(char::is_whitespace)?;
    let url = url.trim();
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-';
    let named = !method.is_empty() && method.bytes().all(letter);
    (named && is_url(url)).then_some((method, url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_lines_of_every_kind_are_read() {
        let text = "# all kinds\nhttp://h/1\n\nPOST https://h/2\nX-A: b: c\n@body.json\n\nGET http://h/3\nHTTP://h/4\n";
        let targets = parse(text).unwrap();
        let urls: Vec<_> = targets.iter().map(|target| target.url.as_str()).collect();
        assert_eq!(urls, ["http://h/1", "https://h/2", "http://h/3", "HTTP://h/4"]);
        assert_eq!(targets[1].method.as_deref(), Some("POST"));
        assert_eq!(targets[1].headers, [("X-A".to_owned(), "b: c".to_owned())]);
        assert_eq!(targets[1].body_file, Some("body.json".into()));
        assert_eq!((&targets[0].method, targets[2].headers.len()), (&None, 0));
    }

    #[test]
    fn target_methods_may_have_lower_case_and_hyphens() {
        let targets = parse("get http://h/1\nM-SEARCH http://h/2\n").unwrap();
        let methods: Vec<_> =
            targets.iter().filter_map(|target| target.method.as_deref()).collect();
        assert_eq!(methods, ["get", "M-SEARCH"]);
    }

    #[test]
    fn target_lines_of_vegeta_json_are_read() {
        let one = r#"{"method":"POST","url":"http://h/v1","body":"bXkgYm9keQ==","header":{"X-A":["1","2"]}}"#;
        for text in [format!("{one}\n{one}\n"), format!("[{one},{one}]")] {
            let targets = parse(&text).unwrap();
            assert_eq!(targets.len(), 2, "{text}");
            let Target { method, url, headers, body, .. } = &targets[1];
            assert_eq!((method.as_deref(), url.as_str()), (Some("POST"), "http://h/v1"));
            assert_eq!(headers, &[("X-A".into(), "1".into()), ("X-A".into(), "2".into())]);
            assert_eq!(body.as_deref(), Some("my body"));
        }
    }

    #[test]
    fn target_errors_name_the_line() {
        for (text, message) in [
            ("http://h/\n{\"method\":\"GET\"}\n", "line 2: is not a target of vegeta in JSON"),
            ("{\"method\":\"GET\",\"url\":\"h\"}", "line 1: \"h\" is not a URL"),
            (
                "{\"method\":\"GET\",\"url\":\"http://h/\",\"body\":\"/w==\"}",
                "line 1: its body is not text",
            ),
            (
                "{\"method\":\"GET\",\"url\":\"http://h/\",\"body\":\"!\"}",
                "line 1: its body is not base64",
            ),
            ("G=T http://h/\n", "line 1: is not a URL"),
            ("", "no URL"),
            ("# only\n", "no URL"),
            ("http://h/\nnonsense\n", "line 2: is not a URL"),
            ("http://h/\nX: y\n", "line 2: is not a URL"),
            ("GET http://h/\nnonsense\n", "line 2: is neither"),
            ("GET http://h/\n\nX: y\n", "line 3"),
            ("http://h/a b\n", "line 1"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
