//! The rates of a run that several nodes shared.
//!
//! In an open load the slots of the nodes are added, and the share follows from their sum, as on a single machine. A
//! node whose window is shorter, because it was lost or ended early, counts with what it did over the whole window: its
//! plan stays in the offered rate, and what it did after its last report is unknown, so the rates are lower bounds.

use crate::{IterationRates, OperationRecord, Pace, Phase, Plan, RATES, Rates, Record};
use std::time::Duration;

/// A window this much shorter than the longest is of a node that did not carry out its whole part.
const WHOLE: f64 = 0.95;

/// The slots of all nodes that carried out their whole part; none if one of these has none.
pub(super) fn pace(records: &[&Record]) -> Option<Pace> {
    let mut sum = Pace::default();
    let longest = longest(records);
    for record in records.iter().filter(|record| is_whole(record, longest)) {
        sum.merge(&Pace::from_text(record.pace.as_deref()?).ok()?);
    }
    (!sum.is_empty()).then_some(sum)
}

/// The rates of the run.
pub(super) fn rates(records: &[&Record], plan: &Plan, pace: Option<&Pace>) -> Rates {
    let rates = || records.iter().map(|record| &record.rates);
    let longest = longest(records);
    let sums = Rates {
        definition: rates().map(|rates| rates.definition).min().unwrap_or(RATES),
        from_s: rates().map(|rates| rates.from_s).fold(f64::INFINITY, f64::min),
        seconds: longest,
        drained_s: rates().map(|rates| rates.drained_s).fold(0.0, f64::max),
        target: plan.target_rate,
        offered: rates().map(|rates| rates.offered).sum(),
        achieved: together(records, longest, |rates| rates.achieved),
        goodput: together(records, longest, |rates| rates.goodput),
        items: rates()
            .any(|rates| rates.items.is_some())
            .then(|| together(records, longest, |rates| rates.items.or(Some(0.0))))
            .flatten(),
        late: rates().map(|rates| rates.late).sum(),
        ..Rates::default()
    };
    let Some(pace) = pace else { return sums };
    let (whole, short): (Vec<&Record>, Vec<&Record>) =
        records.iter().partition(|record| is_whole(record, longest));
    let planned = whole.iter().flat_map(|record| &record.phases);
    let planned = planned.filter(|phase| phase.name == Phase::Steady);
    let planned = planned.map(|phase| phase.counts.planned).sum();
    let cut_off = records.iter().map(|record| record.counts.cut_off).sum();
    let made = sums.clone().open(pace, Duration::from_secs_f64(longest), planned, cut_off);
    if short.is_empty() {
        return made;
    }
    let with = |made: Option<f64>, of: fn(&Rates) -> Option<f64>| {
        made.zip(together(&short, longest, of)).map(|(made, short)| made + short)
    };
    let of_iterations = |of: fn(&IterationRates) -> Option<f64>| {
        rates().map(|rates| rates.iterations.as_ref().and_then(of)).sum::<Option<f64>>()
    };
    let iterations = made.iterations.map(|made| IterationRates {
        offered: of_iterations(|it| it.offered),
        achieved: with(made.achieved, |rates| rates.iterations?.achieved),
        goodput: with(made.goodput, |rates| rates.iterations?.goodput),
    });
    let (achieved, goodput) = match iterations {
        Some(_) => (sums.achieved, sums.goodput),
        None => {
            (with(made.achieved, |rates| rates.achieved), with(made.goodput, |rates| rates.goodput))
        }
    };
    let of_whole = match &iterations {
        Some(iterations) => iterations.achieved.zip(iterations.offered),
        None => achieved.zip(sums.offered),
    };
    let share = of_whole.map(|(achieved, offered)| (achieved / offered).min(1.0));
    Rates { achieved, goodput, share, iterations, ..made }
}

/// The achieved rate and goodput of an operation over all nodes, given those of the run.
pub(super) fn of_operation(records: &[&Record], name: &str, whole: &Rates) -> [Option<f64>; 2] {
    let of = |own: fn(&OperationRecord) -> Option<f64>, all: fn(&Rates) -> Option<f64>| {
        part(records, whole, |record| own_rate(&record.operations, name, own), all)
    };
    [of(|one| one.achieved, |all| all.achieved), of(|one| one.goodput, |all| all.goodput)]
}

/// How many of a span a second passed over all nodes, given the rates of the run.
pub(super) fn of_span(records: &[&Record], name: &str, whole: &Rates) -> Option<f64> {
    let own = |record: &Record| own_rate(&record.spans, name, |one| one.goodput);
    part(records, whole, own, |all| all.goodput)
}

/// The rate of what has this name; zero if there is nothing of this name.
fn own_rate(
    all: &[OperationRecord],
    name: &str,
    rate: fn(&OperationRecord) -> Option<f64>,
) -> Option<f64> {
    all.iter().find(|one| one.name == name).map_or(Some(0.0), rate)
}

/// A rate that is `own` on each node, where all exchanges of it have the rate `all`.
fn part(
    records: &[&Record],
    whole: &Rates,
    own: impl Fn(&Record) -> Option<f64>,
    all: fn(&Rates) -> Option<f64>,
) -> Option<f64> {
    let sum = |of: &dyn Fn(&Record) -> Option<f64>| {
        let all = records.iter().map(|record| Some(of(record)? * record.rates.seconds));
        all.sum::<Option<f64>>()
    };
    let (own, nodes, whole_rate) = (sum(&own)?, sum(&|one| all(&one.rates))?, all(whole)?);
    Some(if nodes > 0.0 { whole_rate * own / nodes } else { 0.0 })
}

/// A rate of all nodes over the whole window.
fn together(records: &[&Record], longest: f64, of: fn(&Rates) -> Option<f64>) -> Option<f64> {
    let counts = records.iter().map(|record| Some(of(&record.rates)? * record.rates.seconds));
    let all = counts.sum::<Option<f64>>()?;
    (longest > 0.0).then(|| all / longest)
}

fn longest(records: &[&Record]) -> f64 {
    records.iter().map(|record| record.rates.seconds).fold(0.0, f64::max)
}

fn is_whole(record: &Record, longest: f64) -> bool {
    record.rates.seconds >= WHOLE * longest
}
