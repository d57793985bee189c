//! What a steady run must meet: [`Goals`] as the user wrote them, [`Objectives`] once they can be counted.
//!
//! A goal may name its limit relative to the unloaded run (`p99<5x`), which is known only after the baseline. Two
//! goals are added unless they are given: a target does not sustain a rate at which a tenth of a percent of exchanges
//! fails, or a hundredth is never completed, whatever the percentiles of the rest. Those are *guards*: they can fail a
//! step, but need not be shown to be met, since that takes fifty thousand exchanges.

use crate::second::{Second, Tally};
use brunt_record::verdict::{STEAL_SHARE, THROTTLED_SHARE};
use brunt_record::{
    Allowance, Bad, Health, Histogram, Interval, Machine, Slo, SloError, StepRecord,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// The guards that are added unless objectives of their kind are given.
pub const GUARDS: [&str; 2] = ["errors<0.1%", "achieved>=99%"];

/// Why a text is not a goal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// It is no objective, or not one that allows a share.
    #[error(transparent)]
    Objective(#[from] SloError),
    /// There is no goal at all.
    #[error("search without an objective: give one such as --slo 'p99<20ms'")]
    None,
    /// The factor of a relative goal is not valid.
    #[error(
        "read the objective {0:?}: write how many times the unloaded run's figure it may be, such as p99<5x; the \
         factor must be above 1, and the figure a percentile or the mean"
    )]
    Factor(String),
    /// The unloaded run measured no figure that a goal is relative to.
    #[error(
        "resolve the objective {0:?}: the unloaded run measured no such figure; give a time, such as p99<20ms"
    )]
    Unmeasured(String),
}

/// A goal as the user wrote it.
#[derive(Clone, Debug, PartialEq)]
enum Goal {
    Fixed(Slo),
    /// A multiple of a figure of the unloaded run.
    Relative {
        text: String,
        figure: String,
        factor: f64,
    },
}

/// The goals, before the unloaded run is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Goals {
    given: Vec<Goal>,
    guards: Vec<Slo>,
}

impl Goals {
    /// Reads goals, and adds the guards that are missing among them.
    pub fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Self, GoalError> {
        let given: Vec<Goal> =
            texts.into_iter().map(|text| goal(text.as_ref())).collect::<Result<_, _>>()?;
        if given.is_empty() {
            return Err(GoalError::None);
        }
        let mut goals = Self { given, guards: Vec::new() };
        for guard in GUARDS {
            goals.guard(guard)?;
        }
        Ok(goals)
    }

    /// Adds a guard, unless a goal of its kind is given for the whole run.
    pub fn guard(&mut self, text: &str) -> Result<(), GoalError> {
        let slo: Slo = text.parse()?;
        let bad = slo.allowance()?.bad;
        let same =
            |other: &Slo| other.allowance().is_ok_and(|it| it.operation.is_none() && it.bad == bad);
        let given = self.given.iter().any(|goal| matches!(goal, Goal::Fixed(slo) if same(slo)));
        if !given && !self.guards.iter().any(same) {
            self.guards.push(slo);
        }
        Ok(())
    }

