//! Properties files of UnboundID's tools: which file, what it sets, and the comment about it.
//!
//! A line is `key=value`; a key is a long name of an option, with or without the tool's name and a dot before it. What
//! the original ignores without a word, such as `key: value` or a key that no tool has, is a note here.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use brunt_run::options::row::{Kind, Row};
use brunt_run::options::surroundings::Surroundings;
use brunt_run::options::syntax::{Given, Source};
use brunt_run::options::usage_error::UsageError;

use super::syntax::truth;
use super::table::{self, find_long};
use super::words::row;
use crate::options::dialect::Dialect;
use crate::options::properties::{logical_lines, text_of, unescape};
use crate::options::tool::Tool;

/// The variable that names a file.
const VARIABLE: &str = "UNBOUNDID_TOOL_PROPERTIES_FILE_PATH";

/// Options that are about the file itself, or that no file can give.
const NOT_IN_A_FILE: [&str; 9] = [
    "generatePropertiesFile",
    "generateSampleRateFile",
    "help",
    "helpSASL",
    "interactive",
    "noPropertiesFile",
    "propertiesFilePath",
    "suppressPropertiesFileComment",
    "version",
];

/// Adds what the file sets and the command line does not. Returns the comment for standard output.
pub(super) fn fill(
    given: &mut Vec<Given>,
    tool: Tool,
    rows: &[Row],
    surroundings: &dyn Surroundings,
    notes: &mut Vec<String>,
) -> Result<String, UsageError> {
    let value = |long: &str| given.iter().find(|it| it.name == long).map(|it| it.value.clone());
    let named = value("propertiesFilePath");
    if value("noPropertiesFile").is_some() {
        return match named {
            Some(_) => Err(UsageError::new(
                "--propertiesFilePath and --noPropertiesFile cannot be used together: leave one of them out",
            )),
            None => Ok(String::new()),
        };
    }
    let Some(path) = named.or_else(|| surroundings.ambient(VARIABLE)).map(PathBuf::from) else {
        return Ok(String::new());
    };
    let bytes = surroundings.read(&path).map_err(|error| {
        UsageError::new(format!("the properties file {} cannot be read: {error}", path.display()))
    })?;
    let silent = value("suppressPropertiesFileComment").is_some();
    let found = File { path: &path, tool, rows }.read(&bytes, notes)?;
    let open: Vec<Given> = rows
        .iter()
        .filter(|row| !given.iter().any(|it| it.name == row.name))
        .flat_map(|row| of_row(row, &found))
        .collect();
    let comment =
        if silent || open.is_empty() { String::new() } else { comment(&path, &open, rows) };
    given.extend(open);
    Ok(comment)
}

/// A property of an option.
struct Property {
    given: Given,
    /// Whether its key has the tool's name.
    own: bool,
    /// Whether it is a switch that is off.
    off: bool,
}

/// The properties of a row: those with the tool's name, if there are any.
fn of_row(row: &Row, found: &[Property]) -> Vec<Given> {
    let of = |property: &&Property| property.given.name == row.name;
    let own = found.iter().filter(of).any(|property| property.own);
    let chosen = found.iter().filter(of).filter(|property| property.own == own && !property.off);
    let chosen = chosen.map(|property| property.given.clone());
    if row.is_repeatable() { chosen.collect() } else { chosen.take(1).collect() }
}

struct File<'a> {
    path: &'a Path,
    tool: Tool,
    rows: &'a [Row],
}

