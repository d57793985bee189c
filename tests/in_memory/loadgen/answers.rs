//! The outcomes of tasks with scripted answers: passed, too slow, failed, skipped.

use serde_json::json;

use brunt_test_program::{Ended, Report};

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

/// Every third change is refused, and every fourth read takes longer than a busy machine makes the others take.
const SCRIPT: &str = "
[[rule]]
path = \"/echo/change\"
every = 3
action = { status = 503 }

[[rule]]
path = \"/echo/read\"
every = 4
action = { delay = \"3s\" }
";

/// How long the scripted answers may take, and how long two threads sleep. A server that is silent for a second counts
/// as away.
const READ: u64 = 600;
const SLEEP: u64 = 30;

/// A thread changes nine times, and reads eight times; both look around in the end.
fn perform(target: &RestTarget, line: &[&str]) -> Ended {
    let files = Files::new();
    for (key, path) in [
        ("begin", "/echo/begin"),
        ("change", "/echo/change"),
        ("read", "/echo/read"),
        ("look", "/echo/look"),
    ] {
        files.ask(key, path);
    }
    files.task("sleep", &json!({"url-endpoint": "$SLEEP", "url-payload": SLEEP - 10}));
    files.workload("changing", &[("begin", 5000), ("change", 5000), ("sleep", 10), ("look", 5000)]);
    files.workload("reading", &[("read", READ), ("sleep", 10), ("look", 4000), ("look", 4000)]);
    files.job(&target.base, 1, &[("changing", 9), ("reading", 8)], &json!({}));
    files.run(line)
}

/// What the script makes of the iterations, reckoned without it: of nine changes three are refused, of eight reads two
/// are late, and what follows is not done.
#[test]
fn report_counts_passed_slow_failed_and_skipped_tasks() {
    let target = RestTarget::scripted(SCRIPT);
    let ended = perform(&target, &[]).expect(0);
    let report = Report::read(&ended.stdout);
    let names: Vec<&str> = report.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["begin", "change", "look", "read", "look"]);
    let counts: Vec<[u64; 3]> = report.rows.iter().map(brunt_test_program::Row::counts).collect();
    assert_eq!(counts, [[9, 0, 0], [6, 0, 3], [6, 0, 0], [6, 2, 0], [12, 0, 0]], "{ended}");
    report.obeys(1.0);
    let thresholds: Vec<&str> = report.rows.iter().map(|row| row.text("Thrshold")).collect();
    assert_eq!(thresholds, ["5000", "5000", "5000", "600", "4000"]);
    // Two reads were given up once their threshold was over, and no later than was needed to notice.
    let late = report.row("read").number("ExcdTime");
    assert!((1.2..3.5).contains(&late), "{ended}");
    // What is skipped is in the goal and in no column: 3 looks of one workload, 2 x 2 of the other.
    assert_eq!(
        (report.number("Transaction goal"), report.number("Transaction actual")),
        (51.0, 39.0)
    );
    assert!(ended.stdout.contains("Skipped after a failure:\n\t\tlook 3\n\t\tlook 4\n"), "{ended}");
    // Twelve sleeps were slept through, five were skipped, and no time of them is in a column.
    let slept = report.number("Total sleep sec");
    assert!((0.36..0.5).contains(&slept), "{ended}");
    let passed = report.number("Passed Accum time");
    assert!(report.number("Job lapsed time") >= passed + 1000.0 * (slept + 1.2), "{ended}");
    // 9 x 4 and 8 x 4 tasks.
    assert!(ended.stdout.contains("\tWorkload: changing with 9 loops;\tPercent load = 52.94%\n"));
    assert!(ended.stdout.contains("\tWorkload: reading with 8 loops;\tPercent load = 47.06%\n"));
    the_record_agrees(&ended, &report);
    let seen = target.stop();
    let requested = |path: &str| seen.iter().filter(|seen| seen.target == path).count();
    assert_eq!(["/echo/begin", "/echo/change", "/echo/look"].map(requested), [9, 9, 18]);
}

/// The engine counts what it sees, the ledger what becomes of tasks.
fn the_record_agrees(ended: &Ended, report: &Report) {
    let record = ended.record();
    let all: u64 = report.rows.iter().flat_map(brunt_test_program::Row::counts).sum();
    assert_eq!(record.counts.ok + record.counts.failed + record.counts.timed_out, all, "{ended}");
    assert_eq!(record.counts.ok, 39, "{ended}");
    assert_eq!(record.conservation.counts.skipped, 7, "{ended}");
    let tally = |name: &str| {
        let found = record.tallies.iter().find(|tally| tally.name == name);
        found.unwrap_or_else(|| panic!("no tally {name}: {:?}", record.tallies)).count
    };
    assert_eq!(tally("changing/look skipped") + tally("reading/look skipped"), 7);
    assert_eq!(tally("change failed"), 3);
    assert_eq!(tally("read exceeded"), 2);
    assert_eq!((tally("pause sleep made"), tally("pause sleep skipped")), (12, 5));
}

