//! The cells of a comparison of stores, grouped: the runs of the same thing.
//!
//! Everything that a report says about such a group is computed here from its [`Runs`], so that no table computes a
//! rate in its own way.

use brunt_record::{Cell, Collection, Histogram, OperationRecord, Record, Status};
use brunt_report::cells;
use brunt_report::{median, spread};
use std::collections::BTreeMap;

/// Labels that every report of stores handles separately.
const OWN: [&str; 5] = ["run", "store", "phase", "durability", "statements"];

/// The runs of one store, one phase and one setting.
#[derive(Clone, Debug)]
pub(super) struct Runs<'a> {
    labels: BTreeMap<&'a str, &'a str>,
    /// The cells, one for each run.
    pub cells: Vec<&'a Cell>,
}

/// All runs of a collection, ordered by store, otherwise in the order of first appearance.
pub(super) fn all(collection: &Collection) -> Vec<Runs<'_>> {
    let mut all: Vec<Runs<'_>> = Vec::new();
    for cell in &collection.cells {
        let labels = cell.labels.iter().filter(|(key, _)| *key != "run");
        let labels: BTreeMap<_, _> =
            labels.map(|(key, value)| (key.as_str(), value.as_str())).collect();
        match all.iter_mut().find(|runs| runs.labels == labels) {
            Some(runs) => runs.cells.push(cell),
            None => all.push(Runs { labels, cells: vec![cell] }),
        }
    }
    let stores = collection.values("store");
    all.sort_by_key(|runs| stores.iter().position(|store| *store == runs.label("store")));
    all
}

impl<'a> Runs<'a> {
    /// The value of a label; nothing where there is none.
    pub(super) fn label(&self, key: &str) -> &'a str {
        self.labels.get(key).copied().unwrap_or_default()
    }

    /// The labels without these.
    pub(super) fn without(&self, keys: &[&str]) -> BTreeMap<&'a str, &'a str> {
        let mut labels = self.labels.clone();
        labels.retain(|key, _| !keys.contains(key));
        labels
    }

    /// The same without the runs that did not complete.
    pub(super) fn completed(&self) -> Self {
        let cells = self.cells.iter().copied().filter(|cell| is_complete(cell));
        Self { labels: self.labels.clone(), cells: cells.collect() }
    }

    /// The figure of this name of each run that has it.
    pub(super) fn figures(&self, name: &str) -> Vec<f64> {
        self.cells.iter().filter_map(|cell| cell.figure(name)).collect()
    }

    /// Operations a second of each run.
    pub(super) fn rates(&self) -> Vec<f64> {
        self.cells.iter().filter_map(|cell| rate(cell)).collect()
    }

    /// Operations a second: the median of the runs.
    pub(super) fn rate(&self) -> Option<f64> {
        median(&self.rates())
    }

    /// How far apart the rates of the runs are.
    pub(super) fn spread(&self) -> Option<f64> {
        spread(&self.rates())
    }

    /// The mean of a figure over the runs, as the guide takes it.
    pub(super) fn mean(&self, name: &str) -> Option<f64> {
        let figures = self.figures(name);
        (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
    }

    /// The response times of all runs together; of one operation only, where one is named.
    pub(super) fn responses(&self, operation: Option<&str>) -> Histogram {
        let mut all = Histogram::new();
        for record in self.cells.iter().filter_map(|cell| cell.record.as_ref()) {
            match operation {
                None => all.merge(&cells::responses(record)),
                Some(name) => {
                    let of_name = record.operations.iter().find(|found| found.name == name);
                    if let Some(Ok(times)) = of_name.map(|found| found.response.histogram()) {
                        all.merge(&times);
                    }
                }
            }
        }
        all
    }

    /// The operations of the runs, where a phase has several: a mix.
    pub(super) fn operations(&self) -> Vec<&'a str> {
        let records = self.cells.iter().filter_map(|cell| cell.record.as_ref());
        let took_place = |operation: &&OperationRecord| operation.counts.planned > 0;
        let mut names: Vec<&str> = Vec::new();
        for operation in records.flat_map(|record| record.operations.iter().filter(took_place)) {
            if !names.contains(&operation.name.as_str()) {
                names.push(&operation.name);
            }
        }
        if names.len() > 1 { names } else { Vec::new() }
    }

    /// Operations of this name a second, of each run.
    pub(super) fn rates_of(&self, operation: &str) -> Vec<f64> {
        let records = self.cells.iter().filter_map(|cell| cell.record.as_ref());
        let found = records.filter_map(|record| {
            record.operations.iter().find(|found| found.name == operation)?.achieved
        });
        found.collect()
    }

    /// The worst verdict of the runs, if any run was judged.
    pub(super) fn status(&self) -> Option<Status> {
        let records = self.cells.iter().filter_map(|cell| cell.record.as_ref());
        records.map(|record| record.verdict.status).max()
    }
}

