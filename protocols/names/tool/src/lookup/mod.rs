//! `brunt names lookup`: load on a name service, as this machine is configured or at one layer of it.
//!
//! The command line becomes a run, for which [`known`] finds users and groups; [`sources`] reports afterwards which
//! sources are configured and which of them answer. The name service also serves other users, so the
//! rate is moderate unless another is given, and nothing is ever changed.

mod callers;
mod getent;
mod known;
mod lookup_settings;
mod sources;

use std::sync::Arc;

use brunt_engine::{EngineRun, Plan};
use brunt_exchange::Outcome as ExchangeOutcome;
use brunt_names_driver::{AccessPaths, PARTS, nss, outcome_name};
use brunt_names_load::LookupSessions;
use brunt_net::Network;
use brunt_record::{Catalogue, Record};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::load::Suits;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::summary::{Ending, Stream};
use brunt_run::{
    Caller, ExitPolicy, Finished, Job, Load, Outcome, Prepared, Protocol, Repeatable, Verbosity,
    carry_out, exit, is_endless, objectives, search_words,
};

use crate::options::lookup::LookupArgs;

use lookup_settings::LookupSettings;

impl Load for LookupArgs {
    fn name(&self) -> &'static str {
        "names lookup"
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }

    fn output_mut(&mut self) -> &mut OutputArgs {
        &mut self.output
    }

    fn pacing(&self) -> Vec<Pacing> {
        callers::pacing(self)
    }

    fn refuses(&self, caller: Caller, _: &[String]) -> Result<(), String> {
        callers::refuses(self, caller)
    }

    fn measure(
        &self,
        world: &World,
        network: &Network,
        verbosity: Verbosity,
    ) -> Result<Outcome, Refusal> {
        let (Prepared { job, protocol: lookups, .. }, asked) = ready(self, network)?;
        let shows = verbosity == Verbosity::Normal;
        let job = Job { output: job.output.shown(shows), ..job };
        if shows {
            asked.notes.iter().for_each(|note| world.console.note(note));
        }
        let mut finished = carry_out(&job, &lookups, &mut [], world).map_err(Refusal::failed)?;
        if shows {
            print(self, &asked, &mut finished, &world.console).map_err(Refusal::failed)?;
        }
        let manner = ExitPolicy::Lookup { unresolved: unresolved(&finished.record) > 0 };
        let exit = finished.losses.tell(exit(&finished.record, finished.early(), manner));
        Ok(Outcome { record: finished.record, exit })
    }

    fn examine(&self, _: &World, network: &Network) -> Result<Job, Refusal> {
        ready(self, network).map(|(prepared, _)| prepared.job)
    }

    fn prepare<'a>(
        &'a self,
        _: &'a World,
        network: &Network,
        suits: Suits<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let (prepared, _) = ready(self, network)?;
        suits(prepared.subject())?;
        Ok(Box::new(prepared))
    }
}

/// Prints the last screen, and which sources know the names.
fn print(
    args: &LookupArgs,
    asked: &LookupSettings,
    finished: &mut Finished,
    console: &Console,
) -> Result<(), String> {
    let ending = Ending::new(&args.output.run, Stream::Output, console);
    ending.tell(&finished.record, &mut finished.losses)?;
    if finished.signal.is_none()
        && let Some(text) = sources::found(args, &asked.probes)
    {
        finished.losses.print(&if ending.details {
            text
        } else {
            format!("{}\n", text.trim_start())
        });
    }
    let written = finished.written.as_deref();
    ending.close(&finished.record, written, &mut finished.losses)
}

fn ready(
    args: &LookupArgs,
    network: &Network,
) -> Result<(Prepared<Lookups>, LookupSettings), Refusal> {
    let usage = |why: String| Refusal::usage(format!("failed to {why}"));
    let asked = LookupSettings::new(args, network).map_err(usage)?;
    if matches!(asked.paths, AccessPaths::Nss) {
        askable(nss::asks_modules()).map_err(|why| usage(why.to_owned()))?;
    }
    if let Some(sources) = &args.source {
        nss::restrict(sources).map_err(|error| usage(error.to_string()))?;
    }
    let load = Plan::new(asked.settings.clone(), 1).map_err(|error| usage(error.to_string()))?;
    let lookups = Lookups::new(&asked);
    let job = lookups.job(args, &asked, load, network).map_err(Refusal::failed)?;
    Ok((Prepared::new(job, lookups, None), asked))
}

/// Whether the C library of this build can be used for lookups. C libraries other than glibc read only files, and the
/// cost of that says nothing about the name service.
pub(crate) fn askable(asks_modules: bool) -> Result<(), &'static str> {
    if asks_modules {
        return Ok(());
    }
    Err(
        "ask the C library for names: this build of brunt is static and loads no module of nsswitch.conf; use the \
         .deb, the .rpm or a build for glibc, or another layer (names lookup --through)",
    )
}

/// How many lookups of existing names found nothing.
fn unresolved(record: &Record) -> u64 {
    let codes = record.operations.iter().flat_map(|operation| &operation.codes);
    codes.filter(|code| code.name == "unresolved").map(|code| code.count).sum()
}

/// What lookups supply to their run.
struct Lookups {
    sessions: Arc<LookupSessions>,
}

impl Lookups {
    fn new(asked: &LookupSettings) -> Self {
        let questions = Arc::clone(&asked.questions);
        let (paths, seed) = (asked.paths.clone(), asked.settings.seed);
        Self { sessions: Arc::new(LookupSessions { questions, paths, seed }) }
    }

    fn job(
        &self,
        args: &LookupArgs,
        asked: &LookupSettings,
        load: Plan,
        network: &Network,
    ) -> Result<Job, String> {
        let operations = self.sessions.questions.operations();
        let catalogue = Catalogue::new(operations.iter().copied(), PARTS.to_vec());
        Ok(Job {
            objectives: objectives(&args.output.run.objectives, &args.output.run, &operations)?,
            output: args.output.files(),
            search: search_words(args),
            endless: is_endless(&load),
            // These are calls of a library, whose processor time belongs to the name service.
            in_process: matches!(asked.paths, AccessPaths::Nss),
            ..Job::new(
                args.output.typed.clone(),
                catalogue,
                asked.target.clone(),
                load,
                network.clone(),
            )
            .called("lookup", "lookups")
        })
    }
}

impl Protocol for Lookups {
    fn outcome(&self, _: usize, outcome: ExchangeOutcome) -> String {
        outcome_name(&self.sessions.paths, outcome)
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, String> {
        self.sessions.run(run).map_err(|error| format!("failed to {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_build_says_what_it_lacks() {
        assert_eq!(askable(true), Ok(()));
        let why = askable(false).unwrap_err();
        assert!(why.contains("nsswitch.conf") && why.contains("--through"), "{why}");
    }
}
