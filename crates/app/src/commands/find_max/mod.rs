//! `brunt find-max`: the highest rate at which a target meets its objectives.
//!
//! The search itself, with its rules for evidence and claims, is in [`brunt_capacity`]. Here a command line becomes a
//! load that can be carried out at any rate ([`inner`]), a [`trial`] makes the runs, and [`screen`] shows the progress.
//! A server of another owner is never tested by mistake: only loopback is reached unless addresses are allowed or a
//! host is declared as the user's own.

#[cfg(feature = "website")]
mod granted;
mod inner;
#[cfg(feature = "website")]
mod progress;
#[cfg(test)]
mod proposed;
mod screen;
mod search_observer;
mod server;
mod step_child;
mod trial;

#[cfg(feature = "website")]
pub(crate) use granted::{find_granted, run_of};
pub(crate) use step_child::step_child;

use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::Duration;

use brunt_capacity::{Found, Goals, Origin, Reading, Settings, find};
use brunt_net::Network;
use brunt_net::allowed::Allowed;
use brunt_record::{Collection, Environment};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{self as run, Repeatable, Subject, WriteFailures, console, files, tool};

use super::cluster_run::{Search, StepAgents};
use super::failed;
use crate::cli::find_max::FindMaxArgs;

use inner::Inner;
use screen::Screen;
use trial::Loader;

/// Searches, and prints the result.
pub(crate) fn find_max(args: &FindMaxArgs, world: &World) -> Result<Exit, Refusal> {
    let agents = args.agents.count();
    let agents = agents.map_err(|why| Refusal::usage(format!("error: {why}")))?;
    let inner = Inner::read(&args.command, args.seed.or_else(|| Some(console::seed())), world)?;
    let fenced = protected(args)?;
    let network = run::address_policy::around(fenced.clone(), inner.run_options(), world)?;
    let ended = search(args, world, (&inner, agents), (&network, &fenced));
    run::address_policy::judged(ended, &network)
}

/// Searches with the load `inner`, shared by this number of agents if there are any, within what was `fenced`.
fn search(
    args: &FindMaxArgs,
    world: &World,
    (inner, agents): (&Inner, Option<u32>),
    (network, fenced): (&Network, &[Allowed]),
) -> Result<Exit, Refusal> {
    let elsewhere = !fenced.iter().all(Allowed::is_loopback);
    // A plan may set the highest rate itself, which is known once the plan has been read.
    bounded(elsewhere, args.to.is_some() || inner.may_limit_search())?;
    let written = [("--record", args.record.as_deref()), ("--html", args.html.as_deref())];
    files::check(&written).map_err(Refusal::failed)?;
    let guard = inner.guard();
    let check = |subject: &Subject| {
        bounded(elsewhere, args.to.or(subject.search.to).is_some())?;
        goals(args, subject, guard).map(drop)
    };
    let load = inner.prepare(world, network, &check).map_err(away)?;
    let subject = load.subject();
    let goals = goals(args, subject, guard)?;
    let settings = settings(args, subject);
    if let Some(writes) = subject.writes.as_ref().filter(|_| !args.yes_writes) {
        return Err(unsafe_(&format!(
            "this load {writes}, at rates up to the limit of the target: add --yes-writes if you intend that"
        )));
    }
    let shared = agents.map(|_| {
        let search = Search {
            agents: &args.agents,
            argv: &args.command,
            allow: fenced.iter().map(ToString::to_string).collect(),
            subject: subject.clone(),
        };
        StepAgents::new(search, world)
    });
    let shared = shared.transpose()?;
    let made: &dyn Repeatable = match &shared {
        Some(agents) => agents,
        None => load.as_ref(),
    };
    let server =
        args.server_cpu.as_ref().map(|source| server::open(source, load.as_ref(), &world.files));
    let server = server.transpose().map_err(failed)?;
    let mut loader = Loader::new(made, world, network, Box::new(Screen::new(&world.console)));
    loader.relative_to = goals.relative_to();
    loader.second = args.second.unwrap_or(Duration::from_secs(1));
    loader.server = server;
    loader.screen.opens(subject, &goals, &settings);
    let started = world.now();
    let found = find(&goals, &settings, &mut loader);
    loader.screen.closes();
    let mut losses = WriteFailures::new(&world.console);
    losses.keep(made.give_back(&world.signals.stop()));
    if found.steps.is_empty() && network.address_policy().refused().is_some() {
        // Nothing was sent, so there is nothing to report but the refusal, with which the program ends.
        return Err(Refusal { text: String::new(), exit: Exit::Failed });
    }
    print_notes(&loader, args, &world.console);
    let exit = ended(&found, world, &loader);
    let origin = origin(args, subject, started, &loader);
    let failed = loader.failed.as_deref();
    report(args, &found.collection(origin), failed, (&mut losses, &world.console));
    Ok(losses.report(exit))
}

