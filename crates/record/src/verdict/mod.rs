//! Whether the figures of a run can be trusted: a pure function of what was measured.
//!
//! A verdict is about an effect, not about a threshold. Beside every response time the generator keeps the same time
//! without its own part (how late it sent the request, how long the answer was unread, how long the generator stood
//! still). So the effect of the generator on a figure is the difference of two percentiles ([`OwnPart`]). The generator
//! is blamed only where that difference matters, or where the requested load was not made, and only with a cause that
//! was observed on the generator's own machine. Sessions that are busy, reconnect or wait for an answer are the
//! target's time, and an idle machine is never the bottleneck.

mod absence;
mod cause;
mod drift;
mod early_end;
mod effect;
mod observed;
mod own;
mod reason;
mod remedy;
#[cfg(test)]
mod tests;

pub use cause::Cause;
pub use drift::{DRIFT_ERRORS, DRIFT_SHARE, DRIFT_STEPS};
pub use early_end::EarlyEnd;
pub use effect::Effect;
pub use observed::{
    CPU_SHARE, SLICE, STALLED_SHARE, STEAL_SHARE, THROTTLED_SHARE, WAITED_OF_OWN_SHARE,
    WAITED_SHARE,
};
pub use own::{FLOOR_MIN, JUDGED_BEYOND, OWN_SHARE, OwnPart};
pub use reason::{Compared, Reason, ReasonNode};
pub use remedy::Remedy;

use crate::{Away, Codes, Counts, Generator, Interval, Plan, Rates, Step};
use brunt_exchange::{Class, Outcome};
use observed::Observed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The share of all that was due which must be lost to a limit of the generator's machine before the load counts as not
/// made.
pub const LOSS_SHARE: f64 = 0.001;
/// Below this share of the offered rate, the requested load was not carried out.
pub const MADE_SHARE: f64 = 0.99;
/// If the achieved rate is closer than this to the rate of the machine against a target that costs nothing, the reader
/// is informed.
pub const CEILING_SHARE: f64 = 0.8;

/// How far a run's figures can be trusted.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Nothing speaks against them.
    #[default]
    Valid,
    /// Throughput was still drifting: a longer warm-up or run would give different figures.
    Unstable,
    /// The run is not complete: it was cut short, or the target stopped responding for some of it.
    Partial,
    /// The generator affected the figures, so they do not describe only the target.
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

/// How far a run's figures can be trusted, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The worst of the reasons.
    pub status: Status,
    /// Whether the run did not reach its planned end, or a part of it is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
    /// Everything that speaks against the figures, the worst first.
    pub reasons: Vec<Reason>,
    /// What a reader should know although it does not speak against the figures.
    pub notes: Vec<String>,
    /// What the generator's own part does to the percentiles that it moves by more than a tenth.
    pub own: Vec<OwnPart>,
    /// What shows that the target was there although exchanges had no answer in time. Times in which nothing was
    /// answered are then no absences of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<String>,
}

/// The evidence from which a verdict is made.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What became due in the steady phase, and the later steps of its iterations.
    pub measured: &'a Interval,
    /// The steps of the run.
    pub steps: &'a [Step],
    /// The counts of the whole run.
    pub counts: Counts,
    /// What was requested.
    pub plan: &'a Plan,
    /// The rates of the steady phase.
    pub rates: &'a Rates,
    /// How the generator performed.
    pub generator: &'a Generator,
    /// Why attempts to make a session ready failed, over the whole run.
    pub unready: &'a Codes,
    /// When the target stopped responding.
    pub away: &'a [Away],
    /// Percentiles of response time that objectives ask for.
    pub requested: &'a [f64],
    /// The names of the operations.
    pub names: &'a [String],
    /// Why the run did not reach its planned end.
    pub interrupted: Option<&'a EarlyEnd>,
    /// A remark for the reader about how it ended.
    pub remark: Option<&'a str>,
    /// What shows that the target was there although exchanges had no answer in time.
    pub present: Option<&'a str>,
}

