//! The command lines and tables of UnboundID's authrate, searchrate, modrate and search-and-mod-rate.
//!
//! A line of this grammar ends in the same `RateArgs` as one of OpenDJ's, and so in the same run; [`decide`] tells
//! the two apart. What the original shows is laid out here as well, as scripts cut it into columns.

pub(crate) mod decide;
#[cfg(test)]
mod docs;
mod help;
mod hosts;
mod names;
mod properties;
mod prose;
mod result;
mod rules;
mod scan;
mod syntax;
mod table;
mod translate;
mod trial;
mod url;
mod words;

pub(crate) mod report;

use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::options::syntax::Syntax as _;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use crate::options::dialect::Dialect;
use crate::options::opendj::Opendj;
use crate::options::rate::{self, LineContext, Parsed};
use crate::options::table as options;
use crate::options::tool::Tool;

pub(crate) use names::dashed as hyphenated;
pub(crate) use result::exit_code;
pub(crate) use table::of as rows;

use syntax::Unboundid;
use translate::Line;

/// The original's exit code where it would prompt without a terminal.
const NO_TERMINAL: u32 = 82;

/// Reads the words after the name of a tool.
pub(crate) fn parse(
    tool: Tool,
    words: &[String],
    surroundings: &dyn Surroundings,
) -> Result<Parsed, Refusal> {
    let rows = table::of(tool);
    let mut given = Unboundid.split(words, &rows).map_err(|fault| refused(&fault))?.given;
    let requested = |name: &str| given.iter().any(|it| it.name == name);
    if requested("help") {
        return Ok(Parsed::Help(help::page(tool, &rows)));
    }
    if requested("helpSASL") {
        return Ok(Parsed::Help(help::SASL.to_owned()));
    }
    if requested("version") {
        return Ok(Parsed::Version);
    }
    let redacted = words::redacted(words, &given, &rows);
    let mut notes = Vec::new();
    let preamble = properties::fill(&mut given, tool, &rows, surroundings, &mut notes);
    let preamble = preamble.map_err(|fault| refused(&fault))?;
    let values = Values::new(&Unboundid, rows.clone(), given).map_err(|fault| refused(&fault))?;
    if let Some(path) = values.text("generatePropertiesFile") {
        return Ok(Parsed::PropertiesFile {
            path: path.into(),
            text: properties::sample(tool, &rows),
            message: format!("Successfully wrote properties file {path}.\n"),
        });
    }
    if let Some(path) = values.text("generateSampleRateFile") {
        return Ok(Parsed::SampleRateFile(path.into()));
    }
    rules::check(tool, &values, &rows).map_err(|fault| refused(&fault))?;
    check_prompts(&values, surroundings)?;
    let line = translate::translate(tool, &values).map_err(|fault| refused(&fault))?;
    notes.extend(line.notes.iter().cloned());
    let context = LineContext { redacted, notes, preamble, ..LineContext::new(Dialect::Unboundid) };
    run(tool, line, context, surroundings).map_err(|fault| refused(&fault))
}

/// The run of a translated line.
fn run(
    tool: Tool,
    line: Line,
    context: LineContext<'_>,
    surroundings: &dyn Surroundings,
) -> Result<Parsed, UsageError> {
    let has_login = !line.login.is_empty();
    let values = Values::new(&Opendj, options::of(tool), line.given)?;
    let login = Values::new(&Opendj, options::of(Tool::Searchrate), line.login)?;
    let context = LineContext {
        login: has_login.then_some(&login),
        measured: line.measured,
        rows: line.rows,
        ..context
    };
    let args = rate::settings(tool, &values, &line.trailing, context, surroundings)?;
    Ok(Parsed::Run(Box::new(args)))
}

/// Refuses a line that would prompt for a password without a terminal.
fn check_prompts(values: &Values, surroundings: &dyn Surroundings) -> Result<(), Refusal> {
    let stored = values.has("bindPassword") || values.has("bindPasswordFile");
    let prompts =
        ["promptForBindPassword", "promptForKeyStorePassword", "promptForTrustStorePassword"]
            .into_iter()
            .find(|long| values.has(long))
            .or_else(|| (values.has("bindDN") && !stored).then_some("bindDN"));
    match prompts {
        Some(long) if !surroundings.interactive() => Err(Refusal {
            text: format!(
                "{} asks for a password, and standard input is not a terminal: give it with an option, or in a file\n",
                syntax::spelled(values, long)
            ),
            exit: Exit::Ldap(NO_TERMINAL),
        }),
        _ => Ok(()),
    }
}

/// A message of one line, as the original's are.
fn refused(fault: &UsageError) -> Refusal {
    Refusal { text: format!("{}\n", fault.reason), exit: Exit::LdapUsage }
}

#[cfg(test)]
mod tests;
