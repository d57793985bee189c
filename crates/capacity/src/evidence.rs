//! [`Evidence`]: whether a step met the objectives, from its seconds.
//!
//! Bad exchanges occur in clumps: one slow moment makes many of them. So the spread of a share is computed from batches
//! of seconds and never from the number of exchanges only. It is computed as it would be at the limit, since the
//! question is on which side of the limit the target is. The verdict 'pass' on a share requires a minimum number of
//! allowed clumps; a queue that grows without end fails, whatever its shares are so far.

use crate::objective::{Objective, Objectives};
use crate::order::Kind;
use crate::second::{Second, Tally};
use crate::spread::{autocorrelation, kendall, phi, student_quantile};
use crate::verdict::Verdict;
use brunt_record::Bad;

/// The probability of a wrong verdict just at the limit, over all looks of a step.
const ALPHA: f64 = 0.05;
/// The same of a confirmation that passes: it becomes a claim, and a claim must not be above the limit.
const ALPHA_CLAIM: f64 = 0.005;
/// An objective whose share is this many standard deviations above the allowed one is missed beyond doubt.
const MISSES_Z: f64 = 3.0;
/// From this autocorrelation on, neighbouring batches count as alike, and are merged.
const ALIKE: f64 = 0.25;
/// The fewest batches.
const BATCHES_MIN: usize = 8;
/// The smallest clump that is assumed, and the one that is assumed for few bad exchanges.
const CLUMP_MIN: f64 = 3.0;
const CLUMP_OF_FEW: f64 = 5.0;
const FEW: f64 = 5.0;
/// The number of allowed clumps that the verdict 'pass' requires.
const CLUMPS_MIN: f64 = 10.0;
/// The number of batches in which growth is looked for.
const TREND_BATCHES: usize = 10;
const TREND_MIN: f64 = 2.5;
/// A queue that grows makes the last third slower than the first by more than this factor. A slope without practical
/// weight, such as that of a directory whose data grow, is no queue.
const TREND_GROWTH: f64 = 1.25;
/// The share of the offered rate that may be missing at the end of a step, unless an objective sets another.
const ACHIEVED_SHORT: f64 = 0.01;
/// The probability that the objectives are met if more is missing.
const SHORT_W: f64 = 0.25;
/// The seconds after the generator could not run in which the target may still work off what was sent together.
const AFTERMATH: usize = 2;
/// A step that is bad for this long, with at least this many exchanges, is ended at once.
const AT_ONCE_SECONDS: usize = 3;
const AT_ONCE_EXCHANGES: u64 = 20;

/// How often a step is judged, and whether it can become a claim.
#[derive(Clone, Copy)]
struct Looks {
    number: usize,
    claims: bool,
}

impl Looks {
    /// How many standard deviations above its limit a share fails, and how many below it passes.
    fn limits(self, batches: usize) -> (f64, f64) {
        let freedom = (batches.max(2) - 1) as f64;
        let at = |alpha: f64| student_quantile(1.0 - alpha / self.number.max(1) as f64, freedom);
        (at(ALPHA), at(if self.claims { ALPHA_CLAIM } else { ALPHA }))
    }
}

/// The evidence about one objective.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The objective.
    pub objective: String,
    /// Whether it was added as a guard, and need not be shown to be met.
    pub guard: bool,
    /// The number of exchanges that it is about.
    pub of: u64,
    /// How many of them were bad.
    pub bad: u64,
    /// The share that was bad; of a mean, the mean in seconds.
    pub share: f64,
    /// The share that is allowed; of a mean, the limit in seconds.
    pub allowed: f64,
    /// The number of bad exchanges that occur together.
    pub clump: f64,
    /// How far the share is above the allowed one, in standard deviations.
    pub z: f64,
    /// The probability that the objective is met.
    pub w: f64,
    /// The verdict on this objective only.
    pub verdict: Verdict,
}

/// The evidence for and against a rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The evidence about each objective.
    pub shares: Vec<Share>,
    /// Kendall's statistic of the response time.
    pub trend: f64,
    /// Whether the queue grows: response times rise, and at the end miss their objectives, if there are any.
    pub grows: bool,
    /// Whether it was so bad that the step was ended at once.
    pub at_once: bool,
    /// The share of the offered rate that was achieved, if it is less than the objectives require of the whole step.
    pub short_of: Option<f64>,
    /// How many seconds are those in which the generator was kept from running, and those after them, if the rate
    /// fails only in these.
    pub only_disturbed: Option<usize>,
    /// Whether an objective is missed beyond doubt in the whole of the time, apart from those seconds.
    pub missed: bool,
    /// The probability that all objectives are met.
    pub w: f64,
    /// The verdict.
    pub verdict: Verdict,
}

