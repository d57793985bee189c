//! The command line of perfdhcp: every switch it ever had, and ours, from words to [`DhcpArgs`].
//!
//! It is read as `getopt` reads it, since scripts have it so. The constraints are the old tool's, each said with what
//! is wrong and what to do; and what is accepted has an effect, or the user is told that it has none. Reading is a
//! function of the words and of one environment variable; which files and interfaces there are is found out later.

pub(crate) mod args;
mod clients;
pub(crate) mod decoded;
mod exchange;
mod expectations;
mod fleet;
mod getopt;
mod given;
pub(crate) mod help;
mod limits;
mod load;
mod messages;
mod output;
mod prose;
mod route;
pub(crate) mod switches;
mod templates;
#[cfg(test)]
mod tests;
pub(crate) mod varied;

use super::exit::Exit;
use super::fault::Fault;
use super::surroundings::Surroundings;

use args::{DhcpArgs, Family, Scenario};
use getopt::Words;
use given::Values;

/// The name of the tool.
pub(crate) const NAME: &str = "perfdhcp";

/// What it is for, in one line.
pub(crate) const PURPOSE: &str = "measure how many leases per second a DHCP server grants";

/// What a command line comes to.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// Show the help and end well.
    Help,
    /// Show the version and end well.
    Version,
    /// Show whose command line this is as well, and end well.
    ExtendedVersion,
    /// Run.
    Run(Box<DhcpArgs>),
}

/// A command line that is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Why, as a sentence without its full stop.
    pub(crate) reason: String,
    /// How the program ends.
    pub(crate) exit: Exit,
}

impl Refused {
    /// The whole message as it goes to standard error.
    pub(crate) fn page(&self) -> String {
        let frame =
            if self.exit == Exit::Unsafe { "refused" } else { "parsing command line options" };
        format!("ERROR: {frame}: {}\n", self.reason)
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self { reason: fault.reason, exit: Exit::Usage }
    }
}

/// Reads the words after the name of the tool.
pub(crate) fn parse(line: &[String], surroundings: &dyn Surroundings) -> Result<Parsed, Refused> {
    let table = switches::all();
    let words = getopt::split(line, &table)?;
    for given in &words.switches {
        match given.switch.name {
            "h" => return Ok(Parsed::Help),
            "v" => return Ok(Parsed::Version),
            "V" => return Ok(Parsed::ExtendedVersion),
            _ => {}
        }
    }
    let values = Values::new(&words)?;
    let server = match words.trailing[..] {
        [] => None,
        [server] => Some(server),
        [_, extra, ..] => {
            return Err(
                Fault::new(format!("unexpected argument '{extra}': give one server only")).into()
            );
        }
    };
    let lab = values.has("lab") || surroundings.variable("BRUNT_LAB").is_some_and(|it| it == "1");
    let args = read(&values, &table, plain(&words), server, lab)?;
    match route::danger(&args.route) {
        Some(reason) => Err(Refused { reason, exit: Exit::Unsafe }),
        None => Ok(Parsed::Run(Box::new(args))),
    }
}

fn read(
    values: &Values<'_>,
    table: &[switches::Switch],
    words: Vec<String>,
    server: Option<&str>,
    lab: bool,
) -> Result<DhcpArgs, Fault> {
    if values.has("4") && values.has("6") {
        return Err(Fault::new("-4 cannot be used with -6: a run uses one of the two protocols"));
    }
    let family = if values.has("6") { Family::V6 } else { Family::V4 };
    let mut notes = Vec::new();
    let scenario = fleet::read(values, table, &mut notes)?;
    let route = route::read(values, family, server, lab)?;
    let exchange = exchange::read(values, family, &scenario, route.relay_levels)?;
    let clients = clients::read(values, family, &mut notes)?;
    let templates = templates::read(values)?;
    let limits = limits::read(values, &scenario)?;
    let load = load::read(values, &scenario, route.sources())?;
    let output = output::read(values, scenario != Scenario::Avalanche)?;
    output.run.check_node(load.seed).map_err(Fault::new)?;
    Ok(DhcpArgs {
        words,
        family,
        scenario,
        route,
        exchange,
        clients,
        templates,
        load,
        limits,
        output,
        notes,
    })
}

/// The words in their plain spelling: one for each switch and each value, and the server last.
fn plain(words: &Words<'_>) -> Vec<String> {
    let mut plain = vec![NAME.to_owned()];
    for given in &words.switches {
        plain.push(switches::dashed(given.switch.name));
        if given.switch.takes_value() {
            plain.push(given.value.to_owned());
        }
    }
    plain.extend(words.trailing.iter().map(ToString::to_string));
    plain
}
