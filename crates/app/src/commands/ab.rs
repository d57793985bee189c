//! `brunt ab`: runs two commands alternately, and reports whether their results differ.
//!
//! The runs alternate in the order A B B A, so that a slow change on the machine, such as a cache that fills or another
//! program that starts, affects both commands equally. Each run is a new process of this program: no run inherits the
//! memory, connections or counters of the run before.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use brunt_record::Record;
use brunt_report::comparison::{self, Given, Input};
use brunt_report::{command_line, failures, figure};
use brunt_run::World;
use brunt_run::console::{self, StatusLine};
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::{Signal, Urgency};
use brunt_run::tool;
use rustix::process::{Pid, Signal as Kill, kill_process};

use super::compare::show;
use super::failed;
use super::runs::input;
use crate::cli::compare::AbArgs;
use crate::cli::read;

/// How often a run is polled.
const TICK: Duration = Duration::from_millis(100);
/// How many lines of a failed run's output are shown.
const OUTPUT_LINES_MAX: usize = 20;

/// Runs both commands alternately, and compares them.
pub(crate) fn ab(args: &AbArgs, world: &World) -> Result<Exit, Refusal> {
    let commands = split(&args.commands, world)?;
    let place = RecordDirectory::new(args.keep.as_deref())?;
    world.signals.listen().map_err(|error| failed(format!("listen for signals: {error}")))?;
    let mut trial =
        Trial { commands, place: &place, world, sides: [Vec::new(), Vec::new()], took: 0 };
    trial.carry_out(args.runs)?;
    let [a, b] = &trial.sides;
    if a.is_empty() || b.is_empty() {
        let nothing = "No run of each command was completed, so nothing is compared.";
        world.console.message(nothing);
        world.console.conclude(Some(nothing));
        return Ok(world.signals.received().map_or(Exit::Partial, Signal::exit));
    }
    if let Some(why) = trial.nothing_worked() {
        return Err(failed(format!("compare: no operation of either command succeeded ({why})")));
    }
    let sides = trial.given();
    let mut comparison = comparison::compare(tool(), &sides).map_err(failed)?;
    // The commands are what is compared, and both are shown.
    comparison.unlike.retain(|unlike| unlike.what != "command");
    let exit = show(&comparison, &sides, &args.results, args.anyway, &world.console)?;
    if let Some(directory) = &args.keep {
        let directory = directory.display();
        world.console.message(&format!(
            "records: {directory}/a and {directory}/b (brunt compare --anyway {directory}/a {directory}/b)"
        ));
    }
    let exit = world.signals.received().map_or(exit, Signal::exit);
    world.console.conclude(comparison::attention(&comparison, exit == Exit::Ok).as_deref());
    Ok(exit)
}

/// The words of the two commands, if each of them makes exactly one run.
fn split(words: &[String], world: &World) -> Result<[Vec<String>; 2], Refusal> {
    let commands: Vec<&[String]> = words.split(|word| word == "--").collect();
    let [a, b] = commands.as_slice() else {
        return Err(Refusal::usage(
            "failed to read the commands: write both, each after --: brunt ab -- COMMAND -- COMMAND",
        ));
    };
    let one = |words: &[String]| -> Result<Vec<String>, Refusal> {
        let brunt = |word: &String| word == "brunt" || word.ends_with("/brunt");
        let words: Vec<String> = words.iter().skip_while(|word| brunt(word)).cloned().collect();
        if words.iter().any(|word| word == "--record" || word.starts_with("--record=")) {
            return Err(Refusal::usage(
                "failed to take --record: brunt ab makes a record of each run; --keep DIR keeps them",
            ));
        }
        let line: Vec<String> = std::iter::once("brunt".to_owned()).chain(words.clone()).collect();
        if read(&line, world)?.run_options().is_none() {
            return Err(Refusal::usage(format!(
                "failed to run '{}' several times: name a command that makes one run and its record, such as \
                 authrate, perfdhcp, http, run or names lookup",
                words.join(" ")
            )));
        }
        Ok(words)
    };
    Ok([one(a)?, one(b)?])
}

/// Which of the two commands a run belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    A,
    B,
}

