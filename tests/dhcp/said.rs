//! The output of a run: scripts that read the original tool's words must find them, in their original order. Its
//! figures are compared in virtual time (`tests/in_memory`).

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
