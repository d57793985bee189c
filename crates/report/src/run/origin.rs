//! The origin of the figures of a run: the machine, the command to repeat it, and the plan.

use crate::figure::thousands;
use crate::page::{Block, Page, Table, Tone, machine};
use brunt_record::{Basis, Mode, Record};

/// Adds both sections.
pub(super) fn add(page: &mut Page, record: &Record) {
    page.heading("Environment");
    if !record.command.is_empty() {
        page.push(Block::Command(typed(record)));
        let starred = record.command.iter().any(|word| word.contains("***"));
        let stars = if starred { " Secrets are replaced by stars: fill them in." } else { "" };
        page.push(Block::Note(format!(
            "With the same seed ({}) the same values are generated in the same order.{stars}",
            record.plan.seed
        )));
    }
    let mut facts = vec![
        ("program".to_owned(), format!("{} {}", record.tool.name, record.tool.version)),
        ("begun".to_owned(), record.started.clone()),
    ];
    facts.extend(record.run.iter().map(|run| ("run".to_owned(), run.clone())));
    facts.extend(record.fingerprint.iter().map(|print| ("fingerprint".to_owned(), print.clone())));
    if let Some(node) = &record.node {
        facts.push(("node".to_owned(), format!("{} of {}", node.rank, node.of)));
    }
    facts.extend(machine(&record.environment));
    page.facts(facts);
    page.heading("Configuration");
    page.facts(plan(record));
    phases(page, record);
}

/// The command as it is typed: records leave out the program.
fn typed(record: &Record) -> Vec<String> {
    let program = Some(record.tool.name.clone());
    let program = program.filter(|name| record.command.first() != Some(name));
    program.into_iter().chain(record.command.iter().cloned()).collect()
}

fn plan(record: &Record) -> Vec<(String, String)> {
    let plan = &record.plan;
    let mode = match plan.mode {
        Mode::Open => format!(
            "open: {} are due by a schedule, whether earlier ones ended or not",
            plan.noun.many
        ),
        Mode::Closed => "closed: a session sends its next request after an answer".to_owned(),
    };
    let basis = match plan.latency_basis {
        Basis::Response => "response time",
        Basis::Service => "service time",
    };
    let known = [
        ("target", plan.target.clone()),
        ("model", Some(mode)),
        (
            "rate asked for",
            Some(
                plan.target_rate
                    .map_or("as many as possible".to_owned(), |rate| format!("{rate:.1}/s")),
            ),
        ),
        ("iterations asked for", plan.target_iterations.map(|rate| format!("{rate:.1}/s"))),
        (
            "load",
            Some(
                if plan.constant {
                    "constant in the steady phase"
                } else {
                    "changing in the steady phase"
                }
                .to_owned(),
            ),
        ),
        ("sessions", Some(thousands(plan.sessions))),
        ("seed", Some(plan.seed.to_string())),
        ("tables show", Some(basis.to_owned())),
        ("steady for", Some(format!("{:.1} s", record.rates.seconds))),
        ("then until the last answer", Some(format!("{:.1} s", record.rates.drained_s))),
    ];
    known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn phases(page: &mut Page, record: &Record) {
    let mut table = Table::new("Phases")
        .names(["phase"])
        .figures(["from s", "to s", "planned", "sent", "ok", "errors", "dropped"]);
    for phase in &record.phases {
        let counts = &phase.counts;
        let figures = [counts.planned, counts.sent, counts.ok, counts.errors(), counts.dropped];
        let times = [phase.from_s, phase.to_s].map(|second| format!("{second:.1}"));
        let figures = times.into_iter().chain(figures.map(thousands));
        table.row(Tone::Plain, [phase.name.word().to_owned()].into_iter().chain(figures));
    }
    page.table(table);
}
