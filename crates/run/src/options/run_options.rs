//! [`RunOptions`]: the options of every command that makes a run, for every grammar.
//!
//! They set where results are written, what is shown, and the objectives. They are declared once, for clap. The LDAP
//! rate tools and perfdhcp have grammars of their own; their tables take a [`Row`] for each field and pass the values
//! to [`read`], which parses them with the clap declaration. So an option that every run has is one field here.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use brunt_exchange::{Slots, SlotsError};
use brunt_net::allowed::Allowed;
use brunt_net::dscp::Dscp;
use brunt_record::{AbortRule, Node, Slo};
use clap::{Args, Command, FromArgMatches as _};

use super::base_url::BaseUrl;
use super::declared::{self, Unfit};
use super::exports;
use super::monitor::MonitorSource;
use super::quiet::Quiet;
use super::row::Row;
use super::start_at::StartAt;
use super::value_error::ValueError;
use super::view::ViewOptions;
use super::web::WebAddress;
use super::weights::Weights;

/// Where results go, and what figures are held against.
#[expect(clippy::doc_markdown, reason = "what stands here is shown on a terminal")]
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Results")]
pub struct RunOptions {
    /// Write the record of the run, with its histograms, as JSON
    ///
    /// 'brunt report' prints it again.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write the run as one HTML page, with charts
    ///
    /// The page needs no network and no other file; a browser opens it from a disk. 'brunt report --html' makes the
    /// same page of a record.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the percentile distribution of response times, in the format that HdrHistogram plotters read
    #[arg(long, value_name = "FILE")]
    pub hgrm: Option<PathBuf>,
    /// Write an HdrHistogram interval log of response times
    #[arg(long, value_name = "FILE")]
    pub hlog: Option<PathBuf>,
    /// Write each interval as one line of JSON during the run; - writes to standard output
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Serve the figures of the run to Prometheus at this port or address, such as 9464 or 10.0.0.5:9464
    ///
    /// They are at /metrics during the run. A port without an address is a port of 127.0.0.1; port 0 picks a free one.
    /// If the figures were scraped during the run, the program waits at its end for one more scrape.
    #[arg(long, value_name = "ADDRESS", value_parser = exports::listen)]
    pub prometheus: Option<SocketAddr>,
    /// Send the figures of the run to an OpenTelemetry collector, such as http://127.0.0.1:4318
    ///
    /// They are sent once a second, as OTLP over HTTP. Keys and other headers are taken from the environment:
    /// OTEL_EXPORTER_OTLP_HEADERS='api-key=...'.
    #[arg(long, value_name = "URL", value_parser = exports::collector)]
    pub otlp: Option<BaseUrl>,
    /// Write objectives and verdict as JUnit XML, for CI servers
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print all figures at the end of the run, instead of one screen
    ///
    /// The screen has at most 22 lines: what came of the run, whether to believe it, objectives, operations, the course
    /// over time, and what to do next. 'brunt report --details' prints all figures of a record.
    #[arg(long)]
    pub details: bool,
    /// Write notes and the summary to standard error, where a script would get only what needs attention
    ///
    /// Started under the name of an older tool, through a link such as authrate, and with standard error not a
    /// terminal, a tool writes nothing there if the run passed or was measured and can be trusted, and else one line
    /// with the outcome and its cause, as with --quiet. With this option, as with --details, it writes there what it
    /// writes otherwise.
    #[arg(long, conflicts_with = "quiet")]
    pub summary: bool,
    /// Whether standard error gets only what needs attention.
    #[command(flatten)]
    pub quiet: Quiet,
    /// Read the target's own figures once a second, such as pid:4711 or kea:SOCKET
    ///
    /// The record and the summary show them. 'pid:4711' reads processor time, memory, threads and open files of a
    /// process on this machine. 'kea:SOCKET' reads the statistics of Kea from its control socket. 'ldap', for the LDAP
    /// rate tools, reads cn=monitor of the directory, over a separate connection with the identity that the run uses.
    /// May be repeated.
    #[arg(long = "monitor", value_name = "SOURCE")]
    pub monitors: Vec<MonitorSource>,
    /// Show the run live in a browser, on a page that becomes its report
    ///
    /// The address of the page is printed when the run begins. It contains a random token, without which requests are
    /// refused. The value is an address, a port or both, such as '127.0.0.1:8080' or '8080'. Default: a free port of
    /// 127.0.0.1. Any number of tabs may be open, and none delays the run. When the run is over, every open tab has the
    /// whole report.
    #[arg(long, value_name = "ADDR", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub web: Option<WebAddress>,
    /// Objective, such as 'p99<20ms' or 'errors<0.1%'
    ///
    /// The name of an operation may come first: 'token.p99<20ms'. The exit code is 99 if an objective is missed, 4 if
    /// one is undecided. May be repeated.
    #[arg(long = "slo", value_name = "OBJECTIVE")]
    pub objectives: Vec<Slo>,
    /// Index of this machine among those that share the run, such as 0/3
    ///
    /// The index counts from 0: 0/3 is the first of three machines. Rates, counts, connections and users on the command
    /// line apply to the whole run, and each machine takes its part of them. No two machines use the same value, user
    /// or row. All machines need the same command and the same --seed; 'brunt merge' merges their records.
    #[arg(long, value_name = "RANK/NODES", value_parser = node)]
    pub node: Option<Node>,
    /// Share of each machine of --node in the load, in the order of their index, such as 3,1,1
    ///
    /// With 3,1,1 the first machine does three times as much as each of the others. Weights are whole numbers, one for
    /// each machine, and are the same on all machines. The rates that 'brunt calibrate' measured can be used as
    /// weights; with 'brunt cluster run', --weights ceiling takes them from the agents. Without this option all
    /// machines do the same amount.
    #[arg(long, value_name = "WEIGHTS")]
    pub weights: Option<Weights>,
    /// Connect first, and start the load at this time, such as 12:00:05
    ///
    /// A time of day is the next such time in the machine's time zone; a moment is written as in 2026-11-22T12:00:05Z.
    /// Machines that share a run need the same time; differences between their clocks are not corrected. With -, the
    /// run connects, writes an event of type ready (--events), and then reads the time from one line of standard input.
    /// If standard input ends before that, nothing is sent.
    #[arg(long, value_name = "TIME")]
    pub start_at: Option<StartAt>,
    /// Send this many exchanges slowly first, and start the run only if they succeed, such as 10
    ///
    /// One session sends them, at most ten per second. If one fails, or they miss an objective that does not depend on
    /// the load, the run does not start, and the exit code is 10. An objective about errors sets how many may fail. The
    /// figures of the run exclude these exchanges; a limit on its number of exchanges includes them.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub canary: Option<u64>,
    /// End the run when this condition persists, such as 'errors>50% for 10s' or 'locked'
    ///
    /// A condition is written like an objective and is checked in each interval. The run ends when the condition has
    /// been true in every interval for the given time. 'locked' means 'locked>0': a login was refused because its
    /// account is locked or disabled or its password has expired, or the same account was refused twice in a row.
    /// Exchanges in flight are completed, the report is written as usual, and the exit code is 10. May be repeated.
    #[arg(long = "abort-on", value_name = "CONDITION")]
    pub abort_on: Vec<AbortRule>,
    /// Send only to these addresses: an address or a network, optionally with a port, such as 10.1.0.0/16:389
    ///
    /// The destination of every connection and every datagram is checked, also after a redirect or a new lookup of a
    /// name. If one was refused, the exit code is 8. Without this option all addresses are allowed that are not public.
    /// Unix sockets, and queries that the C library makes for the machine's own name service, have no address to check.
    /// May be repeated.
    #[arg(long = "allow", value_name = "CIDR[:PORT]")]
    pub allow: Vec<Allowed>,
    /// Send only to the targets in this file, within the limits that it sets
    ///
    /// The file is TOML: a table `target` for each address or network, with its highest rate, connections and duration.
    /// A run that asks for more is refused before anything is sent, with the exit code 8. Without this option
    /// brunt/targets.toml in the configuration directory of the user ($XDG_CONFIG_HOME, else ~/.config), or else of the
    /// machine ($XDG_CONFIG_DIRS, else /etc/xdg), is read if it is there.
    #[arg(long, value_name = "FILE")]
    pub targets: Option<PathBuf>,
    /// Which addresses of a name are used: one, or all of them in turn
    ///
    /// With 'one' the first address that answers is used for all connections; if there are several, brunt says which.
    /// With 'all' connections take turns among them. For connections over TCP; a DHCP server has one address.
    #[arg(long, value_name = "WHICH", value_parser = addresses, default_value = "one")]
    pub addresses: Addresses,
    /// Class of all packets that are sent, such as ef, af21 or a number from 0 to 63
    ///
    /// Networks may treat packets by their class (differentiated services): default, le, cs0 to cs7, af11 to af43, va
    /// or ef. It is set for every connection over TCP, also one to a proxy, and for every datagram, and not for what
    /// the C library sends. Without this option packets have the system's default.
    #[arg(long, value_name = "CLASS")]
    pub dscp: Option<Dscp>,
    /// Load public addresses without asking
    ///
    /// Without this option, brunt asks on the terminal before it sends to a public address that neither --allow nor a
    /// targets file names. If there is no terminal, the run is refused with exit code 8.
    #[arg(long)]
    pub yes: bool,
    /// Whether it is shown on the terminal.
    #[command(flatten)]
    pub view: ViewOptions,
}