    /// The goals that were given, as they were written.
    pub fn given(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|goal| match goal {
            Goal::Fixed(slo) => slo.text(),
            Goal::Relative { text, .. } => text,
        })
    }

    /// The guards that were added.
    pub fn added(&self) -> impl Iterator<Item = &str> {
        self.guards.iter().map(Slo::text)
    }

    /// The figures that goals are relative to, such as `bind.p99`. [`Measured::new`](crate::Measured::new) reads them.
    pub fn relative_to(&self) -> Vec<String> {
        let figures = self.given.iter().filter_map(|goal| match goal {
            Goal::Fixed(_) => None,
            Goal::Relative { figure, .. } => Some(figure.clone()),
        });
        figures.collect()
    }

    /// Checks that these goals can be judged in a run that measures operations and spans of these names.
    pub fn check(&self, operations: &[&str]) -> Result<(), GoalError> {
        let operations = || operations.iter().copied();
        for goal in &self.given {
            match goal {
                Goal::Fixed(slo) => slo.check(operations())?,
                Goal::Relative { figure, .. } => {
                    limit(figure, 1.0)?.check(operations())?;
                }
            }
        }
        Ok(())
    }

    /// The objectives that can be judged before the unloaded run: the goals that are not relative, and the guards.
    pub fn fixed(&self) -> Objectives {
        let given = self.given.iter().filter_map(|goal| match goal {
            Goal::Fixed(slo) => Some(slo.clone()),
            Goal::Relative { .. } => None,
        });
        Objectives::new(given, self.guards.iter().cloned())
    }

    /// The objectives, with the figures of the unloaded run, in seconds.
    pub fn resolve(&self, unloaded: &BTreeMap<String, f64>) -> Result<Objectives, GoalError> {
        let given = self.given.iter().map(|goal| match goal {
            Goal::Fixed(slo) => Ok(slo.clone()),
            Goal::Relative { text, figure, factor } => {
                let seconds = unloaded.get(figure).copied().filter(|seconds| *seconds > 0.0);
                let seconds = seconds.ok_or_else(|| GoalError::Unmeasured(text.clone()))?;
                Ok(limit(figure, factor * seconds)?)
            }
        });
        let given: Vec<Slo> = given.collect::<Result<_, GoalError>>()?;
        Ok(Objectives::new(given, self.guards.iter().cloned()))
    }
}

fn goal(text: &str) -> Result<Goal, GoalError> {
    let wrong = || GoalError::Factor(text.to_owned());
    let Some(before) = text.trim().strip_suffix(['x', 'X']) else {
        let slo: Slo = text.parse()?;
        slo.allowance()?;
        return Ok(Goal::Fixed(slo));
    };
    let (figure, factor) = before.split_once('<').ok_or_else(wrong)?;
    let factor: f64 = factor.trim_start_matches('=').trim().parse().map_err(|_| wrong())?;
    if !factor.is_finite() || factor <= 1.0 {
        return Err(wrong());
    }
    let figure = figure.trim().to_owned();
    limit(&figure, 1.0).map_err(|_| wrong())?;
    Ok(Goal::Relative { text: text.trim().to_owned(), figure, factor })
}

/// The objective that a figure stays below this number of seconds.
fn limit(figure: &str, seconds: f64) -> Result<Slo, SloError> {
    let slo: Slo = format!("{figure}<{:.3}ms", seconds * 1e3).parse()?;
    slo.allowance()?;
    Ok(slo)
}

/// One objective that can be counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// The objective.
    pub slo: Slo,
    /// What it allows.
    pub allowance: Allowance,
    /// Whether it was added as a guard: it can fail a step, and need not be shown to be met.
    pub guard: bool,
}

/// Objectives that can be counted second by second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objectives(Vec<Objective>);

impl<'a> IntoIterator for &'a Objectives {
    type Item = &'a Objective;
    type IntoIter = std::slice::Iter<'a, Objective>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Objectives {
    /// Objectives that must be shown to be met, and guards. Those that allow no share were refused before, and are left
    /// out.
    pub fn new(
        given: impl IntoIterator<Item = Slo>,
        guards: impl IntoIterator<Item = Slo>,
    ) -> Self {
        let given = given.into_iter().map(|slo| (slo, false));
        let all = given.chain(guards.into_iter().map(|slo| (slo, true)));
        let counted = all.filter_map(|(slo, guard)| {
            let allowance = slo.allowance().ok()?;
            Some(Objective { slo, allowance, guard })
        });
        Self(counted.collect())
    }

