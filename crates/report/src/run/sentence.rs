//! The result of a run, in a sentence for a reader who reads nothing else.
//!
//! It uses no technical term: a customer who pays for a directory knows requests, seconds and per
//! cent.

use crate::failures::explained;
use crate::figure::{percent, thousands};
use crate::summary::{millis, response};
use brunt_record::{HistogramError, Reach, Record, RunOutcome, Status};

/// A rate that is at least this share of the requested rate counts as all of it.
const ALL_OF_IT: f64 = 0.9995;

/// The sentence.
pub(super) fn sentence(record: &Record) -> Result<String, HistogramError> {
    let counts = &record.counts;
    if counts.due() == 0 {
        return Ok(format!("Nothing was measured: no {} was scheduled.", record.plan.noun.one));
    }
    // How many connections there were, and which scenario it was, is in the title.
    let target = record.plan.target.as_deref().unwrap_or("the target");
    let target = target.split(' ').next().filter(|word| word.contains("://")).unwrap_or(target);
    if let Some(why) = explained(record).filter(|_| counts.ok == 0) {
        let due = thousands(counts.due());
        return Ok(format!(
            "Nothing worked: none of {due} requests to {target} succeeded ({why})."
        ));
    }
    let doubt = doubt(record.verdict.status);
    let words = [outcome(record.outcome()), doubt, target, " ", &carried_out(record)].concat();
    let mut words = format!("{words} for {}", lasted(record.rates.seconds));
    let tail = tail(record)?;
    if !tail.is_empty() {
        words = format!("{words}; {tail}");
    }
    let missed = counts.missed();
    let failed = match missed {
        0 => "none failed".to_owned(),
        _ => format!(
            "{} ({} of {}) failed{}",
            percent(missed as f64 / counts.due() as f64).replace(' ', "\u{a0}"),
            thousands(missed),
            thousands(counts.due()),
            if counts.dropped > 0 { " or were never sent" } else { "" }
        ),
    };
    let late = match record.rates.late {
        Some(late) if record.rates.fell_behind() && late > 0 => {
            format!("; {} were answered only after the load had ended", thousands(late))
        }
        _ => String::new(),
    };
    Ok(format!("{words}{late}, and {failed}."))
}

/// The words for what came of the run, at the beginning.
const fn outcome(outcome: RunOutcome) -> &'static str {
    match outcome {
        RunOutcome::NothingWorked => "Nothing worked: ",
        RunOutcome::Unavailable => "The target stopped responding for part of the run: ",
        RunOutcome::NotReliable => "Not reliable, because brunt or its machine was the limit: ",
        RunOutcome::Incomplete => "The run is incomplete: ",
        RunOutcome::Overloaded => "Overloaded: ",
        RunOutcome::Missed => "An objective was missed: ",
        RunOutcome::Undecided => "An objective is undecided: ",
        RunOutcome::Passed => "Passed: ",
        RunOutcome::Measured | RunOutcome::Other => "",
    }
}

/// The words before figures that a longer run would change.
const fn doubt(status: Status) -> &'static str {
    match status {
        Status::Unstable => "with care, because throughput was still changing, ",
        Status::Valid | Status::Partial | Status::GeneratorLimited => "",
    }
}

/// How much of the requested load was carried out.
fn carried_out(record: &Record) -> String {
    let rates = &record.rates;
    if let Some(doubt) = rates.doubt.filter(|_| rates.achieved.is_none()) {
        return format!("was asked for too little time to tell its rate ({})", doubt.words());
    }
    let asked = match (rates.iterations, record.plan.target_iterations, rates.target) {
        (Some(of), Some(asked), _) => Some(("iterations", of.goodput, asked)),
        (_, None, Some(asked)) => Some(("requests", rates.goodput, asked)),
        _ => None,
    };
    let Some((what, done, asked)) = asked else {
        return format!(
            "carried out {} requests a second",
            rate(rates.goodput.unwrap_or_default())
        );
    };
    let done = done.unwrap_or_default();
    if done >= ALL_OF_IT * asked {
        return format!("carried out all {} {what} a second that were asked of it", rate(asked));
    }
    format!(
        "carried out {} of the {} {what} a second that were asked of it",
        rate(done),
        rate(asked)
    )
}

/// How long requests took: the middle one and the slow ones.
fn tail(record: &Record) -> Result<String, HistogramError> {
    let Some(latency) = response(record) else { return Ok(String::new()) };
    let (histogram, waits) = (latency.histogram()?, latency.waits()?);
    let (Some(half), Some(most)) = (histogram.quantile(0.5), histogram.quantile(0.99)) else {
        return Ok(String::new());
    };
    let is_exact = |share| waits.quantile(share).is_none_or(Reach::is_exact);
    let [half, most] = [half, most].map(|took| format!("{}\u{a0}ms", millis(took)));
    Ok(match (is_exact(0.5), is_exact(0.99)) {
        (true, true) => format!("half were answered within {half} and 99\u{a0}% within {most}"),
        (true, false) => {
            format!("half were answered within {half}, the slowest 1\u{a0}% took more than {most}")
        }
        (false, _) => format!("half took more than {half}"),
    })
}

/// A rate in the words of a reader.
fn rate(rate: f64) -> String {
    if rate >= 99.95 {
        thousands(rate.round() as u64)
    } else if rate >= 0.95 {
        format!("{rate:.1}")
    } else {
        format!("{rate:.3}")
    }
}

fn lasted(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 if (seconds - whole as f64).abs() > 0.05 => format!("{seconds:.1} seconds"),
        1 => "1 second".to_owned(),
        0..120 => format!("{whole} seconds"),
        120..7_200 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.1} hours", seconds / 3_600.0),
    }
}
