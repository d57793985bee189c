//! Compares sides figure by figure: [`compare`].

use super::Given;
use super::bootstrap::RESAMPLES;
use super::document::{COMPARISON_SCHEMA, Comparison, Difference, Finding, Pair, Side};
use super::figure::Figure;
use super::figured::{FiguredRun, FiguredSide, RunFigures};
use super::judgement::{ALARMS, Distance, Estimate, Sign, apart, sign};
use super::measured::{Measured, Point};
use super::mismatch::unlike;
use super::steps::Step;
use brunt_record::{HistogramError, Status, Tool};
use std::collections::BTreeSet;

/// A smaller change than this is a rounding error.
const NONE: f64 = 1e-9;

/// Compares each side except the first with the first. There are at least two, and each has at least one run.
pub fn compare(tool: Tool, sides: &[Given]) -> Result<Comparison, HistogramError> {
    let sides = sides.iter().map(FiguredSide::new).collect::<Result<Vec<_>, _>>()?;
    Ok(compare_figured(tool, &sides))
}

/// The same comparison for runs whose records were read before.
pub fn compare_figured(tool: Tool, sides: &[FiguredSide]) -> Comparison {
    let runs = || sides.iter().flat_map(|side| &side.runs);
    let unlike = runs().next().map(|first| {
        let other = |run: &FiguredRun| {
            unlike(&first.figures.likeness, (run.name.as_str(), &run.figures.likeness))
        };
        runs().flat_map(other).collect()
    });
    let shown: Vec<Side> =
        ('A'..='Z').zip(sides).map(|(letter, side)| described(letter, side)).collect();
    let definition = RunFigures::newest(runs().map(|run| &run.figures));
    let measured = sides.iter().enumerate().map(|(number, side)| {
        let comparable: Vec<Vec<Measured>> =
            side.runs.iter().map(|run| run.figures.comparable(definition)).collect();
        let varied = side.runs.iter().map(|run| run.steps.varied.as_slice());
        let runs = comparable.iter().map(Vec::as_slice).zip(varied);
        estimated(&runs.collect::<Vec<_>>(), number)
    });
    let measured: Vec<Estimates> = measured.collect();
    let trusted = shown.iter().flat_map(|side| &side.runs).all(|run| run.status == Status::Valid);
    Comparison {
        schema: COMPARISON_SCHEMA.to_owned(),
        tool,
        unlike: unlike.unwrap_or_default(),
        confidence: 1.0 - ALARMS,
        resamples: RESAMPLES as u64,
        trusted,
        pairs: pairs(&measured, &shown),
        sides: shown,
    }
}

fn described(letter: char, side: &FiguredSide) -> Side {
    let runs = side.runs.iter().map(|run| run.figures.described(&run.name)).collect();
    Side { letter: letter.to_string(), name: side.name.clone(), runs }
}

fn pairs(measured: &[Estimates], sides: &[Side]) -> Vec<Pair> {
    let Some((baseline, others)) = measured.split_first() else { return Vec::new() };
    let named = others.iter().zip(sides.iter().skip(1));
    named
        .map(|(other, side)| Pair {
            side: side.letter.clone(),
            ..pair(baseline, other, others.len())
        })
        .collect()
}

/// All figures of a side: for each, the values of all runs.
pub(super) type Estimates = Vec<Known>;

/// One figure of a side.
pub(super) struct Known {
    operation: Option<String>,
    figure: Figure,
    /// The values of the runs, and whether they are only bounds.
    points: Vec<Point>,
    estimates: Vec<Estimate>,
}

/// What is known of a run: the figures of the whole and of its operations, and how they varied.
pub(super) type OfRun<'a> = (&'a [Measured], &'a [Vec<Step>]);

