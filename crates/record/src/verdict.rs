//! Whether the figures of a run can be trusted: a pure function of what was measured.
//!
//! The question is always whose fault a figure is. A slow or stalled target makes lag and backlog
//! grow, but not lateness: sessions were busy, and whatever waited, waited for the target. Only
//! what a free session did not do in time counts against the generator.

use crate::{Codes, Counts, Interval, Step};
use brunt_exchange::{Class, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Lateness below this is what a timer and a scheduler cost anybody: the median wake-up is some
/// 40 us late, and figures are not read to a fifth of a millisecond.
pub const LATENESS_FLOOR: Duration = Duration::from_micros(200);
/// With fewer exchanges than this the 99th percentile is the first exchange, which pays for a cold
/// start, and says nothing about the run.
pub const LATENESS_EXCHANGES: u64 = 100;
/// The share of the response time's p99 that lateness may reach before the tail is our own.
pub const LATENESS_SHARE: f64 = 0.1;
/// A thread that uses more of its core than this is waited for, and not the target.
pub const CORE_SHARE: f64 = 0.9;
/// In less time than this a core is busy with the beginning of the run, whatever the run is.
pub const CORE_TIME: Duration = Duration::from_millis(250);
/// Closer than this to what the machine does against a target that costs nothing, the machine is
/// a good part of what is measured.
pub const CEILING_SHARE: f64 = 0.8;
/// The share of all lag that has to be lateness for a backlog to be our own fault.
pub const BACKLOG_SHARE: f64 = 0.5;
/// Steps needed before anything is said about drift: two in each third.
pub const DRIFT_STEPS: usize = 6;
/// Drift smaller than this share of the mean matters to nobody, however certain.
pub const DRIFT_SHARE: f64 = 0.05;
/// How many standard errors the first and the last third must lie apart.
pub const DRIFT_ERRORS: f64 = 3.0;

/// What a run's figures are worth.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Nothing speaks against them.
    #[default]
    Valid,
    /// Throughput was still drifting: a longer warm-up or run would say something else.
    Unstable,
    /// The run did not come to its planned end.
    Partial,
    /// The generator was the bottleneck, so the figures are about it and not about the target.
    GeneratorLimited,
}

impl Status {
    /// The word a report uses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Unstable => "unstable",
            Self::Partial => "partial",
            Self::GeneratorLimited => "generator-limited",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// One thing that speaks against the figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// What it makes of them.
    pub status: Status,
    /// The figures that show it, and what to do about it.
    pub text: String,
}

/// What a run's figures are worth, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The worst of the reasons.
    pub status: Status,
    /// Everything that speaks against the figures, the worst first.
    pub reasons: Vec<Reason>,
}

/// What a verdict is reached from.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The sum of the steady phase.
    pub steady: &'a Interval,
    /// The steps of the run.
    pub steps: &'a [Step],
    /// The counts of the whole run.
    pub counts: Counts,
    /// Exchanges a second that this machine managed against a target that costs nothing.
    pub ceiling: Option<f64>,
    /// Whether the load was meant to be the same throughout the steady phase.
    pub constant: bool,
    /// Why the run did not come to its planned end.
    pub interrupted: Option<&'a str>,
}

impl Verdict {
    /// Judges a run.
    pub fn new(evidence: &Evidence<'_>) -> Self {
        let limited = [
            lateness(evidence.steady),
            backlog(evidence.steady),
            busy(evidence),
            socket_drops(evidence.steady),
            ports(evidence.steady),
            ceiling(evidence),
        ];
        let limited = limited.into_iter().flatten().map(|text| (Status::GeneratorLimited, text));
        let partial = partial(evidence).into_iter().map(|text| (Status::Partial, text));
        let unstable = drift(evidence).into_iter().map(|text| (Status::Unstable, text));
        let reasons: Vec<Reason> = limited
            .chain(partial)
            .chain(unstable)
            .map(|(status, text)| Reason { status, text })
            .collect();
        Self { status: reasons.first().map(|reason| reason.status).unwrap_or_default(), reasons }
    }
}

