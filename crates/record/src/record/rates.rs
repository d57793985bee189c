//! The rates of a run: what was answered while its load ran. Every rate of a record is computed here.
//!
//! In an open load the achieved rate is the offered rate times the share that was answered in time
//! ([`PaceShare`](crate::PaceShare)). In a closed load it is the number of cycles (an exchange and the think time after
//! it) that lie in the window, divided by its length; a cycle that crosses an end of the window counts with its share.
//! Where an arrival begins an iteration of several exchanges, the share is that of iterations, and the rates of
//! exchanges are those of the answers that arrived in the window. What came too late is in counts, never in a rate.

use super::{Mode, Plan, rate};
use crate::pace::KEPT_UP;
use crate::{Interval, Late, Operation, Overload, Pace, RateDoubt, Timing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The definition of rates that this version has.
pub const RATES: u32 = 2;

/// Exchanges a second while the load ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// The definition of these rates. 2: what was answered while the load ran. 1: what became due in the window and was
    /// answered at any time.
    #[serde(default = "first")]
    pub definition: u32,
    /// When the window began in which exchanges of the steady phase became due, in seconds since the origin of the run.
    pub from_s: f64,
    /// How long the window was, in seconds.
    pub seconds: f64,
    /// How long it took after the window until nothing was in flight any more, in seconds.
    pub drained_s: f64,
    /// Asked for; null for as many as possible.
    pub target: Option<f64>,
    /// Fell due, dropped ones included.
    pub offered: Option<f64>,
    /// Was answered while the load ran, well or not; null if that is not known.
    pub achieved: Option<f64>,
    /// Succeeded while the load ran.
    pub goodput: Option<f64>,
    /// The share of what was due, exchanges or iterations, that was answered while the load ran, from 0 to 1; null in a
    /// closed load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// How long an answer normally took: what was due in the last so many seconds is not expected to be answered in the
    /// window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal_s: Option<f64>,
    /// How many exchanges that became due in the window were answered after it; null if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<u64>,
    /// Why the achieved rate is not known, or is zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<RateDoubt>,
    /// How the load was more than could be carried; null if it was not, or in a closed load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overload: Option<Overload>,
    /// Items a second that arrived while the load ran: entries of searches, octets of bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<f64>,
    /// The rates of iterations, where an arrival begins several exchanges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<IterationRates>,
}

/// Iterations a second while the load ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IterationRates {
    /// Fell due.
    pub offered: Option<f64>,
    /// Was completed with answers while the load ran.
    pub achieved: Option<f64>,
    /// Was completed without a failure while the load ran.
    pub goodput: Option<f64>,
}

const fn first() -> u32 {
    1
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            definition: RATES,
            from_s: 0.0,
            seconds: 0.0,
            drained_s: 0.0,
            target: None,
            offered: None,
            achieved: None,
            goodput: None,
            share: None,
            normal_s: None,
            late: None,
            doubt: None,
            overload: None,
            items: None,
            iterations: None,
        }
    }
}

impl Rates {
    /// Whether less was answered while the load ran than became due, by more than such a measurement can be wrong.
    pub fn fell_behind(&self) -> bool {
        self.share.is_some_and(|share| share < KEPT_UP)
    }

    /// The rates of a steady phase.
    pub fn new(steady: &Interval, timing: &Timing, plan: &Plan) -> Self {
        let (counts, window) = (steady.counts(), timing.window());
        if plan.mode == Mode::Closed && counts.planned == 1 && counts.ok + counts.failed == 1 {
            // One exchange is no rate: users begin the next one when it ends, and there was none.
            let (from_s, seconds) = (timing.from.as_secs_f64(), window.as_secs_f64());
            let drained_s = timing.drained().as_secs_f64();
            return Self { from_s, seconds, drained_s, late: Some(0), ..Self::default() };
        }
        let answered = Answered::new(steady, plan.mode);
        let counted = Self {
            definition: RATES,
            from_s: timing.from.as_secs_f64(),
            seconds: window.as_secs_f64(),
            drained_s: timing.drained().as_secs_f64(),
            target: plan.target_rate,
            offered: rate(counts.planned - steady.repeats.min(counts.planned), window),
            achieved: per_second(answered.all, window),
            goodput: per_second(answered.ok, window),
            late: (plan.mode == Mode::Closed || !steady.pace.is_empty())
                .then(|| steady.pace.late_answers()),
            items: (counts.items > 0)
                .then(|| rate(counts.items - steady.pace.late_items().min(counts.items), window))
                .flatten(),
            ..Self::default()
        };
        if plan.mode == Mode::Closed {
            return counted;
        }
        if steady.pace.is_empty() && counts.due() > 0 {
            // Intervals of an older version do not say when answers arrived.
            return Self { definition: first(), ..counted };
        }
        let rates = counted.open(&steady.pace, window, counts.planned, counts.cut_off);
        rates.staged(&steady.pace, &plan.stages_s, counts.cut_off)
    }

