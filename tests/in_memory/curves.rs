//! Several records of one load at different rates, and the one curve that `brunt report` makes from them.

use std::fs;
use std::path::{Path, PathBuf};

use brunt_record::Record;

use brunt_test_program::{Ended, scratch};

use crate::directory::{Directory, measure};
use crate::machine::{Machine, run};

/// The record of a short run with these words.
fn record(machine: &Machine, path: &Path, words: &[&str]) -> Record {
    let all = ["-b", "dc=example,dc=com", "-d", "1"].into_iter().chain(words.iter().copied());
    let words: Vec<&str> = all.chain(["(uid=user.1)"]).collect();
    let record = measure(machine, "searchrate", &words).record();
    record.write(path).expect("a record");
    record
}

fn report(paths: &[&Path], words: &[&str]) -> Ended {
    let paths = paths.iter().map(|path| path.to_str().expect("a path"));
    let line: Vec<&str> =
        ["report"].into_iter().chain(paths).chain(words.iter().copied()).collect();
    run(&line)
}

/// The lines of a curve's tables that begin with a rate, and their numbers. A table that is wider than the screen
/// continues below, where rows begin with their rates again.
fn rows<'a>(text: &'a str, rate: &str) -> Vec<(usize, &'a str)> {
    let is_row = |line: &str| {
        let mut words = line.split_whitespace();
        let number = |word: &str| word.trim_start_matches('>').parse::<f64>().is_ok();
        words.next() == Some(rate) && words.next().is_some_and(number)
    };
    text.lines().enumerate().filter(|(_, line)| is_row(line)).collect()
}

#[test]
fn report_draws_one_curve_from_runs_at_several_rates() {
    let (machine, _) = Directory::with(5);
    let directory = scratch();
    let place = |name: &str| directory.path().join(name);
    let runs = place("runs");
    fs::create_dir(&runs).expect("a directory");
    let made: Vec<(PathBuf, Record)> = ["200", "40", "100"]
        .into_iter()
        .map(|rate| {
            let path = runs.join(format!("{rate}.json"));
            let record = record(&machine, &path, &["-c", "2", "-M", rate]);
            (path, record)
        })
        .collect();
    let paths: Vec<&Path> = made.iter().map(|(path, _)| path.as_path()).collect();
    let text = report(&paths, &[]).expect(0).stdout;
    let rows = |rate: &str| rows(&text, rate);
    // In the order of their rates, whatever order they are named in.
    let places = ["40", "100", "200"].map(|rate| rows(rate)[0].0);
    assert!(places.is_sorted(), "{text}");
    for (path, record) in &made {
        let rows = rows(path.file_stem().unwrap().to_str().unwrap());
        let cells: Vec<&str> = rows.iter().flat_map(|(_, row)| row.split_whitespace()).collect();
        let latency = record.response.as_ref().unwrap_or(&record.operations[0].response);
        let p99 =
            latency.percentiles.iter().find(|it| (it.percentile - 99.0).abs() < 1e-9).unwrap().us
                / 1e3;
        for expected in [record.rates.achieved.unwrap(), p99] {
            let close = |cell: &&str| {
                let shown: f64 = cell.trim_start_matches('>').parse().unwrap_or(f64::NAN);
                (shown - expected).abs() <= 0.051_f64.min(0.000_6 + 0.001 * expected)
            };
            assert!(cells.iter().any(close), "{expected} of {}\n{text}", path.display());
        }
        assert!(cells.contains(&record.verdict.status.word()), "{text}");
    }
    // A directory is its files.
    let of_directory = report(&[&runs], &[]).expect(0).stdout;
    assert_eq!(of_directory.lines().nth(2), text.lines().nth(2));

    let page = place("curve.html");
    report(&paths, &["--html", page.to_str().unwrap()]).expect(0);
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("Response over rate") && html.contains("<svg"), "{html}");
    let csv = report(&paths, &["--csv"]).expect(0).stdout;
    assert_eq!(csv.lines().count(), 4, "{csv}");

    // What it is made of can be kept as one document, which says the same.
    let json = place("curve.json");
    fs::write(&json, report(&paths, &["--format", "json"]).expect(0).stdout).unwrap();
    let again = report(&[&json], &[]).expect(0).stdout;
    assert_eq!(again.lines().nth(2), text.lines().nth(2));

    let input = fs::read(paths[0]).unwrap();
    report(&paths, &["--html", paths[0].to_str().unwrap()]).expect(1);
    assert_eq!(fs::read(paths[0]).unwrap(), input, "a record is not written over");

    // Two connections more are another load, and as many as possible have no rate.
    let (other, closed) = (place("other.json"), place("closed.json"));
    record(&machine, &other, &["-c", "4", "-M", "80"]);
    record(&machine, &closed, &["-c", "2"]);
    let refused = report(&[paths[0], &other], &[]).expect(2);
    assert!(
        refused.output().contains("unlike runs") && refused.output().contains("sessions: 2, but 4"),
        "{refused}"
    );
    report(&[paths[0], &other], &["--anyway"]).expect(0);
    let refused = report(&[paths[0], &closed], &[]).expect(2);
    assert!(
        refused.output().contains("closed.json") && refused.output().contains("brunt compare"),
        "{refused}"
    );
    let refused = report(&[paths[0], paths[0]], &[]).expect(2);
    assert!(refused.output().contains("all runs have the same rate"), "{refused}");
}
