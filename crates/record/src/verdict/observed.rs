//! Why the generator was late or slow: what was observed on its own machine, and what would help.
//!
//! Each cause has its own evidence and its own remedy. Without evidence there is no cause, and without a cause nothing
//! is blamed: the remaining explanation is the platform's own timer.

use super::cause::UNSEEN;
use super::{Cause, Effect, Evidence, OwnPart, Reason, Remedy, Status, failed_in};
use crate::{StallRecord, WorkerLoad};
use brunt_exchange::{Class, Outcome};
use std::time::Duration;

/// If a worker uses more of its core than this, exchanges wait for it.
pub const CPU_SHARE: f64 = 0.9;
/// A worker that has no core for more than this share of the time cannot do its work in time.
pub const WAITED_SHARE: f64 = 0.03;
/// The same applies if its waits for a core add up to more than this share of all that exchanges waited for the
/// generator: a worker that mostly sleeps needs few of them.
pub const WAITED_OF_OWN_SHARE: f64 = 0.2;
/// A worker that waits for less than [`WAITED_SHARE`] of the time only waits occasionally, until another thread has
/// used its slice of the core, as every thread does (Linux 6.6: `base_slice_ns`, 0.7 ms on one core, 1.4 ms on two).
/// Then a percentile above the median must differ by more than this.
pub const SLICE: Duration = Duration::from_millis(1);
/// A quota that stops the process for more than this share of the time has an effect.
pub const THROTTLED_SHARE: f64 = 0.02;
/// Processor time that a hypervisor keeps for more than this share has an effect.
pub const STEAL_SHARE: f64 = 0.02;
/// A generator that stood still for more than this share of the run did not make the requested load.
pub const STALLED_SHARE: f64 = 0.05;
/// Occasional events change no percentile up to this one.
const MEDIAN: f64 = 50.0;
/// The share from which waiting for a core, a quota or steal limits the load itself.
const LOAD_SHARE: f64 = 0.1;
/// A worker that runs, or waits for a core, for less than this share of the time mostly sleeps.
const AWAKE_SHARE: f64 = 0.5;
/// In a shorter time a core is busy with the start of the run, and shares of it mean nothing.
const WINDOW_MIN: Duration = Duration::from_millis(250);

/// A cause that was observed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Observed {
    cause: Cause,
    remedy: Remedy,
    /// Whether it is strong enough to reduce the load itself.
    pub(super) limits_load: bool,
    /// By how much more than this a percentile above the median must differ.
    usual: Duration,
}

impl Observed {
    /// A cause that does not reduce the load, and explains any difference.
    fn new(cause: Cause, remedy: Remedy) -> Self {
        Self { cause, remedy, limits_load: false, usual: Duration::ZERO }
    }

    /// Whether it can explain a percentile that is too high.
    pub(super) fn explains(&self, part: &OwnPart) -> bool {
        part.percentile <= MEDIAN || part.too_high_us() > self.usual.as_secs_f64() * 1e6
    }

    /// The reason of an effect that it caused.
    pub(super) fn reason(&self, effect: Effect, evidence: &Evidence<'_>) -> Reason {
        limited(effect, (Some(self.cause.clone()), Some(self.remedy.clone())), evidence)
    }
}

fn limited(
    effect: Effect,
    why: (Option<Cause>, Option<Remedy>),
    evidence: &Evidence<'_>,
) -> Reason {
    Reason::new(Status::GeneratorLimited, effect, why, &evidence.plan.noun)
}

/// What was observed, the most certain first.
pub(super) fn found(evidence: &Evidence<'_>) -> Vec<Observed> {
    if evidence.rates.seconds < WINDOW_MIN.as_secs_f64() {
        return stalls(evidence).into_iter().collect();
    }
    let (quota, others) = (quota_explains_stalls(evidence), others_explain_stalls(evidence));
    let stalls = stalls(evidence);
    let (before, after) = if quota || others { (None, stalls) } else { (stalls, None) };
    let waited = waited(evidence);
    let (early, late) = if others && !quota { (waited, None) } else { (None, waited) };
    let steal = steal(evidence);
    let (larger, smaller) = if stolen_more(evidence) { (steal, late) } else { (late, steal) };
    let known = [before, early, throttled(evidence), after, busy(evidence), larger, smaller];
    known.into_iter().flatten().chain(unknown(evidence)).chain(unmeasured(evidence)).collect()
}

/// That the timer was disturbed for as long as it was measured: then nothing shows what it does by itself, and it is no
/// excuse.
fn unmeasured(evidence: &Evidence<'_>) -> Option<Observed> {
    let timer = &evidence.generator.timer;
    (timer.samples == 0 && timer.disturbed > 0).then(|| {
        Observed::new(Cause::TimerDisturbed { wake_ups: timer.disturbed }, Remedy::FreeCore)
    })
}

/// That nothing can be known: what cannot be seen is not absent.
fn unknown(evidence: &Evidence<'_>) -> Option<Observed> {
    let unseen = evidence.generator.machine.unseen;
    unseen.then(|| Observed::new(Cause::Unknown, Remedy::MountProc))
}

