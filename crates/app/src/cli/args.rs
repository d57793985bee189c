//! The commands beside the LDAP rate tools, declared for clap. Their doc comments are their help.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use brunt_run::options::about::About;
use brunt_run::options::output::duration;
use brunt_run::options::quiet::Quiet;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::agent::{AgentArgs, AgentsArgs};
use super::cluster::ClusterKind;
use super::compare::{AbArgs, CompareArgs, TrendArgs};
use super::dhcp_target::DhcpTargetArgs;
use super::find_max::FindMaxArgs;
use super::push::PushArgs;
use super::rest_target::RestTargetArgs;
#[cfg(feature = "website")]
use super::serve::ServeArgs;
use super::sizing::SizingArgs;
use super::value_error::ValueError;

/// Load tests for LDAP, DHCP, HTTP, lease databases and name services
#[derive(Debug, Parser)]
#[command(name = "brunt", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Brunt {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Find the highest rate at which a target meets its objectives
    FindMax(Box<FindMaxArgs>),
    /// Print a record, a comparison or an event file that a run wrote
    Report(ReportArgs),
    /// Compute the number of servers for a peak from the result of find-max
    Sizing(SizingArgs),
    /// Merge the records of the nodes that shared a run into one
    Merge(MergeArgs),
    /// Run on several machines as one: keys, manifests, and the run itself
    Cluster {
        /// What to do
        #[command(subcommand)]
        kind: ClusterKind,
    },
    /// Wait for shares of runs from a coordinator, and carry them out on this machine
    Agent(Box<AgentArgs>),
    /// List the agents that wait for orders
    Agents(Box<AgentsArgs>),
    /// Compare runs: which figures changed significantly, for better or worse
    Compare(CompareArgs),
    /// Run two commands in turn, several times each, and compare them
    Ab(AbArgs),
    /// Find the runs at which figures changed, over many records
    Trend(TrendArgs),
    /// Run plans, watch, keep and compare runs in a browser: a website for a team and for CI
    #[cfg(feature = "website")]
    Serve(Box<ServeArgs>),
    /// Push a record to a website of serve, and compare it with its baseline
    Push(Box<PushArgs>),
    /// Start an in-memory server to test against
    Target {
        /// Kind of server
        #[command(subcommand)]
        kind: TargetKind,
    },
    /// Measure the highest rate that this machine can generate
    Calibrate(CalibrateArgs),
    /// Start an in-memory server and run a few tools against it
    Quickstart(QuickstartArgs),
    /// Print the help of a command, or a guide; without a name, list both
    Help {
        /// Command or topic, such as find-max, 'target ldap' or schedules; after a topic, a section of it
        #[arg(num_args = 0..=3)]
        topic: Vec<String>,
    },
    /// Print a shell completion script
    Completions {
        /// Shell to complete for
        shell: Shell,
        /// Name of a link to brunt, such as authrate. Default: brunt itself
        #[arg(value_name = "LINK")]
        link: Option<String>,
        /// Write the scripts of brunt and of all links into this directory, and print nothing
        #[arg(long, value_name = "DIR", conflicts_with = "link")]
        all: Option<PathBuf>,
    },
    /// Print a manual page
    Man {
        /// Command to describe, such as authrate or 'names lookup'. Default: brunt itself
        #[arg(num_args = 0..=2)]
        command: Vec<String>,
        /// Write the pages of all commands into this directory, and print nothing
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        all: Option<PathBuf>,
    },
}

