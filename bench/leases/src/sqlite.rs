//! SQLite: brunt beside a C program that only binds, steps and resets.
//!
//! The two are closest to each other without the disk, so most is measured in memory, including the synchronous mode,
//! whose path through the library is longer. A measurement on disk follows, which shows the difference that remains
//! beside the flushes.

use crate::effort::Effort;
use crate::place::{memory, scratch};
use crate::{ours, peers};
use brunt_bench_tool::{Duel, Lap, overhead, succeeded};
use std::path::Path;
use std::process::Command;

/// What was asked for: less than three per cent over the bare program.
const MOST: f64 = 1.03;

/// Measures and prints the tables.
pub(crate) fn print(effort: Effort) {
    let tools = scratch();
    let bare = peers::sqlite(tools.path());
    compare(&bare);
    let (shared, disk) = (memory(), scratch());
    let Effort { rounds, operations, flushes, .. } = effort;
    for (durability, beside, rounds) in
        [("async", "alone", rounds), ("async", "beside", rounds), ("sync", "alone", rounds.min(3))]
    {
        let bout = Bout { durability, beside, operations, phases: &[], rounds };
        let threads =
            if beside == "alone" { "" } else { ", the C program with a second thread that sleeps" };
        let title = format!("SQLite, {durability}, in memory{threads}");
        overhead(&title, "bare C", &bout.fight(&bare, shared.path()), Some(MOST));
    }
    let phases = &["create", "update", "delete"];
    let bout = Bout { durability: "sync", beside: "alone", operations: flushes, phases, rounds };
    overhead("SQLite, sync, on the disk", "bare C", &bout.fight(&bare, disk.path()), Some(MOST));
}

/// Panics unless both leave the same file, made by the same library.
pub(crate) fn check() {
    let tools = scratch();
    compare(&peers::sqlite(tools.path()));
}

/// What the two do against each other.
struct Bout<'a> {
    durability: &'a str,
    /// Whether the C program has a second thread: `alone` or `beside`.
    beside: &'a str,
    operations: u64,
    /// All four if there are none.
    phases: &'a [&'a str],
    rounds: usize,
}

impl Bout<'_> {
    #[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
    fn fight(&self, bare: &Path, place: &Path) -> Vec<Duel> {
        let Self { durability, beside, operations, phases, rounds } = *self;
        eprintln!("SQLite, {durability}, {beside}, {operations} operations in {}", place.display());
        let count = operations.to_string();
        let file = |name: &str| place.join(name).display().to_string();
        let (mine, list) = (format!("sqlite:{}", file("ours.db")), phases.join(","));
        let mut arguments = vec!["leases", &mine, "-n", &count, "--durability", durability];
        arguments.extend(["--statements", "prepared", "--seed", "1"]);
        if !phases.is_empty() {
            arguments.extend(["--phases", &list]);
        }
        let theirs = || {
            let theirs = file("theirs.db");
            let words = ["run", &theirs, &count, durability, beside];
            let message = said_by(bare, &[&words, phases].concat());
            for ending in ["", "-wal", "-shm"] {
                let _ = std::fs::remove_file(format!("{theirs}{ending}"));
            }
            Lap::all_in(&message)
        };
        Duel::fight(rounds, || ours::laps(&arguments), theirs)
    }
}

fn compare(bare: &Path) {
    let place = scratch();
    let file = |name: &str| place.path().join(name).display().to_string();
    let (mine, theirs) = (file("ours.db"), file("theirs.db"));
    let store = format!("sqlite:{mine}");
    let record = ours::run(&[
        "leases",
        &store,
        "-n",
        "500",
        "--durability",
        "async",
        "--statements",
        "prepared",
        "--phases",
        "create,search,update",
        "--keep",
        "--seed",
        "1",
    ]);
    said_by(bare, &["run", &theirs, "500", "async", "alone", "create", "search", "update"]);
    // The marker by which brunt recognises its own tables has no rows and does not affect the comparison.
    let marker = |line: &&str| line.contains("|brunt_tables|");
    let inspect = |file: &str| {
        let message = said_by(bare, &["inspect", file]);
        message.lines().filter(|line| !marker(line)).map(str::to_owned).collect::<Vec<_>>()
    };
    let (ours, others) = (inspect(&mine), inspect(&theirs));
    for (ours, theirs) in ours.iter().zip(&others) {
        assert_eq!(ours, theirs, "brunt's file on the left, the bare program's on the right");
    }
    assert!(ours.len() == others.len() && ours.len() > 500, "{ours:?}");
    let version = said_by(bare, &["version"]);
    let message = record["facts"].to_string();
    assert!(
        message.contains(version.trim()),
        "the bare program has SQLite {version}, brunt says {message}"
    );
}

fn said_by(bare: &Path, words: &[&str]) -> String {
    let output = succeeded(Command::new(bare).args(words));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
