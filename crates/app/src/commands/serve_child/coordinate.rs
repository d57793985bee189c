//! A run that agents share: this process is its coordinator, and makes no load.
//!
//! It has the keys that sign orders, so it reads nothing that a user wrote: another process has checked the plan, which
//! is sent unchanged as bytes, together with its files. The addresses that the administrator listed are sent as
//! `--allow`, which each agent enforces for its own part of the run. This process decides when the run ends: by the
//! conditions that end every run of a site and those of the plan, by a request to stop, and by a time at which it is
//! over whatever agents report.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use brunt_envelope::{ClusterSettings, RunSpec};
use brunt_history::{DATA, PLAN};
use brunt_run::World;
use brunt_run::console;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use super::WATCHDOG;
use super::confinement::{self, Access, Confinement};
use crate::cli::args::Verb;
use crate::cli::cluster::ClusterKind;
use crate::cli::cluster_run::ClusterRunArgs;
use crate::cli::{Command, read};
use crate::commands::cluster_run::{Commission, commissioned};
use crate::commands::{failed, unread};

/// The time that a run may take in addition to waiting and to its own duration: files are sent, all agents begin
/// together, exchanges in flight complete.
const BESIDE: Duration = Duration::from_secs(90);

/// Has agents carry out a run.
pub(super) fn coordinate(
    requested: &RunSpec,
    agents: u32,
    meeting: &ClusterSettings,
    world: &World,
) -> Result<Exit, Refusal> {
    confinement::limit_run().map_err(failed)?;
    let mut access = Access::of_run();
    // The keys are needed again when the broker reconnects.
    access.read.extend(meeting.keys.clone());
    let _confinement = Confinement::enter(&access).map_err(failed)?;
    let args = arguments(requested, agents, meeting, world)?;
    let data = requested.data.iter().map(|name| Path::new(DATA).join(name));
    let files: Vec<PathBuf> = std::iter::once(PathBuf::from(PLAN)).chain(data).collect();
    if let Some(most) = requested.grant.seconds_max {
        let patience = Duration::from_secs(meeting.patience_s);
        end_after(2 * patience + BESIDE + Duration::from_secs(most), world)?;
    }
    let commission = Commission { run: meeting.run.clone(), files };
    world.console.hold();
    commissioned(&args, &commission, world)
}

/// The options as a user would type them. The record's command contains neither the keys nor the broker.
fn arguments(
    requested: &RunSpec,
    agents: u32,
    meeting: &ClusterSettings,
    world: &World,
) -> Result<ClusterRunArgs, Refusal> {
    let mut typed: Vec<String> = ["brunt", "cluster", "run"].map(str::to_owned).to_vec();
    typed.push(format!("--agents={agents}"));
    // The conditions of the plan, to which a check has added the site's own.
    let watchdog = [WATCHDOG.to_owned()];
    let others = requested.abort_on.iter().filter(|text| *text != WATCHDOG);
    typed.extend(watchdog.iter().chain(others).map(|text| format!("--abort-on={text}")));
    typed.extend(requested.objectives.iter().map(|text| format!("--slo={text}")));
    typed.extend(["--record=record.json", "--events=events.ndjson"].map(str::to_owned));
    let mut words = typed.clone();
    words.extend(meeting.keys.iter().map(|keys| format!("--keys={}", keys.display())));
    words.extend(meeting.nats.iter().map(|nats| format!("--nats={nats}")));
    words.push(format!("--pool={}", meeting.pool));
    words.push(format!("--patience={}s", meeting.patience_s));
    words.extend(["--quiet", "--", "run", PLAN].map(str::to_owned));
    words.extend(requested.duration.iter().map(|text| format!("--duration={text}")));
    words.extend(requested.set.iter().map(|text| format!("--set={text}")));
    if requested.grant.allow.is_empty() {
        return Err(failed("order the run: its target has no address"));
    }
    words.extend(requested.grant.allow.iter().map(|text| format!("--allow={text}")));
    match read(&words, world)? {
        Command::Verb(Verb::Cluster { kind: ClusterKind::Run(args) }) => {
            Ok(ClusterRunArgs { typed, ..*args })
        }
        _ => Err(unread(&words)),
    }
}

/// Ends the run gracefully after this time.
fn end_after(time: Duration, world: &World) -> Result<(), Refusal> {
    let stop = world.signals.stop();
    let wait = move || {
        console::pause(time);
        stop.request();
    };
    let spawned = thread::Builder::new().name("limit".to_owned()).spawn(wait);
    spawned.map(drop).map_err(|error| failed(format!("start a thread: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_envelope::Grant;
    use brunt_run::environment::Environment;

    #[test]
    fn agents_are_waited_for_as_long_as_the_site_is_configured_to() {
        let grant = Grant { allow: vec!["127.0.0.1:9".to_owned()], ..Grant::default() };
        let requested = RunSpec { grant, ..RunSpec::default() };
        let (nats, pool) = (Some("nats://127.0.0.1:4222".to_owned()), "default".to_owned());
        let meeting = ClusterSettings { nats, pool, patience_s: 4, ..ClusterSettings::default() };
        let args = arguments(&requested, 3, &meeting, &World::kept(Environment::default()));
        let Ok(args) = args else { panic!("the words are those of a command") };
        assert_eq!((args.agents, args.patience), (Some(3), Some(Duration::from_secs(4))));
    }
}
