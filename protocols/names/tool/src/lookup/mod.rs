//! `brunt names lookup`: load on a name service, as this machine is configured or at one layer of it.
//!
//! The command line becomes a run, for which [`known`] finds users and groups; [`sources`] reports afterwards which
//! sources are configured and which of them answer. The name service also serves other users, so the
//! rate is moderate unless another is given, and nothing is ever changed.

mod getent;
mod known;
mod lookup_settings;
mod sources;

use std::fmt::Display;
use std::sync::Arc;

use brunt_engine::{EngineRun, Plan};
use brunt_exchange::{Class, Named, Outcome as ExchangeOutcome};
use brunt_names_driver::{AccessPaths, Distribution, PARTS, UNRESOLVED, nss, outcome_named};
use brunt_names_load::LookupSessions;
use brunt_net::Network;
use brunt_record::{Catalogue, Record};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::load::{NO_ADDRESS, SubjectCheck, never};
use brunt_run::options::output::OutputArgs;
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::spelled::ToolSpelling as _;
use brunt_run::summary::{Ending, Stream, SummaryError};
use brunt_run::{
    Caller, EngineError, ExitPolicy, Finished, Job, Load, ObjectivesError, Outcome, Prepared,
    Protocol, ProtocolError, Repeatable, Unsuitable, Verbosity, carry_out, exit, is_endless,
    objectives, search_words,
};

use crate::options::lookup::{self, LookupArgs};

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
        let Self { load, distribution, .. } = self;
        let unlimited = Pacing { takes_word: false, ..Pacing::new(&["unlimited"], load.unlimited) };
        let once = *distribution == Some(Distribution::Once);
        let own = vec![unlimited, Pacing::essential("--distribution once", once)];
        [load.options.pacing(lookup::Lookups::SPELLING), own].concat()
    }

    fn refuses(&self, caller: Caller, _: &[String]) -> Result<(), Unsuitable> {
        if caller != Caller::AgentsOfOthers {
            return Ok(());
        }
        never("--socket", self.socket.is_some(), NO_ADDRESS)?;
        let url = self.directory.url.as_ref().map(|url| url.to_ascii_lowercase());
        never("--url ldapi", url.is_some_and(|url| url.starts_with("ldapi")), NO_ADDRESS)
    }

    fn measure(
        &self,
        world: &World,
        network: &Network,
        verbosity: Verbosity,
    ) -> Result<Outcome, Refusal> {
        let (Prepared { job, protocol: lookups, .. }, settings) = ready(self, network)?;
        let shows = verbosity == Verbosity::Normal;
        let job = Job { output: job.output.shown(shows), ..job };
        if shows {
            settings.notes.iter().for_each(|note| world.console.note(note));
        }
        let mut finished = carry_out(&job, &lookups, &mut [], world).map_err(Refusal::failed)?;
        if shows {
            print(self, &settings, &mut finished, &world.console).map_err(Refusal::failed)?;
        }
        let policy = ExitPolicy::Lookup { unresolved: unresolved(&finished.record) > 0 };
        let exit = finished.losses.report(exit(&finished.record, finished.early(), policy));
        Ok(Outcome { record: finished.record, exit })
    }

    fn examine(&self, _: &World, network: &Network) -> Result<Job, Refusal> {
        ready(self, network).map(|(prepared, _)| prepared.job)
    }

    fn prepare<'a>(
        &'a self,
        _: &'a World,
        network: &Network,
        check: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let (prepared, _) = ready(self, network)?;
        check(prepared.subject())?;
        Ok(Box::new(prepared))
    }
}

/// Prints the last screen, and which sources know the names.
fn print(
    args: &LookupArgs,
    settings: &LookupSettings,
    finished: &mut Finished,
    console: &Console,
) -> Result<(), SummaryError> {
    let ending = Ending::new(&args.output.run, Stream::Output, console);
    ending.report(&finished.record, &mut finished.losses)?;
    if finished.signal.is_none()
        && let Some(text) = sources::found(args, &settings.probes)
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
    let settings = LookupSettings::new(args, network).map_err(usage)?;
    if matches!(settings.paths, AccessPaths::Nss) {
        usable(nss::loads_modules()).map_err(usage)?;
    }
    if let Some(sources) = &args.source {
        nss::restrict(sources).map_err(usage)?;
    }
    let load = Plan::new(settings.settings.clone(), 1).map_err(usage)?;
    let lookups = Lookups::new(&settings);
    let job = lookups.job(args, &settings, load, network).map_err(Refusal::failed)?;
    Ok((Prepared::new(job, lookups, None), settings))
}

fn usage(why: impl Display) -> Refusal {
    Refusal::usage(format!("failed to {why}"))
}

/// A build whose C library reads files only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "ask the C library for names: this build of brunt is static and loads no module of nsswitch.conf; use the .deb, \
     the .rpm or a build for glibc, or another layer (names lookup --through)"
)]
pub(crate) struct StaticBuild;

/// Whether the C library of this build can be used for lookups. C libraries other than glibc read only files, and the
/// cost of that says nothing about the name service.
pub(crate) fn usable(loads_modules: bool) -> Result<(), StaticBuild> {
    if loads_modules { Ok(()) } else { Err(StaticBuild) }
}

/// How many lookups of existing names found nothing.
fn unresolved(record: &Record) -> u64 {
    let codes = record.operations.iter().flat_map(|operation| &operation.codes);
    let unresolved =
        codes.filter(|code| code.class == Class::Check.word() && code.code == Some(UNRESOLVED));
    unresolved.map(|code| code.count).sum()
}

/// What lookups supply to their run.
struct Lookups {
    sessions: Arc<LookupSessions>,
}

impl Lookups {
    fn new(settings: &LookupSettings) -> Self {
        let questions = Arc::clone(&settings.questions);
        let (paths, seed) = (settings.paths.clone(), settings.settings.seed);
        Self { sessions: Arc::new(LookupSessions { questions, paths, seed }) }
    }

    fn job(
        &self,
        args: &LookupArgs,
        settings: &LookupSettings,
        load: Plan,
        network: &Network,
    ) -> Result<Job, ObjectivesError> {
        let operations = self.sessions.questions.operations();
        let catalogue = Catalogue::new(operations.iter().copied(), PARTS.to_vec());
        Ok(Job {
            objectives: objectives(&args.output.run.objectives, &args.output.run, &operations)?,
            output: args.output.files(),
            search: search_words(args),
            endless: is_endless(&load),
            // These are calls of a library, whose processor time belongs to the name service.
            in_process: matches!(settings.paths, AccessPaths::Nss),
            ..Job::new(
                args.output.typed.clone(),
                catalogue,
                settings.target.clone(),
                load,
                network.clone(),
            )
            .called("lookup", "lookups")
        })
    }
}

impl Protocol for Lookups {
    fn outcome(&self, _: usize, outcome: ExchangeOutcome) -> Named {
        outcome_named(&self.sessions.paths, outcome)
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        Ok(self.sessions.run(run).map_err(EngineError)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn static_build_explains_what_it_lacks() {
        assert_eq!(usable(true), Ok(()));
        let why = usable(false).unwrap_err().to_string();
        assert!(why.contains("nsswitch.conf") && why.contains("--through"), "{why}");
    }
}
