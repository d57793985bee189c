//! The [`Network`] of a run with the address policy around the addresses it may reach, the directory that an order
//! confines this process to, and the exit code of a run that hit its address policy.
//!
//! It is made once for every command, before anything is sent: from `--allow`, from a file of targets, or else from all
//! addresses that are not public. The driver checks it at every connection and datagram. The targets and the rate that
//! are known before a run are checked before it begins; only then can a user at a terminal confirm a public address. A
//! run that was kept from an address did not do what was requested, so its exit code takes precedence over all others
//! but a signal's.

use std::fmt::Write as _;
use std::io::{self, BufRead as _};
use std::net::SocketAddr;

use brunt_engine::{Load, Plan};
use brunt_net::Network;
use brunt_net::address_policy::{MadeBy, Policy, Refused, Why};
use brunt_net::allowed::Allowed;
use brunt_net::network;
use brunt_net::targets::Demand;
use brunt_record::{Cause, Head};

use super::conclude::EndedBy;
use super::targets;
use super::world::World;
use crate::console::Console;
use crate::options::exit::Exit;
use crate::options::refusal::Refusal;
use crate::options::run_options::{Addresses, RunOptions};

/// The variable by which an agent declares that another user has ordered a run. The run then reads no file and opens no
/// socket outside its directory, whatever a plan or a list in it names.
pub const CONFINED: &str = "BRUNT_CONFINED";

/// Confines a command to its directory if an agent requires that, before anything is read.
pub fn confine(world: &World) {
    if is_confined(world) {
        world.files.confine();
    }
}

/// The network of a command that makes a load with these options.
pub fn network(options: &RunOptions, world: &World) -> Result<Network, Refusal> {
    let targets =
        targets::read(options.targets.as_deref(), &world.environment).map_err(Refusal::usage)?;
    let allowed = (!options.allow.is_empty()).then(|| options.allow.clone());
    let policy = Policy { allowed, targets, public: options.yes, made_by: made_by(world) };
    Ok(within(policy, options, world))
}

/// A network of these addresses, within what the file of targets allows, for a load with these options.
pub fn around(
    allowed: Vec<Allowed>,
    options: &RunOptions,
    world: &World,
) -> Result<Network, Refusal> {
    let targets = targets::read(None, &world.environment).map_err(Refusal::usage)?;
    let policy = Policy { allowed: Some(allowed), targets, public: false, made_by: made_by(world) };
    Ok(within(policy, options, world))
}

/// A network with this policy, whatever addresses the options name; all its other settings are from the options.
pub fn within(policy: Policy, options: &RunOptions, world: &World) -> Network {
    let spread = options.addresses == Addresses::All;
    let files = world.files.clone();
    made(network::Options { policy, spread, dscp: options.dscp, files }, world)
}

#[cfg(not(feature = "memory"))]
fn made(options: network::Options, _: &World) -> Network {
    Network::new(options)
}

/// A network whose connections lead to the servers of the world, if it has its own.
#[cfg(feature = "memory")]
fn made(options: network::Options, world: &World) -> Network {
    match &world.servers {
        Some(servers) => Network::in_memory(options, servers.clone()),
        None => Network::new(options),
    }
}

/// The network of a command that makes a load without such options: all addresses that are not public.
pub fn private(world: &World) -> Network {
    Network::within(Policy::default(), &world.files)
}

/// An agent passes the addresses that its owner and the order permit as `--allow`.
fn made_by(world: &World) -> MadeBy {
    if is_confined(world) { MadeBy::Owner } else { MadeBy::User }
}

fn is_confined(world: &World) -> bool {
    world.environment.variable(CONFINED).is_some()
}

