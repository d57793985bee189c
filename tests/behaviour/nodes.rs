//! Machines that share a run without a coordinator: `--node`, `--start-at` and `brunt merge`, for every command that
//! makes load.

use std::path::Path;
use std::time::Duration;

use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_record::Record;

use brunt_test_program::{Program, Targets, binary, command, run, scratch};

/// Starts the share of one node of a command.
fn start(line: &[String], node: &str, more: &[&str], record: &Path) -> Program {
    let mut brunt = command(binary());
    // Some tools take no option after their first argument.
    brunt.arg(&line[0]);
    let after_subcommand = if line[0] == "names" { 2 } else { 1 };
    brunt.args(&line[1..after_subcommand]);
    brunt.args(["--seed", "11", "--node", node]).args(more).arg("--record").arg(record);
    brunt.args(&line[after_subcommand..]);
    Program::start(&mut brunt)
}

/// The command line of a node. Two relays cannot have one address, and what is a machine's own is no difference between
/// shares.
fn of_node(line: &[String], rank: usize) -> Vec<String> {
    let mut line = line.to_vec();
    if let Some(at) = line.iter().position(|word| word == "-l") {
        line[at + 1] = format!("127.9.0.{}", rank + 1);
    }
    line
}

#[test]
fn node_and_merge_work_for_every_command() {
    let directory = scratch();
    let path = |name: &str| directory.path().join(name);
    let targets = Targets::start();
    for (name, line) in targets.commands(directory.path()) {
        let files = [path("n0.json"), path("n1.json")];
        let share =
            |rank: usize| start(&of_node(&line, rank), &format!("{rank}/2"), &[], &files[rank]);
        let programs = [share(0), share(1)];
        let shares = programs.map(|program| program.wait().expect(0));
        let of = |file: &Path| {
            Record::read(file).unwrap_or_else(|error| panic!("{name}: {error}\n{}", shares[0]))
        };
        let [first, second] = [of(&files[0]), of(&files[1])];
        assert_eq!((first.counts.planned, second.counts.planned), (50, 50), "{name}");
        let all = path("all.json");
        let [first_file, second_file] = files.each_ref().map(|file| file.display().to_string());
        let into = all.display().to_string();
        let words = ["merge", &first_file, &second_file, "--record", &into];
        run(words).expect(0);
        let merged = of(&all);
        assert_eq!((merged.counts.planned, merged.counts.ok), (100, 100), "{name}");
        assert!(merged.conservation.holds && merged.nodes.len() == 2, "{name}");
        let count =
            |record: &Record| record.operations.iter().map(|it| it.response.count).sum::<u64>();
        assert_eq!(count(&merged), count(&first) + count(&second), "{name}");
    }
}

/// The sessions, and the exchanges, of records.
fn shares(records: &[Record]) -> Vec<(u64, u64)> {
    records.iter().map(|record| (record.plan.sessions, record.counts.planned)).collect()
}

#[test]
fn node_by_weight_works_for_every_command() {
    let directory = scratch();
    let path = |name: &str| directory.path().join(name);
    let targets = Targets::start();
    for (name, line) in targets.commands(directory.path()) {
        let files = [path("w0.json"), path("w1.json")];
        let share = |rank: usize| {
            let mut line = line.clone();
            if let Some(at) = line.iter().position(|word| word == "-l") {
                line[at + 1] = format!("127.9.2.{}", rank + 1);
            }
            let more = ["--weights", "3,1"];
            start(&line, &format!("{rank}/2"), &more, &files[rank])
        };
        let programs = [share(0), share(1)];
        for program in programs {
            program.wait().expect(0);
        }
        let records = files.each_ref().map(|file| Record::read(file).expect("it was written"));
        let [(first, most), (second, rest)] = shares(&records)[..] else { panic!("two") };
        assert_eq!((most, rest), (75, 25), "{name}");
        assert!(first > second && second > 0, "{name}: {first} and {second}");
        let into = path("all.json").display().to_string();
        let [one, other] = files.each_ref().map(|file| file.display().to_string());
        run(["merge", &other, &one, "--record", &into]).expect(0);
        let merged = Record::read(&path("all.json")).expect("it was written");
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
    for (words, culprit) in [
        (&["http", "--node", "0/2", "http://127.0.0.1:9"][..], "--node needs --seed"),
        (
            &["http", "--node", "2/2", "--seed", "1", "http://127.0.0.1:9"],
            "0/3 for the first of three",
        ),
        (&["authrate", "-D", "cn=a", "-w", "b", "--node", "1/2"], "--node needs --seed"),
        (&["http", "--weights", "1,2", "http://127.0.0.1:9"], "--weights needs --node"),
        (
            &["http", "--node", "0/3", "--weights", "1,2", "--seed", "1", "http://127.0.0.1:9"],
            "give a weight for each",
        ),
        (
            &["http", "--node", "2/3", "-c", "2", "--seed", "1", "http://127.0.0.1:9"],
            "ask for at least 3",
        ),
        (&["http", "--start-at", "2020-01-01T00:00:00Z", "http://127.0.0.1:9"], "is in the past"),
        (&["http", "--start-at", "soon", "http://127.0.0.1:9"], "12:00:05"),
    ] {
        let ended = run(words);
        assert_ne!(ended.code(), 0, "{ended}");
        assert!(ended.output().contains(culprit), "{words:?}: {ended}");
    }
}

#[test]
fn start_at_delays_the_start_of_every_command() {
    let directory = scratch();
    let targets = Targets::start();
    let ahead = Duration::from_millis(1_500);
    for (name, line) in targets.commands(directory.path()) {
        let clock = Monotonic::new();
        let at = jiff::Timestamp::now() + ahead;
        let record = directory.path().join("record.json");
        let more = ["--start-at", &at.to_string()];
        let ended = start(&of_node(&line, 2), "0/1", &more, &record).wait().expect(0);
        assert!(clock.now() >= Moment::ZERO + ahead, "{name}: {ended}");
        let counts = Record::read(&record).expect("it was written").counts;
        assert_eq!((counts.planned, counts.ok), (100, 100), "{name}: {ended}");
    }
}