    /// The objectives, in the order of a second's tallies.
    pub fn iter(&self) -> std::slice::Iter<'_, Objective> {
        self.0.iter()
    }

    /// The tallies of an interval for these objectives. `names` are those of its operations, followed by those of its
    /// spans.
    pub fn second(&self, interval: &Interval, names: &[String]) -> Second {
        let operations = interval.operations.len();
        let ended: Vec<Ended> = (interval.measured().zip(names))
            .map(|((number, of), name)| Ended {
                name,
                is_span: number >= operations,
                counts: of.counts,
                response: of.response.answered(),
                service: of.service.clone(),
            })
            .collect();
        let disturbed = is_disturbed(&interval.health);
        Second { disturbed, ..self.counted(interval.lasted(), interval.dropped, &ended) }
    }

    /// The tallies of a step of a record for these objectives. A record does not show in which steps the generator was
    /// kept from running.
    ///
    /// # Errors
    /// If a histogram of the record cannot be read.
    pub fn of_step(
        &self,
        step: &StepRecord,
        names: &[String],
    ) -> Result<Second, brunt_record::HistogramError> {
        let operations = step.operations.len();
        let measured = step.operations.iter().chain(&step.spans).zip(names).enumerate();
        let ended = measured.map(|(number, (of, name))| {
            let (response, service) = (of.response.waits()?.known, of.service.waits()?.known);
            let is_span = number >= operations;
            Ok(Ended { name, is_span, counts: of.counts, response, service })
        });
        let ended: Vec<Ended> = ended.collect::<Result<_, brunt_record::HistogramError>>()?;
        let lasted = Duration::from_secs_f64((step.to_s - step.from_s).max(0.0));
        Ok(self.counted(lasted, step.ended.dropped, &ended))
    }

    fn counted(&self, lasted: Duration, dropped: u64, ended: &[Ended<'_>]) -> Second {
        let tallies = self.0.iter().map(|objective| tally(&objective.allowance, dropped, ended));
        let operations = || ended.iter().filter(|of| !of.is_span);
        let sum: f64 = operations().map(|of| seconds_in(&of.response)).sum();
        Second {
            seconds: lasted.as_secs_f64(),
            tallies: tallies.collect(),
            response_s: sum,
            responses: operations().map(|of| of.response.count()).sum(),
            disturbed: false,
        }
    }
}

/// Whether something kept the generator from running in this time.
fn is_disturbed(health: &Health) -> bool {
    let several = health.machines.iter().map(|node| &node.machine);
    let all = several.chain([&health.machine]);
    let kept = |machine: &Machine| {
        let wall = machine.wall.as_secs_f64();
        machine.throttled.as_secs_f64() > THROTTLED_SHARE * wall
            || machine.steal.as_secs_f64() > STEAL_SHARE * wall * f64::from(machine.cores)
    };
    !health.stalled.is_zero() || all.into_iter().any(kept)
}

/// The exchanges of one operation that ended in a second, or the spans of one name.
struct Ended<'a> {
    name: &'a str,
    /// Whether it consists of exchanges that are counted under their own names.
    is_span: bool,
    counts: brunt_record::Counts,
    /// Response times of exchanges that were answered or failed.
    response: Histogram,
    service: Histogram,
}

/// How many of the exchanges that ended or were dropped were bad. A dropped exchange belongs to no operation, and may
/// have been of any.
fn tally(allowance: &Allowance, dropped: u64, ended: &[Ended<'_>]) -> Tally {
    let mut tally = Tally { of: dropped, ..Tally::default() };
    if matches!(
        allowance.bad,
        Bad::Later(_) | Bad::ServedLater(_) | Bad::Missed | Bad::Dropped | Bad::NotCompleted
    ) {
        tally.bad = dropped;
    }
    let named = |of: &&Ended<'_>| match &allowance.operation {
        None => !of.is_span,
        Some(name) => name == of.name,
    };
    for of in ended.iter().filter(named) {
        let counts = of.counts;
        tally.of += counts.completed();
        tally.bad += match allowance.bad {
            Bad::Later(limit) => later(&of.response, limit) + counts.timed_out,
            Bad::ServedLater(limit) => later(&of.service, limit) + counts.timed_out,
            Bad::Missed => counts.errors(),
            Bad::TimedOut | Bad::NotCompleted => counts.timed_out,
            Bad::Dropped | Bad::MeanAbove(_) => 0,
        };
        tally.sum_s += seconds_in(&of.response);
        tally.timed += of.response.count();
    }
    tally
}

/// How many took longer than the limit, to the precision of a bucket.
fn later(histogram: &Histogram, limit: Duration) -> u64 {
    let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
    histogram.buckets().filter(|(greatest, _)| *greatest > limit).map(|(_, held)| held).sum()
}

fn seconds_in(histogram: &Histogram) -> f64 {
    histogram.sum_nanos() as f64 / 1e9
}
