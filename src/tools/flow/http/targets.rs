//! Files of URLs: one URL per line, `METHOD URL`, or the targets of vegeta.
//!
//! A target of vegeta is a line `METHOD URL`, lines `Name: value` and a line `@FILE` with its body; an empty line ends
//! it. Lines that begin with `#` are comments in all of them.

use std::path::PathBuf;

/// The maximum number of targets.
const MOST: usize = 60_000;

/// One request of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// The method, if the line has one.
    pub(super) method: Option<String>,
    /// The URL.
    pub(super) url: String,
    /// Its own fields.
    pub(super) headers: Vec<(String, String)>,
    /// A file with its body.
    pub(super) body_file: Option<PathBuf>,
}

/// Reads a file. Errors are reported with their line.
pub(super) fn parse(text: &str) -> Result<Vec<Target>, String> {
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
        let wrong = |what: &str| format!("line {number}: {what}");
        if is_url(line) {
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
            let target = targets.last_mut().filter(|_| open).ok_or_else(|| {
                wrong("is not a URL that begins with http:// or https://, optionally after a method such as POST")
            })?;
            if let Some(path) = line.strip_prefix('@') {
                target.body_file = Some(path.trim().into());
            } else if let Some((name, value)) = line.split_once(':') {
                target.headers.push((name.trim().to_owned(), value.trim().to_owned()));
            } else {
                return Err(wrong(
                    "is neither a header such as 'Name: value' nor a body such as '@FILE'",
                ));
            }
        }
        if targets.len() > MOST {
            return Err(wrong(&format!("is one too many: the maximum is {MOST} URLs")));
        }
    }
    if targets.is_empty() {
        return Err("it contains no URL".to_owned());
    }
    Ok(targets)
}

pub(super) fn is_url(text: &str) -> bool {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    (lower.starts_with("http://") || lower.starts_with("https://"))
        && !text.contains(char::is_whitespace)
}

fn request(line: &str) -> Option<(&str, &str)> {
    let (method, url) = line.split_once(char::is_whitespace)?;
    let url = url.trim();
    let named = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    (named && is_url(url)).then_some((method, url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_line_is_read() {
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
    fn what_is_wrong_is_said_with_its_line() {
        for (text, said) in [
            ("", "no URL"),
            ("# only\n", "no URL"),
            ("http://h/\nnonsense\n", "line 2: is not a URL"),
            ("http://h/\nX: y\n", "line 2: is not a URL"),
            ("GET http://h/\nnonsense\n", "line 2: is neither"),
            ("GET http://h/\n\nX: y\n", "line 3"),
            ("http://h/a b\n", "line 1"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
