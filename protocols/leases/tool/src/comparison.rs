//! [`Comparison`]: measures every store in every way, one phase after the other; each result is a cell.
//!
//! Stores take turns within a run, and runs follow each other, so that other activity on this machine affects all of
//! them equally. Tables are created again for each store in each way. A phase uses the leases that the one before left;
//! if that left gaps, because something failed, the table is filled again before it is searched.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use brunt_engine::{Settings, Stop, Urgency};
use brunt_exchange::Class;
use brunt_leases_driver::{
    Backend, BackendError, Draw, Durability, Lease, Leases, Search, Statements, Work,
};
use brunt_net::Network;
use brunt_record::{Cell, Collection, Interval, Slo};
use brunt_run::World;
use brunt_run::options::output::Output;

use super::comparison_settings::{ComparisonSettings, LeaseTasks};
use super::events::Events;
use super::held::Held;
use super::phase::{Done, EPOCH, Phase};
use super::rows::{Effect, Rows};
use super::screen::Screen;
use super::secrets::Secrets;
use super::store::{Location, Store, StoreError, StoreOptions};
use super::store_directory::StoreDirectory;
use super::tally::Tally;
use super::words;
use crate::options::leases::PhaseChoice;

/// What a comparison needs besides the command line.
pub(crate) struct Comparison<'a> {
    pub requested: &'a ComparisonSettings,
    pub secrets: &'a Secrets,
    pub grounds: StoreDirectory,
    pub may_destroy: bool,
    pub keep: bool,
    pub flush: Option<u8>,
    pub seed: u64,
    pub objectives: &'a [Slo],
    /// The output options of each run.
    pub output: Output,
    pub world: &'a World,
    /// How stores are reached.
    pub network: &'a Network,
    pub stop: Stop,
    pub screen: Screen,
    pub collection: Collection,
    pub events: Events,
    pub tally: Tally,
}

/// Why a store was not measured to the end.
#[derive(Debug, thiserror::Error)]
enum WayError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("it contains no lease to {0}")]
    NoLease(&'static str),
}

/// A store in one way.
#[derive(Clone, Copy)]
struct Way<'a> {
    run: u32,
    store: &'a Store,
    durability: Durability,
    statements: Statements,
    /// Whether this is the last use of this store.
    last: bool,
}

/// The contents of a store between phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Contents {
    /// The number of leases.
    rows: u64,
    /// The first number that exists, if all that follow exist as well.
    first: Option<u64>,
}

/// Why a store cannot be used.
pub(crate) enum Unusable {
    /// It contains data of another owner.
    Occupied(String),
    /// Any other reason.
    Failed(String),
}