impl Verb {
    /// Whether standard error gets only what needs attention, for a command that makes a load. The match has no
    /// wildcard arm, so that a new command cannot leave it out by mistake.
    pub(super) fn quiet(&self) -> Option<Quiet> {
        match self {
            Self::FindMax(args) => Some(args.quiet),
            Self::Cluster { kind: ClusterKind::Run(args) } => Some(args.run.quiet),
            Self::Ab(args) => Some(args.quiet),
            Self::Calibrate(args) => Some(args.quiet),
            Self::Quickstart(args) => Some(args.quiet),
            Self::Cluster {
                kind: ClusterKind::Check(_) | ClusterKind::Keys(_) | ClusterKind::Manifest(_),
            }
            | Self::Report(_)
            | Self::Sizing(_)
            | Self::Merge(_)
            | Self::Agent(_)
            | Self::Agents(_)
            | Self::Compare(_)
            | Self::Trend(_)
            | Self::Push(_)
            | Self::Target { .. }
            | Self::Help { .. }
            | Self::Completions { .. }
            | Self::Man { .. } => None,
            #[cfg(feature = "website")]
            Self::Serve(_) => None,
        }
    }

    /// Keeps the command line as a record may show it, if the command makes a record of the loads of others.
    pub(super) fn keep(&mut self, typed: Vec<String>) {
        let kept = match self {
            Self::FindMax(args) => &mut args.typed,
            Self::Cluster { kind: ClusterKind::Run(args) } => &mut args.typed,
            _ => return,
        };
        // Only the inner command's own grammar knows which of its words may be shown.
        *kept = typed.into_iter().take_while(|word| word != "--").collect();
    }
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
    /// Print all figures, not only what fits on one screen
    #[arg(long)]
    pub(crate) details: bool,
}

/// Options of `brunt report`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct ReportArgs {
    /// Record, comparison or event file to print, such as run.json; of one load at several rates all records
    ///
    /// Several files, or a directory, are runs of one load at different rates, and print response against rate. Any
    /// file may be packed by gzip.
    #[arg(required = true, num_args = 1..=1000, value_name = "FILE|DIR")]
    pub(crate) files: Vec<PathBuf>,
    /// Print response against rate although the runs differ in more than their rate
    #[arg(long)]
    pub(crate) anyway: bool,
    /// Print all figures, not only what fits on one screen
    #[arg(long, conflicts_with_all = ["html", "csv"])]
    pub(crate) details: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Summary)]
    pub(crate) format: Format,
    /// Write one HTML page into this file, and print nothing
    ///
    /// The page needs no network and no other file; a browser opens it from a disk.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "csv"])]
    pub(crate) html: Option<PathBuf>,
    /// Print comma-separated values; --csv=operations prints one line per operation, not one per interval
    #[arg(
        long,
        value_enum,
        value_name = "TABLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "intervals",
        conflicts_with = "format"
    )]
    pub(crate) csv: Option<CsvTable>,
}

/// What of a record is printed as comma-separated values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CsvTable {
    /// One line per interval and operation
    Intervals,
    /// One line per operation, of the steady phase
    Operations,
}

/// How a record is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// What came of a run, on one screen, as at the end of a run; with --details all figures
    Summary,
    /// Comma-separated values: one line per interval and operation, or per run of a comparison
    Csv,
    /// The record itself
    Json,
    /// HdrHistogram percentile distribution of all response times of a run
    Hgrm,
    /// One HTML page that needs no network and no other file
    Html,
    /// Objectives and verdict of a run as JUnit XML, for CI servers
    Junit,
}

/// What kind of server to start.
#[derive(Debug, Subcommand)]
pub(crate) enum TargetKind {
    /// An LDAP directory in memory
    Ldap(LdapTargetArgs),
    /// A DHCPv4 and DHCPv6 server in memory
    Dhcp(Box<DhcpTargetArgs>),
    /// An identity API in memory, as in OpenAM, OpenDJ and OpenIDM
    Rest(Box<RestTargetArgs>),
}

/// Options of `brunt target ldap`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct LdapTargetArgs {
    /// Address and port to listen on. Port 0 picks a free port and prints it
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:1389")]
    pub(crate) listen: SocketAddr,
    /// Address and port for LDAPS, such as 127.0.0.1:1636. Default: no LDAPS
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_tls: Option<SocketAddr>,
    /// Number of users: uid=user.0, uid=user.1 ... under ou=people
    #[arg(long, value_name = "NUMBER", default_value_t = 2000)]
    pub(crate) users: u32,
    /// Suffix (base DN) of the directory
    #[arg(long, value_name = "DN", default_value = "dc=example,dc=com")]
    pub(crate) suffix: String,
    /// Password of every user and of uid=admin
    #[arg(long, default_value = "password")]
    pub(crate) password: String,
    /// Write the generated certificate (PEM), for clients to trust with --ca
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_out: Option<PathBuf>,
    /// Threads that serve connections
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) threads: u8,
    /// TOML file of faults to inject: delays, drops, wrong answers
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Stop after this time, such as 90s. Default: on a signal
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) max_duration: Option<Duration>,
}

