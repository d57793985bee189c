//! How figures changed over many runs of the same thing, and when: [`trend`].

use super::Input;
use super::change_points::change_points;
use super::document::{Finding, RunOf};
use super::figure::Figure;
use super::figured::RunFigures;
use super::judgement::{ALARMS, LEAST_ERRORS, LEAST_REPEATED};
use super::measured::{Measured, Point};
use super::mismatch::{Mismatch, is_of_machine, unlike};
use brunt_record::{HistogramError, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the format. A change that could break a reader raises the number.
pub const TREND_SCHEMA: &str = "brunt-trend/1";
/// The most runs that are analysed: the time of a test grows with the square of their number.
pub const RECORDS_MAX: usize = 500;
/// The figures that are followed. With more of them, each would need stronger evidence.
const FOLLOWED: [Figure; 5] =
    [Figure::Goodput, Figure::Errors, Figure::Mean, Figure::P50, Figure::P99];

/// Figures over many runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trend {
    /// `brunt-trend/1`.
    pub schema: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The directory.
    pub name: String,
    /// The runs, in the order in which they began.
    pub runs: Vec<RunOf>,
    /// How runs differ from the one before them.
    pub unlike: Vec<Mismatch>,
    /// The chance of reporting any change where there is none.
    pub alarms: f64,
    /// The figures.
    pub series: Vec<TrendSeries>,
}

/// One figure over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendSeries {
    /// The operation; null for the whole run.
    pub operation: Option<String>,
    /// Which figure.
    pub figure: Figure,
    /// The unit of the values: `per_second`, `share` or `us`.
    pub unit: String,
    /// The value of each run; null where a run has none, or is left out because its figures are about the generator or
    /// a part of the load.
    pub values: Vec<Option<f64>>,
    /// The levels, one after the other.
    pub levels: Vec<Level>,
    /// Where it changed.
    pub changes: Vec<Change>,
}

/// Runs between two changes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// The number of its first run, counted from 0.
    pub from: usize,
    /// The number of its last run.
    pub to: usize,
    /// The geometric mean of its runs; for shares, the mean.
    pub value: f64,
}

/// A change of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The number of the first run after it, counted from 0.
    pub run: usize,
    /// The file of that run.
    pub file: String,
    /// When that run began, in RFC 3339.
    pub started: String,
    /// The level before it.
    pub before: f64,
    /// The level after it.
    pub after: f64,
    /// By how much it changed, as a share of the level before; for errors the difference of the shares.
    pub change: f64,
    /// Worse or better.
    pub result: Finding,
}

impl Trend {
    /// The JSON schema of trends, as it is published.
    pub fn schema() -> String {
        brunt_record::schema_of::<Self>(TREND_SCHEMA)
    }

    /// All changes with the figure that changed, in the order of the runs.
    pub fn changes(&self) -> Vec<(&TrendSeries, &Change)> {
        let all = self.series.iter().flat_map(|of| of.changes.iter().map(move |it| (of, it)));
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|(_, change)| change.run);
        all
    }
}

/// Follows the figures of these runs, which are in the order in which they began.
pub fn trend(tool: Tool, name: &str, runs: &[Input]) -> Result<Trend, HistogramError> {
    let figured =
        runs.iter().map(|run| RunFigures::new(run).map(|figures| (run.name.clone(), figures)));
    Ok(trend_figured(tool, name, &figured.collect::<Result<Vec<_>, _>>()?))
}

/// The same for runs whose records were read before, each with its name.
pub fn trend_figured(tool: Tool, name: &str, runs: &[(String, RunFigures)]) -> Trend {
    let mut series = over_time(runs);
    let shown: Vec<RunOf> = runs.iter().map(|(name, run)| run.described(name)).collect();
    let varies =
        |of: &TrendSeries| of.values.iter().flatten().any(|value| Some(*value) != of.values[0]);
    let together = series.iter().filter(|series| varies(series)).count().max(1);
    for (number, of) in series.iter_mut().enumerate() {
        find(of, &shown, ALARMS / together as f64, number as u64);
    }
    let unlike = runs.windows(2).flat_map(|pair| {
        let [(_, before), (name, run)] = pair else { return Vec::new() };
        unlike(&before.likeness, (name.as_str(), &run.likeness))
    });
    let unlike = unlike.map(|found| {
        let refuses = found.refuses && !is_of_machine(&found);
        Mismatch { refuses, ..found }
    });
    Trend {
        schema: TREND_SCHEMA.to_owned(),
        tool,
        name: name.to_owned(),
        unlike: unlike.collect(),
        runs: shown,
        alarms: ALARMS,
        series,
    }
}

