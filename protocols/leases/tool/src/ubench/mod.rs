//! `mysql_ubench`, `sqlite_ubench` and `memfile_ubench`: the programs of 2012, on the engine.
//!
//! Each phase is a run of the engine with one session, whose time is that of the line it prints. [`text`] has the
//! printed texts, [`server`] the location of MySQL. Existing leases are never deleted without permission, although the
//! original programs did so: an empty table is created again, and anything else needs an explicit option.

mod server;
mod text;

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use brunt_engine::{Settings, Urgency};
use brunt_exchange::ThinkTime;
use brunt_leases_driver::memfile::{Format, MemfileBackend, MemfileSetup};
use brunt_leases_driver::mysql::{MysqlBackend, MysqlOptions};
use brunt_leases_driver::sqlite::{Journal, SqliteBackend, SqliteSetup};
use brunt_leases_driver::{
    Backend, By, Contents, Draw, Durability, Family, Guarded, Identity, Leases, Schema, Search,
    Statements, Work,
};
use brunt_leases_load::Marks;
use brunt_net::Network;
use brunt_net::resend::Resend;
use brunt_record::{Cell, Record};
use brunt_report::attention;
use brunt_run::Console;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::Output;
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Signal;
use brunt_run::summary::SummaryError;
use brunt_run::{ResultError, WriteFailures, console, files, prepare};

use super::gathering::collection;
use super::phase::{Done, EPOCH, Phase, PhaseError};
use super::store::StoreError;
use crate::options::ubench::{Ubench, UbenchArgs};

use server::ServerError;

/// The share of searches that find something.
const HIT_RATIO: f64 = 0.9;
/// How long an operation may take; the original programs waited without a limit.
const LONGEST: Duration = Duration::from_secs(600);
/// How often marks are printed.
const PRINTED_EVERY: Duration = Duration::from_millis(100);
/// The phases: their names in the marks, in the four lines and in records.
const PHASES: [(&str, &str, &str); 4] = [
    ("CREATE", "Create", "create"),
    ("RETRIEVE", "Search", "search"),
    ("UPDATE", "Update", "update"),
    ("DELETE", "Delete", "delete"),
];

/// Carries out the command line, as the original program did.
pub(crate) fn run(args: &UbenchArgs, world: &World, network: &Network) -> Result<Exit, Refusal> {
    files::check(&[("--record", args.record.as_deref())]).map_err(Refusal::failed)?;
    prepare(world).map_err(Refusal::failed)?;
    world.console.print(&text::parameters(args))?;
    match conduct(args, world, &network.or_marked(args.dscp)) {
        Ok(exit) => Ok(exit),
        Err(why) => {
            world.console.print(&format!("Failed: {why}\n"))?;
            world.console.conclude(Some(&format!("FAILED: {why}")));
            Ok(Exit::OldFailure)
        }
    }
}

