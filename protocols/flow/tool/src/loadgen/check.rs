//! The output of `--check`: what a job would do, and the first request of each of its tasks, without sending anything.
//!
//! Wildcards are shown as `<NAME>` if their values are drawn or come from answers; constant values are filled in,
//! except for secrets.

use std::fmt::Write as _;

use brunt_redact::HIDDEN;

use super::draft::{Bit, Draft, Meaning, Send, Step, Words};
use super::job::Job;
use crate::report::Compatibility;

/// The most rounds that are shown.
const ROUNDS_SHOWN: usize = 3;

/// The text.
pub(super) fn text(job: &Job, draft: &Draft) -> String {
    let mut out = String::new();
    let how = match draft.manner {
        Compatibility::Repaired => "as it says",
        Compatibility::Compatible => "with the faults of LoadGen",
    };
    let _ = writeln!(out, "The job runs {how}, with {} threads{}.", job.threads, ramp(job));
    mix(draft, &mut out);
    for variable in &draft.variables {
        let _ = writeln!(out, "<{}> is {}.", variable.name, meaning(draft, &variable.meaning));
    }
    for scenario in &draft.scenarios {
        let _ = write!(out, "\n{}: {} loops a thread\n", scenario.name, scenario.loops);
        for step in &scenario.steps {
            match step {
                Step::Sleep { key, millis, .. } => {
                    let _ = writeln!(out, "\n  {key}: sleeps {millis} ms");
                }
                Step::Send(send) => request(draft, send, &mut out),
            }
        }
    }
    if !draft.repairs.is_empty() {
        out.push('\n');
    }
    for repair in &draft.repairs {
        let _ = writeln!(out, "Repaired: {}.", repair.words());
    }
    out
}

fn ramp(job: &Job) -> String {
    match (job.group_size, job.interval) {
        (Some(size @ 1..), Some(millis @ 1..)) => {
            format!(", {size} of which start every {millis} ms")
        }
        _ => ", which start together".to_owned(),
    }
}

fn mix(draft: &Draft, out: &mut String) {
    let rounds = draft.rounds.len();
    let _ = writeln!(out, "Each performs {rounds} rounds:");
    for round in draft.rounds.iter().take(ROUNDS_SHOWN) {
        let entry = |repeat: &brunt_flow_driver::Repeat| {
            format!("{} x {}", repeat.times, draft.scenarios[repeat.scenario].name)
        };
        let entries: Vec<String> = round.iter().map(entry).collect();
        let _ = writeln!(out, "  {}", entries.join(", "));
    }
    if rounds > ROUNDS_SHOWN {
        let _ = writeln!(out, "  ...");
    }
}

fn meaning(draft: &Draft, meaning: &Meaning) -> String {
    match meaning {
        Meaning::Random { least, most } => {
            format!("a random number from {least} to {most}, new in each iteration")
        }
        Meaning::Increment => "a counter per thread, from 0".to_owned(),
        Meaning::Thread => "the number of the thread, from 0".to_owned(),
        Meaning::Uuid => "a UUID, new in each iteration".to_owned(),
        Meaning::Kept(attribute) => {
            format!("\"{attribute}\" of the latest answer in the iteration that contains it")
        }
        Meaning::Line(path) => {
            format!("a random line of {}, new in each iteration", path.display())
        }
        Meaning::Column(path, column) => format!(
            "\"{}\" of a random row of {}, new in each iteration",
            column.name,
            path.display()
        ),
        Meaning::Element(endpoint) => {
            format!("a random value from {}, fetched before the run", endpoint.url)
        }
        Meaning::Secret(_) => "a secret".to_owned(),
        Meaning::Text(words) => {
            let text = brunt_redact::text(&rendered(draft, words));
            format!("\"{}\"", named(draft, &text))
        }
    }
}

fn request(draft: &Draft, send: &Send, out: &mut String) {
    let operation = &draft.operations[send.operation];
    let within =
        send.threshold.map_or_else(String::new, |threshold| format!(" within {threshold} ms"));
    let _ = writeln!(out, "\n  {}{within}", operation.name);
    let url = named(draft, &brunt_redact::url(&rendered(draft, &send.url)));
    let _ = writeln!(out, "    {} {url}", send.method);
    for (name, value) in &send.fields {
        let value = brunt_redact::header(name, &rendered(draft, value));
        let _ = writeln!(out, "    {name}: {}", named(draft, &value));
    }
    if let Some(body) = &send.body {
        let body = brunt_redact::text(&rendered(draft, &body.words));
        let _ = writeln!(out, "\n    {}", named(draft, &body));
    }
    for (attribute, variable) in &send.keeps {
        let _ = writeln!(out, "    keeps \"{attribute}\" as <{}>", draft.variables[*variable].name);
    }
}

/// A text in which each wildcard with changing values is shown by its name.
fn named(draft: &Draft, text: &str) -> String {
    draft.variables.iter().fold(text.to_owned(), |text, variable| {
        text.replace(&format!("${{{}}}", variable.name), &format!("<{}>", variable.name))
    })
}

/// A text with constant values filled in. Other values are shown as a variable of a plan, and so never as a secret.
fn rendered(draft: &Draft, words: &Words) -> String {
    let bit = |bit: &Bit| match bit {
        Bit::Literal(text) => text.clone(),
        Bit::Variable(number) | Bit::Encoded(number) => match &draft.variables[*number].meaning {
            Meaning::Text(words) => rendered(draft, words),
            Meaning::Secret(_) => HIDDEN.to_owned(),
            _ => format!("${{{}}}", draft.variables[*number].name),
        },
    };
    words.0.iter().map(bit).collect()
}
