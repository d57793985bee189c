//! The options of `brunt import`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;

use brunt_run::options::about::About;
use clap::{Args, Subcommand};

/// What is imported.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub enum ImportKind {
    /// Convert a curl command line into a plan
    Curl(CurlImportArgs),
    /// Convert a HAR 1.2 recording of a browser or proxy into a plan
    Har(HarImportArgs),
    /// Convert an OpenAPI 3.0 or 3.1 document (JSON or YAML) into a plan, one step per operation
    Openapi(OpenApiImportArgs),
}

/// Where a plan goes, and what becomes of secrets.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedArgs {
    /// Write the plan to this file. Default: standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep passwords, tokens and cookies in the plan
    ///
    /// Without this option they become environment variables.
    #[arg(long)]
    pub keep_secrets: bool,
}

/// Options of `brunt import curl`.
#[derive(Args, Debug, PartialEq, Eq)]
pub struct CurlImportArgs {
    /// Command line in quotes, a file that contains it, or - for standard input
    #[arg(value_name = "COMMAND|FILE")]
    pub source: String,
    /// Where it goes.
    #[command(flatten)]
    pub imported: ImportedArgs,
}

/// Options of `brunt import har`.
#[derive(Args, Debug, PartialEq, Eq)]
pub struct HarImportArgs {
    /// HAR file, or - for standard input
    pub file: PathBuf,
    /// Import only requests to this host, such as id.example.com
    ///
    /// .example.com imports all hosts below it. May be repeated.
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,
    /// Import only requests with responses of this type, such as application/json
    ///
    /// A prefix of the type is enough. May be repeated.
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    /// Import requests to third parties as well
    ///
    /// Without this option and --host, a plan has the requests to the host of the first page, to those that redirects,
    /// forms and links lead to, and to those that give or take a value of these.
    #[arg(long)]
    pub all_hosts: bool,
    /// Import styles, scripts, pictures and the like as well
    #[arg(long = "static")]
    pub statics: bool,
    /// Second recording of the same visit, by another person
    ///
    /// What is equal in both is the same for all users; what differs is extracted, or put into the feeder.
    #[arg(long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    /// Write what the person typed to this CSV file. Default: people.csv beside the plan
    ///
    /// A file that exists is kept.
    #[arg(long, value_name = "FILE")]
    pub feeder: Option<PathBuf>,
    /// Leave out the pauses between requests
    #[arg(long)]
    pub no_pauses: bool,
    /// Where it goes.
    #[command(flatten)]
    pub imported: ImportedArgs,
}

/// Options of `brunt import openapi`.
#[derive(Args, Debug, PartialEq, Eq)]
pub struct OpenApiImportArgs {
    /// OpenAPI document, or - for standard input
    pub file: PathBuf,
    /// Base URL of the API, in place of the first server in the document
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// Where it goes.
    #[command(flatten)]
    pub imported: ImportedArgs,
}

/// The help and the page of `brunt import curl` beside its options.
pub const CURL: About = About {
    description: "\
        Converts a curl command line into a [plan](plan.md): one that documentation shows, or that a browser copies. \
        [What is imported](import.md) describes what each option becomes, and how secrets are treated.",
    examples: &[
        (
            "Convert a command line:",
            "brunt import curl 'curl -u jo https://id.example.com/me' -o me.toml",
        ),
        ("Convert a file that holds one:", "brunt import curl token.curl -o token.toml"),
    ],
    short: &[],
};

/// The help and the page of `brunt import har` beside its options.
pub const HAR: About = About {
    description: "\
        Converts a HAR recording into a [plan](plan.md). The developer tools of browsers save such recordings. \
        Forms are sent as forms, redirects are followed, and what an answer gave is taken from the answer. [What is \
        imported](import.md) describes what is found, what is left out, and how secrets are treated.",
    examples: &[
        ("Convert a visit that a browser recorded:", "brunt import har visit.har -o visit.toml"),
        (
            "Learn from the visit of another person what differs:",
            "brunt import har visit.har --compare second.har -o visit.toml",
        ),
        (
            "Convert the requests to one host, without pauses:",
            "brunt import har visit.har --host id.example.com --no-pauses",
        ),
    ],
    short: &[
        ("file", ""),
        ("host", "Import only requests to this host"),
        ("compare", "Second recording, by another person"),
        ("feeder", "CSV file for what the person typed"),
        ("no_pauses", ""),
        ("output", "Write the plan to this file"),
        ("keep_secrets", "Keep passwords, tokens and cookies"),
    ],
};

/// The help and the page of `brunt import openapi` beside its options.
pub const OPENAPI: About = About {
    description: "\
        Converts an OpenAPI document into a [plan](plan.md) with one step per operation. [What is \
        imported](import.md) describes where the values come from.",
    examples: &[(
        "Convert an API that runs on another host than its document says:",
        "brunt import openapi users.yaml --server http://127.0.0.1:8080 -o users.toml",
    )],
    short: &[],
};