impl Evidence {
    /// The evidence in these seconds, given how many looks are taken.
    ///
    /// What was due while the generator could not run is sent together afterwards, and the target has a queue that the
    /// rate did not make. So a rate that fails must fail without those seconds and the ones after them, too.
    pub fn new(seconds: &[Second], objectives: &Objectives, looks: usize) -> Self {
        Self::judged(seconds, objectives, Looks { number: looks, claims: false })
    }

    /// The same of a step of this kind: a confirmation passes only with more certainty.
    pub(crate) fn of_step(
        kind: Kind,
        seconds: &[Second],
        objectives: &Objectives,
        looks: usize,
    ) -> Self {
        Self::judged(seconds, objectives, Looks { number: looks, claims: kind == Kind::Confirm })
    }

    fn judged(seconds: &[Second], objectives: &Objectives, looks: Looks) -> Self {
        let all = Self::of_all(seconds, objectives, looks);
        let calm = undisturbed(seconds);
        let disturbed = seconds.len() - calm.len();
        if disturbed == 0 || all.verdict != Verdict::Fail {
            return all;
        }
        let calm = Self::of_all(&calm, objectives, looks);
        let only_disturbed = (calm.verdict != Verdict::Fail).then_some(disturbed);
        Self { only_disturbed, missed: calm.missed, ..all }
    }

    fn of_all(seconds: &[Second], objectives: &Objectives, looks: Looks) -> Self {
        let shares: Vec<Share> = objectives
            .iter()
            .enumerate()
            .map(|(at, objective)| share(seconds, at, objective, looks))
            .collect();
        let (trend, slower) = trend(seconds);
        let grows = slower && !is_met_late(seconds, objectives);
        let at_once = is_hopeless(seconds, objectives);
        let any = |verdict| shares.iter().any(|share| share.verdict == verdict);
        let verdict = if at_once || grows || any(Verdict::Fail) {
            Verdict::Fail
        } else if any(Verdict::Undecided) || shares.is_empty() {
            Verdict::Undecided
        } else {
            Verdict::Pass
        };
        let w = shares.iter().map(|share| share.w).fold(1.0, f64::min);
        let w = if at_once || grows { 0.0 } else { w };
        let missed = shares.iter().any(|share| share.z > MISSES_Z);
        Self {
            shares,
            trend,
            grows,
            at_once,
            short_of: None,
            only_disturbed: None,
            missed,
            w,
            verdict,
        }
    }

    /// The same, with the share of the offered rate that the whole step achieved. Exchanges that still wait at the end
    /// of a step have not missed any objective yet, so a step passes only if it also achieved what was offered. A
    /// shortfall alone does not show that the rate is too high: the target may have paused at the end.
    pub(crate) fn with_rate(self, made: Option<f64>, objectives: &Objectives) -> Self {
        let not_completed = |objective: &&Objective| objective.allowance.bad == Bad::NotCompleted;
        let allowed = objectives.iter().filter(not_completed).map(|it| it.allowance.share);
        let wanted = 1.0 - allowed.reduce(f64::max).unwrap_or(ACHIEVED_SHORT);
        match made.filter(|made| *made < wanted && self.verdict == Verdict::Pass) {
            Some(made) => Self {
                verdict: Verdict::Undecided,
                w: self.w.min(SHORT_W),
                short_of: Some(made),
                ..self
            },
            None => self,
        }
    }

    /// The objective that decides: the least likely to be met, among the given ones and the guards that did not pass.
    pub fn worst(&self) -> Option<&Share> {
        let given = |share: &&Share| !share.guard || share.verdict != Verdict::Pass;
        let shares = self.shares.iter().filter(given);
        shares.min_by(|a, b| a.w.total_cmp(&b.w))
    }

    /// The reason for the verdict, in words.
    pub fn why(&self) -> String {
        let share = self.worst().map(Share::words).unwrap_or_default();
        if self.at_once {
            return format!("more than half of 3 s was bad: {share}");
        }
        if let Some(made) = self.short_of {
            let short = format!("achieved only {}% of what was offered", percent(made));
            return format!("{short}, so more of it still waited at the end: {share}");
        }
        if self.grows {
            return format!("the queue grows (trend {:.1}): {share}", self.trend);
        }
        share
    }
}

