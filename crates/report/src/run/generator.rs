//! How the generator performed: whether it kept up, and what else its machine did.

use super::tables::{time_titles, times};
use crate::figure::{NONE, fixed, thousands};
use crate::page::{Page, Table, Tone};
use brunt_record::{Generator, HistogramError, Record, Status};

/// The most workers that are listed.
const WORKERS_MAX: usize = 64;

/// Adds the section.
pub(super) fn add(
    page: &mut Page,
    record: &Record,
    draw: &dyn Fn(&mut Page, &str, &str),
) -> Result<(), HistogramError> {
    page.heading("Generator");
    let mut waits = Table::new("Waiting on our side, in milliseconds")
        .names(["from due to sent"])
        .figures(["count"].into_iter().chain(time_titles()));
    for (name, latency) in
        [("lag", &record.lag), ("lateness: the delay added by brunt", &record.lateness)]
    {
        let first = [name.to_owned(), thousands(latency.count)];
        waits.row(Tone::Plain, first.into_iter().chain(times(latency)?));
    }
    page.table(waits);
    page.facts(facts(record));
    draw(
        page,
        "waiting",
        "In flight: sent and not yet ended. Backlog: due, and waiting for a session.",
    );
    draw(
        page,
        "lateness",
        "Lag is from due to sent. Lateness is the part that brunt itself caused.",
    );
    draw(page, "busy", "The share of its core that the busiest worker used.");
    nodes(page, record)?;
    workers(page, &record.generator);
    Ok(())
}

fn share(share: Option<f64>) -> String {
    share.map_or_else(|| NONE.to_owned(), |share| format!("{:.1}", 100.0 * share))
}

fn facts(record: &Record) -> Vec<(String, String)> {
    let generator = &record.generator;
    let machine = &generator.machine;
    let percent =
        |name: &str, value: Option<f64>| value.map(|_| (name.to_owned(), share(value) + " %"));
    let fact = |name: &str, value: String| Some((name.to_owned(), value));
    let timer = &generator.timer;
    let known = [
        percent("busiest worker, of its core", generator.cpu_share_max),
        percent("the same in the worst step", generator.cpu_share_peak),
        percent("not scheduled", generator.waited_share_max),
        percent("other processes", machine.others_share),
        percent("kept by the host (steal)", machine.steal_share),
        percent("throttled by a quota", machine.throttled_share),
        percent("pressure on the cores", machine.pressure_share),
        fact("backlog peak", thousands(record.backlog_peak)),
        fact("replies lost on own sockets", thousands(generator.socket_drops)),
        (timer.samples > 0)
            .then(|| {
                format!(
                    "p50 {:.0} µs, p99 {:.0} µs, max {:.0} µs",
                    timer.p50_us, timer.p99_us, timer.max_us
                )
            })
            .map(|late| ("timer late by".to_owned(), late)),
        (timer.disturbed > 0)
            .then(|| {
                let all = timer.samples + timer.disturbed;
                format!(
                    "{} of {} wake-ups before the run",
                    thousands(timer.disturbed),
                    thousands(all)
                )
            })
            .map(|left_out| ("timer disturbed at".to_owned(), left_out)),
        (generator.stalled_s > 0.0)
            .then(|| {
                format!("{} times, {:.1} s in all", generator.stalls.len(), generator.stalled_s)
            })
            .map(|stood| ("paused".to_owned(), stood)),
        generator.ports.map(|ports| {
            let (needed, available) = (thousands(ports.needed), thousands(ports.available));
            ("local ports".to_owned(), format!("{needed} needed of {available}"))
        }),
        generator.ceiling.map(|ceiling| {
            let used = share(generator.ceiling_ratio);
            (
                "ceiling of this machine".to_owned(),
                format!("{ceiling:.0}/s, of which {used} % used"),
            )
        }),
        generator.in_process.then(|| {
            let why = "the workers' processor time is the target's too";
            ("target in this process".to_owned(), why.to_owned())
        }),
    ];
    known.into_iter().flatten().collect()
}

/// The nodes that a record was merged from: the one that was too slow must be visible.
fn nodes(page: &mut Page, record: &Record) -> Result<(), HistogramError> {
    let Some(first) = record.nodes.first() else { return Ok(()) };
    let mut table = Table::new(format!("Nodes ({} of {})", record.nodes.len(), first.node.of))
        .names(["node", "host", "verdict"])
        .figures(["offered /s", "achieved /s", "lateness p99 ms", "busiest worker %"]);
    for node in &record.nodes {
        let late = node.lateness.histogram()?.quantile(0.99).map(|late| late.as_secs_f64() * 1e3);
        let doubtful = node.verdict.status != Status::Valid;
        table.row(
            if doubtful { Tone::Doubtful } else { Tone::Plain },
            [
                node.node.rank.to_string(),
                node.name.clone().unwrap_or_else(|| node.environment.host.clone()),
                node.lost_at_s.map_or_else(
                    || node.verdict.status.word().to_owned(),
                    |at| format!("{}, lost at {at:.1} s", node.verdict.status),
                ),
                fixed(node.rates.offered, 1),
                fixed(node.rates.achieved, 1),
                fixed(late, 3),
                share(node.generator.cpu_share_max),
            ],
        );
    }
    page.table(table);
    Ok(())
}

fn workers(page: &mut Page, generator: &Generator) {
    let mut table =
        Table::new("Workers").names(["worker"]).figures(["of its core %", "not scheduled %"]);
    for worker in generator.workers.iter().take(WORKERS_MAX) {
        let node = worker.node.map_or_else(String::new, |node| format!("node {node}, "));
        let name = format!("{node}{}", worker.worker);
        table.row(Tone::Plain, [name, share(worker.cpu_share), share(worker.waited_share)]);
    }
    if generator.workers.len() > WORKERS_MAX {
        table.note(format!("{} more are in the record.", generator.workers.len() - WORKERS_MAX));
    }
    if generator.workers.len() > 1 {
        page.table(table);
    }
}