/// Options of `brunt calibrate`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct CalibrateArgs {
    /// How long to measure each operation, in whole seconds from 1s to 10m
    #[arg(long, value_name = "DURATION", default_value = "3s", value_parser = whole_seconds)]
    pub(crate) duration: u64,
    /// Number of connections to the directory
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) connections: u32,
    /// Write the figures to this file. Default: where runs look for them
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Whether it is quiet.
    #[command(flatten)]
    pub(crate) quiet: Quiet,
}

/// Options of `brunt quickstart`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct QuickstartArgs {
    /// Protocol to demonstrate
    #[arg(value_enum, default_value_t = Protocol::Ldap)]
    pub(crate) protocol: Protocol,
    /// How long to run each tool, in whole seconds from 1s to 10m
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = whole_seconds)]
    pub(crate) duration: u64,
    /// Number of users, or of DHCP clients
    #[arg(long, value_name = "NUMBER", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) users: u32,
    /// Number of connections, or of DHCP exchanges in flight without a rate
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) connections: u32,
    /// Directory for the records, and for the plan of rest
    #[arg(long, value_name = "DIR", default_value = "brunt-quickstart")]
    pub(crate) output: PathBuf,
    /// Show the command lines, the tables and the whole summaries
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) details: bool,
    /// Whether it is quiet.
    #[command(flatten)]
    pub(crate) quiet: Quiet,
}

/// What `brunt quickstart` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// An LDAP directory, with authrate, searchrate and modrate
    Ldap,
    /// A DHCP server, with perfdhcp
    Dhcp,
    /// An identity API, with http and a plan
    #[cfg(feature = "plans")]
    Rest,
}

/// A short time of whole seconds.
fn whole_seconds(text: &str) -> Result<u64, ValueError> {
    let time = duration(text)?;
    let whole = time.subsec_nanos() == 0 && (1..=600).contains(&time.as_secs());
    whole.then_some(time.as_secs()).ok_or(ValueError::WholeSeconds)
}

/// The help and the page of `brunt report` beside its options.
pub(super) const REPORT: About = About {
    description: include_str!("about/report.txt").trim_ascii_end(),
    examples: &[
        ("Print a record as the run did:", "brunt report run.json"),
        ("Print the intervals, for a spreadsheet:", "brunt report run.json --format csv > run.csv"),
        (
            "Print the percentiles, for HdrHistogram plotters:",
            "brunt report run.json --format hgrm > run.hgrm",
        ),
        (
            "Write a run or a comparison as a page for browsers:",
            "brunt report run.json --html run.html",
        ),
        (
            "Make a record of the events of a run that was killed:",
            "brunt report run.ndjson --format json > run.json",
        ),
        (
            "Show response against rate, from runs at three rates:",
            "brunt report 100.json 500.json 2500.json --html curve.html",
        ),
    ],
    short: &[],
};

/// The help and the page of `brunt merge` beside its options.
pub(super) const MERGE: About = About {
    description: include_str!("about/merge.txt").trim_ascii_end(),
    examples: &[
        (
            "Share a run between two machines:",
            "perfdhcp -4 -r 500 -p 60 --seed 7 --node 0/2 --record n0.json 172.16.1.1\n\
             perfdhcp -4 -r 500 -p 60 --seed 7 --node 1/2 --record n1.json 172.16.1.1",
        ),
        (
            "Merge both records and print the result:",
            "brunt merge n0.json n1.json --record all.json",
        ),
        (
            "Print the percentiles of the whole run:",
            "brunt report all.json --format hgrm > all.hgrm",
        ),
    ],
    short: &[],
};