/// The note where nothing is known of the machine although no figure shows its effect.
pub(super) fn unknown_note(evidence: &Evidence<'_>) -> Option<String> {
    evidence.generator.machine.unseen.then(|| UNSEEN.to_owned())
}

/// Whether a quota explains the times in which no thread of brunt ran.
fn quota_explains_stalls(evidence: &Evidence<'_>) -> bool {
    let throttled = evidence.generator.machine.throttled_share.unwrap_or(0.0);
    throttled > THROTTLED_SHARE && throttled * evidence.rates.seconds > stood_s(evidence) / 2.0
}

/// Whether other processes explain them: brunt could have run, and others did.
fn others_explain_stalls(evidence: &Evidence<'_>) -> bool {
    let stood = stood_s(evidence);
    stood > 0.0 && waited_in_all(evidence).as_secs_f64() > stood / 2.0
}

/// Whether the hypervisor explains waits better than other processes do: it kept more of the cores than these used, or
/// more than a worker waited for.
fn stolen_more(evidence: &Evidence<'_>) -> bool {
    let machine = &evidence.generator.machine;
    machine.steal_share > machine.others_share
        || machine.steal_share > evidence.generator.waited_share_max
}

fn stood_s(evidence: &Evidence<'_>) -> f64 {
    touching(evidence).map(|stall| stall.lasted_s).sum()
}

/// How long all workers together waited for a core.
fn waited_in_all(evidence: &Evidence<'_>) -> Duration {
    evidence.measured.health.workers.iter().map(|load| load.waited).sum()
}

/// The stalls that overlapped the steady phase.
fn touching<'a>(evidence: &'a Evidence<'_>) -> impl Iterator<Item = &'a StallRecord> {
    let rates = evidence.rates;
    let (from, to) = (rates.from_s, rates.from_s + rates.seconds + rates.drained_s);
    evidence
        .generator
        .stalls
        .iter()
        .filter(move |stall| stall.from_s + stall.lasted_s > from && stall.from_s < to)
}

/// The times in which brunt stood still.
fn paused(evidence: &Evidence<'_>) -> Option<Cause> {
    let longest = touching(evidence).max_by(|a, b| a.lasted_s.total_cmp(&b.lasted_s))?;
    Some(Cause::Paused {
        at_s: longest.from_s,
        lasted_s: longest.lasted_s,
        times: touching(evidence).count(),
        total_s: stood_s(evidence),
    })
}

fn stalls(evidence: &Evidence<'_>) -> Option<Observed> {
    let limits_load = stood_s(evidence) > STALLED_SHARE * evidence.rates.seconds;
    Some(Observed { limits_load, ..Observed::new(paused(evidence)?, Remedy::RunAgain) })
}

/// The note about stalls that changed no figure.
pub(super) fn stall_note(evidence: &Evidence<'_>) -> Option<String> {
    let paused = paused(evidence)?.words()?;
    let touched: u64 = evidence.measured.operations.iter().map(|o| o.tainted.planned).sum();
    Some(format!(
        "{paused}; {touched} {} were due meanwhile, which changes no percentile that is judged",
        evidence.plan.noun.after(touched)
    ))
}

fn throttled(evidence: &Evidence<'_>) -> Option<Observed> {
    let share =
        evidence.generator.machine.throttled_share.filter(|share| *share > THROTTLED_SHARE)?;
    let limits_load = share > LOAD_SHARE;
    Some(Observed { limits_load, ..Observed::new(Cause::CpuQuota { share }, Remedy::RaiseQuota) })
}

fn busy(evidence: &Evidence<'_>) -> Option<Observed> {
    let generator = evidence.generator;
    if generator.in_process {
        return None;
    }
    let share = generator.cpu_share_max.filter(|share| *share > CPU_SHARE)?;
    let all_busy = generator.workers.len() as u64 >= u64::from(generator.machine.cores);
    let remedy = if all_busy && generator.machine.cores > 0 {
        Remedy::LargerMachine
    } else {
        Remedy::MoreWorkers
    };
    Some(Observed { limits_load: true, ..Observed::new(Cause::BusyWorker { share }, remedy) })
}

fn steal(evidence: &Evidence<'_>) -> Option<Observed> {
    let share = evidence.generator.machine.steal_share.filter(|share| *share > STEAL_SHARE)?;
    let limits_load = share > LOAD_SHARE;
    Some(Observed { limits_load, ..Observed::new(Cause::Steal { share }, Remedy::UnsharedMachine) })
}

fn waited(evidence: &Evidence<'_>) -> Option<Observed> {
    let share = evidence.generator.waited_share_max?;
    let felt = share > WAITED_SHARE || waited_of_own(evidence) > WAITED_OF_OWN_SHARE;
    if !felt && !others_explain_stalls(evidence) {
        return None;
    }
    let others_share = evidence.generator.machine.others_share;
    let local = evidence.plan.target.as_deref().is_some_and(is_local);
    let remedy = if local { Remedy::SeparateFromTarget } else { Remedy::StopOthers };
    Some(Observed {
        limits_load: waiting_share(evidence, share) > LOAD_SHARE,
        usual: if share > WAITED_SHARE { Duration::ZERO } else { SLICE },
        ..Observed::new(Cause::NotScheduled { share, others_share }, remedy)
    })
}

