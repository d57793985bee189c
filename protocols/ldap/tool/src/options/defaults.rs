//! Values of a properties file for options that the command line does not set.

use std::path::Path;

use brunt_run::options::row::{Kind, Row};
use brunt_run::options::syntax::{Given, Source};
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::opendj::refused;
use super::properties::{self, Property};
use super::table as options;
use super::tool::Tool;
use super::words;

/// A property of an option.
struct Found {
    name: &'static str,
    source: Source,
    /// Whether its key has the tool's name.
    is_own: bool,
    property: Property,
}

/// Fills in missing values from a properties file, whose name is used in messages. Returns the names of the options
/// that were filled in. A key that looks like a misspelt option is a note.
pub fn fill(
    values: &mut Values,
    file: &Path,
    bytes: &[u8],
    tool: Tool,
    notes: &mut Vec<String>,
) -> Result<Vec<&'static str>, UsageError> {
    let at = |line: usize| format!("{}:{line}", file.display());
    let properties = properties::parse(bytes).map_err(|fault| {
        UsageError::new(format!("The properties file {} cannot be read: {fault}", file.display()))
    })?;
    let prefix = format!("{}.", tool.name());
    let mut found = Vec::new();
    for property in properties {
        let lower = property.key.to_ascii_lowercase();
        let own = lower.strip_prefix(&prefix);
        let is_own = own.is_some();
        match words::find_long(own.unwrap_or(&lower), values.rows()) {
            Some((row, source)) => found.push(Found { name: row.name, source, is_own, property }),
            None if !is_own => {
                if let Some(meant) = misspelt(&lower, values.rows()) {
                    notes.push(format!(
                        "{}: {} is not an option, and is ignored.  Did you mean {meant}?",
                        at(property.line),
                        property.key
                    ));
                }
            }
            None => {
                let name = own.unwrap_or_default();
                let hint = words::nearest(name, values.rows())
                    .map(|name| format!(".  Did you mean {prefix}{name}?"));
                let reason = format!("{}: {} has no option {name}", at(property.line), tool.name());
                return Err(UsageError::new(reason + &hint.unwrap_or_default()));
            }
        }
    }
    let open: Vec<Row> =
        values.rows().iter().filter(|row| !values.has(row.name)).copied().collect();
    let mut filled = Vec::new();
    for row in open {
        let is_own = found.iter().any(|it| it.name == row.name && it.is_own);
        for it in found.iter().filter(|it| it.name == row.name && it.is_own == is_own) {
            let spelled = format!("{} ({})", it.property.key, at(it.property.line));
            insert(values, &row, it, spelled)?;
            filled.push(row.name);
        }
    }
    filled.dedup();
    Ok(filled)
}

fn insert(
    values: &mut Values,
    row: &Row,
    found: &Found,
    spelled: String,
) -> Result<(), UsageError> {
    let text = found.property.value.as_str();
    let given = |value: &str, spelled| Given {
        name: row.name,
        spelled,
        source: found.source,
        value: value.to_owned(),
        place: None,
    };
    if row.kind != Kind::Switch {
        return values.insert(given(text.trim_end(), spelled));
    }
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => values.insert(given("", spelled)),
        "false" => Ok(()),
        _ => Err(refused(text, &spelled, "It must be true or false")),
    }
}

/// The option that a key of a shared properties file was probably meant to be. Keys with a dot, options of the other
/// tools and words unlike any option belong to others.
fn misspelt(key: &str, rows: &[Row]) -> Option<&'static str> {
    let others =
        || Tool::ALL.into_iter().any(|tool| words::find_long(key, &options::of(tool)).is_some());
    if key.contains('.') || others() {
        return None;
    }
    let most = if key.len() < 8 { 1 } else { 2 };
    let stem = key.split(':').next().unwrap_or(key);
    let apart = |name: &str| strsim::damerau_levenshtein(stem, &name.to_ascii_lowercase());
    let near = rows.iter().flat_map(Row::names).map(|name| (apart(name), name));
    near.filter(|(apart, _)| *apart <= most).min_by_key(|(apart, _)| *apart).map(|(_, name)| name)
}