/// Why a program ended early.
#[derive(Debug, thiserror::Error)]
enum UbenchError {
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Phase(#[from] PhaseError),
    #[error("{phase}: {text}")]
    Operation { phase: &'static str, text: String },
    #[error(transparent)]
    Summary(#[from] SummaryError),
}

/// One phase that is over.
struct Ended {
    line: &'static str,
    name: &'static str,
    done: Done,
}

fn conduct(args: &UbenchArgs, world: &World, network: &Network) -> Result<Exit, UbenchError> {
    let backend = prepared(args, (world, network))?;
    let seed = args.seed.unwrap_or_else(console::seed);
    let stop = world.signals.stop();
    let mut all = Vec::with_capacity(PHASES.len());
    for (at, (heading, line, name)) in PHASES.into_iter().enumerate() {
        if stop.urgency() != Urgency::Run {
            break;
        }
        show(text::heading(heading).as_bytes(), &world.console);
        let done = phase(args, (world, network), &backend, at, seed)?;
        show(b"\n", &world.console);
        let counts = done.finished.engine.counts;
        if counts.failed + counts.timed_out > 0 {
            let text = done.first_failure().unwrap_or("an operation took too long").to_owned();
            return Err(UbenchError::Operation { phase: name, text });
        }
        all.push(Ended { line, name, done });
    }
    for ended in &all {
        show(
            text::line(ended.line, ended.done.operations(1), ended.done.lasted()).as_bytes(),
            &world.console,
        );
    }
    let mut losses = WriteFailures::new(&world.console);
    if args.percentiles || args.record.is_some() {
        losses.keep(more(args, &all, backend.as_ref(), world));
    }
    conclude(&all, &world.console)?;
    Ok(losses.report(world.signals.received().map_or(Exit::Ok, Signal::exit)))
}

/// Writes which phases need attention, where standard error is otherwise kept free.
fn conclude(all: &[Ended], console: &Console) -> Result<(), SummaryError> {
    let mut lines = Vec::new();
    for ended in all {
        let line = attention(ended.done.record())?;
        lines.extend(line.map(|line| format!("{}: {line}", ended.name)));
    }
    let lines = lines.join("; ");
    console.conclude((!lines.is_empty()).then_some(&lines));
    Ok(())
}

fn phase(
    args: &UbenchArgs,
    (world, network): (&World, &Network),
    backend: &Arc<dyn Backend>,
    at: usize,
    seed: u64,
) -> Result<Done, PhaseError> {
    let population = u64::from(args.iterations);
    let work = match at {
        0 => Work::Create { first: 0 },
        1 => Work::Search(Search { population, by: By::Address, draw: Draw::Guide(HIT_RATIO) }),
        2 => Work::Update { population },
        _ => Work::Delete { first: 0 },
    };
    let marks = args.verbose.then(|| Arc::new(Marks::new(world.signals.stop())));
    let phase = Phase {
        work,
        operations: Some(population),
        group: 1,
        leases: Leases { family: Family::V4, contents: Contents::Guide, epoch: EPOCH },
        settings: Settings {
            operation_timeout: LONGEST,
            drain: Some(LONGEST),
            interval: PRINTED_EVERY,
            seed,
            ..Settings::closed(ThinkTime::None, 1)
        },
        backend,
        resend: Resend::default(),
        marks: marks.clone(),
        command: words(args),
        target: format!("{} {}", store(args.program), args.name),
        network: network.clone(),
        output: Output::default(),
        objectives: Vec::new(),
    };
    let print = || marks.as_ref().map_or((), |marks| show(&marks.take(), &world.console));
    let done = phase.carry_out(world, &mut |_| print())?;
    print();
    Ok(done)
}

/// What the original programs never printed: percentiles, and the record.
fn more(
    args: &UbenchArgs,
    all: &[Ended],
    backend: &dyn Backend,
    world: &World,
) -> Result<(), ResultError> {
    let mut collection = collection(words(args), world);
    let store = store(args.program);
    let durability = if args.sync { "sync" } else { "async" };
    let before =
        collection.facts.insert(format!("durability/{store}/{durability}"), backend.durability());
    debug_assert!(before.is_none(), "one store has one durability");
    if let Ok(version) = backend.version() {
        collection.facts.insert(format!("version/{store}"), version);
    }
    for ended in all {
        let record = ended.done.record();
        if args.percentiles {
            show(percentiles(ended.line, ended.name, record).as_bytes(), &world.console);
        }
        collection.cells.push(cell(args, (store, durability), ended, record.clone()));
    }
    if let Some(path) = &args.record {
        collection.write(path)?;
    }
    Ok(())
}

fn words(args: &UbenchArgs) -> Vec<String> {
    [vec![args.program.name().to_owned()], args.words.clone()].concat()
}

const fn store(program: Ubench) -> &'static str {
    match program {
        Ubench::Mysql => "mysql",
        Ubench::Sqlite => "sqlite",
        Ubench::Memfile => "memfile",
    }
}

fn cell(
    args: &UbenchArgs,
    (store, durability): (&str, &str),
    ended: &Ended,
    record: Record,
) -> Cell {
    let statements = match (args.program, args.compiled) {
        (Ubench::Memfile, _) => "none",
        (_, true) => "prepared",
        (_, false) => "basic",
    };
    let mut cell = Cell::new([
        ("store", store),
        ("durability", durability),
        ("statements", statements),
        ("phase", ended.name),
        ("run", "1"),
        ("schema", "2012"),
        ("family", "4"),
        ("group", "1"),
        ("workers", "1"),
        ("rate", "max"),
    ]);
    if ended.name == "search" {
        cell.labels.insert("by".to_owned(), "address".to_owned());
    }
    let (operations, seconds) =
        (ended.done.operations(1) as f64, ended.done.lasted().as_secs_f64());
    let rate = if seconds > 0.0 { operations / seconds } else { 0.0 };
    let figures = [("operations", operations), ("seconds", seconds), ("rate", rate)];
    cell.figures.extend(figures.map(|(name, figure)| (name.to_owned(), figure)));
    cell.record = Some(Box::new(record));
    cell
}

fn percentiles(line: &str, name: &str, record: &Record) -> String {
    let Some(operation) = record.operations.iter().find(|operation| operation.name == name) else {
        return String::new();
    };
    let Ok(times) = operation.response.histogram() else { return String::new() };
    let at = |quantile| times.quantile(quantile).unwrap_or_default().as_secs_f64() * 1e6;
    format!(
        "{line} leases4 response time p50 {:.1} us, p90 {:.1} us, p99 {:.1} us, p99.9 {:.1} us, max {:.1} us\n",
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0),
    )
}

/// The store with an empty table in it. If it already contains leases, they are deleted only with permission.
fn prepared(
    args: &UbenchArgs,
    reached: (&World, &Network),
) -> Result<Arc<dyn Backend>, UbenchError> {
    let spent = args.yes_destroy || is_spent(args, backend(args, reached, false)?.as_ref());
    let backend = backend(args, reached, spent)?;
    backend.prepare().map_err(StoreError::from)?;
    Ok(backend)
}

/// Whether there is an empty table of the guide's, or a file that a run of `memfile_ubench` left behind: one whose
/// leases are all deleted. The check changes nothing.
fn is_spent(args: &UbenchArgs, backend: &dyn Backend) -> bool {
    if backend.count() != Ok(0) {
        return false;
    }
    match args.program {
        // Opening a file of leases repairs it, which must not be done to a file of another owner.
        Ubench::Memfile => is_left_behind(Path::new(&args.name)).unwrap_or(false),
        Ubench::Mysql | Ubench::Sqlite => {
            backend.open().and_then(|mut store| store.find(&Identity::Address(0))).is_ok()
        }
    }
}

/// Whether a file begins with the first lease of a benchmark, whose address is a number, and ends with a complete one.
/// No server writes addresses in this form.
fn is_left_behind(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut first = [0; FIRST_LINE.len()];
    let mut last = [0; LAST_LINE.len()];
    file.read_exact(&mut first)?;
    file.seek(SeekFrom::End(-LAST_LINE_LENGTH))?;
    file.read_exact(&mut last)?;
    Ok((&first, &last) == (FIRST_LINE, LAST_LINE))
}

const FIRST_LINE: &[u8; 17] = b"lease 16777216 {\n";
const LAST_LINE: &[u8; 3] = b"};\n";
const LAST_LINE_LENGTH: i64 = 3;

fn backend(
    args: &UbenchArgs,
    (world, network): (&World, &Network),
    may_destroy: bool,
) -> Result<Arc<dyn Backend>, ServerError> {
    let (schema, family) = (Schema::Guide, Family::V4);
    let durability = if args.sync { Durability::Sync } else { Durability::Async };
    let statements = if args.compiled { Statements::Prepared } else { Statements::Basic };
    let (path, patience) = (PathBuf::from(&args.name), LONGEST);
    Ok(match args.program {
        Ubench::Mysql => Arc::new(Guarded::new(Arc::new(MysqlBackend::new(MysqlOptions {
            server: server::server(args, world)?,
            network: network.clone(),
            schema,
            family,
            durability,
            statements,
            engine: None,
            flush: None,
            may_destroy,
            timeout: patience,
        })))),
        Ubench::Sqlite => Arc::new(SqliteBackend::new(SqliteSetup {
            path,
            schema,
            family,
            durability,
            statements,
            journal: Journal::Off,
            timeout: patience,
            may_destroy,
        })),
        Ubench::Memfile => {
            let format = Format::Block;
            let setup = MemfileSetup { path, format, schema, family, durability, may_destroy };
            Arc::new(MemfileBackend::new(setup))
        }
    })
}

/// Prints at once. A reader that closes its end early does not make a run fail.
fn show(text: &[u8], console: &Console) {
    let _ = console.writer().write_all(text);
}