impl Verdict {
    /// Judges a run.
    pub fn new(evidence: &Evidence<'_>) -> Self {
        let own = own::parts(evidence);
        let mut notes = Vec::new();
        let mut reasons = limited(evidence, &own, &mut notes);
        reasons.extend(absence::partial(evidence));
        reasons.extend(drift::drift(evidence));
        if reasons.iter().all(|reason| reason.status != Status::GeneratorLimited) {
            notes.extend(observed::unknown_note(evidence));
        }
        notes.extend(own::unjudged_note(&own));
        notes.extend(ceiling(evidence));
        notes.extend(evidence.remark.map(str::to_owned));
        let status = reasons.first().map(|reason| reason.status).unwrap_or_default();
        let cut_short = evidence.interrupted.is_some() || evidence.counts.conserved().is_err();
        let present = absence::present(evidence).map(str::to_owned);
        Self { status, cut_short, reasons, notes, own, present }
    }
}

/// Why the generator limited the figures; weaker effects become notes.
fn limited(evidence: &Evidence<'_>, own: &[OwnPart], notes: &mut Vec<String>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    let observed = observed::found(evidence);
    let load = load_not_made(evidence).zip(observed.iter().find(|observed| observed.limits_load));
    let moved = || explained(own, &observed).map(|(part, observed)| (part.effect(), observed));
    if let Some((effect, observed)) = load.or_else(moved) {
        reasons.push(observed.reason(effect, evidence));
    } else {
        notes.extend(own::timer_note(own, &evidence.generator.timer));
        notes.extend(observed::stall_note(evidence));
    }
    for (lost, reason) in observed::limits(evidence) {
        if lost as f64 > LOSS_SHARE * evidence.measured.counts().due() as f64 {
            reasons.push(reason);
        } else {
            notes.push(reason.text);
        }
    }
    reasons
}

/// The most certain cause that explains a figure which the generator affected, and the figure that it changed most.
fn explained<'a>(
    own: &'a [OwnPart],
    observed: &'a [Observed],
) -> Option<(&'a OwnPart, &'a Observed)> {
    observed.iter().find_map(|observed| {
        let ours = own.iter().filter(|part| part.ours && observed.explains(part));
        let most = ours.max_by(|a, b| a.too_high_us().total_cmp(&b.too_high_us()));
        most.map(|part| (part, observed))
    })
}

/// In what way the requested load was not made, as far as the generator can be the reason. A closed loop without a
/// limit requests as much as possible.
fn load_not_made(evidence: &Evidence<'_>) -> Option<Effect> {
    if evidence.plan.mode == crate::Mode::Closed {
        // The rate at which brunt can repeat requests that the target mostly refuses is no limit of the target or of
        // brunt.
        let turned_away =
            failed_in(evidence.measured, &[Class::Connect, Class::Closed, Class::Tls]);
        if 2 * turned_away > evidence.measured.counts().due() {
            return None;
        }
        return Some(Effect::LoopLimited);
    }
    if !evidence.away.is_empty() {
        return None;
    }
    let (achieved, offered) = (evidence.rates.achieved?, evidence.rates.offered?);
    // An exchange that failed or timed out was sent in time, or was late, which shows in its own part.
    let answered: u64 = evidence.measured.operations.iter().map(|one| one.codes.answered()).sum();
    let counts = evidence.measured.counts();
    let unanswered = (counts.ok + counts.failed + counts.timed_out).saturating_sub(answered);
    let made = achieved + unanswered as f64 / evidence.rates.seconds;
    (made < MADE_SHARE * offered || evidence.measured.dropped > 0)
        .then_some(Effect::LoadNotMade { made_per_second: made, scheduled_per_second: offered })
}

fn ceiling(evidence: &Evidence<'_>) -> Option<String> {
    let ratio = evidence.generator.ceiling_ratio.filter(|ratio| *ratio > CEILING_SHARE)?;
    let ceiling = evidence.generator.ceiling?;
    Some(format!(
        "the rate is {:.0}% of the {ceiling:.0}/s that this machine managed against a target that costs nothing \
         (brunt calibrate)",
        100.0 * ratio
    ))
}

/// How many exchanges of what was measured failed in one of these classes.
fn failed_in(measured: &Interval, classes: &[Class]) -> u64 {
    let codes = measured.operations.iter().flat_map(|operation| operation.codes.sorted());
    let of = codes.filter(
        |(outcome, _)| matches!(outcome, Outcome::Failed(class, _) if classes.contains(class)),
    );
    of.map(|(_, count)| count).sum()
}