/// What may be reached: the allowed addresses, the declared own hosts, or loopback.
fn protected(args: &FindMaxArgs) -> Result<Vec<Allowed>, Refusal> {
    let mut allowed = args.allow.clone();
    for host in &args.owned {
        let addresses =
            resolved(host).map_err(|error| failed(format!("resolve --i-own {host}: {error}")))?;
        allowed.extend(addresses.iter().map(|address| Allowed::address(address.ip())));
    }
    if allowed.is_empty() {
        allowed.extend(Allowed::LOOPBACK);
    }
    Ok(allowed)
}

/// Refuses to search beyond loopback without a highest rate.
fn bounded(elsewhere: bool, has_highest: bool) -> Result<(), Refusal> {
    if elsewhere && !has_highest {
        return Err(Refusal::usage(
            "error: give the highest rate that may be tried with --to, such as --to 20k/s: only a target on this \
             machine's loopback may be searched without it",
        ));
    }
    Ok(())
}

fn resolved(host: &str) -> std::io::Result<Vec<SocketAddr>> {
    Ok((host, 0).to_socket_addrs()?.collect())
}

/// The objectives and limits given on the command line, in the command and in its plan.
fn goals(args: &FindMaxArgs, subject: &Subject, guard: Option<&str>) -> Result<Goals, Refusal> {
    let usage = |error: &dyn std::fmt::Display| Refusal::usage(format!("error: {error}"));
    let of_command = subject.objectives.iter().map(|slo| slo.text().to_owned());
    let of_plan = subject.search.objectives.iter().cloned();
    let texts: Vec<String> =
        args.objectives.iter().cloned().chain(of_command).chain(of_plan).collect();
    let mut goals = Goals::parse(&texts).map_err(|error| usage(&error))?;
    if let Some(guard) = guard {
        goals.guard(guard).map_err(|error| usage(&error))?;
    }
    let measured: Vec<&str> = subject.measured.iter().map(String::as_str).collect();
    goals.check(&measured).map_err(|error| usage(&error))?;
    Ok(goals)
}

fn settings(args: &FindMaxArgs, subject: &Subject) -> Settings {
    let search = &subject.search;
    let usual = if args.quick || search.quick { Settings::quick() } else { Settings::default() };
    let whole = |time: Duration| u32::try_from(time.as_secs()).unwrap_or(u32::MAX);
    let confirm_s = args.confirm.or(search.confirm).map_or(usual.confirm_s, whole).max(2);
    // If the rate must hold for a longer time, that time is added to the budget.
    let longer_s = f64::from(confirm_s.saturating_sub(usual.confirm_s));
    let budget = args.budget.or(search.budget);
    Settings {
        precision: args.precision.or(search.precision).unwrap_or(usual.precision),
        confirm_s,
        budget_s: budget.map_or(usual.budget_s + longer_s, |time| time.as_secs_f64()),
        recovery_s: args.recovery.or(search.recovery).map_or(usual.recovery_s, whole),
        from: args.from.or(search.from).map(brunt_engine::schedule::Rate::as_per_second),
        to: args.to.or(search.to).map(brunt_engine::schedule::Rate::as_per_second),
        ceiling: subject.ceiling,
        ..usual
    }
}

