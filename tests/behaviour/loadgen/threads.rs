//! Threads: when they begin, the connections they keep, and how a job is ended before its time.

use std::collections::BTreeMap;

use rustix::process::Signal;
use serde_json::json;

use super::report::Report;
use super::settings::Files;
use super::target::RestTarget;
use crate::program::{alone, among_others};

#[test]
fn threads_begin_in_groups() {
    let _alone = alone();
    let target = RestTarget::start();
    let files = Files::new();
    files.ask("look", "/echo/look");
    files.workload("looking", &[("look", 5000)]);
    let groups = json!({"threadgroupsize": 2, "threadinterval": 300});
    files.job(&target.base, 6, &[("looking", 3)], &groups);
    let ended = files.perform(&["--compat"]).expect(0);
    let report = Report::read(&ended.stdout);
    assert_eq!(
        (report.figure("Thread group size"), report.figure("Launch interval")),
        ("2", "300ms")
    );
    // LoadGen waits behind the last group as well.
    assert!((900.0..1400.0).contains(&report.number("Job lapsed time")), "{ended}");
    let mut firsts: BTreeMap<u64, u64> = BTreeMap::new();
    for seen in target.stop() {
        firsts.entry(seen.connection).or_insert(seen.at);
    }
    let mut firsts: Vec<u64> = firsts.into_values().collect();
    firsts.sort_unstable();
    assert_eq!(firsts.len(), 6, "each thread keeps one connection");
    let millis: Vec<u64> = firsts.iter().map(|at| (at - firsts[0]) / 1000).collect();
    // The first of a group comes an interval behind the first of the group before, unless one of them was held up.
    for (earlier, later) in [(0, 2), (2, 4)] {
        let between = millis[later] - millis[earlier];
        assert!((100..600).contains(&between), "{millis:?}");
    }
    let whole = millis[4] - millis[0];
    assert!((400..1_000).contains(&whole), "{millis:?}");
}

#[test]
fn an_interrupted_job_is_reported() {
    let _among = among_others();
    let target = RestTarget::start();
    let files = Files::new();
    files.ask("nap", "/sleep?ms=20");
    files.workload("napping", &[("nap", 5000)]);
    files.job(&target.base, 2, &[("napping", 100_000)], &json!({}));
    let mut brunt = files.start(&[]);
    brunt.wait_for_lines(1);
    assert!(brunt.printed().starts_with("Job Started with 2 threads on "));
    // Each thread is between two requests or waits for the answer to one.
    target.wait_for(14);
    brunt.signal(Signal::INT);
    let ended = brunt.wait().expect(130);
    let report = Report::read(&ended.stdout);
    let [passed, exceeded, failed] = report.row("nap").counts();
    assert!(passed > 10 && exceeded + failed <= 2, "{ended}");
    assert!(ended.stdout.contains(" with 200000 loops, of which "), "{ended}");
    let answered = target.stop().iter().filter(|seen| seen.status == 200).count() as u64;
    assert!((passed..=passed + 2).contains(&answered), "{answered}: {ended}");
}

#[test]
fn a_pipe_sees_no_trace_of_what_moves_on_a_terminal() {
    let _among = among_others();
    let target = RestTarget::start();
    let files = Files::new();
    files.ask("look", "/echo/look");
    files.workload("looking", &[("look", 5000)]);
    files.job(&target.base, 1, &[("looking", 1)], &json!({}));
    let ended = files.perform(&[]).expect(0);
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

/// What `--check` shows is not done, and no secret is shown.
#[test]
fn a_check_sends_nothing() {
    let _among = among_others();
    let target = RestTarget::start();
    let files = Files::new();
    files.task(
        "login",
        &json!({
            "request": "POST",
            "header": {"X-User": "$ADMINUSERID", "X-Password": "$ADMINUSERPASSWORD",
                       "X-OpenAM-Password": "se-cret of a task"},
            "url-endpoint": "/openam/json/", "url-payload": "authenticate", "data-payload": "{}"
        }),
    );
    files.ask("see", "/echo/$TOKENID/$RANDOMVALUE");
    files.workload("one", &[("login", 300), ("see", 200)]);
    files.job(&target.base, 3, &[("one", 4)], &json!({"ADMINUSERPASSWORD": "se-cret"}));
    let ended = files.perform(&["--check"]).expect(0);
    for line in [
        "The job runs as it says, with 3 threads, which start together.",
        "  4 x one",
        "  login within 300 ms",
        "    X-User: amadmin",
        "    X-Password: ***",
        "    X-OpenAM-Password: ***",
        "    keeps \"tokenId\" as <TOKENID>",
        "/echo/<TOKENID>/<RANDOMVALUE>",
        "<RANDOMVALUE> is a random number from 0 to 99, new in each iteration.",
    ] {
        assert!(ended.stdout.contains(line), "{line}: {ended}");
    }
    assert!(!ended.stdout.contains("se-cret"));
    assert!(target.stop().is_empty());
}
