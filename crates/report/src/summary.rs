//! The text at the end of a run, made from its record alone: what an operator reads first.
//!
//! Whether the figures can be trusted comes before the figures. Response and service time always
//! stand one above the other, and where they differ a line says what the difference is.

use brunt_record::{
    ConnectionRecord, Generator, Histogram, HistogramError, Latency, Mode, OperationRecord, Record,
    SloOutcome, Status,
};
use std::fmt::Write;
use std::time::Duration;

/// How the text is dressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Colours, for a terminal.
    pub colour: bool,
    /// Says of a valid run that it is valid. Otherwise only doubts are voiced.
    pub verdict_always: bool,
}

impl Style {
    fn heading(self, text: &str) -> String {
        if self.colour { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn status(self, status: Status, text: &str) -> String {
        let code = match status {
            Status::Valid => 32,
            Status::Unstable | Status::Partial => 33,
            Status::GeneratorLimited => 31,
        };
        if self.colour { format!("\x1b[1;{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];
const LABEL: usize = 24;
const COLUMN: usize = 9;
/// Below this, response and service time are the same to any reader.
const WAIT_WORTH_TELLING: Duration = Duration::from_micros(50);
/// A drain shorter than this is no wait to any reader.
const DRAIN_WORTH_TELLING_S: f64 = 1.0;
const CODES_SHOWN: usize = 12;
const TEXTS_SHOWN: usize = 2;

/// Describes a run.
pub fn summary(record: &Record, style: Style) -> Result<String, HistogramError> {
    let mut text = String::new();
    verdict(&mut text, record, style);
    plan(&mut text, record);
    rates(&mut text, record, style);
    latencies(&mut text, record, style)?;
    outcomes(&mut text, record, style);
    phases(&mut text, record, style);
    generator(&mut text, record, style);
    objectives(&mut text, record, style);
    Ok(text)
}

fn verdict(text: &mut String, record: &Record, style: Style) {
    let verdict = &record.verdict;
    let notes = !verdict.notes.is_empty();
    let meaning = match verdict.status {
        Status::Valid if notes => verdict.notes.first().map_or("", String::as_str),
        Status::Valid if !style.verdict_always => return,
        Status::Valid => "nothing speaks against these figures",
        Status::Unstable => {
            "throughput was still changing, so a longer run would say something else"
        }
        Status::Partial => "the run is not whole",
        Status::GeneratorLimited => {
            "the generator shaped these figures; they are not the target's alone"
        }
    };
    let word = style.status(verdict.status, &verdict.status.word().to_uppercase());
    let _ = writeln!(text, "{word}: {meaning}");
    for reason in &verdict.reasons {
        let _ = writeln!(text, "  - {}: {}", reason.status, reason.text);
    }
    let told = usize::from(verdict.status == Status::Valid);
    for note in verdict.notes.iter().skip(told) {
        let _ = writeln!(text, "  - note: {note}");
    }
    text.push('\n');
}

/// A number and its noun.
fn several(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn plan(text: &mut String, record: &Record) {
    let Record { tool, plan, rates, .. } = record;
    let _ =
        writeln!(text, "{} {}, {}, seed {}", tool.name, tool.version, record.started, plan.seed);
    if !record.command.is_empty() {
        let _ = writeln!(text, "{}", record.command.join(" "));
    }
    let mode = match plan.mode {
        Mode::Open => "open model",
        Mode::Closed => "closed model",
    };
    let against =
        plan.target.as_ref().map_or_else(String::new, |target| format!(" against {target}"));
    let drained = if rates.drained_s >= DRAIN_WORTH_TELLING_S {
        format!(", then {:.1} s until the last of them ended", rates.drained_s)
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "{mode}, {}{against}, steady for {:.1} s{drained}\n",
        several(plan.sessions, "session"),
        rates.seconds
    );
}

fn rates(text: &mut String, record: &Record, style: Style) {
    let rates = &record.rates;
    let shown =
        |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"));
    let heading = format!(
        "{:<LABEL$}{:>12}{:>12}{:>12}{:>12}",
        "Exchanges a second", "target", "offered", "achieved", "goodput"
    );
    let _ = writeln!(text, "{}", style.heading(&heading));
    let target = rates.target.map_or_else(|| "unlimited".to_owned(), |rate| format!("{rate:.1}"));
    let _ = writeln!(
        text,
        "{:<LABEL$}{target:>12}{:>12}{:>12}{:>12}",
        "all",
        shown(rates.offered),
        shown(rates.achieved),
        shown(rates.goodput)
    );
    for operation in met(record).filter(|_| record.operations.len() > 1) {
        let _ = writeln!(
            text,
            "{:<LABEL$}{:>12}{:>12}{:>12}{:>12}",
            operation.name,
            "",
            "",
            shown(operation.achieved),
            shown(operation.goodput)
        );
    }
    let counts = &record.counts;
    let ConnectionRecord { reconnected, resent, .. } = record.connections;
    let skipped = match counts.skipped {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    let _ = writeln!(
        text,
        "{} planned, {} sent, {} dropped{skipped}; {} ok, {} failed, {} timed out, {} cut off",
        counts.planned,
        counts.sent,
        counts.dropped,
        counts.ok,
        counts.failed,
        counts.timed_out,
        counts.cut_off
    );
    if reconnected + resent > 0 {
        let _ = writeln!(
            text,
            "{reconnected} connections that the target had closed while idle were made anew, {} sent again",
            several(resent, "request")
        );
    }
    text.push('\n');
}

/// The operations that took place; all of them, where none did.
fn met(record: &Record) -> impl Iterator<Item = &OperationRecord> {
    let took_place = |operation: &OperationRecord| operation.counts.planned > 0;
    let none = !record.operations.iter().any(took_place);
    record.operations.iter().filter(move |operation| none || took_place(operation))
}

fn latencies(text: &mut String, record: &Record, style: Style) -> Result<(), HistogramError> {
    let mut heading = format!("{:<LABEL$}{:>COLUMN$}", "Milliseconds", "mean");
    for quantile in QUANTILES {
        let _ = write!(heading, "{:>COLUMN$}", format!("p{}", shortest(quantile * 100.0)));
    }
    let _ = write!(heading, "{:>COLUMN$}", "max");
    let _ = writeln!(text, "{}", style.heading(&heading));
    let (mut saturated, mut censored) = (0, record.dropped_after.count);
    for operation in met(record) {
        saturated += times(text, &operation.name, "response", &operation.response)?.saturated();
        censored += operation.response.censored.as_ref().map_or(0, |bounds| bounds.count);
        times(text, "", "service", &operation.service)?;
    }
    if let Some(all) = record.response.as_ref().filter(|_| record.dropped_after.count > 0) {
        times(text, "all, the dropped too", "", all)?;
    }
    let lag = times(text, "lag", "", &record.lag)?;
    let lateness = times(text, "", "our own (lateness)", &record.lateness)?;
    for part in record.parts.iter().filter(|part| part.took.count > 0) {
        times(text, &part.name, "", &part.took)?;
    }
    if censored > 0 {
        let _ = writeln!(
            text,
            "{censored} exchanges had no answer: each counts with the least it can have taken (>)."
        );
    }
    if saturated > 0 {
        let _ = writeln!(
            text,
            "{saturated} response times were beyond 60 s; percentiles there are only the maximum"
        );
    }
    difference(text, &lag, &lateness);
    text.push('\n');
    Ok(())
}

fn times(
    text: &mut String,
    name: &str,
    kind: &str,
    latency: &Latency,
) -> Result<Histogram, HistogramError> {
    let histogram = latency.histogram()?;
    let label = if name.is_empty() { format!("  {kind}") } else { format!("{name} {kind}") };
    let _ = write!(text, "{label:<LABEL$}");
    let waits = latency.waits()?;
    let quantile = |share: f64| {
        waits.quantile(share).map(|reach| (histogram.quantile(share), !reach.is_exact()))
    };
    let bounded = latency.censored.is_some();
    let figures = std::iter::once((histogram.mean(), bounded))
        .chain(QUANTILES.map(|share| quantile(share).unwrap_or_default()))
        .chain([(histogram.max(), bounded)]);
    for (took, at_least) in figures {
        let sign = if at_least { ">" } else { "" };
        let shown = took.map_or_else(|| "-".to_owned(), |took| format!("{sign}{}", millis(took)));
        let _ = write!(text, "{shown:>COLUMN$}");
    }
    text.push('\n');
    Ok(histogram)
}

/// Says why response and service time differ, where they do.
fn difference(text: &mut String, lag: &Histogram, lateness: &Histogram) {
    let Some(mean) = lag.mean() else { return };
    let Some(tail) = lag.quantile(0.99) else { return };
    if mean.max(tail) < WAIT_WORTH_TELLING {
        return;
    }
    let ours = lateness.sum_nanos() as f64 / lag.sum_nanos().max(1) as f64;
    let _ = writeln!(
        text,
        "Response time counts from when an exchange was due, service time from when it\n\
         left. The lag between them is {} ms on average: {:.0}% of it waiting for a free\n\
         session, {:.0}% for the generator.",
        millis(mean),
        100.0 * (1.0 - ours),
        100.0 * ours
    );
}

fn outcomes(text: &mut String, record: &Record, style: Style) {
    let heading = format!("{:<LABEL$}{:>12}{:>COLUMN$}", "Outcomes", "count", "share");
    let _ = writeln!(text, "{}", style.heading(&heading));
    for operation in met(record) {
        let _ = writeln!(text, "{}", operation.name);
        for code in operation.codes.iter().take(CODES_SHOWN) {
            let number = code.code.map_or_else(String::new, |number| format!("{number} "));
            let plain = matches!(code.class.as_str(), "ok" | "result") || code.class == code.name;
            let class = if plain { "" } else { code.class.as_str() };
            let label = format!("  {number}{} {class}", code.name);
            // What was skipped was met, but never sent.
            let met = operation.counts.sent + operation.counts.skipped;
            let share = 100.0 * code.count as f64 / met.max(1) as f64;
            let _ = writeln!(text, "{:<LABEL$}{:>12}{share:>8.2}%", label.trim_end(), code.count);
            words(text, record, operation, &code.class, code.code);
        }
        let hidden: u64 = operation.codes.iter().skip(CODES_SHOWN).map(|code| code.count).sum();
        if hidden > 0 {
            let _ = writeln!(text, "{:<LABEL$}{hidden:>12}", "  others");
        }
    }
    if record.orphans > 0 {
        let _ = writeln!(text, "{:<LABEL$}{:>12}", "orphans", record.orphans);
    }
    text.push('\n');
}

fn words(
    text: &mut String,
    record: &Record,
    operation: &OperationRecord,
    class: &str,
    code: Option<u32>,
) {
    let mut told: Vec<&str> = Vec::new();
    let samples = record.samples.iter();
    for sample in
        samples.filter(|s| s.operation == operation.name && s.class == class && s.code == code)
    {
        if told.len() < TEXTS_SHOWN && !told.contains(&sample.text.as_str()) {
            let _ = writeln!(text, "      at {:.1} s: {}", sample.at_s, printable(&sample.text));
            told.push(&sample.text);
        }
    }
}

fn phases(text: &mut String, record: &Record, style: Style) {
    let heading =
        format!("{:<LABEL$}{:>12}{:>12}{:>12}{:>12}", "Phases", "from s", "to s", "sent", "errors");
    let _ = writeln!(text, "{}", style.heading(&heading));
    for phase in &record.phases {
        let _ = writeln!(
            text,
            "{:<LABEL$}{:>12.1}{:>12.1}{:>12}{:>12}",
            phase.name,
            phase.from_s,
            phase.to_s,
            phase.counts.sent,
            phase.counts.errors()
        );
    }
    if let Some(imbalance) = &record.conservation.imbalance {
        let _ = writeln!(text, "The run failed to {imbalance}.");
    }
    text.push('\n');
}

fn generator(text: &mut String, record: &Record, style: Style) {
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

fn objectives(text: &mut String, record: &Record, style: Style) {
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

/// Milliseconds that fit a column: microseconds are told where they matter.
fn millis(took: Duration) -> String {
    let millis = took.as_nanos() as f64 / 1e6;
    if millis < 1_000.0 { format!("{millis:.3}") } else { format!("{millis:.1}") }
}

fn shortest(percentile: f64) -> String {
    let text = format!("{percentile:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Words of a target must not move the cursor or colour the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use brunt_exchange::{Class, Moment, Outcome, Part, Stamps};
    use brunt_record::{
        Catalogue, Conclusion, Counts, Environment, Interval, Own, Phase, Plan, Sample, Series,
        Slo, Timing, Tool, Totals, WorkerLoad,
    };

    const REFUSED: Outcome = Outcome::Failed(Class::Result, 49);

    /// Two steady seconds: 80 binds of 2 ms and 20 refused after 1 ms, each a millisecond late,
    /// a quarter of which is ours; 10 dropped.
    pub(crate) fn measured(objectives: &[&str]) -> Record {
        let (mut totals, mut series) = (Totals::new(), Series::new());
        for second in 0..2 {
            let mut interval = Interval::new(1, 1);
            interval.reset(second, Phase::Steady, Duration::from_secs(second));
            interval.to = Duration::from_secs(second + 1);
            for n in 0..50 {
                let outcome = if n < 40 { Outcome::Ok(0) } else { REFUSED };
                let ended = if n < 40 { 3_000_000 } else { 2_000_000 };
                let [due, free, sent, ended] =
                    [0, 750_000, 1_000_000, ended].map(Moment::from_nanos);
                interval.record(0, outcome, &Stamps { due, free, sent, ended }, 0, Own::default());
            }
            (0..55).for_each(|_| interval.plan());
            let counts = interval.operations[0].counts;
            interval.due.merge(&Counts { planned: 0, dropped: 5, ..counts });
            (0..5).for_each(|_| interval.drop_after(Duration::from_millis(7), false));
            interval.part(Part(0), Duration::from_millis(5));
            interval.health.record(WorkerLoad {
                worker: 0,
                cpu: Duration::from_millis(250),
                wall: Duration::from_secs(1),
                waited: Duration::ZERO,
                runs: 0,
            });
            let text = "no such\x1b[31m user".to_owned();
            interval.samples.push(Sample {
                operation: 0,
                outcome: REFUSED,
                at: interval.from,
                text,
            });
            totals.absorb(&interval);
            series.push(&interval);
        }
        let objectives: Vec<Slo> = objectives.iter().map(|text| text.parse().unwrap()).collect();
        let names = |_, outcome| {
            if outcome == REFUSED { "invalidCredentials".into() } else { "success".to_owned() }
        };
        let conclusion = Conclusion {
            tool: Tool { name: "brunt".into(), version: "0.1.0".into() },
            started: "2026-01-02T03:04:05Z".parse().unwrap(),
            command: vec!["brunt".into(), "authrate".into(), "-M".into(), "55".into()],
            plan: Plan::open(55.0, 10, 7),
            environment: Environment::default(),
            catalogue: &Catalogue::new(["bind"], ["connect"]),
            names: &names,
            totals: &totals,
            series: &series,
            timing: Timing {
                to: Duration::from_secs(2),
                over: Duration::from_secs(4),
                ..Timing::default()
            },
            in_process: false,
            percentiles: vec![50.0],
            ports: None,
            ceiling: Some(1_000.0),
            interrupted: None,
            remark: None,
            objectives: &objectives,
        };
        conclusion.record().unwrap()
    }

    fn plain(record: &Record) -> String {
        summary(record, Style::default()).unwrap()
    }

    fn figures<'a>(text: &'a str, label: &str) -> Vec<&'a str> {
        let line = text.lines().find(|line| line.trim_start().starts_with(label));
        line.unwrap_or_else(|| panic!("no {label} in {text}")).trim_start()[label.len()..]
            .split_whitespace()
            .collect()
    }

    #[test]
    fn every_figure_is_the_one_that_was_put_in() {
        let text = plain(&measured(&[]));
        assert_eq!(figures(&text, "all"), ["55.0", "55.0", "50.0", "40.0"]);
        // 80 of 3 ms and 20 of 2 ms; the median and every tail are 3 ms.
        assert_eq!(
            figures(&text, "bind response"),
            ["2.800", "3.000", "3.000", "3.000", "3.000", "3.000", "3.000"]
        );
        assert_eq!(figures(&text, "service")[0], "1.800");
        assert_eq!(figures(&text, "lag")[0], "1.000");
        assert_eq!(figures(&text, "our own (lateness)")[0], "0.250");
        assert_eq!(figures(&text, "connect")[6], "5.000");
        assert_eq!(figures(&text, "0 success"), ["80", "80.00%"]);
        assert_eq!(figures(&text, "49 invalidCredentials"), ["20", "20.00%"]);
        assert_eq!(figures(&text, "steady"), ["0.0", "2.0", "100", "20"]);
        assert!(text.contains(
            "110 planned, 100 sent, 10 dropped; 80 ok, 20 failed, 0 timed out, 0 cut off"
        ));
        assert!(text.contains(
            "1.000 ms on average: 75% of it waiting for a free\nsession, 25% for the generator."
        ));
        assert!(
            text.contains("1 worker, the busiest used 25% of its core (peak 25%); backlog peak 0")
        );
        assert!(text.contains("ceiling of this machine: 1000/s, of which 5% used"), "{text}");
    }

    #[test]
    fn what_has_no_answer_is_marked_where_it_decides() {
        let mut record = measured(&[]);
        let mut answered = Histogram::new();
        (0..80).for_each(|_| answered.record(Duration::from_millis(2)));
        let mut bounds = Histogram::new();
        (0..20).for_each(|_| bounds.record(Duration::from_secs(14)));
        record.operations[0].response = Latency::with_bounds(&answered, &bounds, &[50.0, 99.0]);
        let text = plain(&record);
        let shown = figures(&text, "bind response");
        assert_eq!(shown[..3], [">2801.6", "2.001", ">14000.0"]);
        assert_eq!(shown[6], ">14000.0");
        // 20 without an answer, and the 10 that were dropped.
        assert!(text.contains("30 exchanges had no answer"), "{text}");
        assert_eq!(figures(&text, "all, the dropped too")[1..4], ["3.000", "3.000", ">7.000"]);
    }

    #[test]
    fn a_valid_run_says_what_a_reader_should_know() {
        let mut record = measured(&[]);
        record.verdict = brunt_record::Verdict {
            notes: vec!["p99.9 up to 0.3 ms too high by this machine's timer".to_owned()],
            ..brunt_record::Verdict::default()
        };
        let text = plain(&record);
        assert!(text.starts_with("VALID: p99.9 up to 0.3 ms too high"), "{text}");
        assert!(
            text.contains("steady for 2.0 s, then 2.0 s until the last of them ended"),
            "{text}"
        );
    }

    #[test]
    fn an_operation_that_never_took_place_is_left_out_and_skipped_ones_are_told() {
        let mut record = measured(&[]);
        let mut renew = record.operations[0].clone();
        (renew.name, renew.counts) = ("renew".to_owned(), brunt_record::Counts::default());
        record.operations.push(renew);
        record.counts.skipped = 3;
        let text = plain(&record);
        assert!(!text.contains("renew"), "{text}");
        assert!(text.contains("10 dropped, 3 skipped; 80 ok"), "{text}");
        record.operations[1].counts.planned = 1;
        assert!(plain(&record).contains("renew response"));
    }

    #[test]
    fn what_was_skipped_is_a_share_of_what_was_met() {
        let mut record = measured(&[]);
        let operation = &mut record.operations[0];
        (operation.counts.sent, operation.counts.skipped) = (1, 3);
        let skipped = brunt_record::CodeRecord {
            class: "skipped".to_owned(),
            code: None,
            name: "skipped".to_owned(),
            count: 3,
        };
        operation.codes = vec![skipped];
        let text = plain(&record);
        let line = text.lines().find(|line| line.starts_with("  skipped")).unwrap();
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["skipped", "3", "75.00%"]);
    }

    #[test]
    fn doubts_come_first_and_a_valid_run_is_only_called_so_when_asked() {
        let mut record = measured(&[]);
        record.verdict = brunt_record::Verdict::default();
        assert!(plain(&record).starts_with("brunt 0.1.0, 2026-01-02T03:04:05Z, seed 7\n"));
        let asked = summary(&record, Style { verdict_always: true, ..Style::default() }).unwrap();
        assert!(asked.starts_with("VALID: nothing speaks against these figures\n"));
        let text = brunt_record::Reason {
            status: Status::Partial,
            text: "the run was cut short: SIGINT".into(),
        };
        record.verdict = brunt_record::Verdict {
            status: Status::Partial,
            reasons: vec![text],
            notes: vec!["brunt stood still".to_owned()],
            ..brunt_record::Verdict::default()
        };
        assert!(
            plain(&record).starts_with(
                "PARTIAL: the run is not whole\n  - partial: the run was cut short: SIGINT\n  - note: brunt stood still\n"
            ),
            "{}",
            plain(&record)
        );
    }

    #[test]
    fn the_text_fits_a_terminal_and_a_target_cannot_write_on_it() {
        let text = plain(&measured(&["bind.p99<1ms", "goodput>=70%"]));
        let long: Vec<&str> = text
            .lines()
            .filter(|line| line.chars().count() > 100 && !line.starts_with("  - "))
            .collect();
        assert!(long.is_empty(), "{long:#?}");
        assert!(!text.contains('\x1b'));
        assert!(text.contains("at 0.0 s: no such [31m user"), "{text}");
        let coloured =
            summary(&measured(&[]), Style { colour: true, verdict_always: false }).unwrap();
        assert!(coloured.contains("\x1b[1mGenerator\x1b[0m"));
    }

    #[test]
    fn objectives_say_what_was_found() {
        let text = plain(&measured(&["bind.ok.p99<1ms", "goodput>=70%"]));
        assert_eq!(figures(&text, "missed"), ["bind.ok.p99<1ms", "3.000ms"]);
        assert_eq!(figures(&text, "met"), ["goodput>=70%", "72.727%"]);
        let text = plain(&measured(&["p99<1s"]));
        assert_eq!(figures(&text, "missed"), ["p99<1s", "infinite"]);
        assert!(
            text.contains("30 of 110 failed or had no answer: infinitely late (see ok.pN)"),
            "{text}"
        );
    }

    #[test]
    fn nothing_measured_is_a_dash_and_never_a_number() {
        let mut record = measured(&[]);
        record.operations[0].response = Latency::default();
        record.operations[0].service = Latency::default();
        (record.lag, record.lateness) = (Latency::default(), Latency::default());
        record.rates = brunt_record::Rates::default();
        let text = plain(&record);
        assert_eq!(figures(&text, "bind response"), ["-"; 7]);
        assert_eq!(figures(&text, "all"), ["unlimited", "-", "-", "-"]);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        assert!(!text.contains("The difference"));
    }
}
