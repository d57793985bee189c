//! Writes the values of `${env:NAME}` into the text: for a plan that is carried out where these variables are not set.

use std::collections::BTreeMap;

use toml::Value;

use super::{Edit, EditError, Part, acted, read};
use crate::reader::environment;

/// The text with all references to the environment replaced.
pub(super) fn filled(text: &str, of: &BTreeMap<String, String>) -> Result<String, EditError> {
    let values = read(text)?;
    let mut acts = Vec::new();
    find(&values, &mut Vec::new(), of, &mut acts)?;
    acts.iter().try_fold(text.to_owned(), |text, act| acted(&text, read(&text)?, act))
}

/// The replacements, and their positions.
fn find(
    value: &Value,
    at: &mut Vec<Part>,
    of: &BTreeMap<String, String>,
    acts: &mut Vec<Edit>,
) -> Result<(), EditError> {
    match value {
        Value::String(text) => {
            if let Some(filled) = environment(text, &|name| of.get(name).cloned())? {
                acts.push(Edit::Set(at.clone(), Value::String(filled)));
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                at.push(Part::Index(index));
                find(value, at, of, acts)?;
                at.pop();
            }
        }
        Value::Table(table) => {
            for (key, value) in table {
                at.push(Part::Key(key.clone()));
                find(value, at, of, acts)?;
                at.pop();
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# ${env:BASE} in a comment stays.\n[http]\nbase = '${env:BASE}/a' # why\n\
                        headers = { X = \"${env:NONE:-plain}\", Y = \"$${env:BASE}\" }\n[[scenario]]\nname = \"s\"\n\
                        steps = [{ get = \"\"\"${env:BASE}/b\"\"\" }, { get = \"/${user}\" }]\n";

    fn values_of(base: &str) -> BTreeMap<String, String> {
        [("BASE".to_owned(), base.to_owned())].into()
    }

    #[test]
    fn settings_are_filled_in_without_other_changes() {
        // Values that TOML would have to escape.
        for base in ["http://h:80", "a\"b\\c\nd'"] {
            let text = filled(TEXT, &values_of(base)).unwrap();
            assert!(
                text.starts_with("# ${env:BASE} in a comment stays.\n[http]\nbase = "),
                "{text}"
            );
            assert!(text.contains(" # why\n") && text.contains("\"/${user}\""), "{text}");
            let values = read(&text).unwrap();
            assert_eq!(values["http"]["base"].as_str(), Some(&*format!("{base}/a")));
            assert_eq!(values["http"]["headers"]["X"].as_str(), Some("plain"));
            assert_eq!(values["http"]["headers"]["Y"].as_str(), Some("$${env:BASE}"));
            let steps = &values["scenario"][0]["steps"];
            assert_eq!(steps[0]["get"].as_str(), Some(&*format!("{base}/b")));
        }
        assert_eq!(filled("a = 1 # kept", &values_of("x")).unwrap(), "a = 1 # kept");
    }

    #[test]
    fn unknown_setting_is_named() {
        let message = filled("a = \"${env:OTHER}\"", &values_of("x")).unwrap_err().to_string();
        assert!(message.contains("OTHER") && message.contains("not set"), "{message}");
    }
}
