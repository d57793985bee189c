//! The command line of perfdhcp: every original switch, and ours, from words to [`DhcpArgs`].
//!
//! It is read as `getopt` reads it, since scripts depend on that. The constraints are those of the original tool, and
//! each message says what is wrong and what to do; every accepted switch has an effect, or a note says that it has
//! none. Reading is a function of the words and of one environment variable; files and interfaces are looked up later.

pub mod args;
mod clients;
pub mod decoded;
mod exchange;
mod expectations;
mod fleet;
mod getopt;
pub mod help;
mod limits;
mod load;
mod messages;
mod output;
mod prose;
mod route;
pub mod switches;
mod syntax;
mod templates;
#[cfg(test)]
mod tests;
pub mod varied;

use args::{DhcpArgs, Scenario};
use brunt_dhcp_driver::family::Family;
use brunt_run::options::exit::Exit;
use brunt_run::options::row::{Row, dashed};
use brunt_run::options::surroundings::Surroundings;
use brunt_run::options::syntax::{Syntax as _, Words};
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;
use syntax::Getopt;

/// The name of the tool.
pub const NAME: &str = "perfdhcp";

/// Its purpose, in one line.
pub const PURPOSE: &str = "measure how many leases per second a DHCP server grants";

/// The result of reading a command line.
#[derive(Debug)]
pub enum Parsed {
    /// Print the help and exit successfully.
    Help,
    /// Print the version and exit successfully.
    Version,
    /// Print the version and the origin of the command line's syntax, and exit successfully.
    ExtendedVersion,
    /// Run.
    Run(Box<DhcpArgs>),
}

/// A command line that is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Why, as a sentence without its full stop.
    pub reason: String,
    /// The exit code of the program.
    pub exit: Exit,
}

impl Refused {
    /// The whole message as it goes to standard error.
    pub fn page(&self) -> String {
        let frame =
            if self.exit == Exit::Unsafe { "refused" } else { "parsing command line options" };
        format!("ERROR: {frame}: {}\n", self.reason)
    }
}

impl From<UsageError> for Refused {
    fn from(fault: UsageError) -> Self {
        Self { reason: fault.reason, exit: Exit::Usage }
    }
}

/// Reads the words after the name of the tool.
pub fn parse(line: &[String], surroundings: &dyn Surroundings) -> Result<Parsed, Refused> {
    let table = switches::all();
    let words = Getopt.split(line, &table)?;
    for given in &words.given {
        match given.name {
            "h" => return Ok(Parsed::Help),
            "v" => return Ok(Parsed::Version),
            "V" => return Ok(Parsed::ExtendedVersion),
            _ => {}
        }
    }
    let plain = plain(&words, &table);
    let values = Values::new(&Getopt, table, words.given)?;
    let server = match &words.trailing[..] {
        [] => None,
        [server] => Some(server.as_str()),
        [_, extra, ..] => {
            return Err(UsageError::new(format!(
                "unexpected argument '{extra}': give one server only"
            ))
            .into());
        }
    };
    let lab = values.has("lab") || surroundings.variable("BRUNT_LAB").is_some_and(|it| it == "1");
    let args = read(&values, plain, server, lab)?;
    match route::danger(&args.route) {
        Some(reason) => Err(Refused { reason, exit: Exit::Unsafe }),
        None => Ok(Parsed::Run(Box::new(args))),
    }
}

fn read(
    values: &Values,
    words: Vec<String>,
    server: Option<&str>,
    lab: bool,
) -> Result<DhcpArgs, UsageError> {
    if values.has("4") && values.has("6") {
        return Err(UsageError::new(
            "-4 cannot be used with -6: a run uses one of the two protocols",
        ));
    }
    let family = if values.has("6") { Family::V6 } else { Family::V4 };
    let mut notes = Vec::new();
    let scenario = fleet::read(values, &mut notes)?;
    let route = route::read(values, family, server, lab)?;
    let exchange = exchange::read(values, family, &scenario, route.relay_levels)?;
    let clients = clients::read(values, family, &mut notes)?;
    let templates = templates::read(values)?;
    let limits = limits::read(values, &scenario)?;
    let load = load::read(values, &scenario, route.sources())?;
    let output = output::read(values, words)?;
    output.run.check_node(output.seed).map_err(UsageError::new)?;
    let report = output::report(values, scenario != Scenario::Avalanche)?;
    Ok(DhcpArgs {
        family,
        scenario,
        route,
        exchange,
        clients,
        templates,
        load,
        limits,
        output,
        report,
        notes,
    })
}

/// The words in their plain spelling: one for each switch and each value, with the server last.
fn plain(words: &Words, table: &[Row]) -> Vec<String> {
    let mut plain = vec![NAME.to_owned()];
    for given in &words.given {
        let name = dashed(given.name);
        let row = table.iter().find(|row| row.name == given.name);
        if row.is_some_and(Row::takes_word) {
            plain.extend([name, given.value.clone()]);
        } else if given.value.is_empty() {
            plain.push(name);
        } else {
            plain.push(format!("{name}={}", given.value));
        }
    }
    plain.extend_from_slice(&words.trailing);
    plain
}
