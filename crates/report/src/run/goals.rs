//! The objectives of a run, each with what was measured.

use crate::figure::{NONE, three_digits};
use crate::page::{Block, Goal, Page};
use crate::summary::{found, response};
use brunt_record::{HistogramError, OutcomeTone, Record, Slo, SloOutcome, SloResult};

/// An objective that is proposed leaves this much room above what was measured.
const ROOM: f64 = 1.25;

/// What a run without objectives lacks.
const UNSAID: &str =
    "No objective says what is good enough. Add one to the plan, or as --slo, such as errors<1%.";

/// Adds the part. A run without objectives gets one proposed.
pub(super) fn add(page: &mut Page, record: &Record) -> Result<(), HistogramError> {
    let all = &record.slo;
    let met = all.iter().filter(|slo| slo.outcome == SloOutcome::Met).count();
    let title = match all.len() {
        0 => "No objectives".to_owned(),
        of => format!("Objectives: {met} of {of} met"),
    };
    page.part("objectives", Some(&title));
    if all.is_empty() {
        page.paragraph(proposed(record)?.unwrap_or_else(|| UNSAID.to_owned()));
        return Ok(());
    }
    page.push(Block::Goals(all.iter().map(|slo| goal(slo, record)).collect()));
    Ok(())
}

fn goal(slo: &SloResult, record: &Record) -> Goal {
    let limit = slo.expr.parse::<Slo>().ok().map(|it| it.limit()).filter(|limit| *limit > 0.0);
    // What is infinite is drawn as longer than its limit.
    let measured = slo.value.or_else(|| (record.counts.due() > 0).then_some(f64::INFINITY));
    Goal {
        text: slo.expr.clone(),
        found: measured_value(slo, limit).unwrap_or_else(|| found(slo, record)),
        word: slo.outcome.word().to_owned(),
        tone: match slo.outcome {
            SloOutcome::Met => OutcomeTone::Good,
            SloOutcome::Missed => OutcomeTone::Bad,
            SloOutcome::Undecided => OutcomeTone::Care,
        },
        share: limit.zip(measured).map(|(limit, measured)| measured / limit),
        why: slo.why.clone(),
    }
}

/// What was measured in three digits, or in more if three do not show on which side of the limit it is.
fn measured_value(slo: &SloResult, limit: Option<f64>) -> Option<String> {
    let value = slo.value?;
    let text = three_digits(value);
    let shown: f64 = text.parse().ok()?;
    let is_clear = limit.is_none_or(|limit| shown.total_cmp(&limit) == value.total_cmp(&limit));
    let sign = if slo.at_least { ">" } else { "" };
    is_clear.then(|| format!("{sign}{text} {}", slo.unit).trim_end().to_owned())
}

/// An objective that this run would have met, so that a later one can be judged.
fn proposed(record: &Record) -> Result<Option<String>, HistogramError> {
    if record.counts.ok == 0 || record.rates.overload.is_some() {
        return Ok(None);
    }
    let Some(latency) = response(record) else { return Ok(None) };
    let took = latency.histogram()?.quantile(0.99);
    Ok(took.map(|took| {
        let millis = rounded(took.as_secs_f64() * 1e3 * ROOM);
        format!(
            "No objective says what is good enough. This run would have met p99<{millis}ms: in the plan, or as --slo, \
             that judges the next run."
        )
    }))
}

/// Two digits.
fn rounded(value: f64) -> String {
    if value <= 0.0 {
        return NONE.to_owned();
    }
    let unit = 10_f64.powf(value.log10().floor() - 1.0);
    let text = three_digits((value / unit).ceil() * unit);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The objectives of a run that is not over: one is neither met nor missed before the steady phase.
pub(super) fn provisional(goals: &mut [Goal], is_empty: bool) {
    for goal in goals {
        if is_empty {
            "not yet".clone_into(&mut goal.word);
            NONE.clone_into(&mut goal.found);
            (goal.tone, goal.share, goal.why) = (OutcomeTone::Plain, None, None);
        } else {
            goal.word.push_str(" so far");
        }
    }
}
