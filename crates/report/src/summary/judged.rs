//! How the generator fared, and what became of the objectives.

use super::{Style, several};
use brunt_record::{Generator, Record, SloOutcome, Status};
use std::fmt::Write;

pub(super) fn generator(text: &mut String, record: &Record, style: Style) {
    let generator = &record.generator;
    let share = |share: Option<f64>| {
        share.map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", 100.0 * share))
    };
    let _ = writeln!(text, "{}", style.heading("Generator"));
    let _ = writeln!(
        text,
        "  {}, the busiest used {} of its core (peak {}); backlog peak {}; own socket drops {}",
        several(generator.workers.len() as u64, "worker"),
        share(generator.cpu_share_max),
        share(generator.cpu_share_peak),
        record.backlog_peak,
        generator.socket_drops
    );
    let _ = writeln!(text, "  {}", machine(generator));
    if generator.stalled_s > 0.0 {
        let _ = writeln!(
            text,
            "  brunt stood still {} for {:.1} s in all",
            several(generator.stalls.len() as u64, "time"),
            generator.stalled_s
        );
    }
    if let Some(ports) = generator.ports {
        let _ = writeln!(text, "  local ports: {} needed of {}", ports.needed, ports.available);
    }
    if let Some(ceiling) = generator.ceiling {
        let _ = writeln!(
            text,
            "  ceiling of this machine: {ceiling:.0}/s, of which {} used",
            share(generator.ceiling_ratio)
        );
    }
}

/// What the machine did beside, in the order of how often it matters.
fn machine(generator: &Generator) -> String {
    let seen = &generator.machine;
    let shares = [
        ("waited for a core", generator.waited_share_max),
        ("other processes", seen.others_share),
        ("steal", seen.steal_share),
        ("throttled by a quota", seen.throttled_share),
    ];
    let mut told: Vec<String> = shares
        .into_iter()
        .filter_map(|(what, share)| share.map(|share| format!("{what} {:.1}%", 100.0 * share)))
        .collect();
    told.push(format!(
        "timer late by p50 {:.0} us, p99 {:.0} us",
        generator.timer.p50_us, generator.timer.p99_us
    ));
    told.join("; ")
}

pub(super) fn objectives(text: &mut String, record: &Record, style: Style) {
    if record.slo.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", style.heading("Objectives"));
    for slo in &record.slo {
        let status = match slo.outcome {
            SloOutcome::Met => Status::Valid,
            SloOutcome::Missed => Status::GeneratorLimited,
            SloOutcome::Undecided => Status::Partial,
        };
        let word = style.status(status, &format!("{:<9}", slo.outcome.word()));
        let sign = if slo.at_least { ">" } else { "" };
        let value = slo.value.map_or_else(
            || if record.counts.due() > 0 { "infinite" } else { "nothing measured" }.to_owned(),
            |value| format!("{sign}{value:.3}{}", slo.unit),
        );
        let _ = writeln!(text, "  {word}  {:<32} {value}", slo.expr);
        if let Some(why) = &slo.why {
            let _ = writeln!(text, "             {why}");
        }
    }
}
