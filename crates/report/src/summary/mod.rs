//! The text at the end of a run, made from its record alone: what an operator reads first.
//!
//! Whether the figures can be trusted comes before the figures. Response and service time always
//! stand one above the other, and where they differ a line says what the difference is.

mod judged;
mod nodes;
#[cfg(test)]
pub(crate) mod tests;
mod times;

use brunt_record::{ConnectionRecord, HistogramError, Mode, OperationRecord, Record, Status};
use judged::{generator, objectives};
use nodes::nodes;
use std::fmt::Write;
use times::latencies;

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

const LABEL: usize = 24;
const COLUMN: usize = 9;
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
    nodes(&mut text, record, style);
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
        Status::Valid => "there is no reason to doubt these figures",
        Status::Unstable => {
            "throughput was still changing, so a longer run would give other figures"
        }
        Status::Partial => "the run is incomplete",
        Status::GeneratorLimited => {
            "the generator affected these figures; they are not those of the target alone"
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
    let node =
        record.node.map_or_else(String::new, |node| format!(", node {} of {}", node.rank, node.of));
    let _ = writeln!(
        text,
        "{} {}, {}, seed {}{node}",
        tool.name, tool.version, record.started, plan.seed
    );
    if !record.command.is_empty() {
        let _ = writeln!(text, "{}", record.command.join(" "));
    }
    let mode = match (plan.mode, plan.target_iterations) {
        (Mode::Open, Some(rate)) => format!("open model, {rate:.1} iterations a second"),
        (Mode::Open, None) => "open model".to_owned(),
        (Mode::Closed, _) => "closed model".to_owned(),
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
    let target = match (record.plan.mode, rates.target) {
        (Mode::Closed, None) => "unlimited".to_owned(),
        // What falls due follows from a schedule without one rate, or from iterations.
        (_, target) => shown(target),
    };
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
            "{reconnected} connections that the target had closed while idle were reopened, {} sent again",
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

/// Words of a target must not move the cursor or colour the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
