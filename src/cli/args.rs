//! The commands beside the LDAP rate tools, declared for clap. Their doc comments are their help; there is no logic
//! here.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::dhcp_target::DhcpTargetArgs;
use super::http::HttpArgs;
use super::import::ImportKind;
use super::leases::LeasesArgs;
use super::loadgen::LoadgenArgs;
use super::names::NamesKind;
use super::rest_target::RestTargetArgs;
use super::run::RunArgs;

/// Finds out what your directory and DHCP server can bear.
#[derive(Debug, Parser)]
#[command(name = "brunt", version, arg_required_else_help = true)]
pub(crate) struct Brunt {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Perform the job, workload and task files of LoadGen, and report in its table
    Loadgen(Box<LoadgenArgs>),
    /// Carry out a plan: a run described in a TOML file, for any protocol
    Run(Box<RunArgs>),
    /// Load one URL or many, with the flags of wrk, oha, hey and ab
    Http(Box<HttpArgs>),
    /// Make a plan of a cURL command line, of a recording (HAR) or of an OpenAPI document
    Import {
        /// What is imported.
        #[command(subcommand)]
        kind: ImportKind,
    },
    /// Look users and groups up under load, and compare flat files, directories and caches for them
    Names {
        /// What is done about names.
        #[command(subcommand)]
        kind: NamesKind,
    },
    /// Print a record, a comparison or an event file that a run wrote
    Report(ReportArgs),
    /// Make one record of those of the nodes that shared a run
    Merge(MergeArgs),
    /// Measure how fast stores of leases are: SQLite, memfile, redb, MySQL, PostgreSQL
    Leases(Box<LeasesArgs>),
    /// Start a server to try things on; a convenience, not a server for data that matters
    Target {
        /// What kind of server.
        #[command(subcommand)]
        kind: TargetKind,
    },
    /// Measure what this machine can send at most, against the servers built in
    Calibrate(CalibrateArgs),
    /// Start a server in memory and run the tools against it for a few seconds each
    Quickstart(QuickstartArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print a manual page
    Man {
        /// The command it is about, such as authrate; without it, brunt itself.
        command: Option<String>,
    },
}

/// Options of `brunt merge`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct MergeArgs {
    /// The records or event files of the nodes.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write the record of the whole run to this JSON file.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// Options of `brunt report`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct ReportArgs {
    /// The record, the comparison or the event file.
    pub(crate) file: PathBuf,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Summary)]
    pub(crate) format: Format,
}

/// How a record is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The text that a run ends with.
    Summary,
    /// A line for each interval and operation, of a comparison for each of its runs, comma-separated.
    Csv,
    /// The record itself.
    Json,
    /// An HdrHistogram percentile distribution of all response times of a run.
    Hgrm,
    /// A comparison as a page for browsers, in one file that needs nothing else.
    Html,
}

/// What kind of server to start.
#[derive(Debug, Subcommand)]
pub(crate) enum TargetKind {
    /// A directory in memory
    Ldap(LdapTargetArgs),
    /// A DHCP server in memory, for DHCPv4 and DHCPv6
    Dhcp(Box<DhcpTargetArgs>),
    /// An identity API in memory, as OpenAM, OpenDJ and OpenIDM have it
    Rest(Box<RestTargetArgs>),
}

/// Options of `brunt target ldap`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct LdapTargetArgs {
    /// Where to listen; port 0 takes a free one and says which.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:1389")]
    pub(crate) listen: SocketAddr,
    /// Where to listen for LDAPS as well.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_tls: Option<SocketAddr>,
    /// Number of users, uid=user.0 and so on under ou=people.
    #[arg(long, value_name = "NUMBER", default_value_t = 2000)]
    pub(crate) users: u32,
    /// The DN above everything.
    #[arg(long, value_name = "DN", default_value = "dc=example,dc=com")]
    pub(crate) suffix: String,
    /// Password of every user and of uid=admin.
    #[arg(long, default_value = "password")]
    pub(crate) password: String,
    /// Write the certificate that was made for LDAPS and StartTLS to this PEM file, for clients to trust with --ca.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_out: Option<PathBuf>,
    /// Threads that serve connections.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) threads: u8,
    /// TOML file that says when and how to misbehave.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Stop after this many seconds; without it, at a signal.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) max_duration: Option<u64>,
}

/// Options of `brunt calibrate`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct CalibrateArgs {
    /// How long to measure each operation.
    #[arg(long, value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) duration: u64,
    /// Number of connections to the directory.
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) connections: u32,
    /// Write the figures here; without it, to the place where runs look for them.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Options of `brunt quickstart`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct QuickstartArgs {
    /// What to show.
    #[arg(value_enum, default_value_t = Protocol::Ldap)]
    pub(crate) protocol: Protocol,
    /// How long to run each tool.
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) duration: u64,
    /// Number of users in the directory or the identity API, or of DHCP clients.
    #[arg(long, value_name = "NUMBER", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) users: u32,
    /// Number of connections, or of DHCP exchanges in flight where no rate is asked for.
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) connections: u32,
    /// Directory for the records; without it, the current one.
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// What `brunt quickstart` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// A directory, with authrate, searchrate and modrate.
    Ldap,
    /// A DHCP server, with perfdhcp.
    Dhcp,
    /// An identity API, with http and a plan.
    Rest,
}
