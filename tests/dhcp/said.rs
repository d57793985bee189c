//! The output of a run: scripts that read the original tool's words must find them, in their original order.

use std::collections::BTreeSet;

use brunt_testbed::{KeaOptions, Perfdhcp};

use crate::brunt::Brunt;
use crate::network::{old_tool, v4, v6};

/// A report from its first figure on, with every number replaced by a sign, so that what is left are its words.
fn words(report: &str) -> Vec<String> {
    let start = report.find("***Rate statistics***").unwrap_or(report.len());
    // What the old tool says where nothing was received was never meant.
    let report =
        report.replace("min delay: inf ms\navg delay: min delay: n/a\n", "min delay: n/a\n");
    let number = |character: char| character.is_ascii_digit() || character == '.';
    report[start..]
        .lines()
        .map(|line| {
            let mut words = String::new();
            let mut within = false;
            for character in line.chars() {
                // An exchange's name may begin with a digit and is no number: `4-way`.
                let figure =
                    number(character) && !words.ends_with(|last: char| last.is_alphabetic());
                if !figure {
                    words.push(character);
                } else if !within {
                    words.push('#');
                }
                within = figure;
            }
            words
        })
        .collect()
}

#[test]
fn report_has_the_lines_of_the_original_in_order() {
    if !old_tool() {
        return;
    }
    for options in
        ["-r 50 -n 10 -n 10 -W 5000000", "-i -r 50 -p 1 -W 300000", "-r 50 -f 10 -F 10 -p 2"]
    {
        let options = format!("-4 -l lan0 -R 100 {options} 10.77.0.1");
        let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
        let old = words(&Perfdhcp::run(&lan, &options).report);
        let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
        let run = Brunt::on(&lan).typed(&options).run().expect(0);
        let ours = words(&run.stdout);
        assert!(old.len() > 15 && ours.len() > old.len(), "{run}");
        assert_eq!(ours[..old.len()], old, "{run}");
    }
    for options in ["-r 50 -n 10 -n 10 -W 5000000", "-i -r 50 -p 1 -W 300000"] {
        let options = format!("-6 -l lan0 -R 100 {options} all");
        let Some((lan, _kea)) = v6(&KeaOptions::default()) else { return };
        let old = words(&Perfdhcp::run(&lan, &options).report);
        let Some((lan, _kea)) = v6(&KeaOptions::default()) else { return };
        let run = Brunt::on(&lan).typed("--lab").typed(&options).run().expect(0);
        let ours = words(&run.stdout);
        assert_eq!(ours[..old.len()], old, "{run}");
    }
}

#[test]
fn report_begins_with_the_parameters_of_the_run() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 3 10.77.0.1").run().went_well();
    let mut lines = run.stdout.lines();
    let first = lines.next().expect("there is a report");
    assert!(first.starts_with("Running: perfdhcp ") && first.ends_with(" 10.77.0.1"), "{run}");
    assert_eq!(lines.next(), Some("Scenario: basic."), "{run}");
    let rate = run.stdout.lines().find(|line| line.starts_with("Rate: ")).expect("a rate");
    assert!(rate.ends_with(" 4-way exchanges/second, expected rate: 100"), "{run}");
}

#[test]
fn report_2012_has_the_format_of_the_guide() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let run = "-4 --report 2012 -l lan0 -r 100 -n 50 -R 30 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    let rate = run.stdout.lines().find(|line| line.starts_with("Rate: ")).expect("a rate");
    assert!(rate.ends_with(" exchanges/second, expected rate: 100 exchanges/second"), "{run}");
    for line in
        ["sent packets: 50", "received packets: 50", "drops: 0", "tooshort: 0", "locallimit: 0"]
    {
        assert!(run.stdout.lines().any(|output| output == line), "{line}\n{run}");
    }
    assert!(!run.stdout.contains("drops ratio"), "{run}");
    assert_eq!(run.line("DISCOVER-OFFER", "sent packets"), 50, "{run}");
    assert_eq!(run.line("REQUEST-ACK", "received packets"), 50, "{run}");
}

#[test]
fn report_delays_lie_within_the_run() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 100 -R 100 10.77.0.1").run().went_well();
    for block in run.stdout.split("***Statistics for: ").skip(1) {
        let delay = |name: &str| -> f64 {
            let line = block.lines().find_map(|line| line.strip_prefix(name));
            let value = line.and_then(|line| line.strip_prefix(": ")?.strip_suffix(" ms"));
            value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name}\n{run}"))
        };
        let (least, mean, most) = (delay("min delay"), delay("avg delay"), delay("max delay"));
        assert!(0.0 < least && least <= mean && mean <= most && most < 2_000.0, "{run}");
        assert!(delay("std deviation") <= most - least, "{run}");
    }
}

