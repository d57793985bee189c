//! `brunt names matrix` and `brunt names sweep`: measure the effect of indices and caches, in private environments.
//!
//! The command line becomes a plan ([`labelled_backend`], [`settings`], [`mod@participants`], [`plan`]). The plan is
//! carried out in sandboxes ([`carry`], [`mod@sweep`], [`sandbox_access`]), and their answers become the cells of a
//! collection ([`found`]). The report is made only from the collection, so that a saved file gives the same report as
//! the terminal.

mod carry;
mod found;
mod labelled_backend;
mod participants;
mod plan;
mod progress;
mod sandbox_access;
mod settings;
mod sweep;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;

use brunt_record::{COLLECTION_SCHEMA, Collection, Environment, Tool};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::console;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{ResultError, WriteFailures, files, summary};

use crate::options::matrix::{
    CachePathChoice, InsertWay, MatrixArgs, NamesOutputArgs, PathChoice, SandboxesArgs, SweepArgs,
};
use crate::report as names;
use crate::sandbox::{Data, Means, Nscd, Variant, Way};

use carry::{Bench, Outcome, SandboxSettings};
use participants::{Participants, participants};
use plan::{Order, Provisioning};
use progress::{Progress, lasting};
use sandbox_access::LocalSandboxes;
use sweep::{Axis, Sweep};

/// Compares back ends.
pub(crate) fn run(args: &MatrixArgs, world: &World) -> Result<Exit, Refusal> {
    let setting = Setting::new(&args.cells, &args.output, &args.typed)?;
    let contenders = setting.contenders(&args.backends)?;
    let means = Means::of_this_machine();
    let participants = participants(contenders, &means, &args.paths);
    let order = order(args);
    let steps = order.steps(&participants.measured);
    let whole_s: f64 = steps.iter().map(|step| order.expected(&participants.measured, step)).sum();
    if args.check {
        return world.console.print(&checked(&participants, &order, whole_s));
    }
    participants.report(&world.console)?;
    let ground = setting.ground(&means, &args.cells);
    setting.listen(world)?;
    let mut progress = Progress::new(world.signals.stop(), whole_s, &world.console);
    let started = world.now();
    let bench = Bench::new(&LocalSandboxes, &ground, &participants.measured, args.lookups);
    let mut outcome = bench.carry_out(&order, &mut progress);
    outcome.figures.insert("lookups".to_owned(), f64::from(args.lookups));
    Ok(setting.conclude(outcome, &participants, started, world))
}

/// Varies a setting of a cache.
pub(crate) fn sweep(args: &SweepArgs, world: &World) -> Result<Exit, Refusal> {
    let setting = Setting::new(&args.cells, &args.output, &args.typed)?;
    let contenders = setting.contenders(&args.backends)?;
    if let Some(without) = contenders.iter().find(|contender| contender.backend.cache.is_none()) {
        return Err(usage(format!(
            "back end '{}' has no cache to set: add +nscd or +unscd",
            without.label
        )));
    }
    let means = Means::of_this_machine();
    let paths: Vec<PathChoice> = args.paths.iter().map(|path| of_cache(*path)).collect();
    let participants = participants(contenders, &means, &paths);
    participants.report(&world.console)?;
    let ground = setting.ground(&means, &args.cells);
    let sweep = requested(args, paths)?;
    setting.listen(world)?;
    let whole_s = sweep.whole_s(&participants.measured);
    let mut progress = Progress::new(world.signals.stop(), whole_s, &world.console);
    let started = world.now();
    let bench = Bench::new(&LocalSandboxes, &ground, &participants.measured, 0);
    let outcome = sweep.carry_out(bench, &mut progress);
    Ok(setting.conclude(outcome, &participants, started, world))
}

fn order(args: &MatrixArgs) -> Order {
    let own_group = !args.groupadd;
    let manner = |way: &InsertWay| match way {
        InsertWay::Process => Provisioning::By(Way::Process { own_group }),
        InsertWay::Connection => Provisioning::By(Way::Connection),
        InsertWay::Batch => Provisioning::By(Way::Batch),
        InsertWay::Bulk => Provisioning::By(Way::Bulk),
        InsertWay::Sample => Provisioning::Sampled,
    };
    Order {
        users: once(&args.users),
        manners: args.insert.iter().map(manner).collect(),
        sampled_above: args.sample_above,
        own_group,
        lookups: args.lookups,
        passes: args.passes,
        keys: once(&args.keys),
        threads: once(&args.threads),
    }
}