impl Comparison<'_> {
    /// How many phases there are in all.
    pub(crate) fn phases(requested: &ComparisonSettings) -> usize {
        let phases = match &requested.work {
            LeaseTasks::Phases(phases) => phases.len(),
            LeaseTasks::Mix(_) => 1,
        };
        ways(requested).len() * phases
    }

    /// Checks, before anything is measured, that every store exists and may be used, and identifies it.
    pub(crate) fn prove(&mut self) -> Result<(), Unusable> {
        for store in &self.requested.stores {
            for durability in &self.requested.durabilities {
                if self.stop.urgency() != Urgency::Run {
                    return Ok(());
                }
                let way = Way {
                    run: 0,
                    store,
                    durability: *durability,
                    statements: self.requested.statements[0],
                    last: false,
                };
                let backend = self.backend(way);
                let word = store.kind.word();
                let held = Held::prepare(Arc::clone(&backend), false, &self.world.console)
                    .map_err(|failure| {
                        let text = format!("{word}: failed to {failure}");
                        if failure.class == Class::Check {
                            Unusable::Occupied(text)
                        } else {
                            Unusable::Failed(text)
                        }
                    })?;
                let failed = |failure: BackendError| {
                    Unusable::Failed(format!("{word}: failed to {failure}"))
                };
                let facts = &mut self.collection.facts;
                facts.insert(format!("version/{word}"), backend.version().map_err(failed)?);
                let name = format!("durability/{word}/{}", words::durability_word(*durability));
                facts.insert(name, backend.durability());
                drop(held);
            }
        }
        Ok(())
    }

    /// Makes all measurements, until the user ends them.
    pub(crate) fn carry_out(&mut self) {
        self.events.begin(&self.collection);
        for way in ways(self.requested) {
            if self.stop.urgency() != Urgency::Run {
                break;
            }
            if let Err(why) = self.one_way(way) {
                self.screen.clear();
                self.world.console.note(&format!("{}: {why}", self.title(way)));
                self.tally.broken = true;
            }
        }
        self.screen.clear();
    }

    fn one_way(&mut self, way: Way<'_>) -> Result<(), WayError> {
        let backend = self.backend(way);
        let keep = self.keep && (way.last || way.store.place == Location::Temporary);
        let held = Held::prepare(Arc::clone(&backend), keep, &self.world.console)
            .map_err(StoreError::from)?;
        let requested = self.requested;
        match &requested.work {
            LeaseTasks::Mix(weights) => {
                let rows = requested.preload.unwrap_or(0);
                self.fill(&held, way, rows)?;
                let mix = requested.mix(weights, rows);
                let before = Contents { rows, first: None };
                // No phase follows, so an unusable store does not matter.
                let _ = self.phase(&held, way, "mix", (Work::Mix(mix), Effect::Mixes), before);
            }
            LeaseTasks::Phases(phases) => self.phases_of(&held, way, phases)?,
        }
        Ok(())
    }

    fn phases_of(
        &mut self,
        held: &Held,
        way: Way<'_>,
        phases: &[PhaseChoice],
    ) -> Result<(), WayError> {
        let requested = self.requested;
        let rows = match phases.first() {
            Some(PhaseChoice::Create) => requested.preload.unwrap_or(0),
            _ => requested.population(way.durability),
        };
        self.fill(held, way, rows)?;
        let mut there = Contents { rows, first: Some(0) };
        for phase in phases {
            if self.stop.urgency() != Urgency::Run {
                break;
            }
            let gaps = there.first.is_none_or(|first| first > 0 && *phase != PhaseChoice::Delete);
            if gaps {
                held.again().map_err(StoreError::from)?;
                self.fill(held, way, there.rows)?;
                there.first = Some(0);
            }
            let first = there.first.unwrap_or(0);
            let (work, effect) = match phase {
                PhaseChoice::Create => (Work::Create { first: first + there.rows }, Effect::Grows),
                PhaseChoice::Search => {
                    let draw = Draw::Ratio(requested.hit_ratio);
                    (
                        Work::Search(Search { population: there.rows, by: requested.by, draw }),
                        Effect::Keeps,
                    )
                }
                PhaseChoice::Update => (Work::Update { population: there.rows }, Effect::Keeps),
                PhaseChoice::Delete => (Work::Delete { first }, Effect::Shrinks),
            };
            if there.rows == 0 && matches!(phase, PhaseChoice::Update | PhaseChoice::Delete) {
                return Err(WayError::NoLease(words::name_of(*phase)));
            }
            match self.phase(held, way, words::name_of(*phase), (work, effect), there) {
                ControlFlow::Continue(after) => there = after,
                ControlFlow::Break(()) => break,
            }
        }
        Ok(())
    }

    /// Carries one phase out and makes a cell of it; returns whether the store can still be used, and its contents.
    fn phase(
        &mut self,
        held: &Held,
        way: Way<'_>,
        name: &str,
        (work, effect): (Work, Effect),
        before: Contents,
    ) -> ControlFlow<(), Contents> {
        let requested = self.requested;
        let group = requested.group;
        let mut operations = requested.operations(way.durability);
        let mut settings = self.settings();
        if effect == Effect::Shrinks {
            // No more leases can be deleted than exist, and none are left for a warm-up.
            operations = Some(operations.map_or(before.rows, |count| count.min(before.rows)));
            settings.warm_up = Duration::ZERO;
        }
        let title = format!("{} {name}, run {}", self.title(way), way.run);
        let output = Output {
            title: Some(format!("leases: {title}")),
            among: self.events.shared(),
            ..self.output.clone()
        };
        let labels = self.labels(way, name);
        self.events.cell(&labels);
        self.screen.phase(title, operations, requested.duration);
        let phase = Phase {
            work,
            operations,
            group,
            leases: self.leases(),
            settings,
            backend: &held.backend,
            resend: requested.resend,
            marks: None,
            command: self.collection.command.clone(),
            target: way.store.target(),
            network: self.network.clone(),
            output,
            objectives: self.objectives_of(name),
        };
        let screen = &mut self.screen;
        let mut show = |interval: &Interval| screen.interval(interval, group);
        let done = match phase.carry_out(self.world, &mut show) {
            Ok(done) => done,
            Err(why) => {
                self.tally.broken = true;
                self.screen.clear();
                self.world.console.note(&format!("{}: {name}: {why}", self.title(way)));
                return ControlFlow::Break(());
            }
        };
        self.events.run(&done.finished.losses);
        if done.finished.aborted.is_some() {
            self.tally.aborted = true;
            self.stop.request();
        }
        let mut cell = self.cell(labels, &done);
        let contents = self.counted(held, (&done, effect), before, &mut cell);
        self.screen.clear();
        for note in &cell.notes {
            self.world.console.note(&format!(
                "{} {name}, run {}: {note}",
                self.title(way),
                way.run
            ));
        }
        self.events.cell_end(&cell);
        self.collection.cells.push(cell);
        contents.map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }

    /// The contents of the store after a phase; none if they could not be counted. The cell says what is wrong with it.
    fn counted(
        &mut self,
        held: &Held,
        (done, effect): (&Done, Effect),
        before: Contents,
        cell: &mut Cell,
    ) -> Option<Contents> {
        let expected = Rows::after(done, effect, before.rows, self.requested.group);
        match held.backend.count() {
            Err(failure) => {
                self.tally.uncounted = true;
                cell.notes.push(format!("its leases could not be counted: failed to {failure}"));
                cell.figures.insert("invalid".to_owned(), 1.0);
                None
            }
            Ok(rows) => {
                cell.figures.insert("rows_after".to_owned(), rows as f64);
                if let Some(objection) = expected.objection(rows) {
                    self.tally.wrong = true;
                    cell.figures.insert("invalid".to_owned(), 1.0);
                    cell.notes.push(objection);
                }
                Some(self.contents(done, effect, before, rows))
            }
        }
    }

    /// The contents of the store now. Which leases exist is known only if every planned exchange did its work.
    fn contents(&self, done: &Done, effect: Effect, before: Contents, rows: u64) -> Contents {
        let brunt_engine::Finished { counts, ended, .. } = done.finished.engine;
        let whole = counts.planned == counts.ok
            && (ended == brunt_engine::Ended::Count || self.requested.workers == 1);
        let first = match (effect, before.first) {
            (Effect::Keeps, first) => first,
            (Effect::Grows, Some(first)) if whole && rows >= before.rows => Some(first),
            (Effect::Shrinks, Some(first)) if whole => {
                Some(first + before.rows.saturating_sub(rows))
            }
            _ => None,
        };
        Contents { rows, first }
    }

    fn cell(&mut self, labels: Vec<(&'static str, String)>, done: &Done) -> Cell {
        let requested = self.requested;
        let mut cell = Cell::new(labels);
        let seconds = done.lasted().as_secs_f64();
        let operations = done.operations(requested.group);
        cell.figures.insert("operations".to_owned(), operations as f64);
        cell.figures.insert("seconds".to_owned(), seconds);
        if seconds > 0.0 {
            cell.figures.insert("rate".to_owned(), operations as f64 / seconds);
        }
        self.tally.record(done.record());
        cell.record = Some(Box::new(done.record().clone()));
        let counts = done.finished.engine.counts;
        let failures = counts.failed + counts.timed_out;
        if failures > 0 {
            let words =
                done.first_failure().map_or(String::new(), |text| format!(", the first: {text}"));
            cell.notes.push(format!("{failures} of {} operations failed{words}", counts.sent));
        }
        cell
    }

    /// The objectives that apply to a phase.
    fn objectives_of(&self, phase: &str) -> Vec<Slo> {
        let of_phase = |slo: &&Slo| phase == "mix" || slo.check([phase]).is_ok();
        self.objectives.iter().filter(of_phase).cloned().collect()
    }

    fn labels(&self, way: Way<'_>, name: &str) -> Vec<(&'static str, String)> {
        let requested = self.requested;
        let mut labels = vec![
            ("store", way.store.kind.word().to_owned()),
            ("durability", words::durability_word(way.durability).to_owned()),
            ("statements", statements_word(way).to_owned()),
            ("phase", name.to_owned()),
            ("run", way.run.to_string()),
            ("schema", words::schema_word(requested.schema).to_owned()),
            ("family", words::family_word(requested.family).to_owned()),
            ("group", requested.group.to_string()),
            ("workers", requested.workers.to_string()),
            ("rate", requested.rate.clone()),
        ];
        if name == "search" || name == "mix" {
            labels.push(("by", words::by_word(requested.by).to_owned()));
        }
        labels
    }

    /// Writes the leases that exist before anything is measured; fewer if the user ends it.
    fn fill(&mut self, held: &Held, way: Way<'_>, number: u64) -> Result<(), StoreError> {
        if number == 0 {
            return Ok(());
        }
        let title = self.title(way);
        self.screen.load(&title, number);
        let (leases, stop, screen) = (self.leases(), &self.stop, &mut self.screen);
        let mut all = (0..number).map_while(|number| -> Option<Lease> {
            screen.loaded();
            (stop.urgency() == Urgency::Run).then(|| leases.lease(number))
        });
        Ok(held.backend.preload(&mut all)?)
    }

    fn backend(&mut self, way: Way<'_>) -> Arc<dyn Backend> {
        let file = match way.store.place {
            Location::Temporary => self.grounds.file(way.store.kind.file_name()),
            _ => PathBuf::new(),
        };
        let store_options = StoreOptions {
            network: self.network,
            schema: self.requested.schema,
            family: self.requested.family,
            durability: way.durability,
            statements: way.statements,
            may_destroy: self.may_destroy,
            password: self.secrets.of(way.store),
            user: self.secrets.user(),
            timeout: self.requested.timeout,
            flush: self.flush,
        };
        way.store.backend(&store_options, &file)
    }

    fn leases(&self) -> Leases {
        Leases { family: self.requested.family, contents: self.requested.contents, epoch: EPOCH }
    }

    fn settings(&self) -> Settings {
        let ComparisonSettings { settings, interval, .. } = self.requested;
        Settings { interval: *interval, seed: self.seed, ..settings.clone() }
    }

    fn title(&self, way: Way<'_>) -> String {
        let mut title =
            format!("{}, {}", way.store.kind.word(), words::durability_word(way.durability));
        if self.requested.statements.len() > 1 && way.store.kind.has_statements() {
            title.push_str(", ");
            title.push_str(statements_word(way));
        }
        title
    }
}

