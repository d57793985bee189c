//! The four figures of a run that matter most: how much was done, how long that took, how much failed.

use crate::figure::{NONE, percent, rate, thousands, three_digits};
use crate::page::Number;
use crate::summary::response;
use brunt_record::{HistogramError, Record, RunOutcome};

/// Shares below this need more digits.
const FEW: f64 = 0.001;

/// The figures.
pub(super) fn numbers(record: &Record) -> Result<Vec<Number>, HistogramError> {
    let mut all = vec![done(record)];
    all.extend(times(record)?);
    all.push(failed(record));
    Ok(all)
}

/// What was achieved of what was offered.
fn done(record: &Record) -> Number {
    let rates = &record.rates;
    let (offered, achieved) = match rates.iterations {
        Some(of) => (of.offered, of.achieved),
        None => (rates.target.and(rates.offered), rates.achieved),
    };
    let nothing = is_nothing(record);
    let (what, shown) = if nothing { ("succeeded", Some(0.0)) } else { ("achieved", achieved) };
    let what =
        if rates.iterations.is_some() { format!("iterations {what}") } else { what.to_owned() };
    let kept_up = rates.overload.as_ref().and_then(|overload| overload.kept_up_per_second);
    let below = match (rates.goodput.filter(|_| rates.iterations.is_none()), achieved) {
        _ if kept_up.is_some() => format!("kept up until {}/s", rate(kept_up.unwrap_or_default())),
        (Some(good), Some(all)) if good < all && !nothing => {
            format!("{}/s of them succeeded", tenths(good))
        }
        _ => String::new(),
    };
    Number {
        key: "achieved",
        name: offered
            .map_or(what.clone(), |offered| format!("{what} of {}/s offered", tenths(offered))),
        value: shown.map_or_else(|| NONE.to_owned(), tenths),
        unit: "/s".to_owned(),
        below,
        is_bad: nothing || record.outcome() == RunOutcome::Overloaded,
    }
}

/// How long it took: the middle one and the slow ones.
fn times(record: &Record) -> Result<Vec<Number>, HistogramError> {
    let Some(latency) = response(record) else { return Ok(Vec::new()) };
    let (histogram, waits) = (latency.histogram()?, latency.waits()?);
    let missed: Vec<f64> = record
        .slo
        .iter()
        .filter(|slo| slo.outcome == brunt_record::SloOutcome::Missed)
        .filter_map(|slo| Some(slo.expr.parse::<brunt_record::Slo>().ok()?.response_limit()?.0))
        .collect();
    let number = |(key, name, share): (&'static str, &str, f64)| {
        let took = histogram.quantile(share).map(|took| millis(took.as_secs_f64() * 1e3));
        let is_least = waits.quantile(share).is_some_and(|reach| !reach.is_exact());
        let sign = if is_least { ">" } else { "" };
        let is_missed = missed.iter().any(|percentile| (percentile / 100.0 - share).abs() < 1e-9);
        let shown = took.clone().filter(|_| !is_nothing(record));
        let below = match took {
            Some(took) if is_nothing(record) => format!("failures took {sign}{took} ms"),
            _ if is_least => "some had no answer".to_owned(),
            _ => String::new(),
        };
        Number {
            key,
            name: name.to_owned(),
            value: shown.map_or_else(|| NONE.to_owned(), |took| format!("{sign}{took}")),
            unit: "ms".to_owned(),
            below,
            is_bad: is_missed,
        }
    };
    let named = [("p50", "half within (p50)", 0.5), ("p99", "99 of 100 within (p99)", 0.99)];
    Ok(named.map(number).to_vec())
}

/// How many of those that were due did not succeed.
fn failed(record: &Record) -> Number {
    let counts = &record.counts;
    let (missed, due) = (counts.missed(), counts.due());
    let share = missed as f64 / due.max(1) as f64;
    let value = match share {
        share if share > 0.0 && share < FEW => format!("{:.3}", 100.0 * share),
        share => percent(share).replace(" %", ""),
    };
    let below = match counts.dropped {
        0 => String::new(),
        dropped => format!("{} of them dropped unsent", thousands(dropped)),
    };
    Number {
        key: "failed",
        name: format!("failed, {} of {}", thousands(missed), thousands(due)),
        value: if due > 0 { value } else { NONE.to_owned() },
        unit: "%".to_owned(),
        below,
        is_bad: is_nothing(record) || 2 * missed > due,
    }
}

/// Whether nothing succeeded.
pub(super) fn is_nothing(record: &Record) -> bool {
    record.counts.due() > 0 && record.counts.ok == 0
}

/// A time with as many digits as a sentence has; tables have all of them.
fn millis(millis: f64) -> String {
    if millis >= 999.5 { thousands(millis.round() as u64) } else { three_digits(millis) }
}

/// A rate with one decimal.
fn tenths(rate: f64) -> String {
    let tenths = (rate * 10.0).round() as u64;
    format!("{}.{}", thousands(tenths / 10), tenths % 10)
}