impl Share {
    /// The objective and its measured value.
    pub fn words(&self) -> String {
        if self.is_mean() {
            return format!("{}: mean {:.3} ms", self.objective, 1e3 * self.share);
        }
        format!(
            "{}: {} of {} bad ({}%, allowed {}%)",
            self.objective,
            self.bad,
            self.of,
            percent(self.share),
            percent(self.allowed)
        )
    }

    /// Whether it is about a mean, so that no single exchange is bad.
    pub fn is_mean(&self) -> bool {
        self.clump <= 0.0
    }
}

/// A share in per cent, with enough digits to differ from zero.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let text = if percent >= 10.0 { format!("{percent:.0}") } else { format!("{percent:.2}") };
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The number of exchanges with which a step can pass if hardly any of them are bad. A mean needs only batches.
pub(crate) fn likely_exchanges(objective: &Objective) -> f64 {
    match objective.allowance.bad {
        Bad::MeanAbove(_) => 0.0,
        _ if objective.allowance.share <= 0.0 => 0.0,
        _ => CLUMPS_MIN * CLUMP_OF_FEW / objective.allowance.share,
    }
}

/// Whether the last three seconds are hopeless: more than half bad, or nothing at all came back.
pub(crate) fn is_hopeless(seconds: &[Second], objectives: &Objectives) -> bool {
    let Some(start) = seconds.len().checked_sub(AT_ONCE_SECONDS) else { return false };
    let mut last = Second::default();
    seconds[start..].iter().for_each(|second| last.append(second));
    objectives.iter().zip(&last.tallies).any(|(objective, tally)| {
        !matches!(objective.allowance.bad, Bad::MeanAbove(_))
            // Where more than half may be bad, half is no reason to stop.
            && objective.allowance.share < 0.5
            && tally.of >= AT_ONCE_EXCHANGES
            && 2 * tally.bad > tally.of
    })
}

fn share(seconds: &[Second], at: usize, objective: &Objective, looks: Looks) -> Share {
    let tallies: Vec<Tally> =
        seconds.iter().filter_map(|second| second.tallies.get(at)).copied().collect();
    let text = objective.slo.text().to_owned();
    if let Bad::MeanAbove(limit) = objective.allowance.bad {
        return mean(&tallies, text, limit.as_secs_f64(), objective.guard, looks);
    }
    let q = objective.allowance.share;
    let (of, bad) =
        tallies.iter().fold((0, 0), |(of, bad), tally| (of + tally.of, bad + tally.bad));
    let (count, wrong) = (of as f64, bad as f64);
    if of == 0 {
        let verdict = if objective.guard { Verdict::Pass } else { Verdict::Undecided };
        let w = if objective.guard { 1.0 } else { 0.5 };
        return Share {
            objective: text,
            guard: objective.guard,
            of,
            bad,
            share: 0.0,
            allowed: q,
            clump: CLUMP_OF_FEW,
            z: 0.0,
            w,
            verdict,
        };
    }
    let batches = batches(&tallies, wrong / count);
    let clump = if wrong < FEW {
        CLUMP_OF_FEW
    } else if bad >= of {
        CLUMP_MIN
    } else {
        (variance(&batches) / (wrong * (1.0 - wrong / count))).max(CLUMP_MIN)
    };
    let z = (wrong - q * count) / (clump * q * (1.0 - q) * count).sqrt();
    let (t, t_pass) = looks.limits(batches.len());
    let fails = z > t && wrong >= FEW;
    let passes = z < -t_pass && count * q / clump >= CLUMPS_MIN;
    let doubtful = z > 0.0 && wrong >= FEW;
    let (verdict, w) = match (objective.guard, fails, passes) {
        (_, true, _) => (Verdict::Fail, 1.0 - phi(z)),
        (false, false, true) => (Verdict::Pass, 1.0 - phi(z)),
        (true, false, _) if !doubtful => (Verdict::Pass, 1.0),
        _ => (Verdict::Undecided, 1.0 - phi(z)),
    };
    Share {
        objective: text,
        guard: objective.guard,
        of,
        bad,
        share: wrong / count,
        allowed: q,
        clump,
        z,
        w,
        verdict,
    }
}

