//! [`ComparisonSettings`]: a command line with every choice made: the stores, how they are used, how often, and the
//! work.
//!
//! Every error in a command line is found here, before a file is created or a server is contacted.

use std::path::PathBuf;
use std::time::Duration;

use brunt_engine::{Load, Settings};
use brunt_leases_driver::{By, Contents, Durability, Family, Mix, Schema, Statements};
use brunt_net::resend::Resend;
use brunt_run::Files;
use brunt_run::options::arrivals::Rate;
use brunt_run::options::load_options::LoadOptions;
use brunt_run::options::spelled::ToolSpelling as _;
use brunt_run::schedules::LoadError;

use super::rows::RECLAIMED_MAX;
use super::store::{Kind, Location, Store, StoreNameError};
use super::weights::{Weights, WeightsError};
use super::words;
use crate::options::leases::{
    DurabilityChoice, FamilyChoice, LeasesArgs, Operations, PhaseChoice, SchemaChoice, SearchBy,
    StatementsChoice,
};

/// Operations of a phase whose operations each wait for the disk, as in the guide.
const SYNC_OPERATIONS: u64 = 1_000;
/// Operations of a phase whose operations do not.
const ASYNC_OPERATIONS: u64 = 100_000;
/// How long an operation may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The share of searches that find something, as in the guide.
const HIT_RATIO: f64 = 0.9;
/// How many times the guide measured.
const GUIDE_RUNS: u32 = 3;
/// The smallest number of addresses that a mix uses.
const POOL_MIN: u64 = 100_000;

/// A command line with every choice made.
#[derive(Debug)]
pub(crate) struct ComparisonSettings {
    /// The stores, each of a different kind.
    pub stores: Vec<Store>,
    /// Whether changes are durable when they are answered.
    pub durabilities: Vec<Durability>,
    /// How statements are sent to a database.
    pub statements: Vec<Statements>,
    /// The work.
    pub work: LeaseTasks,
    /// The tables.
    pub schema: Schema,
    /// The family of the leases.
    pub family: Family,
    /// The contents of the leases.
    pub contents: Contents,
    /// The key that searches use.
    pub by: By,
    /// The share of searches that find something.
    pub hit_ratio: f64,
    /// How many leases exist before the measurements.
    pub preload: Option<u64>,
    /// How many times everything is done.
    pub runs: u32,
    /// When operations begin and for how long, except for the number of them, the seed and the interval.
    pub settings: Settings,
    /// The rate as text, for the labels.
    pub rate: String,
    /// The number of threads.
    pub workers: u32,
    /// Operations per transaction.
    pub group: u32,
    /// The maximum duration of a phase.
    pub duration: Option<Duration>,
    /// The maximum duration of an operation.
    pub timeout: Duration,
    /// Which operations are sent again if their connection was closed while it was idle.
    pub resend: Resend,
    /// The length of an interval.
    pub interval: Duration,
    counts: (Option<u64>, Option<u64>),
}