impl Which {
    const fn letter(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// A B B A A B B A …, for this number of pairs.
fn order(runs: u32) -> impl Iterator<Item = Which> {
    (0..runs).flat_map(|round| match round % 2 {
        0 => [Which::A, Which::B],
        _ => [Which::B, Which::A],
    })
}

/// Where the records are.
struct RecordDirectory {
    directory: PathBuf,
    /// The temporary directory, which is deleted when this is dropped.
    _temporary: Option<tempfile::TempDir>,
}

impl RecordDirectory {
    fn new(keep: Option<&Path>) -> Result<Self, Refusal> {
        let unmade =
            |error: std::io::Error| failed(format!("make a directory for the records: {error}"));
        let (directory, temporary) = if let Some(directory) = keep {
            (directory.to_owned(), None)
        } else {
            let temporary = tempfile::Builder::new().prefix("brunt-ab-").tempdir();
            let temporary = temporary.map_err(unmade)?;
            (temporary.path().to_owned(), Some(temporary))
        };
        for which in [Which::A, Which::B] {
            let of = directory.join(which.letter());
            std::fs::create_dir_all(&of).map_err(unmade)?;
            if std::fs::read_dir(&of).map_err(unmade)?.next().is_some() {
                return Err(Refusal::usage(format!(
                    "failed to keep the records in {}: it already contains files; name another directory",
                    of.display()
                )));
            }
        }
        Ok(Self { directory, _temporary: temporary })
    }

    /// The record of a run of this number, counted from 1.
    fn record(&self, which: Which, number: usize) -> PathBuf {
        self.directory.join(which.letter()).join(format!("{number:02}.json"))
    }
}

/// What has been carried out so far.
struct Trial<'a> {
    commands: [Vec<String>; 2],
    place: &'a RecordDirectory,
    world: &'a World,
    sides: [Vec<(PathBuf, Record)>; 2],
    /// How long all runs took so far, in polls.
    took: u32,
}

impl Trial<'_> {
    /// Carries out all runs, or as many as the time allows.
    fn carry_out(&mut self, runs: u32) -> Result<(), Refusal> {
        let line = StatusLine::new(&self.world.console);
        for (done, which) in (0..).zip(order(runs)) {
            if self.world.signals.received().is_some() {
                break;
            }
            let number = self.sides[which as usize].len() + 1;
            let path = self.place.record(which, number);
            let ticks = self.one(which, &path, |ticks| {
                line.show(&progress(done, 2 * runs, which, ticks, self.took));
            })?;
            line.clear();
            self.took += ticks;
            // A run that a signal cut short is incomplete.
            if self.world.signals.received().is_some() {
                break;
            }
            let record = Record::read(&path).map_err(failed)?;
            self.world.console.message(&summary_line(which, number, &record));
            self.sides[which as usize].push((path, record));
        }
        Ok(())
    }

    /// Carries out one run, and returns how many times it was polled.
    fn one(&self, which: Which, path: &Path, mut on_tick: impl FnMut(u32)) -> Result<u32, Refusal> {
        let log = path.with_extension("log");
        let mut child = start(&self.commands[which as usize], path, &log)?;
        let (mut ticks, mut requested) = (0, Urgency::Run);
        loop {
            let ended =
                child.try_wait().map_err(|error| failed(format!("wait for a run: {error}")))?;
            if ended.is_some() {
                break;
            }
            on_tick(ticks);
            console::pause(TICK);
            ticks += 1;
            // A run has a process group of its own, so the terminal does not interrupt it.
            let urgency = self.world.signals.stop().urgency();
            if urgency != requested {
                requested = urgency;
                interrupt(&child);
            }
        }
        if path.exists() || self.world.signals.received().is_some() {
            let _ = std::fs::remove_file(&log);
            return Ok(ticks);
        }
        let reported = std::fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<&str> = reported.lines().collect();
        let last = lines[lines.len().saturating_sub(OUTPUT_LINES_MAX)..].join("\n");
        let which = which.letter().to_uppercase();
        Err(Refusal::failed(format!("a run of command {which} failed; it said:\n{last}")))
    }

    /// Why no exchange of either command succeeded, if none did.
    fn nothing_worked(&self) -> Option<String> {
        let mut records = self.sides.iter().flatten().map(|(_, record)| record);
        if records.clone().any(|record| record.counts.ok > 0) {
            return None;
        }
        records.find_map(failures)
    }

