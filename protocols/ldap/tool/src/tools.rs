//! The commands that LDAP adds to the program: the rate tools, with the grammar of the original tools, and makeldif.

use brunt_run::Task;
use brunt_run::World;
use brunt_run::options::declared;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::tool::{Grammar, Manual, Reading, Tool, nothing_refused, purpose, sentence};
use brunt_run::version;
use clap::{Arg, ArgMatches, Args as _, Command, FromArgMatches as _};

use crate::makeldif;
use crate::options::dialect::Dialect;
use crate::options::makeldif::{ABOUT, MakeldifArgs, NAME};
use crate::options::rate::Parsed;
use crate::options::table;
use crate::options::tool::Tool as RateTool;
use crate::options::{dialect, help, prose};
use crate::unboundid;

/// The commands, in the order of the program's list.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: NAME,
        aliases: &[],
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
        aliases: aliases(tool),
        is_linked: true,
        makes_load: true,
        declared,
        grammar: Grammar::Own { read, help: page, manual: MANUAL },
        abouts: &[],
        secrets: &[],
    }
}

const MANUAL: Manual = Manual {
    examples: |name| Manual::examples(prose::examples(named(name).0)),
    exits: help::exits,
    guide: Some("templates"),
    page: None,
};

/// The other names of a tool, for links that say which grammar its lines have.
const fn aliases(tool: RateTool) -> &'static [&'static str] {
    match tool {
        RateTool::Authrate => &["opendj-authrate", "unboundid-authrate"],
        RateTool::Modrate => &["opendj-modrate", "unboundid-modrate"],
        RateTool::Searchrate => &["opendj-searchrate", "unboundid-searchrate"],
        RateTool::SearchAndModRate => {
            &["opendj-search-and-mod-rate", "unboundid-search-and-mod-rate"]
        }
        RateTool::Addrate => &["opendj-addrate"],
        RateTool::Comparerate => &["opendj-comparerate"],
        RateTool::Deleterate => &["opendj-deleterate"],
        RateTool::Moddnrate => &["opendj-moddnrate"],
    }
}

/// One of the rate tools, and its grammar if the name tells. The table above names no other.
fn named(name: &str) -> (RateTool, Option<Dialect>) {
    dialect::named(name).unwrap_or((RateTool::Authrate, None))
}

fn page(name: &str) -> String {
    help::page(named(name).0)
}

fn read(name: &str, words: &[String], surroundings: &dyn Surroundings) -> Result<Reading, Refusal> {
    let (tool, dialect) = named(name);
    Ok(match unboundid::decide::parse(tool, dialect, words, surroundings)? {
        Parsed::Help(page) => Reading::Print(page),
        Parsed::Version => Reading::Print(version()),
        Parsed::PropertiesFile { path, text, message } => Reading::Write { path, text, message },
        Parsed::SampleRateFile(path) => Reading::Write {
            path,
            text: brunt_feed::rates::SAMPLE.to_owned(),
            message: String::new(),
        },
        Parsed::Run(args) => Reading::Load(args),
    })
}

/// The options of a tool as clap's generators need them; clap never parses this tool.
fn declared(name: &'static str) -> Command {
    let (tool, _) = named(name);
    let options = table::of(tool).into_iter().map(|option| declared::arg(&option));
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
    fn run(&self, world: &World, _: &brunt_net::Network) -> Result<Exit, Refusal> {
        makeldif::run(self, world)
    }
}