/// Compares lateness with what the target took (the median, as a tail is not typical) and with
/// the tail that is reported.
fn lateness(steady: &Interval) -> Option<String> {
    if steady.lateness.count() < LATENESS_EXCHANGES {
        return None;
    }
    let late = steady.lateness.quantile(0.99).filter(|late| *late > LATENESS_FLOOR)?;
    let (service, response) = merged(steady);
    let (median, tail) = (service.quantile(0.5)?, response.quantile(0.99)?);
    if late > median {
        return Some(format!(
            "one exchange in a hundred left {} late although a session was free, longer than the target \
             typically took ({}): use fewer sessions, a lower rate or more cores",
            shown(late),
            shown(median)
        ));
    }
    (late.as_secs_f64() > LATENESS_SHARE * tail.as_secs_f64()).then(|| {
        format!(
            "lateness p99 of {} is more than {:.0}% of the response time p99 of {}: the tail is partly our own",
            shown(late),
            LATENESS_SHARE * 100.0,
            shown(tail)
        )
    })
}

/// A backlog is the target's fault while every session is busy, and ours where the waiting is
/// lateness.
fn backlog(steady: &Interval) -> Option<String> {
    let waited = steady.lag.sum_nanos() as f64;
    let ours = steady.lateness.sum_nanos() as f64;
    let tail = steady.lag.quantile(0.99)?;
    let grew = steady.backlog_peak > 0 && tail > LATENESS_FLOOR * 10;
    (grew && waited > 0.0 && ours > BACKLOG_SHARE * waited).then(|| {
        format!(
            "up to {} exchanges waited while sessions were free: {:.0}% of all lag is the generator's own",
            steady.backlog_peak,
            100.0 * ours / waited
        )
    })
}

fn busy(evidence: &Evidence<'_>) -> Option<String> {
    if evidence.steady.lasted() < CORE_TIME {
        return None;
    }
    let overall = evidence.steady.health.busiest().unwrap_or_default();
    let steps = steady_steps(evidence.steps).filter(|step| step.lasted() >= CORE_TIME);
    let steady: Vec<f64> = steps.filter_map(|step| step.busiest).collect();
    let hot = steady.iter().filter(|share| **share > CORE_SHARE).count();
    let peak = steady.iter().copied().fold(overall, f64::max);
    // One hot second of a minute is a hiccup; one in ten shapes a p99.
    (overall > CORE_SHARE || hot * 10 > steady.len()).then(|| {
        format!(
            "a worker used {:.0}% of its core (peak {:.0}%): use more workers or a larger machine",
            overall * 100.0,
            peak * 100.0
        )
    })
}

fn socket_drops(steady: &Interval) -> Option<String> {
    let drops = steady.health.socket_drops;
    (drops > 0).then(|| {
        format!("the kernel dropped {drops} replies on our own sockets: raise net.core.rmem_max or lower the rate")
    })
}

fn ports(steady: &Interval) -> Option<String> {
    let mut codes = Codes::new();
    steady.operations.iter().for_each(|operation| codes.merge(&operation.codes));
    let out = codes
        .sorted()
        .into_iter()
        .filter(|(outcome, _)| matches!(outcome, Outcome::Failed(Class::Ports, _)));
    let out: u64 = out.map(|(_, count)| count).sum();
    (out > 0).then(|| {
        format!(
            "{out} exchanges found no free local port: keep connections open, use more source addresses or \
             widen net.ipv4.ip_local_port_range"
        )
    })
}

fn ceiling(evidence: &Evidence<'_>) -> Option<String> {
    let ceiling = evidence.ceiling.filter(|ceiling| *ceiling > 0.0)?;
    let achieved = crate::rate(evidence.steady.counts().completed(), evidence.steady.lasted())?;
    (achieved > CEILING_SHARE * ceiling).then(|| {
        format!(
            "{achieved:.0}/s is {:.0}% of the {ceiling:.0}/s this machine manages against a target that costs nothing",
            100.0 * achieved / ceiling
        )
    })
}

fn partial(evidence: &Evidence<'_>) -> Vec<String> {
    let interrupted = evidence.interrupted.map(|why| format!("the run was cut short: {why}"));
    let lost = evidence.counts.conserved().err().map(|error| format!("the run failed to {error}"));
    interrupted.into_iter().chain(lost).collect()
}

