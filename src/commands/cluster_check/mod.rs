//! `brunt cluster check`: what a command needs of the agents that are to carry it out, and whether they may.
//!
//! The command is prepared as if it were to run, in a process of its own: with a fence that nothing passes, and with
//! files confined to the current directory. What it opened and asked for on the way is what agents need. A
//! coordinator makes its bundle of that, and an agent judges an order by it before anything is sent: neither believes
//! the other.

pub(crate) mod rules;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use brunt_cluster::policy::{Asked, Permit, Policy};
use brunt_drivers::net::fence;
use brunt_feed::access::{self, Kind};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::failed;
use crate::cli::cluster_check::{CheckArgs, CheckFormat};
use crate::cli::exit::Exit;
use crate::cli::load_command::LoadCommand;
use crate::cli::surroundings::{self, Machine};
use crate::cli::{Refusal, read};
use crate::console;
use crate::run::Job;
use crate::run::signals::Signals;
use crate::tools;

/// The variables that a process gets that prepares somebody's order, beside those that the order may refer to.
const USUAL: [&str; 3] = ["PATH", "LANG", "TZ"];

/// What a command needs of a machine that is to carry it out.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Needs {
    /// The command, such as `names lookup`.
    pub(crate) command: String,
    /// The most operations a second of the whole run; none if nothing limits them.
    pub(crate) rate: Option<f64>,
    /// Whether a rate would be of iterations, each of which is several operations.
    pub(crate) several: bool,
    /// What its operations are called.
    pub(crate) operations: Vec<String>,
    /// The values of its own `--allow`.
    pub(crate) allow: Vec<String>,
    /// The environment variables it refers to.
    pub(crate) variables: Vec<String>,
    /// The files it reads, by the names it has for them.
    pub(crate) files: Vec<NeededFile>,
}

/// A file that a command reads.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct NeededFile {
    /// Its name, from the current directory.
    pub(crate) name: PathBuf,
    /// Whether it holds a secret, and so has to be on the agents already.
    pub(crate) secret: bool,
}

/// Whether something stands for secrets that are not on this machine, because they are on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandIns {
    /// What is missing is an error.
    None,
    /// Missing variables, and files of secrets, are taken to be there.
    OfSecrets,
}

impl Needs {
    /// What a command needs, found out by another process in this directory, which gets these variables of ours.
    pub(crate) fn of(
        words: &[String],
        directory: &Path,
        variables: &[String],
        stand_ins: StandIns,
    ) -> Result<Self, Refusal> {
        let given = USUAL.into_iter().chain(variables.iter().map(String::as_str));
        let given = given.filter_map(|name| Some((name, std::env::var_os(name)?)));
        let output = Process::new("/proc/self/exe")
            .args(["cluster", "check", "--format", "json"])
            .args((stand_ins == StandIns::OfSecrets).then_some("--stand-ins"))
            .arg("--")
            .args(words)
            .current_dir(directory)
            .env_clear()
            .envs(given)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| failed(format!("examine the command: {error}")))?;
        if output.status.success() {
            let needs = serde_json::from_slice(&output.stdout);
            return needs.map_err(|error| failed(format!("examine the command: {error}")));
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let refused = output.status.code() == Some(i32::from(Exit::Unsafe.code()));
        Err(Refusal { text, exit: if refused { Exit::Unsafe } else { Exit::Usage } })
    }

    /// Whether an agent's owner permits this share of it, from 0 to 1, on the order of this signer.
    pub(crate) fn permitted(
        &self,
        policy: &Policy,
        share: f64,
        signer: Option<&str>,
        now: Timestamp,
    ) -> Result<Permit, Refusal> {
        let asked = Asked {
            command: &self.command,
            rate: self.rate.map(|rate| rate * share),
            allow: &self.allow,
            variables: &self.variables,
            signer,
            now,
        };
        policy.judge(&asked).map_err(|refusal| refused(&refusal.to_string()))
    }
}