/// The share that the waits for a core have in all that exchanges waited for the generator before they were sent.
fn waited_of_own(evidence: &Evidence<'_>) -> f64 {
    let waited = waited_in_all(evidence);
    let own = evidence.measured.lateness.sum_nanos();
    if own == 0 { 0.0 } else { waited.as_nanos() as f64 / own as f64 }
}

/// The share of the time for which the generator waited for a core, as far as it reduced the load. A worker that
/// mostly sleeps waits each time it wakes, which matters only in relation to the time of an exchange. One that is awake
/// most of the time takes turns on its core with something else, which may be the target.
fn waiting_share(evidence: &Evidence<'_>, share: f64) -> f64 {
    let workers = &evidence.measured.health.workers;
    let awake = workers.iter().filter(|load| load.awake_share() > Some(AWAKE_SHARE));
    let awake = awake.filter_map(WorkerLoad::waited_share).fold(0.0, f64::max);
    let (waited, runs) = workers
        .iter()
        .fold((Duration::ZERO, 0), |(waited, runs), load| (waited + load.waited, runs + load.runs));
    let mut times = crate::Histogram::new();
    evidence
        .measured
        .operations
        .iter()
        .for_each(|operation| times.merge(&operation.response.answered()));
    match (times.mean(), runs) {
        (Some(mean), 1..) if !mean.is_zero() => {
            awake.max(share.min(waited.as_secs_f64() / runs as f64 / mean.as_secs_f64()))
        }
        _ => share,
    }
}

/// Whether a target is on this machine, as far as its address shows.
fn is_local(target: &str) -> bool {
    ["://localhost", "://127.", "://[::1]", "unix:", "ldapi:"]
        .iter()
        .any(|local| target.contains(local))
}

/// Limits of the generator's own machine that prevented exchanges: how many, and a reason for each.
pub(super) fn limits(evidence: &Evidence<'_>) -> Vec<(u64, Reason)> {
    let measured = evidence.measured;
    let mut limits = Vec::new();
    let count = measured.health.socket_drops;
    if count > 0 {
        let why = (None, Some(Remedy::RaiseReceiveBuffer));
        limits.push((count, limited(Effect::RepliesDropped { count }, why, evidence)));
    }
    let count = failed_in(measured, &[Class::Ports]);
    if count > 0 {
        let why = (None, Some(Remedy::MorePorts));
        limits.push((count, limited(Effect::NoLocalPort { count }, why, evidence)));
    }
    limits.extend(descriptors(evidence));
    limits.extend(unsent(evidence));
    limits.extend(missed(evidence));
    limits
}

/// Exchanges whose message this machine could not send, with the most frequent reason.
fn unsent(evidence: &Evidence<'_>) -> Option<(u64, Reason)> {
    let codes = evidence.measured.operations.iter().flat_map(|operation| operation.codes.sorted());
    let errors: Vec<(u32, u64)> = codes
        .filter_map(|(outcome, count)| match outcome {
            Outcome::Failed(Class::Unsent, errno) => Some((errno, count)),
            _ => None,
        })
        .collect();
    let (errno, _) = *errors.iter().max_by_key(|(_, count)| *count)?;
    let count: u64 = errors.iter().map(|(_, count)| count).sum();
    let effect = Effect::NotSent { count, due: evidence.measured.counts().due() };
    let why = (Some(Cause::System { errno }), Some(Remedy::CheckRoute));
    Some((count, limited(effect, why, evidence)))
}

/// Sessions that could not be created: fewer sessions than requested made the load.
fn descriptors(evidence: &Evidence<'_>) -> Option<(u64, Reason)> {
    let refused =
        |(outcome, _): &(Outcome, u64)| matches!(outcome, Outcome::Failed(Class::Descriptors, _));
    let attempts: u64 =
        evidence.unready.sorted().into_iter().filter(refused).map(|(_, count)| count).sum();
    let failed = failed_in(evidence.measured, &[Class::Descriptors]);
    (attempts + failed > 0).then(|| {
        let sessions = evidence.plan.sessions;
        let effect = Effect::NoDescriptor { sessions, failed: attempts.max(failed) };
        let why = (Some(Cause::OpenFiles), Some(Remedy::RaiseOpenFiles));
        // However few exchanges this affected, the requested sessions were not there.
        (u64::MAX, limited(effect, why, evidence))
    })
}

/// Exchanges without an answer in time because the generator stood still: their time ended meanwhile, or they were sent
/// in one burst after it.
fn missed(evidence: &Evidence<'_>) -> Option<(u64, Reason)> {
    let paused = paused(evidence)?;
    let count: u64 = evidence.measured.operations.iter().map(|one| one.tainted.timed_out).sum();
    let timed_out = evidence.measured.counts().timed_out;
    (count > 0).then(|| {
        let effect = Effect::MissedWhilePaused { count, timed_out };
        let why = (Some(paused), Some(Remedy::RunAgain));
        (count, limited(effect, why, evidence))
    })
}