/// A target that cannot be reached before the first step counts as unavailable.
fn away(refusal: Refusal) -> Refusal {
    match refusal.exit {
        Exit::Ldap(_) => Refusal { exit: Exit::Partial, ..refusal },
        _ => refusal,
    }
}

fn unsafe_(why: &str) -> Refusal {
    Refusal { text: format!("refused: {why}\n"), exit: Exit::Unsafe }
}

/// Prints notes that the user needs beside the result.
fn print_notes(loader: &Loader<'_>, args: &FindMaxArgs, console: &Console) {
    if let Some(writes) = &loader.load.subject().writes {
        console.note(&format!(
            "this load {writes}: {} operations were answered",
            brunt_report::figure::thousands(loader.answered)
        ));
    }
    let missing = loader.server.as_ref().and_then(|server| server.missing());
    if let Some((source, missing)) = args.server_cpu.as_ref().zip(missing) {
        console.note(&format!("--server-cpu {source}: {missing}"));
    }
}

/// The exit code of the program.
fn ended(found: &Found, world: &World, loader: &Loader<'_>) -> Exit {
    if let Some(signal) = world.signals.received() {
        return signal.exit();
    }
    if let Some(why) = &loader.failed {
        world.console.message(&format!("error: {why}"));
        return Exit::Failed;
    }
    match found.exit() {
        Some(0) => Exit::Ok,
        Some(4) => Exit::Undecided,
        Some(5) => Exit::Partial,
        Some(8) => Exit::Unsafe,
        Some(9) => Exit::NoClaim,
        Some(99) => Exit::Missed,
        _ => Exit::Failed,
    }
}

/// What is known of the search beside its result.
fn origin(
    args: &FindMaxArgs,
    subject: &Subject,
    started: jiff::Timestamp,
    loader: &Loader<'_>,
) -> Origin {
    let tool = tool();
    let own = args.typed.iter().cloned().chain(["--".to_owned()]);
    let server = loader.server.as_ref().map(|server| server.facts()).unwrap_or_default();
    let server = server.into_iter().map(|(name, value)| (name.to_owned(), value));
    let mut facts = facts(subject, args.agents.agents.or(args.agents.local));
    facts.extend(server);
    Origin {
        tool: (tool.name, tool.version),
        started: started.to_string(),
        command: own.chain(subject.command.iter().cloned()).collect(),
        environment: Environment::read(),
        facts,
    }
}

/// What is known of the load, and the number of agents if several make it.
fn facts(subject: &Subject, agents: Option<u32>) -> BTreeMap<String, String> {
    let facts = [
        Some(("target", subject.target.clone())),
        Some(("seed", subject.seed.to_string())),
        Some(("operations", subject.operations.join(", "))),
        subject.sessions.map(|count| ("connections", count.to_string())),
        subject.iterations.then(|| ("noun", "iterations".to_owned())),
        agents.map(|count| ("agents", count.to_string())),
    ];
    facts.into_iter().flatten().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Prints and writes the result.
fn report(
    args: &FindMaxArgs,
    collection: &Collection,
    failed: Option<&str>,
    (losses, console): (&mut WriteFailures, &Console),
) {
    let record = losses.written(args.record.as_deref(), |path| {
        collection.write(path).map_err(|error| format!("failed to {error}"))
    });
    let Some(reading) = Reading::from_collection(collection) else {
        return console.conclude(Some(failed.unwrap_or("the search has no result")));
    };
    let page = brunt_report::capacity::page(&reading);
    let html = losses.written(args.html.as_deref(), |path| {
        console::write(path, &page.html()).map(drop).map_err(|refusal| refusal.text)
    });
    let screen = console.screen();
    let last = brunt_report::capacity::closing(&reading, screen);
    losses.print(&format!("{}\n{last}", page.text(screen)));
    for (name, path) in [("record", record), ("page", html)] {
        if let Some(path) = path {
            console.message(&format!("{name}: {}", path.display()));
        }
    }
    let attention = brunt_report::capacity::attention(&reading, failed);
    console.conclude(attention.as_deref());
}