/// Prints what a command needs, and whether a policy permits it.
pub(crate) fn cluster_check(args: &CheckArgs) -> Result<Exit, Refusal> {
    if args.format == CheckFormat::Json {
        if args.stand_ins {
            access::stand_in();
        }
        let needs = examine(&args.command)?;
        return console::print(&(serde_json::to_string(&needs).map_err(failed)? + "\n"));
    }
    let here = std::env::current_dir().map_err(failed)?;
    // Of our own environment all may be referred to: nothing is sent.
    let needs = Needs::of(&args.command, &here, &variables(), StandIns::None)?;
    let mut text = told(&needs);
    if let Some(path) = &args.policy {
        let policy = Policy::read(path).map_err(failed)?;
        let share = 1.0 / f64::from(args.agents);
        // Whoever asks here is asked about the command: the signature is looked at when it is ordered.
        let signer = policy.orders_from().and_then(|keys| keys.first()).map(String::as_str);
        let permit = needs
            .permitted(&policy, share, signer, Timestamp::now())
            .map_err(|refusal| Refusal { text: format!("{text}\n{}", refusal.text), ..refusal })?;
        let _ =
            writeln!(text, "\n{} permits it, within: {}", path.display(), permit.allow.join(" "));
    }
    console::print(&text)
}

/// The variables of our own environment that a command may refer to.
pub(crate) fn variables() -> Vec<String> {
    let all = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    all.filter(|name| !is_home(name)).collect()
}

/// Where properties files are looked for that an agent does not have.
fn is_home(name: &str) -> bool {
    matches!(name, "HOME" | "XDG_CONFIG_HOME")
}

fn told(needs: &Needs) -> String {
    let mut text = format!("{} can be ordered. It needs on each agent:\n\n", needs.command);
    let listed = |secret: bool| {
        let names = needs.files.iter().filter(|file| file.secret == secret);
        names.map(|file| file.name.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let rate = needs.rate.map_or_else(
        || "no limit (closed loop, or iterations of several operations)".to_owned(),
        |rate| format!("up to {rate}/s, all agents together"),
    );
    let rows = [
        ("rate", rate, ""),
        ("files", listed(false), ", which the coordinator sends"),
        ("secrets", listed(true), ", in the data directory of its agent.toml"),
        (
            "variables",
            needs.variables.join(", "),
            ", in its environment and in variables of its agent.toml",
        ),
        ("addresses", needs.allow.join(", "), ", or fewer with --allow"),
    ];
    for (title, value, note) in rows.into_iter().filter(|(_, value, _)| !value.is_empty()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {title:<10} {value}{note}");
    }
    text
}

/// Prepares the command in this process, which reaches nothing and reads nothing outside its directory.
fn examine(words: &[String]) -> Result<Needs, Refusal> {
    fence::put_up(fence::Policy { allowed: Some(Vec::new()), ..fence::Policy::default() });
    access::confine();
    let line: Vec<String> =
        std::iter::once("brunt".to_owned()).chain(words.iter().cloned()).collect();
    let signals = Signals::default();
    let command = read(&line, &Machine)?;
    let command = rules::ordered(command, words).map_err(|why| refused(&why))?;
    let job = match &command {
        LoadCommand::Rate(args) => tools::ldap::examine(args)?,
        LoadCommand::Perfdhcp(args) => tools::dhcp::examine(args, &signals)?,
        LoadCommand::Http(args) => tools::flow::http::prepare(args)?.job,
        LoadCommand::Run(args) => tools::flow::plan::examine(args)?.job,
        LoadCommand::Lookup(args) => tools::names::prepare(args)?.job,
        LoadCommand::Leases(_) => return Err(refused("'leases' cannot be ordered")),
    };
    let load = Load::of(&job);
    let files = access::opened()
        .into_iter()
        .map(|(name, kind)| NeededFile { name, secret: kind == Kind::Secret });
    Ok(Needs {
        command: command.name().to_owned(),
        rate: load.peak,
        several: load.several,
        operations: load.operations,
        allow: job.output.run.allow.iter().map(ToString::to_string).collect(),
        variables: surroundings::asked_for(),
        files: files.collect(),
    })
}

/// What is known of a load without carrying it out.
struct Load {
    /// The most operations a second.
    peak: Option<f64>,
    several: bool,
    operations: Vec<String>,
}

impl Load {
    fn of(job: &Job) -> Self {
        let peak = match &job.load.settings().load {
            brunt_engine::Load::Open(schedule) if !job.several => Some(schedule.most_per_second()),
            _ => None,
        };
        Self { peak, several: job.several, operations: job.catalogue.operations.clone() }
    }
}

fn refused(why: &str) -> Refusal {
    Refusal { text: format!("refused: {why}\n"), exit: Exit::Unsafe }
}
