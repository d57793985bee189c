//! The commands that stores of leases add to the program: `brunt leases`, and the programs of 2012 with their switches.

use brunt_net::Network;
use brunt_run::Task;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::secrecy::Secrecy;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::tool::{Grammar, Manual, Reading, Tool, nothing_refused, purpose, sentence};
use brunt_run::version;
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, FromArgMatches as _};

use crate::options::leases::{ABOUT, LeasesArgs};
use crate::options::ubench::{self as options, Parsed, Ubench, UbenchArgs};
use crate::ubench;

/// The commands, in the order of the program's list.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "leases",
        aliases: &[],
        is_linked: false,
        makes_load: true,
        declared,
        grammar: Grammar::Clap { refusal: nothing_refused, read },
        abouts: &[("leases", &ABOUT)],
        secrets: &[("stores", Secrecy::Url)],
    },
    program(Ubench::Mysql),
    program(Ubench::Sqlite),
    program(Ubench::Memfile),
];

const fn program(program: Ubench) -> Tool {
    Tool {
        name: program.name(),
        aliases: &[],
        is_linked: true,
        makes_load: true,
        declared: declared_program,
        grammar: Grammar::Own { read: read_program, help: page, manual: MANUAL },
        abouts: &[],
        secrets: &[],
    }
}

const MANUAL: Manual = Manual {
    examples: |name| vec![("A run of all phases:".to_owned(), options::example(named(name)))],
    exits: || options::EXITS.iter().map(|(code, meaning)| (code.to_string(), *meaning)).collect(),
    guide: None,
    page: Some("ubench"),
};

fn declared(name: &'static str) -> Command {
    let about = "Measure lease databases: SQLite, memfile, redb, MySQL, PostgreSQL";
    purpose(LeasesArgs::augment_args(Command::new(name)), about)
}

fn read(matches: &ArgMatches, typed: Vec<String>) -> Result<Reading, clap::Error> {
    LeasesArgs::from_arg_matches(matches).map(|args| Reading::load(args, typed))
}

/// One of the programs of 2012. The table above names no other.
fn named(name: &str) -> Ubench {
    Ubench::named(name).unwrap_or(Ubench::Mysql)
}

fn page(name: &str) -> String {
    options::page(named(name))
}

#[expect(clippy::unnecessary_wraps, reason = "every grammar has this shape")]
fn read_program(name: &str, words: &[String], _: &dyn Surroundings) -> Result<Reading, Refusal> {
    Ok(match options::parse(named(name), words) {
        Parsed::Help(page) => Reading::Print(page),
        Parsed::Version => Reading::Print(version()),
        Parsed::Usage { complaint, usage } => Reading::Task(Box::new(Usage { complaint, usage })),
        Parsed::Run(args) => Reading::Task(args),
    })
}

impl Task for UbenchArgs {
    fn run(&self, world: &World, network: &Network) -> Result<Exit, Refusal> {
        ubench::run(self, world, network)
    }

    fn is_quiet(&self) -> bool {
        self.quiet
    }

    fn sends(&self) -> bool {
        true
    }
}

/// Prints the switches of a program, and exits as the original does.
#[derive(Debug)]
struct Usage {
    complaint: String,
    usage: String,
}

impl Task for Usage {
    fn run(&self, world: &World, _: &Network) -> Result<Exit, Refusal> {
        world.console.warn(&self.complaint);
        world.console.print(&self.usage).map(|_| Exit::Failed)
    }
}

/// The switches of a program as clap's generators need them; clap never parses them.
fn declared_program(name: &'static str) -> Command {
    let old = options::SWITCHES.into_iter().map(|(letter, value, help)| {
        let arg = Arg::new(letter).short(letter.chars().next()).help(sentence(help));
        if value.is_empty() { arg.action(ArgAction::SetTrue) } else { arg.value_name(value) }
    });
    let ours = options::OURS.into_iter().map(|(name, value, help)| {
        let arg = Arg::new(name).long(name).help(sentence(help));
        match value {
            "" => arg.action(ArgAction::SetTrue),
            "FILE" => arg.value_name(value).value_hint(clap::ValueHint::FilePath),
            _ => arg.value_name(value),
        }
    });
    Command::new(name)
        .about(sentence(named(name).purpose()))
        .long_about(options::description())
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(old.chain(ours))
}