impl RunOptions {
    /// Refuses to share a run if each machine would draw its own seed, and refuses weights that do not match the
    /// machines.
    pub fn check_node(&self, seed: Option<u64>) -> Result<(), NodeError> {
        if let Some(weights) = &self.weights {
            let Some(node) = &self.node else {
                return Err(NodeError::WeightsWithoutNode);
            };
            if *weights == Weights::Ceiling {
                return Err(NodeError::Ceiling);
            }
            let given = weights.given().len();
            if given != node.of as usize {
                return Err(NodeError::WeightsOfOthers { given, nodes: node.of });
            }
        }
        if self.node.as_ref().is_some_and(|node| node.of > 1) && seed.is_none() {
            return Err(NodeError::NoSeed);
        }
        Ok(())
    }

    /// Refuses `--quiet` with `--details` in a tool that prints all figures to standard error.
    pub fn refuse_quiet_details(&self) -> Result<(), Unfit> {
        if !(self.quiet.quiet && self.details) {
            return Ok(());
        }
        let why = "--details prints all figures to standard error, which --quiet keeps free: leave one of them out";
        Err(Unfit { name: "quiet", value: String::new(), why: why.to_owned() })
    }

    /// The files that are written, with their options.
    pub fn paths(&self) -> [(&'static str, Option<&Path>); 6] {
        let named = |path: &&Path| *path != Path::new("-");
        [
            ("--record", self.record.as_deref()),
            ("--html", self.html.as_deref()),
            ("--hgrm", self.hgrm.as_deref()),
            ("--hlog", self.hlog.as_deref()),
            ("--events", self.events.as_deref().filter(named)),
            ("--junit", self.junit.as_deref()),
        ]
    }
}

/// Why machines cannot share a run with these options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// Weights for one machine.
    #[error("--weights needs --node, which says which machine this is")]
    WeightsWithoutNode,
    /// Weights that only a coordinator knows.
    #[error(
        "--weights ceiling is for 'brunt cluster run', which asks its agents: give the weight of each machine here, \
         such as the rate that 'brunt calibrate' measured on it"
    )]
    Ceiling,
    /// Weights for another number of machines.
    #[error(
        "--weights has {given} weights, but --node has {nodes} machines; give a weight for each"
    )]
    WeightsOfOthers {
        /// The number of weights.
        given: usize,
        /// The number of machines.
        nodes: u32,
    },
    /// Each machine would draw its own values.
    #[error("--node needs --seed, the same on every machine, so that all draw the same values")]
    NoSeed,
    /// The weights do not make a share.
    #[error("--weights {weights}: {error}")]
    Share {
        /// The weights.
        weights: Weights,
        /// What is wrong with them.
        error: SlotsError,
    },
}

