//! Groups, branches and repetitions of a plan in words.

use std::fmt::Write as _;

use brunt_feed::Values;
use brunt_flow_driver::{self as flow, Candidate, Control};

use crate::compile::Compiled;
use crate::model::{Choose, Condition, Parallel, Repeat, Retry, Step};
use crate::values::time_words;

/// The most exchanges that an iteration makes, for scenarios in which that is not the number of their steps.
pub(super) fn bounds(out: &mut String, compiled: &Compiled) {
    let flow = &compiled.flow;
    for (scenario, bound) in flow.scenarios.iter().zip(&flow.bounds) {
        if scenario.is_steered() {
            let most = bound.exchanges;
            let exchanges = if most == 1 { "exchange" } else { "exchanges" };
            let _ = writeln!(out, "  {}: at most {most} {exchanges} an iteration", scenario.name);
        }
    }
}

/// The lines below the name of a group; `flat` is what follows it in the compiled scenario.
pub(super) fn group<'s>(
    out: &mut String,
    step: &Step,
    flat: &mut impl Iterator<Item = &'s flow::Step>,
    values: &Values,
) {
    branch(out, step);
    if let Some(repeat) = &step.repeat {
        let _ = writeln!(out, "   {}", rounds(repeat));
    }
    match step.parallel {
        Some(Parallel::All) => out.push_str("   its steps are performed at once\n"),
        Some(Parallel::Most(most)) => {
            let _ = writeln!(out, "   its steps are performed at once, at most {most} at a time");
        }
        None => {}
    }
    match step.choose {
        Some(Choose::Weights) => {
            let chosen = flat.find_map(|step| match step {
                flow::Step::Control(Control::Choose(choose)) => Some(&choose.of[..]),
                _ => None,
            });
            let shares = shares(step, chosen.unwrap_or_default(), values);
            let _ = writeln!(out, "   one of its steps is chosen: {shares}");
        }
        Some(Choose::First) => {
            let _ = writeln!(out, "   the first of its steps whose conditions hold is chosen");
        }
        None => {}
    }
}

/// The shares of the steps of which one is chosen; their weights, if one is not known before the run.
fn shares(step: &Step, of: &[Candidate], values: &Values) -> String {
    let numbers: Option<Vec<u32>> = of.iter().map(|one| one.weight.number(values).ok()).collect();
    if let Some(numbers) = numbers {
        let all: u64 = numbers.iter().map(|weight| u64::from(*weight)).sum();
        let share = |weight| format!("{:.1} %", f64::from(weight) * 100.0 / all.max(1) as f64);
        return numbers.into_iter().map(share).collect::<Vec<_>>().join(", ");
    }
    let weights = step.steps.iter().map(|one| match &one.weight {
        Some(weight) => weight.to_string(),
        None => "1".to_owned(),
    });
    format!("by the weights {}", weights.collect::<Vec<_>>().join(", "))
}

/// The conditions of a step or a group.
pub(super) fn branch(out: &mut String, step: &Step) {
    for condition in &step.when {
        let _ = writeln!(out, "   only when {}", words(condition));
    }
}

/// How a step is tried again.
pub(super) fn attempts(retry: &Retry) -> String {
    let times = retry.times.unwrap_or(1);
    let of = retry.of.as_ref().map(|of| {
        let all: Vec<String> = of.0.iter().map(ToString::to_string).collect();
        format!(" after {}", all.join(", "))
    });
    let pause = retry.pause.as_ref().map(|pause| format!(", with a pause of {pause}"));
    let of = of.unwrap_or_else(|| " after a failure".to_owned());
    let many = if times == 1 { "once" } else { "times" };
    let count = if times == 1 { String::new() } else { format!("{times} ") };
    format!("tried again up to {count}{many}{of}{}", pause.unwrap_or_default())
}

/// How long a step that is polled waits.
pub(super) fn waits(out: &mut String, step: &Step) {
    let every = step.every.as_deref().unwrap_or_default();
    let within = step.within.map_or_else(|| "10m".to_owned(), |time| time_words(time.0));
    let slower = step.slower.as_ref();
    let slower = slower.map(|slower| format!(", {} longer on demand", time_words(slower.by.0)));
    let _ = writeln!(
        out,
        "   asked again every {every}{}, within {within}",
        slower.unwrap_or_default()
    );
}

fn rounds(repeat: &Repeat) -> String {
    let mut all = Vec::new();
    all.extend(repeat.times.as_ref().map(|times| format!("repeated {times} times")));
    for condition in &repeat.as_long_as {
        all.push(format!("repeated while {}", words(condition)));
    }
    all.extend(repeat.most.map(|most| format!("at most {most} times")));
    all.extend(repeat.pause.as_ref().map(|pause| format!("with a pause of {pause}")));
    all.join(", ")
}

fn words(condition: &Condition) -> String {
    let Condition { value, exists, equals, contains, matches, between, not } = condition;
    let mut musts = Vec::new();
    musts.extend(exists.map(|there| if there { "exists" } else { "does not exist" }.to_owned()));
    musts.extend(equals.as_ref().map(|whole| format!("is '{whole}'")));
    musts.extend(contains.as_ref().map(|part| format!("contains '{part}'")));
    musts.extend(matches.as_ref().map(|pattern| format!("matches '{pattern}'")));
    musts.extend(between.as_ref().map(|range| format!("is in {range}")));
    if musts.is_empty() {
        musts.push("exists".to_owned());
    }
    let not = if *not == Some(true) { "not: " } else { "" };
    let value = brunt_redact::text(value);
    brunt_redact::text(&format!("{not}{value} {}", musts.join(" and ")))
}
