//! memfile: brunt's index and lease file beside a C++ program written to the guide's description.
//!
//! Once with the guide's own leases and its block of text, once with the records Kea writes, which are the ones in use
//! today. The C++ program writes blocks in both cases; a variant that prints octets through a table and not with an
//! `fprintf` each shows how much of the difference this causes. Searches need no file, so there are more of them, among
//! more leases.

use crate::effort::Effort;
use crate::place::memory;
use crate::{ours, peers};
use brunt_bench_tool::{Duel, Lap, speed, succeeded};
use std::path::Path;
use std::process::Command;

/// What was asked for: three times the rate.
const LEAST: f64 = 3.0;

/// Measures and prints the tables.
pub(crate) fn print(effort: Effort) {
    let place = memory();
    let peer = peers::plain("memfile_peer.cc", place.path());
    let requested = [("create", LEAST), ("search", LEAST)];
    for (octets, operations, formats) in [
        (
            "octets",
            effort.records,
            &[("Kea's records", "csv"), ("the guide's blocks", "block")][..],
        ),
        ("table", effort.operations, &[("Kea's records", "csv")][..]),
    ] {
        for (name, format) in formats {
            let duels =
                fight(&peer, place.path(), octets, format, operations, effort.rounds.min(3));
            let habit = if octets == "octets" { "" } else { " without an fprintf an octet" };
            let title = format!("memfile, async, {name} beside std::map and FILE*{habit}");
            speed(&title, "C++", &duels, if octets == "octets" { &requested } else { &[] });
        }
    }
    search(&peer, place.path(), effort);
}

#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
fn search(peer: &Path, place: &Path, effort: Effort) {
    let leases = effort.searches.to_string();
    eprintln!("memfile, {leases} searches");
    let store = format!("memfile:{}", place.join("ours.csv").display());
    let duels = Duel::fight(
        effort.rounds.min(3),
        || {
            let arguments = ["--durability", "async", "--phases", "search", "--seed", "1"];
            let size = ["leases", &store, "-n", &leases, "--preload", &leases];
            ours::laps(&[&size[..], &arguments].concat())
        },
        || {
            let laps = theirs(peer, place, "table", &leases, &["search"]);
            laps.into_iter().filter(|lap| lap.phase == "search").collect()
        },
    );
    speed("memfile, searches among more leases", "C++", &duels, &[("search", LEAST)]);
}

#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
fn fight(
    peer: &Path,
    place: &Path,
    octets: &str,
    format: &str,
    operations: u64,
    rounds: usize,
) -> Vec<Duel> {
    eprintln!("memfile, {format} beside {octets}, {operations} operations");
    let count = operations.to_string();
    let file = place.join("ours").display().to_string();
    let store = format!("memfile:{file}");
    Duel::fight(
        rounds,
        || {
            if format == "block" {
                let words = ["memfile_ubench", "-f", &file, "-n", &count, "-s", "no", "-v", "no"];
                let laps = ours::laps(&[&words[..], &["--seed", "1"]].concat());
                std::fs::remove_file(&file).expect("memfile_ubench leaves its file");
                return laps;
            }
            let words = ["leases", &store, "-n", &count, "--durability", "async", "--seed", "1"];
            ours::laps(&words)
        },
        || theirs(peer, place, octets, &count, if format == "block" { &["guide"] } else { &[] }),
    )
}

fn theirs(peer: &Path, place: &Path, octets: &str, count: &str, more: &[&str]) -> Vec<Lap> {
    let file = place.join("theirs");
    let mut command = Command::new(peer);
    command.arg(&file).args([count, "async", octets]).args(more);
    let output = succeeded(&mut command);
    let _ = std::fs::remove_file(file);
    Lap::all_in(&String::from_utf8_lossy(&output.stdout))
}
