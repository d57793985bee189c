//! The order and the number of workloads that are performed.

use serde_json::json;

use brunt_test_program::{Ended, Report};

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

/// Performs A, B and C so often, by one thread, and gives the order in which they arrived.
fn order(loops: [u64; 3], line: &[&str]) -> (String, Ended) {
    let target = RestTarget::start();
    let files = Files::new();
    let keys = ["A", "B", "C"];
    for key in keys {
        files.ask(key, &format!("/echo/{key}"));
        files.workload(key, &[(key, 5000)]);
    }
    let workloads: Vec<_> = keys.into_iter().zip(loops).collect();
    files.job(&target.base, 1, &workloads, &json!({}));
    let ended = files.run(line).expect(0);
    let order = target.stop().iter().map(|seen| seen.target[6..].to_owned()).collect();
    (order, ended)
}

#[test]
fn workloads_run_in_rounds_with_exact_totals() {
    let (seen, ended) = order([10, 2, 7], &[]);
    assert_eq!(seen, "AAAAABCCCAAAAABCCCC");
    assert!(ended.stdout.contains("Repaired: every workload ran exactly as often"), "{ended}");
    let (seen, ended) = order([10, 2, 0], &[]);
    assert_eq!(seen, "AAAAABAAAAAB");
    assert!(!ended.stdout.contains("Repaired: every workload"), "{ended}");
    assert!(!ended.stdout.contains("Workload: C"), "{ended}");
}

#[test]
fn compat_mix_drops_the_remainder_but_reports_it() {
    let (seen, ended) = order([10, 2, 7], &["--compat"]);
    assert_eq!(seen, "AAAAABCCCAAAAABCCC");
    assert!(ended.stdout.contains("\tWorkload: C with 7 loops;\t"), "{ended}");
}

#[test]
fn smooth_mix_spreads_rare_workloads() {
    assert_eq!(order([6, 1, 3], &[]).0, "AAAAAABCCC");
    assert_eq!(order([6, 1, 3], &["--mix", "smooth"]).0, "AACAACAABC");
}

/// A workload that is listed twice is two, each with figures of its own.
#[test]
fn workload_listed_twice_has_two_rows() {
    let target = RestTarget::start();
    let files = Files::new();
    for key in ["A", "B"] {
        files.ask(key, &format!("/echo/{key}"));
        files.workload(key, &[(key, 5000)]);
    }
    files.job(&target.base, 1, &[("A", 2), ("B", 1), ("A", 3)], &json!({}));
    let ended = files.run(&["--slo", "A (2)/A.count==3", "--slo", "A/A.count==2"]).expect(0);
    let report = Report::read(&ended.stdout);
    let rows: Vec<_> = report.rows.iter().map(|row| (row.name.as_str(), row.counts()[0])).collect();
    assert_eq!(rows, [("A", 2), ("B", 1), ("A", 3)], "{ended}");
    let order: String = target.stop().iter().map(|seen| seen.target[6..].to_owned()).collect();
    assert_eq!(order, "AABAAA");
}

#[test]
fn mix_is_performed_whole_by_every_thread() {
    let target = RestTarget::start();
    let files = Files::new();
    for key in ["A", "B"] {
        files.ask(key, &format!("/echo/{key}?by=$THREADID"));
        files.workload(key, &[(key, 5000)]);
    }
    files.job(&target.base, 5, &[("A", 7), ("B", 3)], &json!({}));
    let ended = files.run(&[]).expect(0);
    assert!(
        ended.stdout.contains("\tWorkload: A with 35 loops;\tPercent load = 70.00%\n"),
        "{ended}"
    );
    let seen = target.stop();
    for thread in 0..5 {
        let own = format!("?by={thread}");
        let of =
            |key: &str| seen.iter().filter(|it| it.target == format!("/echo/{key}{own}")).count();
        assert_eq!((of("A"), of("B")), (7, 3), "thread {thread}");
        let own: String =
            seen.iter().filter(|it| it.target.ends_with(&own)).map(|it| &it.target[6..7]).collect();
        assert_eq!(own, "AABAABAAAB");
    }
}