/// The figures of a side over all its runs. Figures that some run does not have are left out.
pub(super) fn estimated(runs: &[OfRun<'_>], side: usize) -> Estimates {
    let mut all: Estimates = Vec::new();
    for (number, (measured, varied)) in runs.iter().enumerate() {
        for (place, (measured, steps)) in measured.iter().zip(*varied).enumerate() {
            let seed = (side as u64) << 48 | (number as u64) << 24 | place as u64;
            for (point, estimate) in measured.points.iter().zip(measured.estimates(steps, seed)) {
                let same = |known: &&mut Known| {
                    known.operation == measured.operation && known.figure == point.figure
                };
                match all.iter_mut().find(same) {
                    Some(known) => {
                        known.points.push(*point);
                        known.estimates.push(estimate);
                    }
                    None if number == 0 => all.push(Known {
                        operation: measured.operation.clone(),
                        figure: point.figure,
                        points: vec![*point],
                        estimates: vec![estimate],
                    }),
                    None => {}
                }
            }
        }
    }
    all.retain(|known| known.points.len() == runs.len());
    all
}

/// Two sides, as one of this many pairs.
pub(super) fn pair(baseline: &Estimates, other: &Estimates, pairs: usize) -> Pair {
    let same = |known: &Known| {
        let same =
            |found: &&Known| (&found.operation, found.figure) == (&known.operation, known.figure);
        other.iter().find(same)
    };
    let both: Vec<(&Known, &Known)> =
        baseline.iter().filter_map(|known| Some((known, same(known)?))).collect();
    let together = together(&both) * pairs;
    let figures = both.iter().filter_map(|(a, b)| difference(a, b, together));
    let figures: Vec<Difference> = figures.collect();
    let of_target = figures.iter().filter(|found| found.figure.is_of_target());
    let found: Vec<Finding> = of_target.map(|found| found.result).collect();
    let result = Finding::of_all(&found);
    Pair { side: String::new(), result, figures }
}

/// How many figures may raise an alarm. A figure that is the same number as another raises no alarm of its own (where
/// no exchange fails, goodput is the achieved rate), and a figure that did not change at all raises none.
fn together(both: &[(&Known, &Known)]) -> usize {
    let values = |known: &Known| -> Vec<u64> {
        known.estimates.iter().map(|estimate| estimate.value.to_bits()).collect()
    };
    let judged = both.iter().filter(|(a, b)| {
        let apart = apart(&a.estimates, &b.estimates, 1);
        apart.is_some_and(|apart| apart.interval.is_some() && apart.change.abs() > NONE)
    });
    judged.map(|(a, b)| (values(a), values(b))).collect::<BTreeSet<_>>().len()
}

fn difference(a: &Known, b: &Known, together: usize) -> Option<Difference> {
    let figure = a.figure;
    let apart = apart(&a.estimates, &b.estimates, together)?;
    let [baseline, value] = [a, b].map(Known::value);
    let bound = |known: &Known| known.points.iter().any(|point| point.at_least);
    let share = |change: f64| if figure.is_share() { change } else { change.exp_m1() };
    let changed = baseline > 0.0 || figure.is_share();
    Some(Difference {
        operation: a.operation.clone(),
        figure,
        unit: figure.unit().to_owned(),
        baseline,
        baseline_at_least: bound(a),
        value,
        value_at_least: bound(b),
        change: changed.then(|| share(apart.change)),
        interval: apart.interval.map(|(low, high)| [share(low), share(high)]),
        result: finding(figure, &apart, [bound(a), bound(b)]),
    })
}

fn finding(figure: Figure, apart: &Distance, bounds: [bool; 2]) -> Finding {
    let worse = match sign(figure, apart) {
        Sign::Same => return Finding::Same,
        Sign::Unknown => return Finding::Unknown,
        // A value that is only a lower bound may be greater, so it cannot be the lesser one.
        Sign::More if bounds[0] => return Finding::Unknown,
        Sign::Less if bounds[1] => return Finding::Unknown,
        Sign::More => !figure.more_is_better(),
        Sign::Less => figure.more_is_better(),
    };
    if worse { Finding::Worse } else { Finding::Better }
}

impl Known {
    /// The figure of the side: that of its run, or the mean of those of its runs on the scale on which they are
    /// compared.
    fn value(&self) -> f64 {
        if let [point] = self.points.as_slice() {
            return point.value;
        }
        let count = self.estimates.len() as f64;
        let mean = self.estimates.iter().map(|estimate| estimate.value).sum::<f64>() / count;
        if self.figure.is_share() { mean } else { mean.exp() }
    }
}
