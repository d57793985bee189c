//! The text at the end of a run, made only from its record: what an operator reads first.
//!
//! Whether the figures can be trusted comes before the figures. Response and service time are
//! always one above the other, and where they differ a line explains the difference.

mod attention;
mod closing;
mod judged;
mod monitors;
mod nodes;
mod overload;
pub(crate) mod scenarios;
mod spread;
#[cfg(test)]
pub(crate) mod tests;
mod times;

use crate::branches::chosen;
use crate::figure::printable;
use crate::grid::Grid;
use crate::screen::Screen;
use crate::wrapped::{command_line, wrapped};
pub use attention::{attention, attention_of_all};
use brunt_record::{ConnectionRecord, HistogramError, Mode, OperationRecord, Record, Status};
pub(crate) use closing::line as closing_line;
pub use closing::{closing, closing_of_all};
pub(crate) use closing::{found_nothing, outcome_dressed, response};
pub(crate) use judged::found;
use judged::{generator, objectives};
use monitors::monitors;
use nodes::nodes;
pub(crate) use overload::{overloaded, sessions_needed};
use spread::spread;
use std::fmt::Write;
use times::latencies;
pub(crate) use times::millis;

const BOLD: &str = "1";
/// How wide columns of counts and rates are where there is room.
const COLUMN: usize = 12;
/// A drain shorter than this does not matter to a reader.
const DRAIN_WORTH_TELLING_S: f64 = 1.0;
const CODES_SHOWN: usize = 12;
const TEXTS_SHOWN: usize = 2;

/// Describes a run.
pub fn summary(record: &Record, screen: Screen) -> Result<String, HistogramError> {
    let mut text = String::new();
    verdict(&mut text, record, screen);
    plan(&mut text, record, screen);
    rates(&mut text, record, screen);
    text += &scenarios::text(record, screen);
    latencies(&mut text, record, screen)?;
    spread(&mut text, record, screen)?;
    if let Some(curve) = crate::rate_curve(record)? {
        text.push('\n');
        text += &curve.text(screen);
    }
    outcomes(&mut text, record, screen);
    text += &chosen(record, screen);
    servers(&mut text, record, screen);
    phases(&mut text, record, screen);
    nodes(&mut text, record, screen);
    monitors(&mut text, record, screen);
    generator(&mut text, record, screen);
    text += &crate::messages::messages(record, screen).unwrap_or_default();
    objectives(&mut text, record, screen);
    Ok(text)
}

/// The name of a verdict, in its colour.
fn coloured(screen: Screen, status: Status, text: &str) -> String {
    let colour = match status {
        Status::Valid => "1;32",
        Status::Unstable | Status::Partial => "1;33",
        Status::GeneratorLimited => "1;31",
    };
    screen.dress(colour, text)
}

/// Doubts, and the notes of a run without any.
fn verdict(text: &mut String, record: &Record, screen: Screen) {
    let verdict = &record.verdict;
    let meaning = match verdict.status {
        Status::Valid => match verdict.notes.first() {
            Some(note) => note,
            None => return,
        },
        Status::Unstable => {
            "throughput was still changing, so a longer run would give other figures"
        }
        Status::Partial => "the run is incomplete",
        Status::GeneratorLimited => {
            "the generator affected these figures; they do not describe only the target"
        }
    };
    let (word, width) = (verdict.status.word().to_uppercase(), screen.columns());
    let first = wrapped(&format!("{word}: {}", printable(meaning)), "", width);
    *text += &first.replacen(&word, &coloured(screen, verdict.status, &word), 1);
    for reason in &verdict.reasons {
        let reason = format!("{}: {}", reason.status, printable(&reason.text));
        *text += &wrapped(&reason, "  - ", width);
    }
    let already_shown = usize::from(verdict.status == Status::Valid);
    for note in verdict.notes.iter().skip(already_shown) {
        *text += &wrapped(&format!("note: {}", printable(note)), "  - ", width);
    }
    text.push('\n');
}

/// A word at the beginning of a heading.
fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    first + letters.as_str()
}

