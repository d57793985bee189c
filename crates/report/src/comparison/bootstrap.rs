//! How the figures of one run vary, by a circular block bootstrap over its steps: [`bootstrap`].
//!
//! Blocks of neighbouring steps are drawn with replacement until there are as many steps as the run had (Künsch 1989;
//! circular: Politis and Romano 1992). All figures of an operation are computed from the same draws.

use super::blocks::Blocks;
use super::figure::Figure;
use super::random::Random;
use super::ranks::Ranks;
use super::steps::{Step, series};

/// How many resamples are drawn of a run. The outermost of this many represent a chance of one in a thousand.
pub(super) const RESAMPLES: usize = 1_000;
/// Fewer steps than this cannot show how a figure varies.
pub(super) const STEPS_MIN: usize = 8;

/// How one figure of one run varies: for shares the differences, for all other figures the logarithms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spread {
    /// The square of the standard error.
    pub(super) variance: f64,
    /// How well that is known.
    pub(super) freedom: f64,
    /// The figure of each resample.
    pub(super) resamples: Vec<f64>,
}

/// How these figures vary, in their order; none for a figure whose variation the steps do not show.
pub(super) fn bootstrap(steps: &[Step], figures: &[Figure], seed: u64) -> Vec<Option<Spread>> {
    if steps.len() < STEPS_MIN {
        return vec![None; figures.len()];
    }
    let blocks = Blocks::new(steps.len(), &series(steps));
    let times =
        |of: fn(&Step) -> &brunt_record::Histogram| Ranks::new(steps.iter().map(of), blocks);
    let table = Table {
        sums: Sums::of_blocks(steps, blocks),
        response: times(|step| &step.response),
        service: times(|step| &step.service),
    };
    let mut random = Random::new(seed);
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(RESAMPLES); figures.len()];
    let mut starts = vec![0; blocks.count()];
    for _ in 0..RESAMPLES {
        for start in &mut starts {
            *start = random.below(steps.len());
        }
        let sums =
            starts.iter().fold(Sums::default(), |sums, start| sums.plus(&table.sums[*start]));
        for (figure, drawn) in figures.iter().zip(&mut drawn) {
            drawn.extend(table.figure(*figure, &sums, &starts).filter(|value| value.is_finite()));
        }
    }
    figures.iter().zip(drawn).map(|(figure, drawn)| spread(*figure, drawn, steps, blocks)).collect()
}

fn spread(figure: Figure, drawn: Vec<f64>, steps: &[Step], blocks: Blocks) -> Option<Spread> {
    if drawn.len() < RESAMPLES {
        return None;
    }
    let count = drawn.len() as f64;
    let mean = drawn.iter().sum::<f64>() / count;
    let squares: f64 = drawn.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = squares / (count - 1.0) * blocks.correction();
    let variance = if figure.is_share() { variance.max(of_few(steps)) } else { variance };
    Some(Spread { variance, freedom: blocks.freedom(), resamples: drawn })
}

/// The least variance of a share of errors: a run without errors may have been lucky.
fn of_few(steps: &[Step]) -> f64 {
    let missed: f64 = steps.iter().map(|step| step.missed).sum();
    let all: f64 = steps.iter().map(|step| step.ok + step.missed).sum();
    let share = (missed + 1.0) / (all + 2.0);
    share * (1.0 - share) / (all + 2.0)
}

/// The data from which resamples are computed.
struct Table {
    sums: Vec<Sums>,
    response: Ranks,
    service: Ranks,
}

impl Table {
    fn figure(&self, figure: Figure, sums: &Sums, starts: &[usize]) -> Option<f64> {
        if let Some((quantile, service)) = figure.quantile() {
            let ranks = if service { &self.service } else { &self.response };
            return ranks.quantile(starts, quantile);
        }
        let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        // Half an exchange represents none, which has no logarithm.
        let rate = |count: f64| Some(ratio(count.max(0.5), sums.seconds)?.ln());
        match figure {
            Figure::Achieved => rate(sums.answered),
            Figure::Goodput => rate(sums.ok),
            Figure::Errors => ratio(sums.missed, sums.ok + sums.missed),
            Figure::Cpu => Some(ratio(sums.cpu, sums.answered)?.ln()),
            Figure::Mean => Some(ratio(sums.response[0], sums.response[1])?.ln()),
            // Readings of the target are known only for whole runs.
            Figure::TargetCpu => None,
            _ => Some(ratio(sums.service[0], sums.service[1])?.ln()),
        }
    }
}

/// The sums over blocks.
#[derive(Clone, Debug, Default)]
struct Sums {
    seconds: f64,
    answered: f64,
    ok: f64,
    missed: f64,
    cpu: f64,
    /// The sum of the times, and how many there are.
    response: [f64; 2],
    service: [f64; 2],
}

impl Sums {
    /// The sums of the block that begins with each step.
    fn of_blocks(steps: &[Step], blocks: Blocks) -> Vec<Self> {
        let each: Vec<Self> = steps.iter().map(Self::from_step).collect();
        let block = |start: usize| {
            (start..start + blocks.length)
                .fold(Self::default(), |sums, step| sums.plus(&each[step % each.len()]))
        };
        (0..steps.len()).map(block).collect()
    }

    fn from_step(step: &Step) -> Self {
        let times = |of: &brunt_record::Histogram| [of.sum_nanos() as f64, of.count() as f64];
        Self {
            seconds: step.seconds,
            answered: step.answered,
            ok: step.ok,
            missed: step.missed,
            cpu: step.cpu,
            response: times(&step.response),
            service: times(&step.service),
        }
    }

    fn plus(self, other: &Self) -> Self {
        let both = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        Self {
            seconds: self.seconds + other.seconds,
            answered: self.answered + other.answered,
            ok: self.ok + other.ok,
            missed: self.missed + other.missed,
            cpu: self.cpu + other.cpu,
            response: both(self.response, other.response),
            service: both(self.service, other.service),
        }
    }
}
