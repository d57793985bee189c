//! Groups, branches and repetitions of a plan in words.

use std::fmt::Write as _;

use crate::compile::Compiled;
use crate::model::{Choose, Condition, Repeat, Step};

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

/// What is said below the name of a group.
pub(super) fn group(out: &mut String, step: &Step) {
    branch(out, step);
    if let Some(repeat) = &step.repeat {
        let _ = writeln!(out, "   {}", rounds(repeat));
    }
    match step.choose {
        Some(Choose::Weights) => {
            let weights: u64 = step.steps.iter().map(|one| u64::from(weight(one))).sum();
            let shares = step.steps.iter().map(|one| {
                format!("{:.1} %", f64::from(weight(one)) * 100.0 / weights.max(1) as f64)
            });
            let shares: Vec<String> = shares.collect();
            let _ = writeln!(out, "   one of its steps is chosen: {}", shares.join(", "));
        }
        Some(Choose::First) => {
            let _ = writeln!(out, "   the first of its steps whose conditions hold is chosen");
        }
        None => {}
    }
}

fn weight(step: &Step) -> u32 {
    step.weight.unwrap_or(1)
}

/// The conditions of a step or a group.
pub(super) fn branch(out: &mut String, step: &Step) {
    for condition in &step.when {
        let _ = writeln!(out, "   only when {}", words(condition));
    }
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
