//! `brunt find-max` over a mix of leases, in virtual time: each call into a store takes as long as the test says.

use std::path::Path;
use std::time::Duration;

use brunt_record::Collection;
use brunt_test_program::{Ended, scratch};

use crate::machine::Machine;

/// Objectives that the store meets at every rate up to the highest that is tried, so that a lower bound is found.
const EASY: [&str; 4] = ["--slo", "p90<2s", "--slo", "achieved>=50%"];
/// How long a call takes.
const CALL: Duration = Duration::from_millis(2);

fn searched(machine: &Machine, words: &[&str]) -> Ended {
    machine.time().calls_take(CALL);
    machine.run(&[&["find-max", "--quiet"], words].concat())
}

/// Searches over this mix of leases on a store of its own, and what was found.
fn found(directory: &Path, options: &[&str], mix: &str, workers: &str) -> (Ended, Collection) {
    let file = directory.join("found.json").display().to_string();
    let store = format!("redb:{}", directory.join("leases.redb").display());
    let leases = ["leases", &store, "--durability", "async", "--preload", "500", "--mix", mix];
    let leases =
        [&["--record", &file, "--"], &leases[..], &["--seed", "11", "--workers", workers]].concat();
    let ended = searched(&Machine::new(7), &[options, &leases].concat());
    (ended, Collection::read(Path::new(&file)).expect("a record"))
}

/// Each step finds the store as the first did, and what the store answers is checked.
#[test]
fn find_max_searches_a_mix_of_leases_on_one_store() {
    let (directory, mix) = (scratch(), "allocate=1,renew=2,release=1,search=1");
    let words = ["--confirm", "40s", "--from", "50/s", "--to", "100/s"];
    let (ended, found) = found(directory.path(), &[&EASY[..], &words].concat(), mix, "1");
    let ended = ended.expect(4);
    assert_eq!(found.figures.get("floor"), Some(&100.0), "{:?}\n{ended}", found.figures);
    let mut steps = 0;
    for record in found.cells.iter().filter_map(|cell| cell.record.as_ref()) {
        let ok: u64 = record.operations.iter().map(|operation| operation.counts.ok).sum();
        assert_eq!((record.counts.failed, record.counts.ok), (0, ok), "{:?}", record.plan);
        steps += 1;
    }
    assert!(steps >= 5, "{steps}");
    assert!(!directory.path().join("leases.redb").exists(), "the store is cleared away");
}

/// Four sessions make calls of 2 ms, so they make 2,000 a second and no more, whatever the store could do.
#[test]
fn find_max_over_leases_reports_the_limit_of_the_sessions() {
    let (directory, mix) = (scratch(), "allocate=1,release=1,search=2");
    let options = ["--second", "100ms", "--slo", "p99<20ms", "--confirm", "40s", "--from", "200/s"];
    let (ended, found) = found(directory.path(), &options, mix, "4");
    let (ended, figures) = (ended.expect(4), &found.figures);
    let floor = figures.get("floor").copied().unwrap_or_default();
    assert!((1_000.0..2_000.0).contains(&floor), "{figures:?}\n{ended}");
    let words = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("session-limited: the target took 2.0 ms, as in the"), "{ended}");
}

#[test]
fn find_max_over_leases_refuses_what_is_not_one_mix() {
    let mix = "allocate=1,renew=2,release=1,search=1";
    for (words, output) in [
        (&["leases", "redb"][..], "--mix"),
        (&["leases", "--mix", mix, "--durability", "sync"], "name it"),
        (&["leases", "redb", "--mix", mix], "--durability sync"),
    ] {
        let ended = searched(&Machine::new(7), &[&EASY[..], &["--"], words].concat()).expect(2);
        assert!(ended.output().contains(output), "{output}: {ended}");
    }
}

const RENEWALS: [&str; 7] = ["--", "leases", "redb", "--durability", "async", "--mix", "renew=1"];

/// There is nothing to renew, and that is not the store's fault.
#[test]
fn find_max_over_leases_reports_missing_data() {
    let ended = searched(&Machine::new(7), &[&EASY[..], &RENEWALS].concat()).expect(1);
    assert!(ended.output().contains("nothing to work on"), "{ended}");
}