/// Compares the throughput of the first and the last third of the steady phase: they differ if
/// they lie further apart than matters and than their own scatter explains.
fn drift(evidence: &Evidence<'_>) -> Option<String> {
    if !evidence.constant {
        return None;
    }
    let mut steps: Vec<&Step> = steady_steps(evidence.steps).collect();
    // The last step may be a sliver, whose rate means nothing.
    let typical = steps.iter().map(|step| step.lasted()).max()?;
    steps.retain(|step| step.lasted() * 2 > typical);
    if steps.len() < DRIFT_STEPS {
        return None;
    }
    let rates: Vec<f64> =
        steps.iter().filter_map(|step| crate::rate(step.completed(), step.lasted())).collect();
    let third = rates.len() / 3;
    let (first, last) = (scatter(&rates[..third]), scatter(&rates[rates.len() - third..]));
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let apart = last.mean - first.mean;
    let error = (first.error_squared + last.error_squared).sqrt();
    (apart.abs() > DRIFT_SHARE * mean && apart.abs() > DRIFT_ERRORS * error).then(|| {
        format!(
            "throughput drifted from {:.1}/s in the first third to {:.1}/s in the last: warm up longer, or run \
             longer",
            first.mean, last.mean
        )
    })
}

struct Scatter {
    mean: f64,
    error_squared: f64,
}

fn scatter(values: &[f64]) -> Scatter {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Scatter { mean, error_squared: variance / count }
}

fn steady_steps(steps: &[Step]) -> impl Iterator<Item = &Step> {
    steps.iter().filter(|step| step.phase == crate::Phase::Steady)
}

fn merged(steady: &Interval) -> (crate::Histogram, crate::Histogram) {
    let (mut service, mut response) = (crate::Histogram::new(), crate::Histogram::new());
    for operation in &steady.operations {
        service.merge(&operation.service);
        response.merge(&operation.response);
    }
    (service, response)
}

