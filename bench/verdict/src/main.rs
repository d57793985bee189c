//! The verdict of brunt on runs with arranged trouble, beside the expected verdict.
//!
//! A verdict is useful only if it names the right cause, and names none where there is none. Both are rates, which no
//! test of a pure function can measure: so causes are arranged for real, each several times, and the verdicts are
//! counted. Each cause is described completely by a row of the table in `causes.rs`.

mod background;
mod kinds;
mod matrix;
mod page;

use background::Disturbed;
use brunt_bench_tool::machine;
use brunt_bench_verdict::{CAUSES, Cause, Class, Machine, Observation, ObservedReason, trial};
use kinds::Kinds;
use matrix::Matrix;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str =
    "usage: bench/verdict/run [--only NAME]... [--times N] [--quick] [--list] [NAME]...";

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    names: Vec<String>,
    times: Option<u64>,
    quick: bool,
    list: bool,
}

impl Options {
    /// How often each cause is tried.
    fn times(&self) -> u64 {
        self.times.unwrap_or(if self.quick { 1 } else { 3 })
    }
}

#[expect(clippy::print_stdout, reason = "the table is the product")]
#[expect(clippy::print_stderr, reason = "a mistake is for whoever made it")]
fn main() -> ExitCode {
    let requested = match requested(std::env::args().skip(1)) {
        Ok(requested) => requested,
        Err(error) => {
            eprintln!("failed to read the command line: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let causes: Vec<&Cause> =
        CAUSES.iter().filter(|cause| chosen(cause, &requested.names)).collect();
    if causes.is_empty() {
        eprintln!(
            "failed to find a cause with one of {:?} in its name; --list shows them",
            requested.names
        );
        return ExitCode::from(2);
    }
    if requested.list {
        for cause in causes {
            println!("{:28} {}", cause.name, expectation(cause));
        }
        return ExitCode::SUCCESS;
    }
    let Some(brunt) = std::env::var_os("BRUNT").map(PathBuf::from) else {
        eprintln!("failed to find the brunt to try: set BRUNT to its path");
        return ExitCode::from(2);
    };
    println!("# Verdicts, on {}\n", machine());
    let (fine, kinds) = try_all(&causes, &requested, &brunt);
    if std::env::var_os("BRUNT_BLESS").is_some() {
        let written = if requested.names.is_empty() {
            page::write(&kinds.to_string(), requested.times(), &machine())
        } else {
            Err(std::io::Error::other("not every cause was tried"))
        };
        if let Err(error) = written {
            eprintln!("failed to write the table into docs/statistics.md: {error}");
            return ExitCode::from(2);
        }
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Tries every cause; whether all was as expected, and what was reported by kind of cause.
#[expect(clippy::print_stdout, reason = "the table is the product")]
fn try_all(causes: &[&Cause], requested: &Options, brunt: &Path) -> (bool, Kinds) {
    println!(
        "| cause | class | expected | runs | reported | objective | exit | first reason | not as expected |"
    );
    println!("|---|---|---|---:|---|---|---|---|---|");
    let (mut matrix, mut kinds) = (Matrix::default(), Kinds::default());
    let (mut fine, mut disturbed) = (true, Disturbed::default());
    for cause in causes {
        let mut seen: BTreeMap<(Observation, String), u64> = BTreeMap::new();
        let times = requested.times();
        let seconds = if requested.quick && cause.class == Class::Nothing {
            cause.seconds / 2
        } else {
            cause.seconds
        };
        for time in 1..=times {
            report(cause, time, times);
            disturbed.poll();
            match trial(cause, seconds, brunt).map(|tried| tried.observed) {
                Ok(observed) => {
                    matrix.add(cause.class, &observed);
                    kinds.add(cause, observed.finding());
                    let faults = observed.faults(cause, Machine::Quiet);
                    fine &= faults.is_empty();
                    *seen.entry((alike(observed), faults.join(", "))).or_default() += 1;
                }
                Err(why) => {
                    let (name, class) = (cause.name, cause.class.word());
                    println!(
                        "| {name} | {class} | | 0 | not possible here: {} | | | | |",
                        cell(&why)
                    );
                    break;
                }
            }
        }
        for ((observed, faults), runs) in &seen {
            println!("{}", row(cause, observed, faults, *runs));
        }
    }
    println!("\n{matrix}\n{kinds}\n{disturbed}");
    (fine, kinds)
}

#[expect(clippy::print_stderr, reason = "progress is not part of the product")]
fn report(cause: &Cause, time: u64, times: u64) {
    eprintln!("{} {time}/{times}", cause.name);
}

/// Observations that differ only in the figures of their reasons are counted together.
fn alike(mut observed: Observation) -> Observation {
    observed.reasons.truncate(1);
    for ObservedReason { text, .. } in &mut observed.reasons {
        *text =
            text.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect();
        while text.contains("##") {
            *text = text.replace("##", "#");
        }
    }
    observed
}

fn row(cause: &Cause, observed: &Observation, faults: &str, runs: u64) -> String {
    let objectives: Vec<String> = observed
        .objectives
        .iter()
        .map(|(objective, judged)| format!("{objective} {judged}"))
        .collect();
    let exit = observed.exit.map_or("signal".to_owned(), |exit| exit.to_string());
    let reason: String =
        observed.reasons.first().map_or("", |reason| &reason.text).chars().take(200).collect();
    let (name, class, expected) = (cause.name, cause.class.word(), expectation(cause));
    let Observation { status, outcome, .. } = observed;
    let objectives = objectives.join(", ");
    format!(
        "| {name} | {class} | {expected} | {runs} | {status}, {outcome} | {objectives} | {exit} | {} | {faults} |",
        cell(&reason)
    )
}

/// What is expected of a cause, in one line.
fn expectation(cause: &Cause) -> String {
    let expected = &cause.expected;
    let exits: Vec<String> = expected.exits.iter().map(ToString::to_string).collect();
    let mut parts = vec![expected.statuses.join(" or "), expected.outcomes.join(" or ")];
    parts.extend((!expected.reason.is_empty()).then(|| format!("/{}/", expected.reason)));
    parts.extend(
        cause
            .objectives
            .iter()
            .map(|(objective, judged)| format!("{objective} {}", judged.join(" or "))),
    );
    parts.push(format!("exit {}", exits.join(" or ")));
    cell(&parts.join("; "))
}

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Whether a cause was asked for.
fn chosen(cause: &Cause, names: &[String]) -> bool {
    names.is_empty() || names.iter().any(|name| cause.name.contains(name.as_str()))
}

fn requested(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut requested = Options::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => requested.quick = true,
            "--list" => requested.list = true,
            "--only" => requested.names.push(words.next().ok_or("--only needs a name")?),
            "--times" => {
                let number = words.next().ok_or("--times needs a number")?;
                let times = number.parse().ok().filter(|times| *times > 0);
                requested.times =
                    Some(times.ok_or_else(|| format!("{number:?} is not a number of times"))?);
            }
            option if option.starts_with('-') => {
                return Err(format!("there is no option {option}"));
            }
            _ => requested.names.push(word),
        }
    }
    Ok(requested)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        requested(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn words_choose_causes_and_times() {
        let all = read("").unwrap();
        assert!(CAUSES.iter().all(|cause| chosen(cause, &all.names)) && all.times.is_none());
        let idle = read("idle-ldap --times 100 --quick").unwrap();
        assert_eq!((idle.times, idle.quick), (Some(100), true));
        let names: Vec<_> = CAUSES.iter().filter(|cause| chosen(cause, &idle.names)).collect();
        assert_eq!(names.len(), 6);
        assert_eq!(read("--only slow --only quota").unwrap().names, ["slow", "quota"]);
        for wrong in ["--times", "--times none", "--times 0", "--only", "--fast"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn runs_that_differ_only_in_figures_are_one_row() {
        let with = |reason: &str| {
            let reasons = [reason, "more"]
                .map(|text| ObservedReason { text: text.to_owned(), ..ObservedReason::default() })
                .to_vec();
            alike(Observation { reasons, ..Observation::default() })
        };
        assert_eq!(with("4.559 ms late"), with("12.1 ms late"));
        assert_ne!(with("4.559 ms late"), with("4.559 ms early"));
    }
}