/// A run was kept from one of its targets. The message is empty: [`judged`] prints the reason, which it takes from the
/// address policy, whatever else failed.
#[derive(Debug, thiserror::Error)]
#[error("")]
pub struct KeptOut(#[from] io::Error);

/// Checks before a run that it may load its targets, as far as they are known, and waits a moment for those on this
/// machine that do not listen yet. A command that sends anything before its run calls this first.
pub fn clear(load: &Plan, network: &Network, world: &World) -> Result<(), KeptOut> {
    let address_policy = network.address_policy();
    address_policy.demand(demand(load));
    let public = |refused: &Refused| matches!(refused.why, Why::Public | Why::Documentation);
    let strangers: Vec<Refused> = address_policy.blocked().into_iter().filter(public).collect();
    if !strangers.is_empty() && answered_for(&strangers, &world.console) {
        address_policy.agree(&strangers.iter().map(|refused| refused.to).collect::<Vec<_>>());
    }
    if let Some(refused) = address_policy.blocked().first() {
        // Checked again so that the refusal is remembered.
        return Ok(address_policy.check(refused.to)?);
    }
    // A server in this process takes connections from the beginning.
    #[cfg(feature = "memory")]
    if world.servers.is_some() {
        return Ok(());
    }
    world.awaited.wait(&address_policy.expected(), network, &world.console);
    Ok(())
}

/// The names that have several addresses, each with what is done with them. Names of this machine are left out: every
/// `localhost` has two.
pub fn several_addresses(network: &Network) -> Vec<String> {
    let elsewhere =
        |all: &Vec<SocketAddr>| all.len() > 1 && !all.iter().all(|to| to.ip().is_loopback());
    network
        .address_policy()
        .expected()
        .into_iter()
        .filter(elsewhere)
        .map(|all| addresses_used(&all, network.is_spread()))
        .collect()
}

/// The head of a record with the addresses that its load is spread over, and the class of its packets.
pub fn with_network(mut head: Head, network: &Network) -> Head {
    if let Some(dscp) = network.dscp() {
        _ = write!(head.plan.target.get_or_insert_default(), " (dscp {dscp})");
    }
    if network.is_spread() {
        for used in several_addresses(network) {
            let target = head.plan.target.get_or_insert_default();
            _ = write!(target, " ({used})");
        }
    }
    head
}

fn addresses_used(all: &[SocketAddr], spread: bool) -> String {
    let [first, others @ ..] = all else { return String::new() };
    if spread {
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        return format!("connections take turns among {}", all.join(", "));
    }
    format!(
        "{first} is used, and {} more of its name only if it does not answer; --addresses all uses all",
        others.len()
    )
}

/// The demand of a load on its targets.
fn demand(load: &Plan) -> Demand {
    let settings = load.settings();
    let (rate, steady) = match &settings.load {
        Load::Open(schedule) => (schedule.peak_per_second(), schedule.steady_per_second()),
        Load::Closed(_) => (None, None),
    };
    let counted = settings.stop.count.zip(steady).map(|(count, per_second)| {
        settings.warm_up + std::time::Duration::from_secs_f64(count as f64 / per_second.max(1e-9))
    });
    let duration = load.lasting().into_iter().chain(counted).min();
    Demand { rate, connections: settings.sessions.into(), duration }
}

/// Asks the user at the terminal to confirm public addresses.
fn answered_for(strangers: &[Refused], console: &Console) -> bool {
    if !console.reads_terminal() || !console.is_terminal() {
        return false;
    }
    let all: Vec<String> = strangers.iter().map(|refused| refused.to.to_string()).collect();
    let examples = strangers.iter().all(|refused| refused.why == Why::Documentation);
    let kind = if examples { "documentation" } else { "public" };
    let (are, it) = match all.len() {
        1 => (format!("is a {kind} address"), "it"),
        _ => (format!("are {kind} addresses"), "them"),
    };
    console.write_at_once(&format!("{} {are}. Load {it}? (yes/no) ", all.join(", ")));
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && is_yes(&answer)
}

/// Only the whole word counts: a key may be pressed by habit.
fn is_yes(answer: &str) -> bool {
    answer.trim().eq_ignore_ascii_case("yes")
}

/// The reason for a run that was cut short because it was kept from an address.
pub fn kept_from(network: &Network) -> Option<EndedBy> {
    let refused = network.address_policy().refused()?;
    Some(Cause::AddressPolicy { what: refused.to_string() }.into())
}

/// The exit code of a command, given the one it would have without an address policy.
pub fn judged(ended: Result<Exit, Refusal>, network: &Network) -> Result<Exit, Refusal> {
    match ended {
        Ok(Exit::Interrupted | Exit::Terminated) => ended,
        Ok(_) if network.address_policy().refused().is_some() => {
            Err(explained(Refusal { text: String::new(), exit: Exit::Failed }, network))
        }
        Ok(_) => ended,
        Err(refusal) => Err(explained(refusal, network)),
    }
}

/// Why a command failed, given its own reason: its address policy, if that kept it from an address.
pub fn explained(refusal: Refusal, network: &Network) -> Refusal {
    let Some(kept) = network.address_policy().refused().filter(|_| refusal.exit != Exit::Unsafe)
    else {
        return refusal;
    };
    let reported = refusal.text.trim_start_matches('\n');
    Refusal { text: format!("{reported}refused: {kept}\n"), exit: Exit::Unsafe }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_engine::schedule::{Rate, Schedule};
    use brunt_engine::{Settings, ThinkTime};
    use std::time::Duration;

    #[test]
    fn demand_is_the_peak_rate_for_the_whole_duration() {
        let schedule = Schedule::parse("100/s for 10s, 400/s for 5s").unwrap();
        let load = Plan::new(Settings::open(schedule, 8), 1).unwrap();
        let requested = demand(&load);
        assert_eq!((requested.rate, requested.connections), (Some(400.0), 8));
        assert_eq!(requested.duration, Some(Duration::from_secs(15)));
        let schedule = Schedule::constant(Rate::per_second(50).unwrap(), None).unwrap();
        let mut settings = Settings::open(schedule, 2);
        assert_eq!(demand(&Plan::new(settings.clone(), 1).unwrap()).duration, None);
        settings.stop.count = Some(500);
        let counted = demand(&Plan::new(settings, 1).unwrap());
        assert_eq!(counted.duration, Some(Duration::from_secs(10)));
        let closed = Plan::new(Settings::closed(ThinkTime::None, 3), 1).unwrap();
        assert_eq!(demand(&closed), Demand { rate: None, connections: 3, duration: None });
    }

    #[test]
    fn addresses_of_a_name_in_use_are_listed() {
        let all = ["10.0.0.1:389", "10.0.0.2:389"].map(|to| to.parse().unwrap());
        let one = addresses_used(&all, false);
        assert!(one.starts_with("10.0.0.1:389 is used, and 1 more"), "{one}");
        assert_eq!(
            addresses_used(&all, true),
            "connections take turns among 10.0.0.1:389, 10.0.0.2:389"
        );
    }

    #[test]
    fn confirmation_requires_the_whole_word_yes() {
        assert!(is_yes("yes\n") && is_yes(" YES \n"));
        assert!(["", "y\n", "no\n", "yes please\n"].iter().all(|answer| !is_yes(answer)));
    }
}