fn requested(args: &SweepArgs, paths: Vec<PathChoice>) -> Result<Sweep, Refusal> {
    let mut axes = Vec::new();
    if !args.suggested_size.is_empty() {
        axes.push((Axis::SuggestedSize, once(&args.suggested_size)));
    }
    if !args.ttl.is_empty() {
        let seconds = |ttl: &std::time::Duration| {
            let whole =
                u32::try_from(ttl.as_secs()).ok().filter(|s| *s > 0 && ttl.subsec_nanos() == 0);
            whole.ok_or_else(|| usage("nscd times are whole seconds of at least 1: correct --ttl"))
        };
        let values: Vec<u32> = args.ttl.iter().map(seconds).collect::<Result<_, _>>()?;
        axes.push((Axis::Ttl, once(&values)));
    }
    Ok(Sweep {
        axes,
        users: once(&args.users),
        paths,
        passes: args.passes,
        distribution: args.distribution.clone(),
        rate: args.rate,
        lasting_s: args.duration.unwrap_or_default().as_secs_f64().max(0.1),
    })
}

/// Each value once, in the order of first appearance.
fn once<T: Copy + PartialEq>(values: &[T]) -> Vec<T> {
    let mut each = Vec::new();
    for value in values {
        if !each.contains(value) {
            each.push(*value);
        }
    }
    each
}

const fn of_cache(path: CachePathChoice) -> PathChoice {
    match path {
        CachePathChoice::Nss => PathChoice::Nss,
        CachePathChoice::Nscd => PathChoice::Nscd,
    }
}

impl Participants {
    /// Prints which back ends do not take part. If none is left, there is nothing to do.
    fn report(&self, console: &Console) -> Result<(), Refusal> {
        for (label, why) in &self.absent {
            console.note(&format!("{label} is skipped: it needs {why}"));
        }
        for limit in &self.limits {
            console.note(limit);
        }
        if self.measured.is_empty() {
            return Err(failed(
                "failed to find a back end that can be measured on this machine; --check shows what is \
             missing",
            ));
        }
        Ok(())
    }
}

fn checked(participants: &Participants, order: &Order, whole_s: f64) -> String {
    let mut lines = Vec::new();
    for participant in &participants.measured {
        let paths: Vec<&str> = participant.paths.iter().map(|path| path.name()).collect();
        let paths = if paths.is_empty() { "nothing".to_owned() } else { paths.join(", ") };
        lines.push(format!("{}: would be measured, through {paths}", participant.label));
    }
    for (label, why) in &participants.absent {
        lines.push(format!("{label}: would be skipped: it needs {why}"));
    }
    lines.extend(participants.limits.iter().cloned());
    let users: Vec<String> = order.users.iter().map(ToString::to_string).collect();
    let users = users.join(", ");
    let time = lasting(whole_s);
    lines
        .push(format!("{users} users, {} passes; about {time} on a machine of 2025", order.passes));
    lines.join("\n") + "\n"
}

/// What matrix and sweep have in common.
struct Setting<'a> {
    output: &'a NamesOutputArgs,
    /// The command line for the record.
    command: &'a [String],
    variants: Vec<Variant>,
    described: BTreeMap<String, String>,
    nscd: Nscd,
    data: Data,
    seed: u64,
}

