//! The effect of the generator's own part on a figure: [`OwnPart`].

use super::effect::{millis, moved_words, shortest};
use super::{Effect, Evidence, Reason, Status, Verdict};
use crate::{Histogram, Operation, TimerRecord, Waits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The generator affected a figure if it differs by more than this share from the same figure without its own part.
pub const OWN_SHARE: f64 = 0.1;
/// It must also differ by more than the lateness of this machine's timer while nothing disturbs it, which is taken as
/// at least this.
pub const FLOOR_MIN: Duration = Duration::from_micros(200);
/// A percentile is judged only if at least this many exchanges lie beyond it: with fewer it is a single cold start, and
/// does not describe the run. It is also judged if as many exchanges succeeded that were due while the generator stood
/// still, which is not a cold start.
pub const JUDGED_BEYOND: f64 = 5.0;
/// The percentiles that decide, beside those of the objectives.
const DECIDING: [f64; 2] = [50.0, 99.0];
/// One that is reported, and decides nothing.
const REPORTED: f64 = 99.9;
/// A smaller difference is not reported.
const REPORTED_MIN_US: f64 = 20.0;

/// A percentile of response time that the generator's own part moves by more than a tenth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OwnPart {
    /// The rank of the node of this figure, in a record that was merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// The operation.
    pub operation: String,
    /// The percentile, from 0 to 100.
    pub percentile: f64,
    /// Its value in microseconds.
    pub us: f64,
    /// Its value without the generator's own part.
    pub without_own_us: f64,
    /// Whether the difference is more than this machine's timer explains, so that the generator caused it.
    pub ours: bool,
    /// How many exchanges there were, if they are too few to judge the figure although it differs by more than this
    /// machine's timer explains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub too_few: Option<u64>,
}

impl OwnPart {
    /// By how many microseconds the figure is too high.
    pub fn too_high_us(&self) -> f64 {
        self.us - self.without_own_us
    }

    /// Whether it is so much too high that a timer which is at most this late does not explain it.
    fn exceeds(&self, timer: &TimerRecord) -> bool {
        timer.samples > 0 && self.too_high_us() > timer.max_us.max(FLOOR_MIN.as_secs_f64() * 1e6)
    }

    /// What a reader must know of a figure that was not judged.
    pub fn unjudged(&self) -> Option<String> {
        let count = self.too_few?;
        Some(format!("{}, and {count} samples are too few to judge it", self.words()))
    }

    /// The figure as an effect of the generator.
    pub(super) fn effect(&self) -> Effect {
        let Self { percentile, us, without_own_us, .. } = *self;
        let operation = self.operation.clone();
        Effect::PercentileMoved { operation, percentile, us, without_own_us }
    }

    fn words(&self) -> String {
        moved_words(&self.operation, self.percentile, [self.us, self.without_own_us])
    }
}

impl Verdict {
    /// What a reader must know of a run that nothing speaks against, if the generator's own part made a figure too high
    /// by more than this machine's timer explains and no cause was observed.
    pub fn unexplained(&self, timer: &TimerRecord) -> Option<String> {
        let part = worst(&self.own).filter(|part| part.exceeds(timer))?;
        (self.status == Status::Valid)
            .then(|| format!("{}, and no cause was observed", part.words()))
    }

    /// Whether the generator is blamed only for the effect of its own part on response times: all that became due was
    /// sent.
    pub fn is_of_own_part_alone(&self) -> bool {
        let blamed = |reason: &&Reason| reason.status == Status::GeneratorLimited;
        let of_own = |reason: &Reason| match &reason.effect {
            Some(effect) => matches!(effect, Effect::PercentileMoved { .. }),
            // A record of an older version has only the words.
            None => self.own.iter().any(|part| part.ours && reason.text.starts_with(&part.words())),
        };
        self.status == Status::GeneratorLimited && self.reasons.iter().filter(blamed).all(of_own)
    }
}

/// The effect of the generator's own part, by operation and percentile.
pub(super) fn parts(evidence: &Evidence<'_>) -> Vec<OwnPart> {
    let floor_us = evidence.generator.timer.p99_us.max(FLOOR_MIN.as_secs_f64() * 1e6);
    let decides = |percentile: f64| {
        DECIDING.contains(&percentile) || evidence.requested.contains(&percentile)
    };
    let mut percentiles: Vec<f64> =
        DECIDING.into_iter().chain([REPORTED]).chain(evidence.requested.iter().copied()).collect();
    percentiles.sort_by(f64::total_cmp);
    percentiles.dedup();
    let mut parts = Vec::new();
    for (number, operation) in evidence.measured.operations.iter().enumerate() {
        let (with, without) = both(operation);
        for &percentile in &percentiles {
            let quantile = percentile / 100.0;
            let tainted = operation.tainted.ok as f64 >= JUDGED_BEYOND;
            let few = (1.0 - quantile) * (with.count() as f64) < JUDGED_BEYOND && !tainted;
            if few && !decides(percentile) {
                continue;
            }
            let us = |waits: &Waits| waits.quantile(quantile).map(|reach| reach.least / 1e3);
            let (Some(us), Some(without_own_us)) = (us(&with), us(&without)) else { continue };
            let apart = us - without_own_us;
            let beyond_timer = decides(percentile) && apart > floor_us;
            if apart > OWN_SHARE * us && (beyond_timer || !few) {
                parts.push(OwnPart {
                    node: None,
                    operation: evidence.names.get(number).cloned().unwrap_or_default(),
                    percentile,
                    us,
                    without_own_us,
                    ours: beyond_timer && !few,
                    too_few: few.then(|| with.count()),
                });
            }
        }
    }
    parts
}

/// The waits of an operation, with the generator's own part and without it.
fn both(operation: &Operation) -> (Waits, Waits) {
    let response = &operation.response;
    let censored = response.censored();
    let waits = |ok: &Histogram| {
        let mut known = ok.clone();
        known.merge(&response.failed);
        Waits { known, censored: censored.clone(), endless: 0 }
    };
    (waits(&response.ok), waits(response.cleared()))
}

/// The note on the figure that was not judged and is the most too high.
pub(super) fn unjudged_note(parts: &[OwnPart]) -> Option<String> {
    let unjudged = parts.iter().filter(|part| part.too_few.is_some());
    unjudged.max_by(|a, b| a.too_high_us().total_cmp(&b.too_high_us()))?.unjudged()
}

/// The note where figures are too high and no cause was observed.
pub(super) fn timer_note(parts: &[OwnPart], timer: &TimerRecord) -> Option<String> {
    let part = worst(parts)?;
    let (name, too_high) = (shortest(part.percentile), millis(part.too_high_us()));
    Some(if part.exceeds(timer) {
        format!(
            "p{name} up to {too_high} too high because of the delay added by brunt, more than this machine's timer \
             explains (late by at most {} while nothing disturbed it): no cause was observed",
            millis(timer.max_us)
        )
    } else {
        let own = if timer.samples > 0 { millis(timer.p99_us) } else { "not known".to_owned() };
        format!(
            "p{name} up to {too_high} too high by this machine's timer (p99 of its own lateness {own})"
        )
    })
}

/// The judged figure that is the most too high; one that the generator changed is named before one that its timer may
/// have changed.
fn worst(parts: &[OwnPart]) -> Option<&OwnPart> {
    let judged =
        parts.iter().filter(|part| part.too_few.is_none() && part.too_high_us() > REPORTED_MIN_US);
    judged.max_by(|a, b| a.ours.cmp(&b.ours).then(a.too_high_us().total_cmp(&b.too_high_us())))
}