/// The help and the page of `brunt calibrate` beside its options.
pub(super) const CALIBRATE: About = About {
    description: include_str!("about/calibrate.txt").trim_ascii_end(),
    examples: &[
        ("Measure this machine and keep the figures:", "brunt calibrate"),
        (
            "Measure for longer, with more connections:",
            "brunt calibrate --duration 10 --connections 100",
        ),
    ],
    short: &[],
};

/// The help and the page of `brunt quickstart` beside its options.
pub(super) const QUICKSTART: About = About {
    description: include_str!("about/quickstart.txt").trim_ascii_end(),
    examples: &[
        ("LDAP, with the defaults:", "brunt quickstart"),
        ("DHCP:", "brunt quickstart dhcp"),
        (
            "HTTP, with the command lines, tables and whole summaries:",
            "brunt quickstart rest --details",
        ),
        (
            "A shorter run, with the records in another directory:",
            "brunt quickstart --duration 2s --output /tmp/first",
        ),
    ],
    short: &[
        ("protocol", "ldap, dhcp or rest [default: ldap]"),
        ("duration", "How long to run each tool [default: 5s]"),
        ("users", "Number of users, or of DHCP clients"),
        ("connections", "Number of connections [default: 10]"),
        ("output", "Directory for the records"),
        ("details", "Show command lines, tables and summaries"),
    ],
};

/// The help and the page of `brunt help` beside its options.
pub(super) const HELP: About = About {
    description: "\
        A topic is a guide of this documentation: the program has all of them, and needs no other file to print one. \
        Messages refer to topics and to sections of them.",
    examples: &[
        ("List commands and topics:", "brunt help"),
        ("Read a guide:", "brunt help schedules"),
        ("Read the section that a message names:", "brunt help troubleshooting refused"),
    ],
    short: &[],
};

/// The help and the page of `brunt completions` beside its options.
pub(super) const COMPLETIONS: About = About {
    description: "\
        The script completes every command and every option. A link to brunt with the name of a tool \
        that it replaces has its own script.",
    examples: &[
        ("For bash:", "brunt completions bash > ~/.local/share/bash-completion/completions/brunt"),
        ("For fish:", "brunt completions fish > ~/.config/fish/completions/brunt.fish"),
        ("For all links as well:", "brunt completions fish --all ~/.config/fish/completions"),
    ],
    short: &[],
};

/// The help and the page of `brunt man` beside its options.
pub(super) const MAN: About = About {
    description: "The page is in the format of man(7).",
    examples: &[
        ("Read a page:", "brunt man authrate | man -l -"),
        ("Of a command with two words:", "brunt man names lookup | man -l -"),
        ("Have man find them all:", "brunt man --all ~/.local/share/man/man1"),
    ],
    short: &[],
};

/// The help and the page of `brunt target ldap` beside its options.
pub(super) const TARGET_LDAP: About = About {
    description: include_str!("about/target-ldap.txt").trim_ascii_end(),
    examples: &[
        ("A directory with 2,000 users on port 1389:", "brunt target ldap --users 2000"),
        (
            "LDAPS as well, with a certificate that clients can trust:",
            "brunt target ldap --listen-tls 127.0.0.1:1636 --ca-out ca.pem",
        ),
        ("A directory that injects faults:", "brunt target ldap --script stall.toml"),
    ],
    short: &[
        ("listen", "Address [default: 127.0.0.1:1389]"),
        ("listen_tls", "Address for LDAPS"),
        ("users", "Number of users [default: 2000]"),
        ("suffix", "Base DN [default: dc=example,dc=com]"),
        ("password", "Password of every user [default: password]"),
        ("ca_out", "Write the generated certificate (PEM)"),
        ("threads", "Threads that serve connections [default: 1]"),
        ("script", "TOML file of faults to inject"),
        ("max_duration", "Stop after this time, such as 90s"),
    ],
};
