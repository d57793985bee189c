//! The sizing page: how many servers a peak needs, with the inputs of every number, and what was not tested.

use super::{certainty, conditions, curve, doubts, status, target, title, usl};
use crate::figure::percent;
use crate::page::{Page, Table, Tone};
use brunt_capacity::{Answer, Reading, Servers, Sizing, Usl, UslError, rate};

/// The page for sizing decisions. `fit` is the requested law, or why there is none.
pub fn sizing(reading: &Reading<'_>, sizing: &Sizing, fit: Option<&Result<Usl, UslError>>) -> Page {
    let mut page = Page::new(title(reading));
    for doubt in doubts(reading) {
        page.warning(doubt);
    }
    page.heading("1 Answer");
    page.paragraph(answer(reading, sizing));
    page.heading("2 Load");
    page.facts(conditions(reading));
    page.heading("3 Test environment");
    page.facts(terrain(reading, sizing));
    page.heading("4 Confidence");
    page.paragraph(reading.sentence());
    page.list(certainty(reading));
    page.heading("5 Curve and knee");
    page.table(curve::table(reading));
    page.chart(curve::chart(reading, fit.and_then(|fit| fit.as_ref().ok())));
    page.paragraph(curve::knee(reading));
    if let Some(fit) = fit {
        page.list(usl::words(fit));
    }
    page.heading("6 Arithmetic");
    arithmetic(&mut page, sizing);
    page.heading("7 Not tested");
    page.list(not_tested(reading, sizing));
    page.origin_except(reading.collection, &super::SHOWN_IN_WORDS);
    page
}

fn servers(count: u32) -> String {
    if count == 1 { "1 server".to_owned() } else { format!("{count} servers") }
}

fn answer(reading: &Reading<'_>, sizing: &Sizing) -> String {
    let limit = match &reading.answer {
        Answer::Claim { rate: at, fails_at: Some(fails), .. } => {
            format!("{} is sustained, {} is not.", rate(*at), rate(*fails))
        }
        Answer::Claim { rate: at, .. } => {
            format!("{} is sustained; no higher rate was shown to fail.", rate(*at))
        }
        _ => format!("At least {} is sustained.", rate(sizing.confirmed.limit)),
    };
    let spare = match sizing.demand.spare {
        0 => "with no spare".to_owned(),
        1 => "one of which may fail".to_owned(),
        spare => format!("{spare} of which may fail"),
    };
    let (fewest, most) = sizing.band();
    let count = if sizing.floor {
        format!("no more than {} are needed", servers(most))
    } else if fewest == most {
        let ends = if sizing.failed.is_some() { ", at either end of the range" } else { "" };
        format!("{}{ends}", servers(most))
    } else {
        format!("{} (from the rate that fails: {})", servers(most), servers(fewest))
    };
    format!("{}: {limit} For {} at peak: {count}, {spare}.", status(reading), rate(sizing.peak))
}

fn terrain(reading: &Reading<'_>, sizing: &Sizing) -> Vec<(String, String)> {
    let environment = &reading.collection.environment;
    let mut facts = vec![
        ("target".to_owned(), target(reading)),
        ("servers tested".to_owned(), sizing.demand.tested_servers.to_string()),
    ];
    let fact = |name: &str| reading.fact(name).map(str::to_owned);
    let cores = sizing.demand.cores.map(|cores| format!("{cores} each, as given"));
    let host = if super::shares_host(reading) { "the target's own" } else { "not the target's" };
    for (name, value) in [
        ("cores", cores),
        ("hardware of the target", fact("server")),
        ("generator's machine", Some(host.to_owned())),
        ("generator's processor", environment.cpu.clone()),
        ("when", Some(reading.collection.started.clone())),
    ] {
        let value = value.filter(|value| !value.is_empty());
        facts.extend(value.map(|value| (name.to_owned(), value)));
    }
    facts
}

fn arithmetic(page: &mut Page, sizing: &Sizing) {
    let demand = &sizing.demand;
    page.facts(vec![
        (
            "peak D".to_owned(),
            format!(
                "{} x (1 + {} growth) = {}",
                rate(demand.peak),
                percent(demand.growth),
                rate(sizing.peak)
            ),
        ),
        ("headroom h".to_owned(), percent(demand.headroom)),
        ("servers tested s".to_owned(), demand.tested_servers.to_string()),
        ("spare".to_owned(), demand.spare.to_string()),
    ]);
    let mut table = Table::new("Servers: the greater of the two")
        .names(["from", "all up: D s/(R(1-h))", "a loss: D s/R + spare"])
        .figures(["servers"]);
    let mut row = |name: &str, of: &Servers| {
        let load = sizing.peak * f64::from(demand.tested_servers) / of.limit;
        table.row(
            Tone::Plain,
            [
                format!("{name} R = {}", rate(of.limit)),
                format!("{:.2} -> {}", load / (1.0 - demand.headroom), of.all_up),
                format!("{load:.2} -> {}", of.after_loss),
                of.servers.to_string(),
            ],
        );
    };
    row(if sizing.floor { "at least" } else { "confirmed" }, &sizing.confirmed);
    if let Some(failed) = &sizing.failed {
        row("fails at", failed);
    }
    table.note("The confirmed rate determines the number; another row shows the uncertainty.");
    page.table(table);
    if let (Some(per_core), Some(cores)) = (sizing.per_core, demand.cores) {
        page.paragraph(format!(
            "Per core of this machine: {} / ({} x {cores} cores) = {}. Other numbers of cores and other machines do \
             not follow from it: they are rarely proportional.",
            rate(sizing.confirmed.limit),
            servers(demand.tested_servers),
            rate(per_core)
        ));
    }
    if let Some(cpu) = &sizing.cpu {
        page.paragraph(format!(
            "Processor time of an operation: {:.3} ms (90%: {:.3} to {:.3} ms), the slope of busy cores over the rate \
             in {} steps; {:.2} cores are busy without load.",
            1e3 * cpu.per_operation_s,
            1e3 * cpu.least_s,
            1e3 * cpu.most_s,
            cpu.steps,
            cpu.idle_cores
        ));
    }
}

/// What remains unknown after this search, and what the use of several servers adds to that.
fn not_tested(reading: &Reading<'_>, sizing: &Sizing) -> Vec<String> {
    let mut lines = super::not_tested(reading);
    let most = sizing.band().1;
    if most > sizing.demand.tested_servers {
        lines.push(format!(
            "{} together ({} tested): the balancer, and what they share (storage, network, replication).",
            servers(most),
            servers(sizing.demand.tested_servers)
        ));
    }
    lines
}
