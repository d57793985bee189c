//! The commands that plans add to the program: `run`, `http`, `loadgen` and `import`.

use brunt_run::Task;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::secrecy::Secrecy;
use brunt_run::tool::{Grammar, Reading, Tool, nothing_refused, purpose};
use clap::{ArgMatches, Args as _, Command, FromArgMatches as _, Subcommand as _};

use crate::import;
use crate::options::http::{self, HttpArgs};
use crate::options::import::{self as options, ImportKind};
use crate::options::loadgen::{self, LoadgenArgs};
use crate::options::one_hyphen;
use crate::options::run::{self, RunArgs};

/// The commands, in the order of the program's list.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: loadgen::NAME,
        aliases: &[],
        is_linked: true,
        makes_load: true,
        declared: |name| {
            let about = "Run a LoadGen job and print LoadGen's report";
            purpose(LoadgenArgs::augment_args(Command::new(name)), about)
        },
        grammar: Grammar::Clap { refusal: nothing_refused, read: read_loadgen },
        abouts: &[(loadgen::NAME, &loadgen::ABOUT)],
        secrets: &[],
    },
    Tool {
        name: "run",
        aliases: &[],
        is_linked: false,
        makes_load: true,
        declared: declared_run,
        grammar: Grammar::Clap { refusal: nothing_refused, read: read_run },
        abouts: &[("run", &run::ABOUT)],
        secrets: &[("set", Secrecy::Setting)],
    },
    Tool {
        name: "http",
        aliases: &[],
        is_linked: false,
        makes_load: true,
        declared: |name| {
            let about = "Send load to one URL or many, with the flags of wrk, oha, hey and ab";
            purpose(HttpArgs::augment_args(Command::new(name)), about)
        },
        grammar: Grammar::Clap { refusal: one_hyphen::refusal, read: read_http },
        abouts: &[("http", &http::ABOUT)],
        secrets: &[
            ("basic_auth", Secrecy::Whole),
            ("body", Secrecy::Whole),
            ("curl", Secrecy::Whole),
            ("duration_or_body", Secrecy::UnlessTime),
            ("headers", Secrecy::Header),
            ("proxy", Secrecy::Url),
            ("url", Secrecy::Url),
        ],
    },
    Tool {
        name: "import",
        aliases: &[],
        is_linked: false,
        makes_load: false,
        declared: declared_import,
        grammar: Grammar::Clap { refusal: nothing_refused, read: read_import },
        abouts: &[
            ("import curl", &options::CURL),
            ("import har", &options::HAR),
            ("import openapi", &options::OPENAPI),
        ],
        secrets: &[],
    },
];

fn declared_run(name: &'static str) -> Command {
    let about = "Run a plan: a TOML file that describes users, steps and load, for any protocol";
    purpose(RunArgs::augment_args(Command::new(name)), about)
}

fn declared_import(name: &'static str) -> Command {
    let about = "Convert a curl command line, a HAR recording or an OpenAPI document into a plan";
    let command = purpose(ImportKind::augment_subcommands(Command::new(name)), about);
    command.subcommand_required(true).arg_required_else_help(true)
}

fn read_loadgen(matches: &ArgMatches, typed: Vec<String>) -> Result<Reading, clap::Error> {
    LoadgenArgs::from_arg_matches(matches).map(|args| Reading::load(args, typed))
}

fn read_run(matches: &ArgMatches, typed: Vec<String>) -> Result<Reading, clap::Error> {
    RunArgs::from_arg_matches(matches).map(|args| Reading::load(args, typed))
}

fn read_http(matches: &ArgMatches, typed: Vec<String>) -> Result<Reading, clap::Error> {
    HttpArgs::from_arg_matches(matches).map(|args| Reading::load(args, typed))
}

fn read_import(matches: &ArgMatches, _: Vec<String>) -> Result<Reading, clap::Error> {
    ImportKind::from_arg_matches(matches).map(|kind| Reading::Task(Box::new(kind)))
}

impl Task for ImportKind {
    fn run(&self, world: &World, _: &brunt_net::Network) -> Result<Exit, Refusal> {
        import::run(self, world)
    }
}

/// The options of `brunt run` with these words after it, for a website, which runs plans with grants of its own.
pub fn run_args(words: &[String], typed: Vec<String>) -> Result<RunArgs, Refusal> {
    let usage = |error: clap::Error| Refusal { text: error.to_string(), exit: Exit::Usage };
    let command = declared_run("run").no_binary_name(true);
    let matches = command.try_get_matches_from(words).map_err(usage)?;
    let mut args = RunArgs::from_arg_matches(&matches).map_err(usage)?;
    args.output.typed = typed;
    Ok(args)
}
