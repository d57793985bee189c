//! Machines that share a run without a coordinator: `--node`, `--start-at` and `brunt merge`, for every command that
//! makes load.

use std::path::Path;
use std::time::Duration;

use brunt_exchange::Clock as _;
use brunt_record::Record;
use brunt_test_program::scratch;

use crate::machine::{own, run};
use crate::targets::{Targets, with};

/// Two records of a run that two nodes share, and the one that they are merged into.
fn shared(directory: &Path, name: &str, line: &[String], options: &[&str]) -> [Record; 3] {
    let files = ["0", "1", "all"].map(|node| directory.join(node).display().to_string());
    for (rank, file) in files[..2].iter().enumerate() {
        let node = format!("{rank}/2");
        let share = ["--seed", "11", "--node", &node, "--record", file];
        with(line, &[&share[..], options].concat()).expect(0);
    }
    // In whatever order.
    run(&["merge", &files[1], &files[0], "--record", &files[2]]).expect(0);
    let read =
        |file| Record::read(Path::new(file)).unwrap_or_else(|error| panic!("{name}: {error}"));
    files.each_ref().map(read)
}

#[test]
fn node_and_merge_work_for_every_command() {
    let (directory, targets) = (scratch(), Targets::start());
    for (name, line) in targets.commands(directory.path()) {
        let [first, second, merged] = shared(directory.path(), name, &line, &[]);
        assert_eq!((first.counts.planned, second.counts.planned), (50, 50), "{name}");
        assert_eq!((merged.counts.planned, merged.counts.ok), (100, 100), "{name}");
        assert!(merged.conservation.holds && merged.nodes.len() == 2, "{name}");
        let count =
            |record: &Record| record.operations.iter().map(|it| it.response.count).sum::<u64>();
        assert_eq!(count(&merged), count(&first) + count(&second), "{name}");
    }
}

#[test]
fn node_by_weight_works_for_every_command() {
    let (directory, targets) = (scratch(), Targets::start());
    for (name, line) in targets.commands(directory.path()) {
        let weights = ["--weights", "3,1"];
        let [most, rest, merged] = shared(directory.path(), name, &line, &weights);
        assert_eq!((most.counts.planned, rest.counts.planned), (75, 25), "{name}");
        let (first, second) = (most.plan.sessions, rest.plan.sessions);
        assert!(first > second && second > 0, "{name}: {first} and {second}");
        assert_eq!((merged.counts.ok, merged.plan.sessions), (100, first + second), "{name}");
        let node = &merged.nodes[1].node;
        assert_eq!((node.rank, &node.weights[..]), (1, &[3, 1][..]), "{name}");
        // Each is the whole: 75 a second of which no share was made would not add up.
        let rate = merged.rates.offered.unwrap_or_default();
        assert!((rate - 50.0).abs() < 2.0, "{name}: {rate}");
    }
}

#[test]
fn node_needs_a_seed_and_a_valid_share() {
    let url = "http://10.0.1.9:9";
    for (words, culprit) in [
        (&["http", "--node", "0/2", url][..], "--node needs --seed"),
        (&["http", "--node", "2/2", "--seed", "1", url], "0/3 for the first of three"),
        (&["authrate", "-D", "cn=a", "-w", "b", "--node", "1/2"], "--node needs --seed"),
        (&["http", "--weights", "1,2", url], "--weights needs --node"),
        (
            &["http", "--node", "0/3", "--weights", "1,2", "--seed", "1", url],
            "give a weight for each",
        ),
        (&["http", "--node", "2/3", "-c", "2", "--seed", "1", url], "ask for at least 3"),
        (&["http", "--start-at", "1969-01-01T00:00:00Z", url], "is in the past"),
        (&["http", "--start-at", "soon", url], "12:00:05"),
    ] {
        let ended = run(words);
        assert_ne!(ended.code(), 0, "{ended}");
        assert!(ended.output().contains(culprit), "{words:?}: {ended}");
    }
}

#[test]
fn start_at_delays_the_start_of_every_command() {
    let (directory, targets) = (scratch(), Targets::start());
    let record = directory.path().join("record.json");
    let file = record.display().to_string();
    for (name, line) in targets.commands(directory.path()) {
        let before = own(|machine| machine.time().now());
        let at = jiff::Timestamp::UNIX_EPOCH + before.since_origin() + Duration::from_secs(60);
        let ended = with(&line, &["--start-at", &at.to_string(), "--record", &file]);
        let after = own(|machine| machine.time().now());
        let lasted = after - before;
        // A minute, and the two seconds of the run.
        let range = Duration::from_secs(61)..Duration::from_secs(64);
        assert!(range.contains(&lasted), "{name}: {lasted:?} {ended}");
        let counts = Record::read(&record).expect("it was written").counts;
        assert_eq!((counts.planned, counts.ok), (100, 100), "{name}: {ended}");
    }
}
