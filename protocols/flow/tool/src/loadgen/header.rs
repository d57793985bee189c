//! The fields of a `header`, at every level: in a job, a workload, a task or a wildcard.

use super::document::Value;
use super::job_error::JobError;

/// Fields that Java's client does not allow to be set, beside those whose names begin with `Sec-`.
const JAVAS_OWN: [&str; 13] = [
    "Access-Control-Request-Headers",
    "Access-Control-Request-Method",
    "Connection",
    "Content-Length",
    "Content-Transfer-Encoding",
    "Host",
    "Keep-Alive",
    "Origin",
    "Proxy-Connection",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Via",
];

/// Whether Java's client omits a field. It sends `Connection: close`, and closes.
fn is_javas_own(name: &str, value: &str) -> bool {
    let closes = name.eq_ignore_ascii_case("Connection") && value.eq_ignore_ascii_case("close");
    let own = JAVAS_OWN.iter().any(|own| own.eq_ignore_ascii_case(name));
    !closes && (own || name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("Sec-")))
}

/// Fields; of those with the same name in any case only the last, and without those that a task cannot set.
pub(super) fn header(
    value: &Value<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<(String, String)>, JobError> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for member in value.members()? {
        let text = value.below(&member.name, &member.value).text()?.to_owned();
        if is_javas_own(&member.name, &text) {
            notes.push(format!(
                "{}, line {}: the header \"{}\" is left out, because Java's client, which LoadGen uses, lets no job \
                 set it",
                value.document.path.display(),
                value.document.place(member.at).line,
                member.name
            ));
            continue;
        }
        match fields.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(&member.name)) {
            Some(before) => {
                notes.push(value.twice(&member.name, member.at));
                before.1 = text;
            }
            None => fields.push((member.name.clone(), text)),
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadgen::document::Document;
    use std::path::Path;

    #[test]
    fn headers_restricted_by_java_are_omitted() {
        let text = r#"{"Connection": "close", "Host": "a", "X-Host": "b", "Sec-Fetch": "c", "origin": "d"}"#;
        let document = Document::parse(Path::new("t.json"), text.to_owned()).unwrap();
        let mut notes = Vec::new();
        let kept = header(&document.value(), &mut notes).unwrap();
        let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Connection", "X-Host"]);
        assert_eq!(notes.len(), 3);
        assert!(
            notes[0].starts_with("t.json, line 1: the header \"Host\" is left out"),
            "{notes:?}"
        );
        let alive = r#"{"connection": "keep-alive"}"#;
        let document = Document::parse(Path::new("t.json"), alive.to_owned()).unwrap();
        assert_eq!(header(&document.value(), &mut notes).unwrap(), []);
    }
}
