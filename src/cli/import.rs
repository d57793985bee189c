//! The options of `brunt import`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What is imported.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum ImportKind {
    /// Make a plan of a cURL command line
    Curl(CurlImportArgs),
    /// Make a plan of what a browser or a proxy recorded (HAR 1.2)
    Har(HarImportArgs),
    /// Make a plan of what an API says of itself (OpenAPI 3.0 and 3.1, JSON or YAML), a step for each operation
    Openapi(OpenApiImportArgs),
}

/// Where a plan goes, and what becomes of secrets.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImportedArgs {
    /// Write the plan to this file; without it, to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Leave passwords, tokens and cookies in the plan, where they otherwise become variables of the environment.
    #[arg(long)]
    pub(crate) keep_secrets: bool,
}

/// Options of `brunt import curl`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct CurlImportArgs {
    /// The command line in quotes, or a file that holds it, or - for standard input.
    #[arg(value_name = "COMMAND|FILE")]
    pub(crate) source: String,
    /// Where it goes.
    #[command(flatten)]
    pub(crate) imported: ImportedArgs,
}

/// Options of `brunt import har`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct HarImportArgs {
    /// The recording, or - for standard input.
    pub(crate) file: PathBuf,
    /// Take only requests to this host, such as id.example.com, or .example.com for all below it; may be repeated.
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Vec<String>,
    /// Take only requests whose answers have a type that begins so, such as application/json; may be repeated.
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) types: Vec<String>,
    /// Leave the pauses out that were made between requests.
    #[arg(long)]
    pub(crate) no_pauses: bool,
    /// Where it goes.
    #[command(flatten)]
    pub(crate) imported: ImportedArgs,
}

/// Options of `brunt import openapi`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct OpenApiImportArgs {
    /// The document, or - for standard input.
    pub(crate) file: PathBuf,
    /// Where the API is, in place of the first server the document names.
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Where it goes.
    #[command(flatten)]
    pub(crate) imported: ImportedArgs,
}
