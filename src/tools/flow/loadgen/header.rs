//! The fields of a `header`, wherever one stands: in a job, a workload, a task or a wildcard.

use super::document::Value;
use super::fault::Fault;

/// Fields that follow from the payload and the connection.
const FOLLOWING: [&str; 5] =
    ["Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade"];

/// Fields, of those of the same name in any case the last, and without those that no task can decide on.
pub(crate) fn header(
    value: &Value<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<(String, String)>, Fault> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for member in value.members()? {
        let text = value.below(&member.name, &member.value).text()?.to_owned();
        if FOLLOWING.iter().any(|name| name.eq_ignore_ascii_case(&member.name)) {
            notes.push(format!(
                "{}, line {}: the header \"{}\" is derived from the payload and the connection; it is left out, as by \
                 Java's client",
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