/// Every store in every way, in the order of measurement.
fn ways(requested: &ComparisonSettings) -> Vec<Way<'_>> {
    let mut ways: Vec<Way<'_>> = Vec::new();
    for run in 1..=requested.runs {
        for durability in &requested.durabilities {
            for statements in &requested.statements {
                for store in &requested.stores {
                    if store.kind.has_statements() || *statements == requested.statements[0] {
                        ways.push(Way {
                            run,
                            store,
                            durability: *durability,
                            statements: *statements,
                            last: false,
                        });
                    }
                }
            }
        }
    }
    for store in &requested.stores {
        if let Some(way) = ways.iter_mut().rev().find(|way| way.store.kind == store.kind) {
            way.last = true;
        }
    }
    ways
}

fn statements_word(way: Way<'_>) -> &'static str {
    match way.statements {
        _ if !way.store.kind.has_statements() => "none",
        Statements::Prepared => "prepared",
        Statements::Basic => "basic",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::leases::LeasesArgs;
    use crate::store::Kind;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        leases: LeasesArgs,
    }

    fn requested(line: &str) -> ComparisonSettings {
        let words = std::iter::once("leases").chain(line.split_whitespace());
        ComparisonSettings::new(
            &Line::try_parse_from(words).unwrap().leases,
            &brunt_run::Files::default(),
        )
        .unwrap()
    }

    #[test]
    fn store_without_statements_is_measured_once() {
        let requested = requested("sqlite memfile --statements both --runs 2");
        let ways = ways(&requested);
        let of = |kind: Kind| ways.iter().filter(|way| way.store.kind == kind).count();
        assert_eq!((of(Kind::Sqlite), of(Kind::Memfile)), (2 * 2 * 2, 2 * 2));
        assert_eq!(Comparison::phases(&requested), (8 + 4) * 4);
        // Each store has one last way, and runs follow each other.
        assert_eq!(ways.iter().filter(|way| way.last).count(), 2);
        assert!(ways.windows(2).all(|pair| pair[0].run <= pair[1].run));
    }

    #[test]
    fn guide_epoch_equals_the_original() {
        let epoch = jiff::Timestamp::from_second(EPOCH).unwrap().to_string();
        assert_eq!(epoch, "2012-07-11T15:43:00Z");
    }
}