fn node(text: &str) -> Result<Node, ValueError> {
    let read = text.split_once('/').and_then(|(rank, of)| {
        let node = Node::even(rank.parse().ok()?, of.parse().ok()?);
        (node.rank < node.of && u64::from(node.of) <= Slots::ROUND_MAX).then_some(node)
    });
    read.ok_or(ValueError::Node)
}

/// Which addresses of a name are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addresses {
    /// The first that answers.
    #[default]
    One,
    /// All, in turn.
    All,
}

fn addresses(text: &str) -> Result<Addresses, ValueError> {
    match text {
        "one" => Ok(Addresses::One),
        "all" => Ok(Addresses::All),
        _ => Err(ValueError::Addresses),
    }
}

/// A row for each field.
pub fn rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| declared::rows(&declared(), |_| true));
    &ROWS
}

/// What the page of a command says in `docs/` in place of these options, which have a page of their own.
pub fn on_their_page() -> String {
    let names: Vec<String> = rows().iter().map(|row| format!("`--{}`", row.name)).collect();
    format!("[Options of every run](run-options.md): {}.", names.join(", "))
}

/// Parses the values of each row on a command line, by its name. For an option with one value the last counts.
pub fn read<T: AsRef<str>>(given: impl Fn(&str) -> Vec<T>) -> Result<RunOptions, Unfit> {
    let matches = declared::matches(rows(), declared(), given)?;
    let options =
        RunOptions::from_arg_matches(&matches).map_err(|error| declared::unfit(rows(), &error))?;
    options.refuse_quiet_details()?;
    Ok(options)
}