fn shown(took: Duration) -> String {
    format!("{:.3} ms", took.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Phase, Series, WorkerLoad};
    use brunt_exchange::{Moment, Stamps};

    const MS: u64 = 1_000_000;

    /// Ten seconds at `rate(second)` exchanges a second, each with these stamps.
    fn run(rate: impl Fn(u64) -> u64, stamps: impl Fn(u64) -> [u64; 4]) -> (Interval, Series) {
        let mut series = Series::new();
        let mut steady: Option<Interval> = None;
        let mut number = 0;
        for second in 0..10 {
            let mut interval = Interval::new(1, 0);
            interval.reset(second, Phase::Steady, Duration::from_secs(second));
            interval.to = Duration::from_secs(second + 1);
            for _ in 0..rate(second) {
                let [due, free, sent, ended] = stamps(number).map(Moment::from_nanos);
                interval.record(0, Outcome::Ok(0), &Stamps { due, free, sent, ended }, 0);
                interval.planned += 1;
                number += 1;
            }
            series.push(&interval);
            match &mut steady {
                Some(total) => total.append(&interval),
                None => steady = Some(interval),
            }
        }
        (steady.unwrap(), series)
    }

    fn judge(run: &(Interval, Series)) -> Verdict {
        Verdict::new(&evidence(run))
    }

    fn evidence(run: &(Interval, Series)) -> Evidence<'_> {
        Evidence {
            steady: &run.0,
            steps: run.1.steps(),
            counts: run.0.counts(),
            ceiling: None,
            constant: true,
            interrupted: None,
        }
    }

    /// Sent 0.05 ms after it was due, answered a millisecond later.
    fn prompt(_: u64) -> [u64; 4] {
        [10 * MS, 5 * MS, 10 * MS + MS / 20, 11 * MS]
    }

    #[test]
    fn a_quiet_run_is_valid() {
        let verdict = judge(&run(|_| 100, prompt));
        assert_eq!(verdict, Verdict::default());
    }

    #[test]
    fn a_stalled_target_is_not_our_fault() {
        // A fifth of all waited up to two seconds for a session, and left at once when it came free.
        let mut run = run(
            |_| 100,
            |n| {
                if n % 5 == 0 {
                    [0, 2_000 * MS, 2_000 * MS + MS / 20, 2_001 * MS]
                } else {
                    prompt(n)
                }
            },
        );
        run.0.backlog_peak = 200;
        assert_eq!(judge(&run), Verdict::default());
    }

    #[test]
    fn leaving_late_with_a_free_session_is_our_fault() {
        let mut run =
            run(|_| 100, |n| if n % 20 == 0 { [0, 0, 30 * MS, 31 * MS] } else { prompt(n) });
        run.0.backlog_peak = 3;
        let verdict = judge(&run);
        assert_eq!(verdict.status, Status::GeneratorLimited);
        assert_eq!(verdict.reasons.len(), 2, "{verdict:?}");
        assert!(verdict.reasons[1].text.contains("up to 3 exchanges waited"), "{verdict:?}");
    }

    #[test]
    fn a_small_lateness_may_still_shape_the_tail() {
        // 1 ms late where the target takes 5 ms: less than the median, more than a tenth of p99.
        let late = run(|_| 100, |_| [0, 0, MS, 6 * MS]);
        assert_eq!(judge(&late).status, Status::GeneratorLimited);
        let slight = run(|_| 100, |_| [0, 0, MS / 4, 6 * MS]);
        assert_eq!(judge(&slight).status, Status::Valid);
    }

    #[test]
    fn a_hot_core_lost_replies_and_lost_ports_are_ours() {
        let mut run = run(|_| 100, prompt);
        run.0.health.record(WorkerLoad {
            worker: 1,
            cpu: Duration::from_millis(9_500),
            wall: Duration::from_secs(10),
            waited: Duration::ZERO,
        });
        run.0.health.socket_drops = 7;
        run.0.operations[0].codes.add(Outcome::Failed(Class::Ports, 99), 4);
        let verdict = judge(&run);
        let texts: Vec<&str> = verdict.reasons.iter().map(|reason| reason.text.as_str()).collect();
        assert_eq!(texts.len(), 3);
        assert!(texts[0].contains("95% of its core") && texts[1].contains("7 replies"));
        assert!(texts[2].contains("4 exchanges found no free local port"));
    }

    #[test]
    fn the_first_moments_of_a_run_do_not_make_a_core_hot() {
        let mut run = run(|second| u64::from(second == 0), prompt);
        run.0.health.record(WorkerLoad {
            worker: 0,
            cpu: Duration::from_millis(95),
            wall: Duration::from_millis(100),
            waited: Duration::ZERO,
        });
        assert_eq!(judge(&run).status, Status::GeneratorLimited);
        run.0.to = run.0.from + Duration::from_millis(100);
        assert_eq!(judge(&run), Verdict::default());
    }

    #[test]
    fn near_the_ceiling_the_machine_is_measured() {
        let run = run(|_| 100, prompt);
        let with = |ceiling| Verdict::new(&Evidence { ceiling: Some(ceiling), ..evidence(&run) });
        assert_eq!(with(1_000.0).status, Status::Valid);
        assert_eq!(with(110.0).status, Status::GeneratorLimited);
        assert!(with(125.1).reasons.is_empty());
    }

    #[test]
    fn drift_is_told_from_noise() {
        let drifting = judge(&run(|second| 100 + 10 * second, prompt));
        assert_eq!(drifting.status, Status::Unstable);
        // Thirds 0..3 and 7..10 of 100, 110, ..., 190.
        assert!(
            drifting.reasons[0].text.contains("from 110.0/s")
                && drifting.reasons[0].text.contains("to 180.0/s")
        );
        let noisy = judge(&run(|second| if second % 2 == 0 { 60 } else { 160 }, prompt));
        assert_eq!(noisy.status, Status::Valid);
        let meant = run(|second| 100 + 10 * second, prompt);
        assert_eq!(
            Verdict::new(&Evidence { constant: false, ..evidence(&meant) }).status,
            Status::Valid
        );
    }

    #[test]
    fn the_worst_comes_first() {
        let mut run = run(|second| 100 + 10 * second, prompt);
        run.0.health.socket_drops = 1;
        let counts = Counts { planned: 3, sent: 2, ok: 2, ..Counts::default() };
        let verdict =
            Verdict::new(&Evidence { interrupted: Some("SIGINT"), counts, ..evidence(&run) });
        let found: Vec<Status> = verdict.reasons.iter().map(|reason| reason.status).collect();
        assert_eq!(
            found,
            [Status::GeneratorLimited, Status::Partial, Status::Partial, Status::Unstable]
        );
        assert!(verdict.reasons[2].text.contains("3 planned"));
    }
}
