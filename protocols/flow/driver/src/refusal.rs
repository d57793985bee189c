//! The reason that a web server gives for refusing a request: the fields that give a reason, and the beginning of the
//! body.
//!
//! Secrets in the text are replaced by stars, both those known by their value and those known by their name. The code
//! that stores the text must ensure that it cannot act on a terminal.

use brunt_feed::Values;
use brunt_http_driver::Response;

/// Fields that give a reason, in addition to those whose names contain `error`.
const REASON_FIELDS: [&str; 5] =
    ["www-authenticate", "proxy-authenticate", "retry-after", "warning", "grpc-message"];
/// The maximum number of fields shown.
const FIELDS_SHOWN: usize = 3;
/// The maximum number of characters shown of a field.
const FIELD_SHOWN: usize = 120;
/// The maximum number of characters shown of a body. It is lower than the number kept, so that the end of the kept
/// text, which may be an incomplete secret, is not shown.
const BODY_SHOWN: usize = 240;

/// The reason that an answer gives, if any.
pub(super) fn words(response: &Response, values: &Values) -> Option<String> {
    let fields = response.fields().filter(|(name, _)| gives_reason(name)).take(FIELDS_SHOWN);
    let field = |(name, value): (&[u8], &[u8])| {
        let (name, value) = (String::from_utf8_lossy(name), String::from_utf8_lossy(value));
        format!("{name}: {}", cut(&brunt_redact::header(&name, &values.shown(&value)), FIELD_SHOWN))
    };
    let mut all: Vec<String> = fields.map(field).collect();
    all.extend(body(response, values));
    (!all.is_empty()).then(|| all.join("; "))
}

fn gives_reason(name: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(name).to_ascii_lowercase();
    REASON_FIELDS.contains(&lower.as_str()) || lower.contains("error")
}

/// The beginning of the body, as one line.
fn body(response: &Response, values: &Values) -> Option<String> {
    let body = response.body();
    if body.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(body);
    // A replacement character at the end may only be the result of cutting a character.
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    if text.contains(['\0', char::REPLACEMENT_CHARACTER]) {
        let kind = response.values("content-type").next().map(String::from_utf8_lossy);
        let kind = kind.map(|kind| format!(" of {}", cut(&kind, FIELD_SHOWN)));
        return Some(format!("{} bytes{}", response.received(), kind.unwrap_or_default()));
    }
    let starred = brunt_redact::text(&values.shown(text));
    let line = starred.split_whitespace().collect::<Vec<_>>().join(" ");
    let more = response.received() > body.len() as u64 && line.len() <= BODY_SHOWN;
    (!line.is_empty()).then(|| cut(&line, BODY_SHOWN) + if more { "..." } else { "" })
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_feed::Hole;

    fn message(fields: &[(&str, &str)], body: &[u8]) -> Option<String> {
        let mut values = Values::new(1);
        values.set(Hole(0), b"hunter2");
        values.hide(Hole(0), true);
        words(&Response::sample(401, fields, body), &values)
    }

    #[test]
    fn refusal_message_hides_secrets() {
        let fields = [
            ("Date", "today"),
            ("WWW-Authenticate", "Bearer error=\"invalid_token\""),
            ("X-Error-Code", "17"),
        ];
        let body = b"{\"code\":401,\r\n  \"message\":\"no hunter2\",\"access_token\":\"abc\"}";
        assert_eq!(
            message(&fields, body).unwrap(),
            "WWW-Authenticate: Bearer error=\"invalid_token\"; X-Error-Code: 17; \
             {\"code\":401, \"message\":\"no ***\",\"access_token\":\"***\"}"
        );
        assert_eq!(message(&[("Date", "today")], b" \n"), None);
        assert_eq!(message(&[], &b"x ".repeat(400)).unwrap().len(), BODY_SHOWN + 3);
        let picture = message(&[("Content-Type", "image/png")], b"\x89PNG\0\0");
        assert_eq!(picture.unwrap(), "6 bytes of image/png");
        assert_eq!(message(&[], b"caf\xc3").unwrap(), "caf");
    }
}