    /// The same for an open load, of which `planned` exchanges became due and `cut_off` were given up at the end.
    pub(crate) fn open(self, pace: &Pace, window: Duration, planned: u64, cut_off: u64) -> Self {
        if window.is_zero() {
            return self;
        }
        let found = pace.share(window, cut_off);
        let rates = Self {
            share: found.answered,
            normal_s: found.normal.map(|took| took.as_secs_f64()),
            doubt: found.doubt,
            overload: found
                .answered
                .filter(|share| *share < KEPT_UP)
                .and_then(|_| pace.overload(window, cut_off)),
            ..self
        };
        let units: u64 = pace.slots().iter().map(|slot| slot.due).sum();
        let due = pace.slots().iter().map(|slot| slot.due.saturating_sub(slot.skipped)).sum();
        let achieved = rate(due, window).zip(found.answered).map(|(due, share)| due * share);
        let goodput = achieved.map(|achieved| achieved * found.ok);
        if units == planned {
            return Self { achieved, goodput, ..rates };
        }
        let offered = rate(units, window);
        Self { iterations: Some(IterationRates { offered, achieved, goodput }), ..rates }
    }

    /// The same with the stages that were overloaded. What is answered before the load ends is achieved, so a stage can
    /// be more than the target could carry although the rates of the whole run are as offered.
    fn staged(mut self, pace: &Pace, begins_s: &[f64], cut_off: u64) -> Self {
        let window = Duration::from_secs_f64(self.seconds);
        let stages = pace.overloaded_stages(begins_s, window);
        if self.share.is_some() && !stages.is_empty() {
            let whole = self.overload.unwrap_or_else(|| Overload {
                waiting: pace.waiting(cut_off),
                ..Overload::default()
            });
            self.overload = Some(Overload { stages, ..whole });
        }
        self
    }

    /// The achieved rate and goodput of one operation of the phase.
    pub(super) fn of(
        &self,
        number: usize,
        operation: &Operation,
        steady: &Interval,
    ) -> [Option<f64>; 2] {
        let window = Duration::from_secs_f64(self.seconds);
        let own = Answered::from_operation(operation, steady.pace.late_of(number));
        if self.iterations.is_some() {
            return [own.all, own.ok].map(|count| per_second(count, window));
        }
        let all = Answered::in_time(steady);
        let share = |whole: Option<f64>, own: f64, all: f64| {
            whole.map(|whole| if all > 0.0 { whole * own / all } else { 0.0 })
        };
        [share(self.achieved, own.all, all.all), share(self.goodput, own.ok, all.ok)]
    }

    /// How many of a span a second passed while the load ran, as for an operation.
    pub fn of_span(&self, number: usize, steady: &Interval) -> Option<f64> {
        let nothing = Operation::new();
        let span = steady.spans.get(number).unwrap_or(&nothing);
        let [_, goodput] = self.of(steady.operations.len() + number, span, steady);
        goodput
    }
}

/// How many exchanges were answered while the load ran.
#[derive(Clone, Copy, Debug, Default)]
struct Answered {
    all: f64,
    ok: f64,
}

impl Answered {
    fn new(steady: &Interval, mode: Mode) -> Self {
        if mode == Mode::Open {
            return Self::in_time(steady);
        }
        let crossing = steady.pace.crossing();
        let mut sum = (0, 0);
        for operation in &steady.operations {
            sum = (sum.0 + operation.codes.answered(), sum.1 + operation.counts.ok);
        }
        let whole = |all: u64, crossing: u64, millionths: u64| {
            all.saturating_sub(crossing) as f64 + millionths as f64 / 1e6
        };
        Self {
            all: whole(sum.0, crossing.answered, crossing.answered_millionths),
            ok: whole(sum.1, crossing.ok, crossing.ok_millionths),
        }
    }

    /// Of all operations, those that ended in the window.
    fn in_time(steady: &Interval) -> Self {
        let operations = steady.operations.iter().enumerate();
        operations.fold(Self::default(), |sum, (number, operation)| {
            let own = Self::from_operation(operation, steady.pace.late_of(number));
            Self { all: sum.all + own.all, ok: sum.ok + own.ok }
        })
    }

    fn from_operation(operation: &Operation, late: Late) -> Self {
        Self {
            all: operation.codes.answered().saturating_sub(late.answered) as f64,
            ok: operation.counts.ok.saturating_sub(late.ok) as f64,
        }
    }
}

fn per_second(count: f64, window: Duration) -> Option<f64> {
    (!window.is_zero()).then(|| count / window.as_secs_f64())
}
