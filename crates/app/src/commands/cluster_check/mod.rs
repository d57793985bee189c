//! `brunt cluster check`: what a command needs from the agents that carry it out, and whether they permit it.
//!
//! The command is prepared as if it were to run, in a process of its own: behind an address policy that lets nothing
//! through, and with files confined to the current directory. Whatever it opens or requests while it is prepared is
//! what agents need. A coordinator makes its bundle from that, and an agent judges an order by it before anything is
//! sent: neither relies on the other's result.

pub(crate) mod rules;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use brunt_cluster::policy::{JobRequest, Permit, Policy};
use brunt_feed::files::Kind;
use brunt_net::Network;
use brunt_run::World;
use brunt_run::environment::Environment;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{Caller, Job, address_policy};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::failed;
use crate::cli;
use crate::cli::cluster_check::{CheckArgs, CheckFormat};

/// The variables that the process gets in which an order is prepared, beside those that the order may refer to.
const USUAL: [&str; 3] = ["PATH", "LANG", "TZ"];

/// What a command needs from a machine that carries it out.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Needs {
    /// The command, such as `names lookup`.
    pub(crate) command: String,
    /// The highest rate of the whole run in operations a second; none if nothing limits it.
    pub(crate) rate: Option<f64>,
    /// Whether a rate would count iterations, each of which is several operations.
    pub(crate) several: bool,
    /// The names of its operations.
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
    /// Its name, relative to the current directory.
    pub(crate) name: PathBuf,
    /// Whether it contains a secret, and therefore must already be on the agents.
    pub(crate) secret: bool,
}

/// Whether stand-ins replace secrets that are not on this machine because they are on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandIns {
    /// Anything that is missing is an error.
    None,
    /// Missing variables, and missing files of secrets, are assumed to exist.
    OfSecrets,
}

impl Needs {
    /// Finds out what a command needs, by another process in this directory, which gets these variables of ours.
    pub(crate) fn new(
        words: &[String],
        directory: &Path,
        variables: &[String],
        stand_ins: StandIns,
        environment: &Environment,
    ) -> Result<Self, Refusal> {
        let given = USUAL.into_iter().chain(variables.iter().map(String::as_str));
        let given = given.filter_map(|name| Some((name, environment.variable(name)?)));
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

    /// Whether an agent's owner permits this share of it, from 0 to 1, in an order by this signer.
    pub(crate) fn permitted(
        &self,
        policy: &Policy,
        share: f64,
        signer: Option<&str>,
        now: Timestamp,
    ) -> Result<Permit, Refusal> {
        let requested = JobRequest {
            command: &self.command,
            rate: self.rate.map(|rate| rate * share),
            allow: &self.allow,
            variables: &self.variables,
            signer,
            now,
        };
        policy.judge(&requested).map_err(|refusal| refused(&refusal.to_string()))
    }
}

/// Prints what a command needs, and whether a policy permits it.
pub(crate) fn cluster_check(args: &CheckArgs, world: &World) -> Result<Exit, Refusal> {
    if args.format == CheckFormat::Json {
        if args.stand_ins {
            world.files.stand_in();
        }
        let needs = examine(&args.command, world)?;
        return world.console.print(&(serde_json::to_string(&needs).map_err(failed)? + "\n"));
    }
    let here = std::env::current_dir().map_err(failed)?;
    // The command may refer to all of our own environment: nothing is sent.
    let needs = Needs::new(
        &args.command,
        &here,
        &variables(&world.environment),
        StandIns::None,
        &world.environment,
    )?;
    let mut text = needs_text(&needs);
    if let Some(path) = &args.policy {
        let policy = Policy::read(path).map_err(failed)?;
        let share = 1.0 / f64::from(args.agents);
        // This check is about the command only: the signature is checked when the run is ordered.
        let signer = policy.orders_from().and_then(|keys| keys.first()).map(String::as_str);
        let permit = needs
            .permitted(&policy, share, signer, Timestamp::now())
            .map_err(|refusal| Refusal { text: format!("{text}\n{}", refusal.text), ..refusal })?;
        let _ =
            writeln!(text, "\n{} permits it, within: {}", path.display(), permit.allow.join(" "));
    }
    world.console.print(&text)
}

/// The variables of our own environment that a command may refer to.
pub(crate) fn variables(environment: &Environment) -> Vec<String> {
    environment.names().filter(|name| !is_home(name)).map(str::to_owned).collect()
}

/// Whether this variable names a directory of properties files, which an agent does not have.
fn is_home(name: &str) -> bool {
    matches!(name, "HOME" | "XDG_CONFIG_HOME")
}

fn needs_text(needs: &Needs) -> String {
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

/// Prepares the command in this process, which can reach no address and read no file outside its directory.
fn examine(words: &[String], world: &World) -> Result<Needs, Refusal> {
    let network = Network::nowhere(&world.files);
    world.files.confine();
    let command = cli::load(words, world)?;
    let command = rules::shared(command, words, Caller::AgentsOfOthers)
        .map_err(|why| refused(&why.to_string()))?;
    let job = command.examine(world, &network);
    let job = job.map_err(|refusal| address_policy::explained(refusal, &network))?;
    let load = Known::new(&job);
    let files = world
        .files
        .opened()
        .into_iter()
        .map(|(name, kind)| NeededFile { name, secret: kind == Kind::Secret });
    Ok(Needs {
        command: command.name().to_owned(),
        rate: load.peak,
        several: load.several,
        operations: load.operations,
        allow: job.output.run.allow.iter().map(ToString::to_string).collect(),
        variables: world.environment.referred_to(),
        files: files.collect(),
    })
}

/// What is known of a load without carrying it out.
struct Known {
    /// The most operations a second.
    peak: Option<f64>,
    several: bool,
    operations: Vec<String>,
}

impl Known {
    fn new(job: &Job) -> Self {
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