fn declared() -> Command {
    RunOptions::augment_args(Command::new("run").disable_help_flag(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::row::Kind;

    fn read_of(given: &[(&str, &str)]) -> Result<RunOptions, Unfit> {
        let of = |long: &str| given.iter().filter(|it| it.0 == long).map(|it| it.1).collect();
        read::<&str>(of)
    }

    #[test]
    fn option_table_is_read_like_clap() {
        let read = read_of(&[
            ("record", "first.json"),
            ("record", "-odd.json"),
            ("slo", "p99<1ms"),
            ("slo", "errors<1%"),
            ("monitor", "pid:7"),
            ("web", ""),
        ]);
        let expected = RunOptions {
            record: Some("-odd.json".into()),
            objectives: ["p99<1ms", "errors<1%"].map(|it| it.parse().unwrap()).to_vec(),
            monitors: vec![MonitorSource::Pid(7)],
            web: "".parse().ok(),
            ..RunOptions::default()
        };
        assert_eq!(read, Ok(expected));
        assert_eq!(read_of(&[]), Ok(RunOptions::default()));
    }

    #[test]
    fn option_value_that_is_invalid_is_named() {
        let unfit = read_of(&[("record", "x"), ("monitor", "pid:abc")]).unwrap_err();
        assert_eq!((unfit.name, unfit.value.as_str()), ("monitor", "pid:abc"));
        assert_eq!(unfit.why, "'abc' is not a process id");
        let unfit = read_of(&[("web", "nowhere")]).unwrap_err();
        assert_eq!((unfit.name, unfit.value.as_str()), ("web", "nowhere"));
    }

    #[test]
    fn option_rows_are_complete() {
        let row = |name: &str| *rows().iter().find(|row| row.name == name).expect(name);
        assert_eq!((row("record").value, row("record").kind), ("file", Kind::Path));
        assert_eq!((row("web").value, row("web").kind), ("addr", Kind::Attached));
        assert_eq!((row("slo").value, row("slo").kind), ("objective", Kind::Text));
        assert_eq!((row("quiet").value, row("quiet").kind), ("", Kind::Switch));
        assert!(row("slo").is_repeatable() && !row("record").is_repeatable());
        assert!(row("record").help.starts_with("Write the record of the run"));
        assert!(row("record").help.ends_with("JSON. 'brunt report' prints it again."));
        assert!(
            rows()
                .iter()
                .all(|row| row.is_ours && !row.name.is_empty() && row.help.ends_with(['.', ')']))
        );
    }

    #[test]
    fn output_paths_are_all_checked_before_the_run() {
        let everywhere = |name: &str| {
            let row = rows().iter().find(|row| row.name == name).expect("a row");
            if row.kind == Kind::Path { vec![format!("/{name}")] } else { Vec::new() }
        };
        let options = read(everywhere).expect("paths are paths");
        let checked = options.paths();
        // A file that is read.
        let is_read = |row: &&Row| row.name == "targets";
        for row in rows().iter().filter(|row| row.kind == Kind::Path && !is_read(row)) {
            let path = format!("/{}", row.name);
            let named = format!("--{}", row.name);
            let known = checked.contains(&(named.as_str(), Some(Path::new(&path))));
            assert!(known, "add {named} to RunOptions::paths");
        }
    }
}