impl<'a> Setting<'a> {
    fn new(
        cells: &SandboxesArgs,
        output: &'a NamesOutputArgs,
        command: &'a [String],
    ) -> Result<Self, Refusal> {
        let read = |text: &String| settings::variant(text);
        let variants: Vec<Variant> =
            cells.variants.iter().map(read).collect::<Result<_, _>>().map_err(usage)?;
        let mut described = BTreeMap::new();
        for (variant, text) in variants.iter().zip(&cells.variants) {
            let before = described.insert(format!("variant/{}", variant.name), text.clone());
            if before.is_some() {
                return Err(usage(format!("variant '{}' is described twice", variant.name)));
            }
        }
        if cells.nsswitch.as_ref().is_some_and(|text| text.contains(['\n', ':', '#'])) {
            return Err(usage("--nsswitch takes sources, such as 'files ldap'"));
        }
        let nscd = settings::nscd(cells.nscd.as_deref().unwrap_or_default());
        let data = match cells.data.as_str() {
            "tmpfs" => Data::Memory,
            directory => {
                let path = PathBuf::from(directory);
                if !path.is_dir() {
                    return Err(usage(format!(
                        "--data '{directory}' is neither a directory nor 'tmpfs'"
                    )));
                }
                Data::Below(path)
            }
        };
        let seed = output.seed.unwrap_or_else(console::seed);
        let nscd = nscd.map_err(usage)?;
        Ok(Self { output, command, variants, described, nscd, data, seed })
    }

    fn contenders(
        &self,
        lists: &[String],
    ) -> Result<Vec<labelled_backend::LabelledBackend>, Refusal> {
        labelled_backend::contenders(lists, &self.variants, &self.nscd).map_err(usage)
    }

    fn ground(&self, means: &Means, cells: &SandboxesArgs) -> SandboxSettings {
        SandboxSettings {
            isolation: means.isolation,
            data: self.data.clone(),
            nsswitch: cells
                .nsswitch
                .as_ref()
                .map(|sources| format!("passwd: {sources}\ngroup: {sources}")),
            timeout: cells.timeout.unwrap_or_default(),
            limit: cells.limit.unwrap_or_default(),
            seed: self.seed,
        }
    }

    /// Listens for signals, and checks that files can be written before hours are spent.
    fn listen(&self, world: &World) -> Result<(), Refusal> {
        let (record, html) = (self.output.record.as_deref(), self.output.html.as_deref());
        files::check(&[("--record", record), ("--html", html)]).map_err(Refusal::failed)?;
        world
            .signals
            .listen()
            .map_err(|error| failed(&format!("failed to listen for signals: {error}")))
    }

    /// Writes and prints the results.
    fn conclude(
        &self,
        outcome: Outcome,
        participants: &Participants,
        started: jiff::Timestamp,
        world: &World,
    ) -> Exit {
        let mut facts = outcome.facts;
        facts.extend(self.described.clone());
        facts.insert(
            "data".to_owned(),
            match &self.data {
                Data::Memory => "in memory (tmpfs), where a sync costs nothing".to_owned(),
                Data::Below(path) => path.display().to_string(),
            },
        );
        for (label, why) in &participants.absent {
            facts.insert(format!("left out/{label}"), format!("needs {why}"));
        }
        facts.insert("seed".to_owned(), self.seed.to_string());
        let collection = Collection {
            schema: COLLECTION_SCHEMA.to_owned(),
            subject: "names".to_owned(),
            tool: Tool { name: "brunt".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            started: started.to_string(),
            command: self.command.to_vec(),
            environment: Environment::read(),
            facts,
            figures: outcome.figures,
            cells: outcome.cells,
        };
        let mut losses = WriteFailures::new(&world.console);
        losses.written(self.output.record.as_deref(), |path| {
            collection.write(path).map_err(ResultError::Record)
        });
        losses.written(self.output.html.as_deref(), |path| {
            console::write(path, &names::html(&collection))
                .map(drop)
                .map_err(|refusal| refusal.text)
        });
        let page = names::page(&collection);
        losses.print(&summary::of_all(&page, &collection, &world.console));
        let exit = match world.signals.received() {
            Some(signal) => signal.exit(),
            None if outcome.lost || !participants.absent.is_empty() => Exit::Failed,
            None => Exit::Ok,
        };
        summary::conclude_all(&page, &collection, exit, &world.console);
        losses.report(exit)
    }
}

fn usage(why: impl Display) -> Refusal {
    Refusal::usage(format!("error: {why}"))
}

fn failed(why: &str) -> Refusal {
    Refusal::failed(why)
}