/// Why a command line makes no comparison.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ComparisonError {
    #[error(
        "-n sets both numbers of operations: leave it out with --sync-operations or --async-operations"
    )]
    TwoCounts,
    #[error(
        "there are two stores of the kind {0}, but a table has one row for each kind: run brunt leases twice"
    )]
    SameKind(&'static str),
    #[error("--phases names {0} twice: leave one out")]
    PhaseTwice(&'static str),
    #[error("--group cannot be used with --mix: a server commits for each client separately")]
    GroupedMix,
    #[error("--hit-ratio cannot be used with --mix, which searches for existing leases")]
    HitRatioOfMix,
    #[error("--mix needs an end: add a duration, such as -d 1m, or a number of operations with -n")]
    EndlessMix,
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error(transparent)]
    Store(#[from] StoreNameError),
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// The work.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LeaseTasks {
    /// One phase after the other.
    Phases(Vec<PhaseChoice>),
    /// All operations at the same time.
    Mix(Weights),
}

impl ComparisonSettings {
    /// Interprets a command line.
    pub(crate) fn new(args: &LeasesArgs, files: &Files) -> Result<Self, ComparisonError> {
        let (load, work) = (&args.load, &args.work);
        let tasks = tasks(args)?;
        let options = &load.options;
        if options.count.is_some() && load.sync_operations.or(load.async_operations).is_some() {
            return Err(ComparisonError::TwoCounts);
        }
        let (arrivals, rate) = arrivals(options, files)?;
        let workers = options.workers.unwrap_or(1);
        let timeout = options.timeout.unwrap_or(TIMEOUT);
        // A thread does one operation at a time, so threads are sessions; each has a worker of its own.
        let each_phase = LoadOptions {
            workers: None,
            count: None,
            timeout: Some(timeout),
            drain: Some(options.drain.unwrap_or(timeout)),
            ..LoadOptions::clone(options)
        };
        let statements = if work.guide { StatementsChoice::Both } else { work.statements };
        let runs = load.runs.unwrap_or(if work.guide { GUIDE_RUNS } else { 1 });
        let contents = if work.guide { Contents::Guide } else { Contents::Distinct };
        Ok(Self {
            stores: stores(&args.stores)?,
            durabilities: match work.durability {
                DurabilityChoice::Sync => vec![Durability::Sync],
                DurabilityChoice::Async => vec![Durability::Async],
                DurabilityChoice::Both => vec![Durability::Sync, Durability::Async],
            },
            statements: match statements {
                StatementsChoice::Prepared => vec![Statements::Prepared],
                StatementsChoice::Basic => vec![Statements::Basic],
                StatementsChoice::Both => vec![Statements::Basic, Statements::Prepared],
            },
            work: tasks,
            schema: match work.schema {
                SchemaChoice::Guide => Schema::Guide,
                SchemaChoice::Kea => Schema::Kea,
            },
            family: match work.family {
                FamilyChoice::V4 => Family::V4,
                FamilyChoice::V6 => Family::V6,
                FamilyChoice::Prefix => Family::Prefix,
            },
            contents,
            by: match work.search_by {
                SearchBy::Address => By::Address,
                SearchBy::ClientId => By::ClientId,
                SearchBy::Hardware => By::Hardware,
            },
            hit_ratio: work.hit_ratio.unwrap_or(HIT_RATIO),
            preload: work.preload,
            runs,
            settings: each_phase.settings(arrivals, workers),
            rate,
            workers,
            group: load.group,
            duration: options.duration,
            timeout,
            resend: load.resend.into(),
            interval: args.output.interval.unwrap_or(Duration::from_secs(1)),
            counts: (
                load.sync_operations.or(options.count),
                load.async_operations.or(options.count),
            ),
        })
    }

    /// The number of operations in a phase; `None` if only time ends it.
    pub(crate) fn operations(&self, durability: Durability) -> Option<u64> {
        let (count, usual) = self.counts_of(durability);
        count.or_else(|| self.duration.is_none().then_some(usual))
    }

    /// How many leases exist before phases that need some.
    pub(crate) fn population(&self, durability: Durability) -> u64 {
        let (count, usual) = self.counts_of(durability);
        self.preload.unwrap_or(count.unwrap_or(usual))
    }

    /// How many addresses a mix uses, if this number of leases exists beforehand.
    fn pool(held: u64) -> u64 {
        (held * 2).max(POOL_MIN)
    }

    /// The operations of a mix, if this number of leases exists beforehand.
    pub(crate) fn mix(&self, weights: &Weights, held: u64) -> Mix {
        Mix {
            allocate: weights.allocate,
            renew: weights.renew,
            release: weights.release,
            expire: weights.expire,
            search: weights.search,
            by: self.by,
            pool: Self::pool(held),
            held,
            reclaim: RECLAIMED_MAX as u32,
        }
    }

    fn counts_of(&self, durability: Durability) -> (Option<u64>, u64) {
        match durability {
            Durability::Sync => (self.counts.0, SYNC_OPERATIONS),
            Durability::Async => (self.counts.1, ASYNC_OPERATIONS),
        }
    }
}

fn stores(words: &[String]) -> Result<Vec<Store>, ComparisonError> {
    if words.is_empty() {
        let temporary = |kind| Store { kind, place: Location::Temporary };
        return Ok(vec![temporary(Kind::Sqlite), temporary(Kind::Memfile)]);
    }
    let mut stores: Vec<Store> = Vec::new();
    for word in words {
        let store = Store::parse(word)?;
        if stores.iter().any(|other| other.kind == store.kind) {
            return Err(ComparisonError::SameKind(store.kind.word()));
        }
        stores.push(store);
    }
    Ok(stores)
}

fn tasks(args: &LeasesArgs) -> Result<LeaseTasks, ComparisonError> {
    let (load, work) = (&args.load, &args.work);
    let Some(text) = &work.mix else {
        let all = || {
            vec![PhaseChoice::Create, PhaseChoice::Search, PhaseChoice::Update, PhaseChoice::Delete]
        };
        let phases = if work.phases.is_empty() { all() } else { work.phases.clone() };
        if let Some(twice) = phases
            .iter()
            .enumerate()
            .find_map(|(at, phase)| phases[..at].contains(phase).then_some(phase))
        {
            return Err(ComparisonError::PhaseTwice(words::name_of(*twice)));
        }
        return Ok(LeaseTasks::Phases(phases));
    };
    if load.group > 1 {
        return Err(ComparisonError::GroupedMix);
    }
    if work.hit_ratio.is_some() {
        return Err(ComparisonError::HitRatioOfMix);
    }
    let options = &load.options;
    let ends = [options.count, load.sync_operations, load.async_operations];
    let ends = ends.iter().any(Option::is_some) || options.duration.is_some();
    if !ends && options.stages.is_none() && options.rate_file.is_none() {
        return Err(ComparisonError::EndlessMix);
    }
    Ok(LeaseTasks::Mix(Weights::parse(text)?))
}

fn arrivals(options: &LoadOptions, files: &Files) -> Result<(Load, String), LoadError> {
    let rate = match options.arrivals() {
        Rate::Unlimited => "max".to_owned(),
        Rate::Constant { per_second, .. } => per_second.to_string(),
        Rate::Stages(text) => text,
        Rate::File { path, .. } => path.display().to_string(),
    };
    Ok((options.load(Operations::SPELLING, files)?, rate))
}

/// The directory for temporary files.
pub(crate) fn directory(args: &LeasesArgs) -> PathBuf {
    args.place.directory.clone().unwrap_or_else(std::env::temp_dir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_engine::ThinkTime;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        leases: LeasesArgs,
    }

    fn settings_of(line: &str) -> Result<ComparisonSettings, ComparisonError> {
        let words = std::iter::once("leases").chain(line.split_whitespace());
        ComparisonSettings::new(&Line::try_parse_from(words).unwrap().leases, &Files::default())
    }

    #[test]
    fn defaults_equal_the_guide() {
        let settings = settings_of("").unwrap();
        assert_eq!(settings.operations(Durability::Sync), Some(1_000));
        assert_eq!(settings.operations(Durability::Async), Some(100_000));
        assert_eq!(
            settings.stores.iter().map(|store| store.kind).collect::<Vec<_>>(),
            [Kind::Sqlite, Kind::Memfile]
        );
        assert_eq!(settings.statements, [Statements::Prepared]);
        assert_eq!((settings.runs, &*settings.rate), (1, "max"));
        let LeaseTasks::Phases(phases) = settings.work else { panic!("a mix") };
        assert_eq!(phases.len(), 4);
    }

    #[test]
    fn guide_option_runs_both_ways_three_times() {
        let settings = settings_of("--guide -n 50").unwrap();
        assert_eq!(settings.statements, [Statements::Basic, Statements::Prepared]);
        assert_eq!((settings.runs, settings.contents), (3, Contents::Guide));
        assert_eq!(settings.operations(Durability::Async), Some(50));
    }

    #[test]
    fn duration_replaces_the_count_but_not_the_population() {
        let timed = settings_of("-d 10s").unwrap();
        assert_eq!(timed.operations(Durability::Sync), None);
        assert_eq!(timed.population(Durability::Sync), 1_000);
        let both = settings_of("-d 10s -n 5").unwrap();
        assert_eq!(
            (both.operations(Durability::Sync), both.population(Durability::Async)),
            (Some(5), 5)
        );
        let apart = settings_of("--sync-operations 7 --preload 1m").unwrap();
        assert_eq!(apart.operations(Durability::Sync), Some(7));
        assert_eq!(apart.operations(Durability::Async), Some(100_000));
        assert_eq!(apart.population(Durability::Async), 1_000_000);
    }

    #[test]
    fn load_options_reach_the_engine() {
        let given =
            settings_of("--rate 90/m --backlog 7 --drain 3s --warm-up 2s --workers 5 -d 4s");
        let Settings { load, sessions, backlog, drain, warm_up, stop, workers, .. } =
            given.unwrap().settings;
        let Load::Open(schedule) = load else { panic!("it has a rate") };
        assert_eq!((schedule.peak_per_second(), sessions, workers), (Some(1.5), 5, None));
        assert_eq!((backlog, drain), (Some(7), Some(Duration::from_secs(3))));
        assert_eq!((warm_up, stop.time), (Duration::from_secs(2), Some(Duration::from_secs(4))));
        let closed = settings_of("--think 10ms --timeout 9s").unwrap().settings;
        assert_eq!(closed.load, Load::Closed(ThinkTime::Constant(Duration::from_millis(10))));
        assert_eq!(closed.drain, Some(Duration::from_secs(9)), "as long as an operation may take");
    }

    #[test]
    fn option_errors_name_a_remedy() {
        for (line, what) in [
            ("sqlite sqlite:/x", "two stores of the kind sqlite"),
            ("sqllite", "sqlite"),
            ("-n 5 --sync-operations 6", "leave it out"),
            ("--mix allocate=1", "-d 1m"),
            ("--mix allocate=1 -n 5 --group 2", "--group"),
            ("--mix allocate=1 -n 5 --hit-ratio 1", "--hit-ratio"),
            ("--mix allocat=1 -n 5", "allocate"),
            ("--stages sideways", "--stages"),
            ("--phases create,create", "create twice"),
        ] {
            let error = settings_of(line).unwrap_err().to_string();
            assert!(error.contains(what), "{line}: {error}");
        }
    }
}