/// The seconds in which the generator ran, apart from those right after it could not.
fn undisturbed(seconds: &[Second]) -> Vec<Second> {
    let after = |at: usize| seconds[at.saturating_sub(AFTERMATH)..=at].iter();
    let calm = |at: &usize| !after(*at).any(|second| second.disturbed);
    (0..seconds.len()).filter(calm).map(|at| seconds[at].clone()).collect()
}

/// The deviation of each batch from its expected number of bad exchanges. Batches are doubled until neighbours are no
/// longer alike.
fn batches(tallies: &[Tally], share: f64) -> Vec<f64> {
    let apart = |tally: &Tally| tally.bad as f64 - share * tally.of as f64;
    let mut batches: Vec<f64> = tallies.iter().map(apart).collect();
    while batches.len() / 2 >= BATCHES_MIN && autocorrelation(&batches) >= ALIKE {
        batches = paired(&batches);
    }
    batches
}

/// Adds neighbours in pairs; a value left over at the end joins the last pair.
fn paired(values: &[f64]) -> Vec<f64> {
    let mut pairs: Vec<f64> = values.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
    if let (Some(last), [left]) = (pairs.last_mut(), values.chunks_exact(2).remainder()) {
        *last += left;
    }
    pairs
}

/// The variance of the sum of batches whose mean is 0.
fn variance(batches: &[f64]) -> f64 {
    let n = batches.len() as f64;
    if batches.len() < 2 {
        return 0.0;
    }
    batches.iter().map(|batch| batch * batch).sum::<f64>() * n / (n - 1.0)
}

/// Compares a mean with its limit, by the means of batches.
fn mean(tallies: &[Tally], objective: String, limit: f64, guard: bool, looks: Looks) -> Share {
    let of: u64 = tallies.iter().map(|tally| tally.timed).sum();
    let sum: f64 = tallies.iter().map(|tally| tally.sum_s).sum();
    let mean = if of > 0 { sum / of as f64 } else { 0.0 };
    let apart = |tally: &Tally| tally.sum_s - mean * tally.timed as f64;
    let mut batches: Vec<f64> = tallies.iter().map(apart).collect();
    while batches.len() / 2 >= BATCHES_MIN && autocorrelation(&batches) >= ALIKE {
        batches = paired(&batches);
    }
    let error = variance(&batches).sqrt() / of.max(1) as f64;
    let z = if error > 0.0 { (mean - limit) / error } else { 0.0 };
    let (t, t_pass) = looks.limits(batches.len());
    let enough = batches.len() >= BATCHES_MIN;
    let verdict = match z {
        z if z > t && enough => Verdict::Fail,
        z if z < -t_pass && enough => Verdict::Pass,
        _ => Verdict::Undecided,
    };
    Share {
        objective,
        guard,
        of,
        bad: 0,
        share: mean,
        allowed: limit,
        clump: 0.0,
        z,
        w: 1.0 - phi(z),
        verdict,
    }
}

/// Whether the last third of a step meets the objectives for response times, if there are any. Moments in which a
/// machine stands still can make one step slower from its first second to its last, without a queue.
fn is_met_late(seconds: &[Second], objectives: &Objectives) -> bool {
    let late = &seconds[seconds.len() - seconds.len() / 3..];
    let timed = |objective: &Objective| {
        matches!(objective.allowance.bad, Bad::Later(_) | Bad::ServedLater(_) | Bad::MeanAbove(_))
    };
    let mut met = objectives.iter().enumerate().filter(|(_, objective)| timed(objective)).map(
        |(at, objective)| {
            let share = share(late, at, objective, Looks { number: 1, claims: false });
            share.share <= share.allowed
        },
    );
    met.next().is_some_and(|first| first && met.all(|met| met))
}

/// Kendall's statistic of the response time, and whether the last third is slower.
fn trend(seconds: &[Second]) -> (f64, bool) {
    let mut size = 1;
    while seconds.len() / (2 * size) >= TREND_BATCHES {
        size *= 2;
    }
    let groups = Second::grouped(seconds, size);
    let timed = groups.iter().filter(|group| group.responses > 0);
    let means: Vec<f64> = timed.map(|group| group.response_s / group.responses as f64).collect();
    if means.len() < TREND_BATCHES {
        return (0.0, false);
    }
    let z = kendall(&means);
    let third = means.len() / 3;
    let (first, last): (f64, f64) =
        (means[..third].iter().sum(), means[means.len() - third..].iter().sum());
    (z, z > TREND_MIN && last > TREND_GROWTH * first)
}
