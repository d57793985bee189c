//! The parts of a form that may contain files (RFC 7578), read from the text of a body.

use crate::imported::{FormPart, PartContent};
use crate::notation::literal;

/// A part as it was sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SentPart {
    pub(crate) name: String,
    /// The name of the file, if it is one.
    pub(crate) file: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) content: Vec<u8>,
}

impl SentPart {
    /// The part of a step, with this text or its own bytes.
    pub(crate) fn with(self, text: Option<String>) -> FormPart {
        let Self { name, file, kind, content } = self;
        let (file, kind) = (file.map(|it| literal(&it)), kind.map(|it| literal(&it)));
        let content = text.map_or(PartContent::Bytes(content), PartContent::Text);
        FormPart { name, file, kind, content }
    }
}

/// The parts of a body; none if writing them again could lose anything.
pub(crate) fn parts(content_type: &str, body: &[u8]) -> Option<Vec<SentPart>> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let line = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    })?;
    let first = format!("--{line}");
    let between = format!("\r\n--{line}");
    let mut rest = body.strip_prefix(first.as_bytes())?;
    let mut parts = Vec::new();
    loop {
        if matches!(rest, b"--" | b"--\r\n") {
            return Some(parts);
        }
        let part = rest.strip_prefix(b"\r\n")?;
        let end = position(part, between.as_bytes())?;
        parts.push(self::part(&part[..end])?);
        rest = &part[end + between.len()..];
    }
}

fn part(part: &[u8]) -> Option<SentPart> {
    let end = position(part, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&part[..end]).ok()?;
    let content = part[end + 4..].to_vec();
    let mut sent = SentPart { name: String::new(), file: None, kind: None, content };
    for line in head.split("\r\n") {
        let (name, value) = line.split_once(':')?;
        match name.trim().to_ascii_lowercase().as_str() {
            "content-disposition" => disposition(value, &mut sent)?,
            "content-type" => sent.kind = Some(value.trim().to_owned()),
            _ => return None,
        }
    }
    Some(sent)
}

/// Reads `form-data; name="a"; filename="b"`.
fn disposition(value: &str, sent: &mut SentPart) -> Option<()> {
    let mut rest = value.trim().strip_prefix("form-data")?;
    let mut named = false;
    while let Some(parameter) = rest.trim_start().strip_prefix(';') {
        let (name, value) = parameter.trim_start().split_once("=\"")?;
        let (value, after) = value.split_once('"')?;
        let value = value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n");
        match name {
            "name" => (sent.name, named) = (value, true),
            "filename" => sent.file = Some(value),
            _ => return None,
        }
        rest = after;
    }
    (named && rest.trim().is_empty()).then_some(())
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|it| it == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipart_body_is_split_only_without_loss() {
        let body = "--A\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\nx\r\n--Ay\r\n\
                    --A\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\"\r\nContent-Type: text/plain\r\n\
                    \r\n\r\n--A--\r\n";
        let kind = "Multipart/Form-Data; boundary=\"A\"";
        // The line also begins a longer one here, which is none of ours.
        assert_eq!(parts(kind, body.as_bytes()), None);
        let body = body.replace("--Ay", "-Ay");
        let read = parts(kind, body.as_bytes()).unwrap();
        let fields: Vec<_> = read
            .iter()
            .map(|it| (it.name.as_str(), it.file.as_deref(), it.kind.as_deref(), &it.content[..]))
            .collect();
        assert_eq!(
            fields,
            [("a\"b", None, None, &b"x\r\n-Ay"[..]), ("f", Some(""), Some("text/plain"), b""),]
        );
        for (kind, from, to) in [
            ("multipart/mixed; boundary=A", "", ""),
            ("multipart/form-data", "", ""),
            (kind, "--A--", ""),
            (kind, "form-data; name", "attachment; name"),
            (kind, "Content-Type", "Content-Transfer-Encoding"),
            (kind, "filename=", "filename*="),
            (kind, "name=\"f\"; ", ""),
        ] {
            assert_eq!(parts(kind, body.replacen(from, to, 1).as_bytes()), None, "{kind} {from}");
        }
    }
}
