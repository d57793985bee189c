//! The last screen of a run: its outcome, whether to trust it, what to do next. It has at most 22 lines of 80 columns.
//!
//! It is for a reader who has a terminal of 24 lines and reads nothing above its edge. So everything else is in the
//! summary, and where there is too little room the sections lose rows in the order of how much they matter: how figures
//! changed over time, steps, objectives. The outcome and the next command are never cut for another section.

mod course;
pub(crate) mod next;
mod outcome;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use outcome::sentences;

use crate::figure::{one_decimal, printable, thousands, three_digits};
use crate::screen::Screen;
use crate::wrapped::shortened;
use brunt_record::{HistogramError, Record};

/// The most lines, so that a prompt and the line above it fit on 24.
const LINES_MAX: usize = 22;
/// The most columns.
const COLUMNS_MAX: usize = 80;
/// The room for names at the beginning of a row.
const LABEL: usize = 15;

/// Sections that lose rows where there is too little room, by their places in the room.
const OUTCOME: usize = 0;
const OBJECTIVES: usize = 1;
const OPERATIONS: usize = 2;
const COURSE: usize = 3;
/// How many rows each of them has where there is room.
const ROOM: [usize; 4] = [14, 5, 6, 5];
/// What is given up first: a section, and how many rows of it are left before the next is cut.
const CUTS: [(usize, usize); 9] = [
    (COURSE, 4),
    (OUTCOME, 8),
    (COURSE, 1),
    (OPERATIONS, 3),
    (OUTCOME, 7),
    (OBJECTIVES, 2),
    (COURSE, 0),
    (OPERATIONS, 0),
    (OBJECTIVES, 0),
];
/// The same for an overload, for which figures over time are more useful than those of operations.
const CUTS_OF_OVERLOAD: [(usize, usize); 7] = [
    (COURSE, 3),
    (OUTCOME, 8),
    (OPERATIONS, 0),
    (OUTCOME, 7),
    (OBJECTIVES, 2),
    (COURSE, 0),
    (OBJECTIVES, 0),
];

/// The last screen of a run. `kept` is the file in which its record is, if it is in one.
pub fn last_screen(
    record: &Record,
    screen: Screen,
    kept: Option<&str>,
) -> Result<String, HistogramError> {
    let width = screen.columns().min(COLUMNS_MAX);
    let mut room = ROOM;
    let cuts = match record.rates.overload {
        Some(_) => &CUTS_OF_OVERLOAD[..],
        None => &CUTS,
    };
    let mut cuts = cuts
        .iter()
        .flat_map(|&(section, left)| std::iter::repeat_n((section, left), ROOM[section]));
    loop {
        let sections = [
            vec![heading(record)],
            outcome::lines(record, screen, room[OUTCOME], width)?,
            rows::objectives(record, room[OBJECTIVES], width),
            rows::operations(record, room[OPERATIONS], width)?,
            course::lines(record, screen, room[COURSE], width),
            next::lines(record, kept, width),
        ];
        let shown: Vec<String> =
            sections.iter().filter(|lines| !lines.is_empty()).map(|it| it.join("\n")).collect();
        let text = shown.join("\n\n") + "\n";
        if text.lines().count() <= LINES_MAX {
            return Ok(fitted(&text, screen, width));
        }
        match cuts.find(|(section, left)| room[*section] > *left) {
            Some((section, _)) => room[section] -= 1,
            None => return Ok(fitted(&text, screen, width)),
        }
    }
}

/// The lines, none longer than the width: a longer one, such as an address, loses its middle. The line with a colour
/// was made to fit before it got it.
fn fitted(text: &str, screen: Screen, width: usize) -> String {
    let dots = screen.either("…", "..");
    let lines = text.lines().take(LINES_MAX);
    let fit = |line: &str| {
        if line.contains('\x1b') {
            return format!("{line}\n");
        }
        shortened(line.trim_end(), width, dots) + "\n"
    };
    lines.map(fit).collect()
}

/// What was run against what, when and for how long.
fn heading(record: &Record) -> String {
    let target = record.plan.target.as_ref();
    let target = target.map_or_else(String::new, |target| format!(" at {}", printable(target)));
    let what = format!("{}{target}", next::title(record));
    let minute = record.started.get(..16).unwrap_or(&record.started).replace('T', " ");
    let zone = if record.started.ends_with('Z') { " UTC" } else { "" };
    let when = printable(&format!("{minute}{zone}"));
    [what, when, lasted(record.rates.seconds)].join(", ")
}

/// A duration in words.
pub(crate) fn lasted(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{} s", one_decimal(seconds)),
        10..60 => format!("{whole} s"),
        60..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
    }
}

/// Milliseconds in three digits.
fn millis(micros: f64) -> String {
    let millis = micros / 1e3;
    if millis >= 999.5 { thousands(millis.round() as u64) } else { three_digits(millis) }
}

/// A name in its column.
fn label(name: &str) -> String {
    format!("{:<LABEL$}", shortened(&printable(name), LABEL - 1, ".."))
}