/// Whether a run completed: nothing failed, nothing was cut short, and the store has the leases it should.
fn is_complete(cell: &Cell) -> bool {
    let cut_short = |record: &Record| {
        record.counts.errors() > 0
            || record.verdict.reasons.iter().any(|reason| reason.status == Status::Partial)
    };
    cell.figure("invalid").is_none_or(|invalid| invalid == 0.0)
        && !cell.record.as_deref().is_some_and(cut_short)
}

/// Operations a second of the whole phase.
fn rate(cell: &Cell) -> Option<f64> {
    let whole = || Some(cell.figure("operations")? / cell.figure("seconds")?);
    let achieved = || cell.record.as_ref()?.rates.achieved;
    let rate = cell.figure("rate").or_else(whole).or_else(achieved);
    rate.filter(|rate| rate.is_finite())
}

/// The names of the labels of a collection, and which of them distinguish its cells.
#[derive(Clone, Debug)]
pub(super) struct Naming<'a> {
    collection: &'a Collection,
    /// The labels beside [`OWN`] that have more than one value.
    pub varied: Vec<&'a str>,
    /// Whether statements were both prepared and not.
    pub both_statements: bool,
}

impl<'a> Naming<'a> {
    /// The naming of a collection.
    pub(super) fn new(collection: &'a Collection) -> Self {
        let keys = collection.cells.iter().flat_map(|cell| cell.labels.keys()).map(String::as_str);
        let mut varied: Vec<&str> = Vec::new();
        for key in keys.filter(|key| !OWN.contains(key)) {
            if !varied.contains(&key) && collection.values(key).len() > 1 {
                varied.push(key);
            }
        }
        let statements = collection.values("statements");
        let both_statements = ["basic", "prepared"].iter().all(|way| statements.contains(way));
        Self { collection, varied, both_statements }
    }

    /// Labels beside [`OWN`] that have the same value everywhere, with that value.
    pub(super) fn constant(&self) -> Vec<(&'a str, &'a str)> {
        let mut constant: Vec<(&str, &str)> = Vec::new();
        for (key, value) in self.collection.cells.iter().flat_map(|cell| &cell.labels) {
            let known = constant.iter().any(|(known, _)| known == key);
            let own = OWN.contains(&key.as_str()) || self.varied.contains(&key.as_str());
            if !known && !own {
                constant.push((key, value));
            }
        }
        constant
    }

    /// The name of a store. A store that speaks MySQL's protocol and reports that it is MariaDB has that name.
    pub(super) fn store(&self, key: &'a str) -> &'a str {
        let version = self.collection.facts.get(&format!("version/{key}"));
        match key {
            "mysql" if version.is_some_and(|version| version.contains("MariaDB")) => "MariaDB",
            "mysql" => "MySQL",
            "sqlite" => "SQLite",
            "postgres" => "PostgreSQL",
            other => other,
        }
    }

    /// The description of these runs for a sentence: `SQLite, sync, prepared, create`.
    pub(super) fn of(&self, runs: &Runs<'a>) -> String {
        let mut words = vec![self.store(runs.label("store")).to_owned()];
        let statements = (self.both_statements && runs.label("statements") != "none")
            .then(|| runs.label("statements"));
        let own = [Some(runs.label("durability")), statements, Some(runs.label("phase"))];
        words.extend(own.into_iter().flatten().filter(|w| !w.is_empty()).map(str::to_owned));
        let varied = self.varied.iter().filter(|key| !runs.label(key).is_empty());
        words.extend(varied.map(|key| format!("{key} {}", runs.label(key))));
        words.join(", ")
    }
}