#[test]
fn interim_lines_are_cumulative() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let run =
        Brunt::on(&lan).typed("-4 -l lan0 -r 50 -p 4 -t 1 -R 200 10.77.0.1").run().went_well();
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("sent: ")).collect();
    assert!((3..=4).contains(&lines.len()), "{run}");
    let mut before = 0;
    for (second, line) in (1..).zip(&lines) {
        let sent: u64 =
            line["sent: ".len()..].split('/').next().expect("a number").parse().expect("one");
        // A line that is printed half a second late has half a second more in it.
        assert!(sent > before && sent.abs_diff(second * 50) <= 25, "{run}");
        assert!(line.ends_with("; drops: 0/0; rejected: 0/0"), "{run}");
        before = sent;
    }
}

#[test]
fn bare_lines_contain_only_values() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -C , -l lan0 -r 50 -p 3 -t 1 -R 200 10.77.0.1").run();
    let run = run.went_well();
    assert!(!run.stdout.contains("Running:") && !run.stdout.contains("Scenario:"), "{run}");
    let bare = run.stdout.lines().filter(|line| {
        line.split(',').count() == 8 && line.split(',').all(|value| value.parse::<u64>().is_ok())
    });
    assert!(bare.count() >= 2, "{run}");
}

#[test]
fn leases_are_listed_on_request() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run =
        Brunt::on(&lan).typed("-4 -x l -l lan0 -r 100 -n 12 -R 12 10.77.0.1").run().went_well();
    let listed: BTreeSet<String> = run
        .stdout
        .lines()
        .filter_map(|line| line.split(',').nth(1).map(str::to_owned))
        .filter(|address| address.starts_with("10.77."))
        .collect();
    let held = kea.leases().iter().map(|lease| lease.address.to_string()).collect();
    assert_eq!(listed, held, "{run}");
    assert!(run.stdout.contains("client_id,adrress,prefix"), "{run}");
}

#[test]
fn exit_reason_and_server_are_printed_on_request() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -x es -l lan0 -r 100 -n 5 10.77.0.1").run().went_well();
    assert!(run.stdout.contains("Reached max requests limit."), "{run}");
    assert!(run.stdout.to_lowercase().contains("server id: 0a4d0001"), "{run}");
    let run = Brunt::on(&lan).typed("-4 -x e -l lan0 -r 100 -p 1 10.77.0.1").run().went_well();
    assert_eq!(run.stdout.matches("reached test-period.").count(), 1, "{run}");
}

/// How many exchanges of 50 a second may be noticed in the wrong second: 300 ms is what a busy machine takes.
const LATE: f64 = 15.0;

#[test]
fn deltas_are_printed_beside_the_sums() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let run = "-4 -l lan0 -r 50 -p 4 -t 1 --deltas -R 200 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.contains("per second")).collect();
    assert!(lines.len() >= 3, "{run}");
    // What becomes due at the end of a line's time and is noticed a little late is told on the next line. The last line
    // extends to the last answer.
    let (mut offered, mut over) = (0.0_f64, 0.0_f64);
    for line in &lines {
        let number = |from: &str, to: &str| -> f64 {
            let found = line.split_once(from).and_then(|(_, rest)| rest.split_once(to));
            found.and_then(|(number, _)| number.parse().ok()).unwrap_or_else(|| panic!("{line}"))
        };
        let seconds = number("last ", " s: ");
        offered += seconds * number("offered: ", "; not started: 0; sent: ");
        over += seconds;
        assert!((offered - 50.0 * over.min(4.0)).abs() <= LATE, "{line}\n{run}");
        assert!(line.ends_with("drops: 0/0"), "{line}");
    }
    let run = "-4 -C , -l lan0 -r 50 -p 3 -t 1 --deltas -R 200 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    let row = run.stdout.lines().nth(1).unwrap_or_default();
    let cells: Vec<u64> = row.split(',').filter_map(|cell| cell.parse().ok()).collect();
    assert_eq!((cells.len(), cells[9]), (16, 0), "{run}");
    assert!((cells[8] as f64 - 50.0).abs() <= LATE, "{run}");
}
