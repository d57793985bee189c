//! How the generator performed, and the results of the objectives.

use super::{BOLD, coloured, several};
use crate::screen::Screen;
use crate::wrapped::wrapped;
use brunt_record::{Generator, Record, SloOutcome, SloResult, Status};
use std::fmt::Write;

pub(super) fn generator(text: &mut String, record: &Record, screen: Screen) {
    let generator = &record.generator;
    let share = |share: Option<f64>| {
        share.map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", 100.0 * share))
    };
    let mut lines = vec![
        format!(
            "{}, the busiest used {} of its core (peak {}); backlog peak {}; own socket drops {}",
            several(generator.workers.len() as u64, "worker"),
            share(generator.cpu_share_max),
            share(generator.cpu_share_peak),
            record.backlog_peak,
            generator.socket_drops
        ),
        machine(generator),
    ];
    if generator.stalled_s > 0.0 {
        lines.push(format!(
            "brunt was paused for {} for {:.1} s in all",
            several(generator.stalls.len() as u64, "time"),
            generator.stalled_s
        ));
    }
    if let Some(ports) = generator.ports {
        lines.push(format!("local ports: {} needed of {}", ports.needed, ports.available));
    }
    if let Some(ceiling) = generator.ceiling {
        lines.push(format!(
            "ceiling of this machine: {ceiling:.0}/s, of which {} used",
            share(generator.ceiling_ratio)
        ));
    }
    *text += &(screen.dress(BOLD, "Generator") + "\n");
    for line in lines {
        *text += &wrapped(&line, "  ", screen.columns());
    }
}

/// What else the machine did, in the order of how often it matters.
fn machine(generator: &Generator) -> String {
    let seen = &generator.machine;
    let shares = [
        ("not scheduled", generator.waited_share_max),
        ("other processes", seen.others_share),
        ("steal", seen.steal_share),
        ("throttled by a quota", seen.throttled_share),
    ];
    let unseen =
        generator.machine.unseen.then(|| "what else this machine did is not known".to_owned());
    let mut parts: Vec<String> = shares
        .into_iter()
        .filter_map(|(what, share)| share.map(|share| format!("{what} {:.1}%", 100.0 * share)))
        .chain(unseen)
        .collect();
    let timer = &generator.timer;
    parts.push(if timer.samples == 0 && timer.disturbed > 0 {
        "how late the timer is was not seen undisturbed".to_owned()
    } else {
        format!("timer late by p50 {:.0} us, p99 {:.0} us", timer.p50_us, timer.p99_us)
    });
    parts.join("; ")
}

pub(super) fn objectives(text: &mut String, record: &Record, screen: Screen) {
    if record.slo.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", screen.dress(BOLD, "Objectives"));
    for slo in &record.slo {
        let status = match slo.outcome {
            SloOutcome::Met => Status::Valid,
            SloOutcome::Missed => Status::GeneratorLimited,
            SloOutcome::Undecided => Status::Partial,
        };
        let word = slo.outcome.word();
        let found = format!("{:<32} {}", slo.expr, found(slo, record));
        // Columns are kept where there is room for them.
        let mut line = format!("  {word:<9}  {found}\n");
        if line.chars().count() > screen.columns() {
            line = wrapped(&found, &format!("  {word:<9}  "), screen.columns());
        }
        *text += &line.replacen(word, &coloured(screen, status, word), 1);
        if let Some(why) = &slo.why {
            *text += &wrapped(why, "             ", screen.columns());
        }
    }
}

/// The measured value of the figure of an objective.
pub(crate) fn found(slo: &SloResult, record: &Record) -> String {
    let sign = if slo.at_least { ">" } else { "" };
    slo.value.map_or_else(
        || if record.counts.due() > 0 { "infinite" } else { "nothing measured" }.to_owned(),
        |value| format!("{sign}{value:.3}{}", slo.unit),
    )
}