    /// Both sides, each named after its command.
    fn given(&self) -> Vec<Given> {
        let sides = self.sides.iter().map(|side| {
            let runs = side.iter().map(|(path, record)| {
                let name = path.strip_prefix(&self.place.directory).unwrap_or(path);
                input(name.display().to_string(), record.clone())
            });
            let runs: Vec<Input> = runs.collect();
            let requested = runs.first().map(|run| run.requested.as_slice()).unwrap_or_default();
            Given { name: command_line(requested, usize::MAX), runs }
        });
        sides.collect()
    }
}

/// Starts a command with a record, which prints nothing.
fn start(words: &[String], record: &Path, log: &Path) -> Result<Child, Refusal> {
    let unstarted = |error: std::io::Error| failed(format!("start a run: {error}"));
    // Some of the grammars take no option behind the first word that is none.
    let names = if words.first().is_some_and(|word| word == "names") { 2 } else { 1 };
    let (names, options) = words.split_at(names.min(words.len()));
    let log = File::create(log).map_err(unstarted)?;
    Process::new(std::env::current_exe().map_err(unstarted)?)
        .args(names)
        .arg("--record")
        .arg(record)
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .process_group(0)
        .spawn()
        .map_err(unstarted)
}

fn interrupt(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // A run that has already ended needs no signal.
    let _ = pid.map(|pid| kill_process(pid, Kill::INT));
}

/// `run 3 of 10 (B), 12 s; about 90 s left`.
fn progress(done: u32, all: u32, which: Which, ticks: u32, took: u32) -> String {
    let seconds = |ticks: u32| ticks / (1_000 / TICK.as_millis() as u32);
    let which = which.letter().to_uppercase();
    let left = took.checked_div(done).map(|each| {
        let left = (each * (all - done)).saturating_sub(ticks.min(each));
        format!("; about {} s left", seconds(left))
    });
    let left = left.unwrap_or_default();
    format!("run {} of {all} ({which}), {} s{left}", done + 1, seconds(ticks))
}

/// The result of a run, in one line.
fn summary_line(which: Which, number: usize, record: &Record) -> String {
    let goodput = figure::fixed(record.rates.goodput, 1);
    let p99 = record.operations.first().and_then(|operation| {
        let found =
            operation.response.percentiles.iter().find(|it| (it.percentile - 99.0).abs() < 1e-9)?;
        Some(format!(", p99 {} ms", figure::fixed(Some(found.us / 1e3), 3)))
    });
    let which = which.letter().to_uppercase();
    format!(
        "{which}{number}: {goodput} a second{}, {}",
        p99.unwrap_or_default(),
        record.verdict.status
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ab_order_balances_drift() {
        use Which::{A, B};
        assert_eq!(order(5).collect::<Vec<_>>(), [A, B, B, A, A, B, B, A, A, B]);
        let places = |which| {
            let places = order(4).enumerate().filter(move |(_, it)| *it == which);
            places.map(|(place, _)| place).sum::<usize>()
        };
        assert_eq!(places(A), places(B));
    }

    #[test]
    fn ab_progress_estimates_the_remaining_time() {
        assert_eq!(progress(0, 10, Which::A, 25, 0), "run 1 of 10 (A), 2 s");
        // Two runs of 30 s; the third has been running for 12 s.
        assert_eq!(progress(2, 10, Which::B, 120, 600), "run 3 of 10 (B), 12 s; about 228 s left");
    }

    #[test]
    fn ab_accepts_only_two_commands_that_make_a_run() {
        let split = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            super::split(&words, &World::of_process())
        };
        let [a, b] = split("brunt http -z 1s http://x/ -- http --http2 http://x/").unwrap();
        assert_eq!(
            (a.join(" "), b.join(" ")),
            ("http -z 1s http://x/".to_owned(), "http --http2 http://x/".to_owned())
        );
        for (line, reported) in [
            ("http http://x/", "write both"),
            ("http http://x/ -- http http://x/ -- http http://x/", "write both"),
            ("report x.json -- http http://x/", "makes one run"),
            ("leases -- leases", "makes one run"),
            ("http http://x/ -- http --record x http://x/", "--keep DIR"),
            ("http http://x/ -- http --nonsense", "nonsense"),
        ] {
            let refusal = split(line).unwrap_err();
            assert!(refusal.text.contains(reported), "{line}: {}", refusal.text);
            assert_eq!(refusal.exit, Exit::Usage);
        }
    }
}
