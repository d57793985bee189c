//! The request of a failure as a line for a shell: [`curl`].

use brunt_record::Samples;

/// How what was sent ends where its body is no text.
const NO_TEXT: &str = "bytes)";

/// The line that sends what was sent over HTTP, with secrets as the stars that are kept of them. There is none for
/// other protocols, and none for a request that was kept in part.
pub(super) fn curl(sent: &str) -> Option<String> {
    if sent.chars().count() >= Samples::TEXT_MAX || sent.ends_with(NO_TEXT) {
        return None;
    }
    let (head, body) = sent.split_once("\n\n").unwrap_or((sent, ""));
    let mut lines = head.lines();
    let (method, rest) = lines.next()?.split_once(' ')?;
    let url = rest.split(' ').next()?;
    if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
        return None;
    }
    let mut words = vec![format!("curl -i -X {}", quoted(method))];
    words.extend(lines.map(|field| format!("-H {}", quoted(field))));
    if !body.is_empty() {
        words.push(format!("--data-raw {}", quoted(body)));
    }
    words.push(quoted(url));
    Some(words.join(" \\\n  "))
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curl_line_is_valid_shell() {
        let sent =
            "POST http://a.example/x?y=1 (traceparent 00-1)\ncontent-type: text/plain; q\n\nit's";
        let wanted = "curl -i -X POST \\\n  -H 'content-type: text/plain; q' \\\n  --data-raw 'it'\\''s' \\\n  \
                      'http://a.example/x?y=1'";
        assert_eq!(curl(sent).as_deref(), Some(wanted));
        let plain = "curl -i -X GET \\\n  http://a/";
        assert_eq!(curl("GET http://a/").as_deref(), Some(plain));
        let long = format!("GET http://a/{}", "x".repeat(Samples::TEXT_MAX));
        for other in ["bind uid=user.17", "", "PUT http://a/\n\n(40 bytes)", &long] {
            assert_eq!(curl(other), None, "{other}");
        }
    }
}