impl File<'_> {
    fn read(&self, bytes: &[u8], notes: &mut Vec<String>) -> Result<Vec<Property>, UsageError> {
        let mut found = Vec::new();
        for (line, text) in logical_lines(&text_of(bytes)) {
            let at = format!("{}:{line}", self.path.display());
            let Some((key, value)) = text.split_once('=') else {
                notes.push(format!("{at}: '{}' is not read: write it as key=value", text.trim()));
                continue;
            };
            let undo = |text: &str| {
                let bad =
                    || UsageError::new(format!("{at}: four hexadecimal digits must follow \\u"));
                unescape(text.trim()).ok_or_else(bad)
            };
            let (key, value) = (undo(key)?, undo(value)?);
            found.extend(self.property(&key, value, &at, notes)?);
        }
        Ok(found)
    }

    fn property(
        &self,
        key: &str,
        value: String,
        at: &str,
        notes: &mut Vec<String>,
    ) -> Result<Option<Property>, UsageError> {
        let prefix = format!("{}.", self.tool.name());
        let begins = key.get(..prefix.len()).is_some_and(|it| it.eq_ignore_ascii_case(&prefix));
        let name = if begins { &key[prefix.len()..] } else { key };
        if name.eq_ignore_ascii_case("dialect") {
            return Ok(None);
        }
        let row = find_long(name, self.rows).filter(|row| !NOT_IN_A_FILE.contains(&row.name));
        let Some(row) = row else {
            if begins {
                return Err(UsageError::new(format!(
                    "{at}: {} has no option {name}",
                    self.tool.name()
                )));
            }
            if !is_of_another_tool(name) {
                notes.push(format!(
                    "{at}: {key} is not an option of UnboundID's tools, and is ignored"
                ));
            }
            return Ok(None);
        };
        let off = match (row.kind, truth(&value)) {
            (Kind::Switch, Some(on)) => !on,
            (Kind::Switch, None) => {
                return Err(UsageError::new(format!(
                    "{at}: {key} must be true or false, and not '{value}'"
                )));
            }
            _ => false,
        };
        let value = if row.kind == Kind::Switch { String::new() } else { value };
        let given = Given {
            name: row.name,
            spelled: format!("{key} ({at})"),
            source: Source::Literal,
            value,
            place: None,
        };
        Ok(Some(Property { given, own: begins, off }))
    }
}

/// Whether a key is meant for another tool that reads the same file.
fn is_of_another_tool(key: &str) -> bool {
    let tools = || Tool::ALL.into_iter().filter(|tool| Dialect::Unboundid.has(*tool));
    key.contains('.') || tools().any(|tool| find_long(key, &table::of(tool)).is_some())
}

fn comment(path: &Path, given: &[Given], rows: &[Row]) -> String {
    let mut out = format!("# Arguments obtained from properties file '{}':\n", path.display());
    for given in given {
        let name = given.name;
        let _ = match row(given, rows).kind {
            Kind::Switch => writeln!(out, "#      --{name}"),
            Kind::Secret => writeln!(out, "#      --{name} '***REDACTED***'"),
            _ => writeln!(out, "#      --{name} {}", quoted(&given.value)),
        };
    }
    out.push('\n');
    out
}

/// The value as a shell takes it: in quotes, if it has characters that a shell would not take as they are.
fn quoted(value: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=.,:/".contains(letter);
    if !value.is_empty() && value.chars().all(plain) {
        value.to_owned()
    } else if value.contains(['@', '*', '!', '$', '`', '"', '\\']) && !value.contains('\'') {
        format!("'{value}'")
    } else {
        format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// A properties file with every option of the tool, commented out.
pub(super) fn sample(tool: Tool, rows: &[Row]) -> String {
    let name = tool.name();
    let mut out = format!(
        "# Options of {name} that the command line does not set. Remove the # before a line to\n\
         # set it. A key without '{name}.' is also an option of the other tools.\n"
    );
    for row in rows.iter().filter(|row| !NOT_IN_A_FILE.contains(&row.name)) {
        let value = if row.takes_value() { row.value } else { "true|false" };
        let text = brunt_run::options::page::wrap(row.help, 78);
        out.push('\n');
        text.lines().for_each(|line| {
            let _ = writeln!(out, "# {line}");
        });
        let _ = writeln!(out, "# {name}.{}={{{value}}}", row.name);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quotes are those that the original prints.
    #[test]
    fn property_values_are_quoted_like_the_original() {
        for (value, expected) in [
            ("dc=x,dc=y", "dc=x,dc=y"),
            ("a/b:c_d-e.f", "a/b:c_d-e.f"),
            ("(uid=user.[1-9])", "\"(uid=user.[1-9])\""),
            ("a b", "\"a b\""),
            ("it's", "\"it's\""),
            ("a@b", "'a@b'"),
            ("q\"r", "'q\"r'"),
            ("$a", "'$a'"),
            ("a+b", "\"a+b\""),
        ] {
            assert_eq!(quoted(value), expected);
        }
    }
}