/// A number and its noun.
fn several(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn plan(text: &mut String, record: &Record, screen: Screen) {
    let Record { tool, plan, rates, .. } = record;
    let width = screen.columns();
    let share = record
        .node
        .as_ref()
        .map_or_else(String::new, |node| format!(", node {} of {}", node.rank, node.of));
    let run =
        format!("{} {}, {}, seed {}{share}", tool.name, tool.version, record.started, plan.seed);
    *text += &wrapped(&run, "", width);
    if !record.command.is_empty() {
        let words: Vec<String> = record.command.iter().map(|word| printable(word)).collect();
        let _ = writeln!(text, "{}", command_line(&words, width));
    }
    let mode = match (plan.mode, plan.target_iterations) {
        (Mode::Open, Some(rate)) => {
            format!("open model ({rate:.1} iterations a second are due by a schedule)")
        }
        (Mode::Open, None) => format!("open model ({} are due by a schedule)", plan.noun.many),
        (Mode::Closed, _) => {
            "closed model (a session sends its next request after an answer)".to_owned()
        }
    };
    let against = plan
        .target
        .as_ref()
        .map_or_else(String::new, |target| format!(" against {}", printable(target)));
    let drained = if rates.drained_s >= DRAIN_WORTH_TELLING_S {
        format!(", then {:.1} s until the last of them ended", rates.drained_s)
    } else {
        String::new()
    };
    let requested = format!(
        "{mode}, {}{against}, steady for {:.1} s{drained}",
        several(plan.sessions, "session"),
        rates.seconds
    );
    *text += &(wrapped(&requested, "", width) + "\n");
}

fn rates(text: &mut String, record: &Record, screen: Screen) {
    let rates = &record.rates;
    let shown =
        |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"));
    let mut grid = Grid::new(
        format!("{} a second", capital(&record.plan.noun.many)),
        ["target", "offered", "achieved", "goodput"],
        COLUMN,
    );
    let target = match (record.plan.mode, rates.target) {
        (Mode::Closed, None) => "unlimited".to_owned(),
        // What becomes due follows from a schedule without a single rate, or from iterations.
        (_, target) => shown(target),
    };
    let all = [rates.offered, rates.achieved, rates.goodput].map(shown);
    grid.row("all", "", std::iter::once(target).chain(all));
    if let Some(of) = &rates.iterations {
        let requested = record.plan.target_iterations;
        grid.row("iterations", "", [requested, of.offered, of.achieved, of.goodput].map(shown));
    }
    for operation in met(record).filter(|_| record.operations.len() > 1) {
        let empty = ["", ""].map(str::to_owned).into_iter();
        let own = [operation.achieved, operation.goodput].map(shown);
        grid.row(&operation.name, "", empty.chain(own));
    }
    for span in record.spans.iter().filter(|span| span.counts.sent > 0) {
        let empty = ["", "", ""].map(str::to_owned).into_iter();
        grid.row(&span.name, "", empty.chain([shown(span.goodput)]));
    }
    *text += &grid.text(screen);
    let counts = &record.counts;
    let ConnectionRecord { reconnected, resent, .. } = record.connections;
    let skipped = match counts.skipped {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    let ends = format!(
        "{} planned, {} sent, {} dropped{skipped}; {} ok, {} failed, {} timed out, {} cut off",
        counts.planned,
        counts.sent,
        counts.dropped,
        counts.ok,
        counts.failed,
        counts.timed_out,
        counts.cut_off
    );
    *text += &wrapped(&ends, "", screen.columns());
    if reconnected + resent > 0 {
        let reopened = format!(
            "{reconnected} connections that the target had closed while idle were reopened, {} sent again",
            several(resent, "request")
        );
        *text += &wrapped(&reopened, "", screen.columns());
    }
    silent_sessions(text, record, screen);
    *text += &(wrapped(&words_of_rates(record), "", screen.columns()) + "\n");
}

/// The meaning of the words for rates and counts that occur in this summary.
fn words_of_rates(record: &Record) -> String {
    let mut words = "Offered: scheduled; achieved: answered while the load ran, successfully or not; goodput: of \
                     these, the successes; all of them a second."
        .to_owned();
    let counts = &record.counts;
    for (count, meaning) in [
        (counts.dropped, " Dropped: due, but no session was free to send it."),
        (counts.skipped, " Skipped: due, but not possible."),
        (counts.cut_off, " Cut off: not answered when the run stopped waiting."),
    ] {
        if count > 0 {
            words.push_str(meaning);
        }
    }
    words
}

/// The operations that took place; all of them, if none did.
pub(crate) fn met(record: &Record) -> impl Iterator<Item = &OperationRecord> {
    let took_place = |operation: &OperationRecord| operation.counts.planned > 0;
    let none = !record.operations.iter().any(took_place);
    record.operations.iter().filter(move |operation| none || took_place(operation))
}

fn outcomes(text: &mut String, record: &Record, screen: Screen) {
    let mut grid = Grid::new("Outcomes", ["count", "share"], COLUMN);
    for operation in met(record) {
        grid.row(&operation.name, "", [""; 0]);
        for code in operation.codes.iter().take(CODES_SHOWN) {
            let named = crate::failures::named(code);
            let plain = code.class == "connect" && named != code.name
                || matches!(code.class.as_str(), "ok" | "result")
                || code.class == code.name;
            let class = if plain { String::new() } else { format!(" {}", code.class) };
            // Skipped exchanges occurred, but were never sent.
            let met = operation.counts.sent + operation.counts.skipped;
            let share = format!("{:.2}%", 100.0 * code.count as f64 / met.max(1) as f64);
            grid.row(&format!("  {named}"), &class, [code.count.to_string(), share]);
            words(&mut grid, record, operation, &code.class, code.code);
        }
        let hidden: u64 = operation.codes.iter().skip(CODES_SHOWN).map(|code| code.count).sum();
        if hidden > 0 {
            grid.row("  others", "", [hidden.to_string()]);
        }
    }
    for span in record.spans.iter().filter(|span| span.counts.planned > 0) {
        grid.row(&span.name, "", [""; 0]);
        for code in span.codes.iter().take(CODES_SHOWN) {
            let named = crate::failures::named(code);
            let share = 100.0 * code.count as f64 / span.counts.planned.max(1) as f64;
            let cells = [code.count.to_string(), format!("{share:.2}%")];
            grid.row(&format!("  {named}"), "", cells);
        }
    }
    if record.orphans > 0 {
        grid.row("orphans", "", [record.orphans.to_string()]);
    }
    *text += &(grid.text(screen) + "\n");
}

/// The first few failures of a kind, in the target's words.
fn words(
    grid: &mut Grid,
    record: &Record,
    operation: &OperationRecord,
    class: &str,
    code: Option<u32>,
) {
    let mut shown: Vec<&str> = Vec::new();
    let samples = record.samples.iter();
    for sample in
        samples.filter(|s| s.operation == operation.name && s.class == class && s.code == code)
    {
        if shown.len() < TEXTS_SHOWN && !shown.contains(&sample.text.as_str()) {
            grid.note("      ", format!("at {:.1} s: {}", sample.at_s, sample.text));
            // Where the text of the failure names it, it needs no line.
            if let Some(sent) = sample.sent.as_ref().filter(|sent| !sample.text.contains(*sent)) {
                grid.note("      ", format!("sent: {}", sent.replace('\n', "; ")));
            }
            shown.push(&sample.text);
        }
    }
}

fn phases(text: &mut String, record: &Record, screen: Screen) {
    let mut grid = Grid::new("Phases", ["from s", "to s", "sent", "errors"], COLUMN);
    for phase in &record.phases {
        let counts = [phase.counts.sent, phase.counts.errors()].map(|count| count.to_string());
        let times = [phase.from_s, phase.to_s].map(|second| format!("{second:.1}"));
        grid.row(&phase.name.to_string(), "", times.into_iter().chain(counts));
    }
    *text += &grid.text(screen);
    if let Some(imbalance) = &record.conservation.imbalance {
        *text += &wrapped(&format!("The run failed to {imbalance}."), "", screen.columns());
    }
    text.push('\n');
}

/// Names sessions that never got an answer, while others did.
fn silent_sessions(text: &mut String, record: &Record, screen: Screen) {
    if let Some((silent, used)) = brunt_record::silent_sessions(&record.tallies) {
        let words = format!("{silent} of {used} sessions never got an answer");
        *text += &wrapped(&words, "", screen.columns());
    }
}

/// How the exchanges with each of several servers ended.
fn servers(text: &mut String, record: &Record, screen: Screen) {
    let servers = brunt_record::servers(&record.tallies);
    if servers.is_empty() {
        return;
    }
    let mut grid = Grid::new("Servers", ["ok", "failed", "no answer"], COLUMN);
    for server in servers {
        let counts = [server.ok, server.failed, server.unanswered];
        grid.row(&printable(&server.server), "", counts.map(|count| count.to_string()));
    }
    *text += &(grid.text(screen) + "\n");
}
