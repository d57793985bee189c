//! The commands that LDAP adds to the program: the rate tools, with the grammar of the original tools, and makeldif.

use brunt_run::Task;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::signals::Signals;
use brunt_run::tool::{Grammar, Reading, Tool, nothing_refused, purpose, sentence, version};
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, FromArgMatches as _};

use crate::makeldif;
use crate::options::makeldif::{ABOUT, MakeldifArgs, NAME};
use crate::options::rate::{self, Parsed};
use crate::options::table::{self, Kind};
use crate::options::tool::Tool as RateTool;
use crate::options::{help, prose};

/// The commands, in the order of the program's list.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: NAME,
        is_linked: true,
        makes_load: false,
        declared: declared_makeldif,
        grammar: Grammar::Clap { refusal: nothing_refused, read: read_makeldif },
        abouts: &[(NAME, &ABOUT)],
        secrets: &[],
    },
    rate_tool(RateTool::Authrate),
    rate_tool(RateTool::Modrate),
    rate_tool(RateTool::Searchrate),
    rate_tool(RateTool::Addrate),
    rate_tool(RateTool::SearchAndModRate),
    rate_tool(RateTool::Comparerate),
    rate_tool(RateTool::Deleterate),
    rate_tool(RateTool::Moddnrate),
];

const fn rate_tool(tool: RateTool) -> Tool {
    Tool {
        name: tool.name(),
        is_linked: true,
        makes_load: true,
        declared,
        grammar: Grammar::Own { read, help: page },
        abouts: &[],
        secrets: &[],
    }
}

/// One of the rate tools. The table above names no other.
fn named(name: &str) -> RateTool {
    RateTool::named(name).unwrap_or(RateTool::Authrate)
}

fn page(name: &str) -> String {
    help::page(named(name))
}

fn read(name: &str, words: &[String], surroundings: &dyn Surroundings) -> Result<Reading, Refusal> {
    match rate::parse(named(name), words, surroundings) {
        Ok(Parsed::Help(page)) => Ok(Reading::Print(page)),
        Ok(Parsed::Version) => Ok(Reading::Print(version())),
        Ok(Parsed::PropertiesFile { path, text }) => Ok(Reading::Write { path, text }),
        Ok(Parsed::SampleRateFile(path)) => {
            Ok(Reading::Write { path, text: brunt_feed::rates::SAMPLE.to_owned() })
        }
        Ok(Parsed::Run(args)) => Ok(Reading::Load(args)),
        Err(fault) => Err(Refusal { text: fault.page(name), exit: Exit::LdapUsage }),
    }
}

/// The options of a tool as clap's generators need them; clap never parses this tool.
fn declared(name: &'static str) -> Command {
    let tool = named(name);
    let options = table::of(tool).into_iter().map(|option| {
        let arg = Arg::new(option.long).long(option.long).help(option.help);
        let arg = option.short.map_or(arg.clone(), |short| arg.short(short));
        match option.kind {
            Kind::Switch => arg.action(ArgAction::SetTrue),
            Kind::Choice(words) => arg.value_name(option.value).value_parser(words.to_vec()),
            Kind::Path => arg.value_name(option.value).value_hint(clap::ValueHint::FilePath),
            Kind::Attached => arg.value_name(option.value).num_args(0..=1).require_equals(true),
            _ => arg.value_name(option.value),
        }
    });
    Command::new(name)
        .about(sentence(tool.purpose()))
        .long_about(prose::description(tool))
        .disable_help_flag(true)
        .args(options)
        .arg(Arg::new("trailing").value_name(tool.trailing()).num_args(0..))
}

fn declared_makeldif(name: &'static str) -> Command {
    let about = "Generate LDIF from a MakeLDIF template, such as those of addrate";
    purpose(MakeldifArgs::augment_args(Command::new(name)), about)
}

fn read_makeldif(matches: &ArgMatches, _: Vec<String>) -> Result<Reading, clap::Error> {
    MakeldifArgs::from_arg_matches(matches).map(|args| Reading::Task(Box::new(args)))
}

impl Task for MakeldifArgs {
    fn run(&self, _: &Signals) -> Result<Exit, Refusal> {
        makeldif::run(self)
    }
}
