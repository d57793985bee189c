//! The files of a perfdhcp run: a record that matches the schema and prints again, and histogram files.

use std::fs;
use std::time::Duration;

use brunt_dhcp_server::{Config, Family};
use brunt_record::Histogram;
use brunt_test_program::{schema_faults, scratch};
use serde_json::Value;

use super::server::Server;
use crate::machine::run;

#[test]
fn records_match_the_schema_and_print_again() {
    for (family, words) in [
        (Family::V4, "-r 200 -f 50 -F 10 -p 1.5 -R 300"),
        (Family::V4, "-i --window 8 -n 100 -R 100"),
        (Family::V6, "-r 200 -p 1 -R 100 -e address-and-prefix"),
        (Family::V6, "--scenario fleet --clients 30 --births 60 -p 1.5 --time-scale 2000"),
        (Family::V4, "--scenario avalanche -R 40"),
    ] {
        let server = Server::like(family, "", Config::default());
        let ended = server.run_with(words, &["--slo", "errors<50%"]).expect(0);
        let record = ended.record();
        let written: Value =
            serde_json::from_slice(&fs::read(ended.record_path()).unwrap()).unwrap();
        assert_eq!(schema_faults(&written), Vec::<String>::new(), "{ended}");
        // The intervals add up to the whole, exchanges and messages alike.
        let steps = || record.series.iter();
        let ok: u64 = steps().flat_map(|step| &step.operations).map(|done| done.counts.ok).sum();
        assert_eq!(ok, record.counts.ok, "{ended}");
        for (n, tally) in record.tallies.iter().enumerate() {
            let sum: u64 = steps().filter_map(|step| step.tallies.get(n)).sum();
            assert_eq!(sum, tally.count, "{}\n{ended}", tally.name);
        }

        let path = ended.record_path().to_str().unwrap();
        let again = run(&["report", path, "--details"]).expect(0).stdout;
        assert_eq!(again, ended.summary(), "{ended}");
        let same: Value =
            serde_json::from_str(&run(&["report", path, "--format", "json"]).stdout).unwrap();
        assert_eq!(same, written);
    }
}

#[test]
fn histogram_files_contain_every_exchange() {
    let server = Server::v4("[[rule]]\non = ['request']\naction = { delay = '30ms' }");
    let directory = scratch();
    let [hlog, hgrm] = ["run.hlog", "run.hgrm"].map(|name| directory.path().join(name));
    let files = ["--hlog", hlog.to_str().unwrap(), "--hgrm", hgrm.to_str().unwrap()];
    let ended = server.run_with("-r 100 -p 2 -R 200", &files).expect(0);
    let record = ended.record();

    let distribution = fs::read_to_string(&hgrm).unwrap();
    let rows: Vec<Vec<f64>> = distribution
        .lines()
        .filter(|line| !line.starts_with('#') && !line.contains("Value"))
        .map(|line| line.split_whitespace().filter_map(|cell| cell.parse().ok()).collect())
        .filter(|row: &Vec<f64>| row.len() >= 3)
        .collect();
    let last = rows.last().expect("there are rows");
    assert!((last[2] - 200.0).abs() < 0.5, "{distribution}");
    let greatest = record.operations[0].response.max().unwrap().as_secs_f64() * 1e3;
    assert!((last[0] - greatest).abs() < greatest / 500.0, "{greatest}\n{distribution}");

    let log = fs::read_to_string(&hlog).unwrap();
    let of_dora = log.lines().filter(|line| line.starts_with("Tag=dora,"));
    let histograms: Vec<Histogram> = of_dora
        .map(|line| Histogram::from_base64(line.rsplit(',').next().unwrap()).unwrap())
        .collect();
    assert_eq!(histograms.iter().map(Histogram::count).sum::<u64>(), 200, "{log}");
    let shortest = histograms.iter().filter_map(Histogram::min).min().unwrap();
    // Two answers are 1 ms on their way each. A histogram is good to three digits.
    assert!(shortest.abs_diff(Duration::from_millis(32)).as_micros() <= 32, "{shortest:?}\n{log}");
}