/// The figures that are followed, run by run.
fn over_time(runs: &[(String, RunFigures)]) -> Vec<TrendSeries> {
    let mut all: Vec<TrendSeries> = Vec::new();
    let definition = RunFigures::newest(runs.iter().map(|(_, run)| run));
    for (number, (_, run)) in runs.iter().enumerate().filter(|(_, (_, run))| !run.is_left_out()) {
        for measured in &run.comparable(definition) {
            for point in measured.points.iter().filter(|point| FOLLOWED.contains(&point.figure)) {
                let series = series_of(&mut all, measured, *point, runs.len());
                series.values[number] = Some(point.value);
            }
        }
    }
    all
}

fn series_of<'a>(
    all: &'a mut Vec<TrendSeries>,
    measured: &Measured,
    point: Point,
    runs: usize,
) -> &'a mut TrendSeries {
    let same = |series: &TrendSeries| {
        series.operation == measured.operation && series.figure == point.figure
    };
    let place = all.iter().position(same).unwrap_or(all.len());
    if place == all.len() {
        all.push(TrendSeries {
            operation: measured.operation.clone(),
            figure: point.figure,
            unit: point.figure.unit().to_owned(),
            values: vec![None; runs],
            levels: Vec::new(),
            changes: Vec::new(),
        });
    }
    &mut all[place]
}

/// The levels of a figure over runs, whose values are in the order in which they began. `chance` is the chance of
/// finding more than one in runs that have one level.
pub fn levels(figure: Figure, values: &[Option<f64>], chance: f64, seed: u64) -> Vec<Level> {
    let scaled = |value: f64| if figure.is_share() { value } else { value.max(1e-9).ln() };
    let known = values.iter().enumerate().filter_map(|(run, value)| Some((run, (*value)?)));
    let known: Vec<(usize, f64)> = known.map(|(run, value)| (run, scaled(value))).collect();
    let values: Vec<f64> = known.iter().map(|(_, value)| *value).collect();
    let mean =
        |from: usize, to: usize| values[from..to].iter().sum::<f64>() / (to - from).max(1) as f64;
    let mut bounds = vec![0];
    bounds.extend(change_points(&values, chance, seed));
    bounds.push(values.len());
    // If the spread changed and the level did not, or hardly, that is not reported as a change.
    let mut place = 1;
    while place + 1 < bounds.len() {
        let apart = mean(bounds[place], bounds[place + 1]) - mean(bounds[place - 1], bounds[place]);
        if matters(figure, apart) {
            place += 1;
        } else {
            bounds.remove(place);
        }
    }
    let shown = |scaled: f64| if figure.is_share() { scaled } else { scaled.exp() };
    let level = |pair: &[usize]| Level {
        from: known[pair[0]].0,
        to: known[pair[1] - 1].0,
        value: shown(mean(pair[0], pair[1])),
    };
    bounds.windows(2).filter(|pair| pair[1] > pair[0]).map(level).collect()
}

/// Finds the changes of a series and its levels.
fn find(series: &mut TrendSeries, runs: &[RunOf], chance: f64, seed: u64) {
    let figure = series.figure;
    series.levels = levels(figure, &series.values, chance, seed);
    for pair in series.levels.windows(2) {
        let (before, after) = (pair[0].value, pair[1].value);
        let run = &runs[pair[1].from];
        let more = after > before;
        series.changes.push(Change {
            run: pair[1].from,
            file: run.file.clone(),
            started: run.started.clone(),
            before,
            after,
            change: if figure.is_share() { after - before } else { after / before - 1.0 },
            result: if more == figure.more_is_better() { Finding::Better } else { Finding::Worse },
        });
    }
}

fn matters(figure: Figure, apart: f64) -> bool {
    if figure.is_share() {
        apart.abs() >= LEAST_ERRORS
    } else {
        apart.exp_m1().abs() >= LEAST_REPEATED
    }
}
