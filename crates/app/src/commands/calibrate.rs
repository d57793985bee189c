//! `brunt calibrate`: the most that this machine can send, measured against a target that costs as little as a server
//! can.
//!
//! The servers run in this process, on other threads. A worker's rate divided by the share of a core that it used is
//! what it would reach with a core to itself: the rate itself is as often limited by the server as by the worker.

use std::collections::BTreeMap;

use brunt_ldap_server::{Config, Server as Directory};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::ceiling::{self, Ceiling};
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{Outcome, Verbosity, address_policy};

use super::loopback::Loopback;
use super::{failed, load};
use crate::cli::args::CalibrateArgs;

const USERS: usize = 2000;
const BASE: &str = "ou=people,dc=example,dc=com";
const USER: &str = "uid=user.{1},ou=people,dc=example,dc=com";

/// The tool that measures an operation, its options, and its trailing argument.
const OPERATIONS: [(&str, &[&str], Option<&str>); 5] = [
    ("authrate", &["-D", USER, "-w", "password", "-f"], None),
    ("authrate", &["-D", "{2}", "-w", "password", "-f", "-b", BASE], Some("(uid=user.{1})")),
    ("searchrate", &["-b", BASE, "-F"], Some("(uid=user.{1})")),
    (
        "modrate",
        &["-b", USER, "-F", "-D", "uid=admin,dc=example,dc=com", "-w", "password"],
        Some("description:{1}"),
    ),
    (
        "modrate",
        &[
            "-b",
            USER,
            "-F",
            "-D",
            "uid=admin,dc=example,dc=com",
            "-w",
            "password",
            "--strategy",
            "read_modify",
        ],
        Some("description:{1}"),
    ),
];

/// The exchanges of DHCP: whether they are those of DHCPv6, and the switches that request them.
const EXCHANGES: [(bool, &[&str]); 4] =
    [(false, &[]), (false, &["-i"]), (true, &[]), (true, &["-i"])];

/// The number of clients; they take turns, so that no two exchanges in flight belong to the same client.
const CLIENTS: &str = "10000";

/// Measures each operation, prints the figures and keeps them for later runs.
pub(crate) fn calibrate(args: &CalibrateArgs, world: &World) -> Result<Exit, Refusal> {
    let path = args.output.clone().or_else(|| ceiling::place(&world.environment)).ok_or_else(|| {
        failed("find a directory for the figures: neither XDG_STATE_HOME nor HOME is set; name a file with --output")
    })?;
    let mut found = Found::default();
    world
        .console
        .message("Measuring the highest rate of one worker, against servers in this process.");
    world.console.print(&format!(
        "{:<18}{:>14}{:>16}{:>18}\n",
        "operation", "achieved/s", "worker's core", "ceiling/worker"
    ))?;
    ldap(args, world, &mut found)?;
    dhcp(args, world, &mut found)?;
    if world.signals.received().is_some() {
        world.console.conclude(Some("INTERRUPTED: nothing was written"));
        return Ok(Exit::Interrupted);
    }
    Ceiling::here(found.per_second)
        .write(&path)
        .map_err(|error| failed(format!("write {}: {error}", path.display())))?;
    world.console.message(&format!(
        "Written to {}: later runs on this machine are compared with it.",
        path.display()
    ));
    world.console.conclude(None);
    Ok(Exit::Ok)
}

fn ldap(args: &CalibrateArgs, world: &World, found: &mut Found) -> Result<(), Refusal> {
    let running = Directory::start(Config { users: USERS, ..Config::default() }).map_err(failed)?;
    let port = running.address().port().to_string();
    for (tool, options, trailing) in OPERATIONS {
        let words = command_line(tool, options, trailing, args, &port);
        let outcome = load(words.get(1..).unwrap_or_default(), world)?.measure(
            world,
            &address_policy::private(world),
            Verbosity::Quiet,
        )?;
        if world.signals.received().is_some() {
            break;
        }
        found.take(&outcome, &world.console)?;
    }
    Ok(())
}

fn dhcp(args: &CalibrateArgs, world: &World, found: &mut Found) -> Result<(), Refusal> {
    let loopback = Loopback::start()?;
    for (v6, switches) in EXCHANGES {
        if world.signals.received().is_some() {
            break;
        }
        let duration = args.duration.to_string();
        let mut words = vec!["-R", CLIENTS, "-p", &duration, "--warm-up", "1"];
        words.extend(switches);
        let words: Vec<_> = words.into_iter().map(str::to_owned).collect();
        let Some(words) = loopback.command_line(v6, &words)? else {
            world.console.note("DHCPv6 is skipped: this machine has no IPv6");
            break;
        };
        let outcome = load(words.get(1..).unwrap_or_default(), world)?.measure(
            world,
            &address_policy::private(world),
            Verbosity::Quiet,
        )?;
        if world.signals.received().is_none() {
            found.take(&outcome, &world.console)?;
        }
    }
    Ok(())
}

/// The ceilings of one worker, by operation.
#[derive(Default)]
struct Found {
    per_second: BTreeMap<String, f64>,
}

impl Found {
    /// Takes the result of a run, and prints it.
    fn take(&mut self, outcome: &Outcome, console: &Console) -> Result<(), Refusal> {
        let (name, achieved, share) = figures(outcome)?;
        let ceiling = achieved / share;
        console.print(&format!(
            "{name:<18}{achieved:>14.0}{:>15.0}%{ceiling:>18.0}\n",
            share * 100.0
        ))?;
        self.per_second.insert(name, ceiling);
        Ok(())
    }
}

fn command_line(
    tool: &str,
    options: &[&str],
    trailing: Option<&str>,
    args: &CalibrateArgs,
    port: &str,
) -> Vec<String> {
    let (connections, duration) = (args.connections.to_string(), args.duration.to_string());
    // In turn, so that no two requests in flight are for the same entry.
    let users = format!("inc(0,{})", USERS - 1);
    let mut words =
        vec!["brunt", tool, "--noPropertiesFile", "-h", "127.0.0.1", "-p", port, "--workers", "1"];
    words.extend(["-c", &connections, "-d", &duration, "-B", "1", "-g", &users]);
    words.extend(options);
    words.extend(trailing);
    words.into_iter().map(str::to_owned).collect()
}

/// The operation's name, its rate, and the share of a core that made it.
fn figures(outcome: &Outcome) -> Result<(String, f64, f64), Refusal> {
    let record = &outcome.record;
    let operation =
        record.operations.first().map(|operation| operation.name.clone()).unwrap_or_default();
    if record.counts.ok == 0 || record.counts.failed > 0 {
        let why =
            record.samples.first().map_or("no operation succeeded", |sample| sample.text.as_str());
        return Err(failed(format!("calibrate {operation}: {why}")));
    }
    let share = record.generator.cpu_share_max.filter(|share| *share > 0.0);
    let figures = record.rates.goodput.zip(share);
    let (achieved, share) =
        figures.ok_or_else(|| failed(format!("calibrate {operation}: nothing was measured")))?;
    Ok((operation, achieved, share.min(1.0)))
}