/// The same answers in LoadGen's own figures: what is skipped has failed, a task of two workloads has the grand total
/// twice, and everything that is summed over rows counts it twice.
#[test]
fn compat_report_equals_loadgen() {
    let target = RestTarget::scripted(SCRIPT);
    let ended = perform(&target, &["--compat"]).expect(0);
    let report = Report::read(&ended.stdout);
    let names: Vec<&str> = report.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["begin", "change", "look", "read", "look"]);
    let counts: Vec<[u64; 3]> = report.rows.iter().map(brunt_test_program::Row::counts).collect();
    // LoadGen runs 1 of 9 and 1 of 8 in each of 8 rounds: the ninth loop is lost in the division. Of eight changes two
    // are refused.
    assert_eq!(counts, [[8, 0, 0], [6, 0, 2], [18, 0, 6], [6, 2, 0], [18, 0, 6]], "{ended}");
    report.obeys(1.0);
    assert_eq!(report.rows_of("look")[0].text("Thrshold"), "4000");
    let total = 8 + 8 + 24 + 8 + 24;
    assert_eq!(
        (report.number("Transaction goal"), report.number("Transaction actual")),
        (f64::from(total), 56.0)
    );
    // Sleep is a task of both workloads: 12 slept, 4 not, both counted twice.
    let slept = report.number("Total sleep sec");
    assert!((0.72..1.0).contains(&slept), "{ended}");
    let all = f64::from(total + 2 * 16);
    for (key, loops) in [("changing", 9.0), ("reading", 8.0)] {
        let share = 100.0 * loops * 4.0 / all;
        let line = format!("\tWorkload: {key} with {loops} loops;\tPercent load = {share:.2}%\n");
        assert!(ended.stdout.contains(&line), "{line}{ended}");
    }
    assert!(!ended.stdout.contains("Repaired") && !ended.stdout.contains("Skipped"), "{ended}");
    // Whole milliseconds add up to whole milliseconds.
    assert!(report.figure("Passed Accum time").contains("ms; "));
    target.stop();
}

/// Nothing that fails is worth ending for, but a run in which nothing works has failed.
#[test]
fn unreachable_service_fails_every_task_and_the_job() {
    let files = Files::new();
    files.ask("begin", "/echo/begin");
    files.workload("one", &[("begin", 500), ("begin", 500)]);
    files.job("http://10.0.1.9:1", 2, &[("one", 3)], &json!({}));
    let ended = files.run(&[]);
    let report = Report::read(&ended.stdout);
    assert_eq!(report.row("begin").counts(), [0, 0, 6], "{ended}");
    assert_eq!(report.row("begin").text("CbdPsOps"), "-");
    assert!(ended.stdout.contains("Skipped after a failure:\n\t\tbegin 6\n"), "{ended}");
    assert_eq!(ended.code(), 1, "{ended}");
}

/// A threshold of nothing is exceeded by whatever takes a millisecond, and never ends the wait.
#[test]
fn thresholds_are_judged_per_workload_entry() {
    let target = RestTarget::start();
    let files = Files::new();
    files.ask("nap", "/sleep?ms=1000");
    files.workload("patient", &[("nap", 4000)]);
    files.workload("hasty", &[("nap", 20)]);
    files.workload("at-once", &[("nap", 0)]);
    files.workload("both", &[("nap", 4000), ("nap", 20)]);
    let loops = [("patient", 2), ("hasty", 2), ("at-once", 2), ("both", 2)];
    files.job(&target.base, 1, &loops, &json!({}));
    let ended = files.run(&[]).expect(0);
    let report = Report::read(&ended.stdout);
    let shown: Vec<_> = report
        .rows_of("nap")
        .iter()
        .map(|row| (row.text("Thrshold").to_owned(), row.counts()))
        .collect();
    let all = [
        ("4000", [2, 0, 0]),
        ("20", [0, 2, 0]),
        ("0", [0, 2, 0]),
        ("4000", [2, 0, 0]),
        ("20", [0, 2, 0]),
    ];
    assert_eq!(shown, all.map(|(text, counts)| (text.to_owned(), counts)), "{ended}");
    let at_once = report.rows_of("nap")[2].number("ExcdTime");
    assert!(at_once >= 2.0, "{ended}");
    let given_up = report.rows_of("nap")[1].number("ExcdTime");
    // Twice 20 ms, and what a busy machine takes to notice, which is less than a nap.
    assert!((0.04..1.0).contains(&given_up), "{ended}");
    assert!(ended.stdout.contains("Repaired: a task with several thresholds"), "{ended}");
    target.stop();
}

#[test]
fn loadgen_progress_is_absent_without_a_terminal() {
    let target = RestTarget::start();
    let files = Files::new();
    files.ask("look", "/echo/look");
    files.workload("looking", &[("look", 5000)]);
    files.job(&target.base, 1, &[("looking", 1)], &json!({}));
    let ended = files.run(&[]).expect(0);
    assert!(!ended.stdout.contains('\r') && !ended.stderr.contains("Processing"), "{ended}");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines[0].starts_with("Job Started with 1 threads on ") && lines[0].ends_with('.'));
    assert_eq!(lines[1], ". Stopped and completed.");
    let opened = lines[0].trim_end_matches('.');
    assert!(lines[2].starts_with(&format!("{opened}...and completed ")), "{ended}");
    assert!(lines[2].contains("...and completed ") && lines[2].ends_with(" seconds."), "{ended}");
    // `Fri Jun 26 17:33:06 UTC 2015`
    let date = &lines[0]["Job Started with 1 threads on ".len()..];
    let words: Vec<&str> = date.trim_end_matches('.').split(' ').collect();
    assert_eq!((words.len(), words[4], words[3].len()), (6, "UTC", 8), "{date}");
    target.stop();
}
