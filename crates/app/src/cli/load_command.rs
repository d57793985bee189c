//! [`LoadCommand`]: a command that makes load for another command: a search for the highest rate, or agents that share
//! a run.
//!
//! Code that repeats or shares a load needs the same few operations, for every grammar. Both refuse a command that is
//! not listed here.

use super::Command;
use super::args::Verb;
use brunt_dhcp_tool::options as dhcp;
use brunt_dhcp_tool::options::args::DhcpArgs;
use brunt_flow_tool::options::http::HttpArgs;
use brunt_flow_tool::options::run::RunArgs;
use brunt_ldap_tool::options::rate::RateArgs;
use brunt_leases_tool::options::leases::LeasesArgs;
use brunt_names_tool::options::lookup::LookupArgs;
use brunt_names_tool::options::names::NamesKind;
use brunt_run::options::run_options::RunOptions;

/// A command that makes load.
pub(crate) enum LoadCommand {
    Rate(Box<RateArgs>),
    Perfdhcp(Box<DhcpArgs>),
    Http(Box<HttpArgs>),
    Run(Box<RunArgs>),
    Lookup(Box<LookupArgs>),
    Leases(Box<LeasesArgs>),
}

impl LoadCommand {
    /// The load command of a command, or the command itself if it is none.
    pub(crate) fn of(command: Command) -> Result<Self, Box<Command>> {
        Ok(match command {
            Command::Rate(args) => Self::Rate(args),
            Command::Perfdhcp(args) => Self::Perfdhcp(args),
            Command::Verb(Verb::Http(args)) => Self::Http(args),
            Command::Verb(Verb::Run(args)) => Self::Run(args),
            Command::Verb(Verb::Names { kind: NamesKind::Lookup(args) }) => Self::Lookup(args),
            Command::Verb(Verb::Leases(args)) => Self::Leases(args),
            other => return Err(Box::new(other)),
        })
    }

    /// Its words after `brunt`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Rate(args) => args.tool.name(),
            Self::Perfdhcp(_) => dhcp::NAME,
            Self::Http(_) => "http",
            Self::Run(_) => "run",
            Self::Lookup(_) => "names lookup",
            Self::Leases(_) => "leases",
        }
    }

    /// The command line as a record may show it: secrets starred.
    pub(crate) fn typed(self) -> Vec<String> {
        match self {
            Self::Rate(args) => [vec![args.tool.name().to_owned()], args.redacted].concat(),
            Self::Perfdhcp(args) => args.words,
            Self::Http(args) => args.typed,
            Self::Run(args) => args.typed,
            Self::Lookup(args) => args.typed,
            Self::Leases(args) => args.typed,
        }
    }

    /// The options of every run. A comparison of stores is several runs, and takes other options.
    pub(crate) fn run_options(&mut self) -> Option<&mut RunOptions> {
        match self {
            Self::Rate(args) => Some(&mut args.output.run),
            Self::Perfdhcp(args) => Some(&mut args.output.run),
            Self::Http(args) => Some(&mut args.output.run),
            Self::Run(args) => Some(&mut args.output.run),
            Self::Lookup(args) => Some(&mut args.output.run),
            Self::Leases(_) => None,
        }
    }

    /// Its seed.
    pub(crate) fn seed(&mut self) -> &mut Option<u64> {
        match self {
            Self::Rate(args) => &mut args.seed,
            Self::Perfdhcp(args) => &mut args.load.seed,
            Self::Http(args) => &mut args.output.seed,
            Self::Run(args) => &mut args.output.seed,
            Self::Lookup(args) => &mut args.output.seed,
            Self::Leases(args) => &mut args.output.seed,
        }
    }
}
