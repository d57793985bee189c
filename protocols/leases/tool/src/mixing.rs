//! [`Mixing`]: a mix of operations on one store, which a search carries out many times, each time at another rate.
//!
//! Every step finds the store in the same state as the first: tables are created again, and filled with the same
//! leases. A table that grew from step to step would be a different store in each of them. The time for that is not
//! part of any step's figures.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use brunt_engine::{EngineRun, Plan, Settings, Stop, ThinkTime, Urgency};
use brunt_exchange::{Class, Named, Outcome};
use brunt_leases_driver::{self as lease, Lease, LeaseSessions, Leases, Mix, PARTS, Work};
use brunt_leases_load::StoreSessions;
use brunt_net::Network;
use brunt_net::resend::Resend;
use brunt_record::Catalogue;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::Output;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::run_options::RunOptions;
use brunt_run::{
    self as run, EngineError, Files, Job, Prepared, Protocol, ProtocolError, World, console,
};

use super::comparison_settings::{self, ComparisonError, ComparisonSettings, LeaseTasks};
use super::held::Held;
use super::phase::{EPOCH, named};
use super::secrets::Secrets;
use super::store::{Location, StoreError, StoreOptions};
use super::store_directory::StoreDirectory;
use super::{failed, operations, usage};
use crate::options::leases::LeasesArgs;

/// What a mix on one store supplies to its runs.
pub(crate) struct Mixing {
    // Declared first, so that the store is cleared before its directory is deleted.
    held: Held,
    _grounds: StoreDirectory,
    mix: Mix,
    leases: Leases,
    resend: Resend,
}

impl Mixing {
    /// Creates the tables for a command line, which names one store and one way of using it.
    pub(crate) fn prepare(
        args: &LeasesArgs,
        (world, network): (&World, &Network),
    ) -> Result<Prepared<Self>, Refusal> {
        let requested = one_mix(args, &world.files).map_err(usage)?;
        let LeaseTasks::Mix(weights) = &requested.work else { return Err(usage(MixError::None)) };
        let [store] = &requested.stores[..] else { return Err(usage(MixError::Stores)) };
        let ([durability], [statements]) = (&requested.durabilities[..], &requested.statements[..])
        else {
            return Err(usage(MixError::Ways));
        };
        let rows = requested.preload.unwrap_or(0);
        let mix = requested.mix(weights, rows);
        let results = &args.output.run;
        let objectives =
            run::objectives(&results.objectives, results, &operations(&requested.work))
                .map_err(usage)?;
        let secrets = Secrets::find(&requested.stores, &args.place, world).map_err(usage)?;
        let mut grounds =
            StoreDirectory::new(&requested.stores, &comparison_settings::directory(args))
                .map_err(failed)?;
        let file = match store.place {
            Location::Temporary => grounds.file(store.kind.file_name()),
            _ => PathBuf::new(),
        };
        let store_options = StoreOptions {
            network,
            schema: requested.schema,
            family: requested.family,
            durability: *durability,
            statements: *statements,
            may_destroy: args.place.yes_destroy,
            password: secrets.of(store),
            user: secrets.user(),
            timeout: requested.timeout,
            flush: args.place.innodb_flush,
        };
        let held = Held::prepare(store.backend(&store_options, &file), false, &world.console)
            .map_err(|failure| {
                let text = format!("{}: failed to {failure}", store.kind.word());
                match failure.class {
                    Class::Check => Refusal { text: format!("{text}\n"), exit: Exit::Unsafe },
                    _ => failed(text),
                }
            })?;
        let settings = Settings {
            operation_timeout: requested.timeout,
            backlog: requested.settings.backlog,
            drain: args.load.options.drain,
            seed: args.output.seed.unwrap_or_else(console::seed),
            ..Settings::closed(ThinkTime::None, requested.workers)
        };
        let load = Plan::new(settings, 1)
            .map_err(|error| Refusal::failed(format!("failed to {error}")))?;
        let names = lease::operations(&Work::Mix(mix));
        let catalogue = Catalogue::new(names.iter().copied(), PARTS.to_vec());
        let job = Job {
            objectives,
            output: Output {
                run: RunOptions { abort_on: results.abort_on.clone(), ..RunOptions::default() },
                percentiles: args.output.percentiles.clone(),
                ..Output::default()
            },
            in_process: held.backend.in_process(),
            ..Job::new(args.output.typed.clone(), catalogue, store.target(), load, network.clone())
        };
        let writes = store.is_server().then_some("writes leases to tables of its own");
        let leases =
            Leases { family: requested.family, contents: requested.contents, epoch: EPOCH };
        let mixing = Self { held, _grounds: grounds, mix, leases, resend: requested.resend };
        Ok(Prepared::new(job, mixing, writes))
    }

    /// Creates the tables again, with the leases that exist before anything is measured.
    fn renew(&self, stop: &Stop) -> Result<(), StoreError> {
        self.held.again()?;
        let mut all = (0..self.mix.held).map_while(|number| -> Option<Lease> {
            (stop.urgency() == Urgency::Run).then(|| self.leases.lease(number))
        });
        Ok(self.held.backend.preload(&mut all)?)
    }
}

/// Why a command line is not one mix on one store.
#[derive(Debug, thiserror::Error)]
enum MixError {
    #[error(
        "find-max tries one mix of operations: add --mix, such as --mix allocate=40,renew=45,release=40"
    )]
    None,
    #[error("find-max tries one store: name it, such as sqlite or postgres://kea@localhost/")]
    Stores,
    #[error(
        "find-max tries one way of using a store: add --durability sync or --durability async, and leave out \
         --statements both"
    )]
    Ways,
    #[error(transparent)]
    Comparison(#[from] ComparisonError),
}

/// The parsed command line. A mix by itself needs an end; here the steps set it.
fn one_mix(args: &LeasesArgs, files: &Files) -> Result<ComparisonSettings, MixError> {
    if args.work.mix.is_none() {
        return Err(MixError::None);
    }
    let mut args = args.clone();
    args.load.options.duration = Some(Duration::from_secs(1));
    Ok(ComparisonSettings::new(&args, files)?)
}

impl Protocol for Mixing {
    fn outcome(&self, _: usize, outcome: Outcome) -> Named {
        named(self.held.backend.as_ref(), outcome)
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        self.renew(run.stop)?;
        let settings = run.plan.settings();
        let (seed, sessions) = (settings.seed, settings.sessions);
        let backend = Arc::clone(&self.held.backend);
        let store = LeaseSessions::new(backend, Work::Mix(self.mix), self.leases, seed, sessions);
        let store = Arc::new(store.resending(self.resend));
        let sessions = Arc::new(StoreSessions::new(store, None, sessions));
        Ok(sessions.run(run).map_err(EngineError)?)
    }
}
