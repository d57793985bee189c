//! A server that dies and comes back in the middle of a run: the run continues, and reports what happened.

use std::collections::BTreeMap;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_record::{Phase, Record, Status};
use brunt_testbed::{BASE_DN, PASSWORD, until, user_dn};

use brunt_test_program::{Ended, slapd, start};

/// How often each class of outcome was met.
fn classes(record: &Record) -> BTreeMap<&str, u64> {
    let mut classes = BTreeMap::new();
    for code in record.operations.iter().flat_map(|operation| &operation.codes) {
        *classes.entry(code.class.as_str()).or_default() += code.count;
    }
    classes
}

/// A run whose server was away.
struct Interrupted {
    ended: Ended,
    /// What the server was asked.
    seen: u64,
    /// For how long it was certainly not there, and how long it took at most until it was there again.
    gone: Duration,
    back: Duration,
}

/// Runs a tool whose server is away for two seconds, and for as long as it takes to start, until two more rows were
/// printed after it was seen to answer again.
fn interrupted(tool: &str, line: &[&str]) -> Option<Interrupted> {
    let mut slapd = slapd(20)?;
    let mut run = start(tool, slapd.port(), &[&["-i", "1"], line].concat());
    // Five lines of header, then two rows of a second each.
    run.wait_for_lines(7);
    let clock = Monotonic::new();
    let before = clock.now();
    slapd.kill();
    let killed = clock.now();
    until(Duration::from_secs(2), || false);
    let gone = clock.now() - killed;
    slapd.restart();
    // Each row has what was answered in its second: the server is back at the latest when one of them has something.
    let rows_then = run.printed().lines().count();
    let answered = |row: &str| row.split('|').nth(1).is_some_and(|cell| cell.trim() != "0.0");
    let mut rows = 0;
    run.wait_until("answers", |stdout, _| {
        let again = stdout.lines().skip(rows_then + 1).position(answered);
        rows = rows_then + 1 + again.unwrap_or_default();
        again.is_some()
    });
    let back = clock.now() - before;
    run.wait_for_lines(rows + 3);
    run.interrupt();
    let ended = run.wait().expect(130);
    let seen = slapd.operations();
    Some(Interrupted { ended, seen: seen.searches.max(seen.binds), gone, back })
}

/// What holds for every run whose server was away.
fn check(run: &Interrupted) -> Record {
    let ended = &run.ended;
    let record = ended.record();
    // On a busy machine there may be something worse to say.
    assert!(record.verdict.status >= Status::Partial, "{ended}");
    // The summary begins with the verdict, behind what was written when the run was ended.
    let word = record.verdict.status.word().to_uppercase();
    let (_, summary) = ended.stderr.split_once("to stop now.\n").expect("it was interrupted");
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(summary.starts_with(&word), "{word} is not the first word\n{ended}");
    let reason = record.verdict.reasons.iter().find(|reason| reason.status == Status::Partial);
    let lost = format!("{} lost their connection or could not connect", record.counts.failed);
    let explains =
        |text: &str| text.contains("the target stopped responding: away") && text.contains(&lost);
    assert!(reason.is_some_and(|reason| explains(&reason.text)) && explains(&summary), "{ended}");
    lasted_as_long(run, &record);

    let classes = classes(&record);
    assert!(classes["ok"] > 0, "{ended}");
    assert!(classes.contains_key("connect"), "{classes:?}\n{ended}");
    assert_eq!(classes.values().sum::<u64>(), record.counts.sent, "{ended}");
    for code in record.operations.iter().flat_map(|operation| &operation.codes) {
        assert!(ended.stderr.contains(&code.name), "{} is not in the summary\n{ended}", code.name);
    }
    // The first seconds were good, and so are the last again.
    let steps: Vec<u64> = (record.series.iter().filter(|step| step.phase == Phase::Steady))
        .map(|step| step.operations.iter().map(|operation| operation.counts.ok).sum())
        .collect();
    assert!(steps[0] > 0 && steps[steps.len() - 2] > 0, "{steps:?}\n{ended}");
    record
}

/// Checks that the record says how long the server was away. When it is back, each connection waits out its back-off,
/// which is a second at most. Moments are known to a slot of a tenth of a second, and no better than brunt itself ran.
fn lasted_as_long(run: &Interrupted, record: &Record) {
    const SLOTS: f64 = 0.2;
    const LONGEST_BACK_OFF: f64 = 1.0;
    let ended = &run.ended;
    // A server that stood still for a second at another time was away as well, but for less.
    let lasted =
        (record.away.iter()).filter_map(|away| Some(away.to_s? - away.from_s)).fold(0.0, f64::max);
    let inexact = SLOTS + record.generator.stalled_s;
    let least = run.gone.as_secs_f64() - inexact;
    let most = run.back.as_secs_f64() + LONGEST_BACK_OFF + inexact;
    let away = &record.away;
    assert!((least..=most).contains(&lasted), "{least} to {most} s: {away:?}\n{ended}");
}

#[test]
fn restarted_server_lets_a_run_at_a_rate_continue() {
    let line = ["-M", "200", "-c", "10", "-F", "-b", BASE_DN, "-s", "base", "(objectClass=*)"];
    let Some(run) = interrupted("searchrate", &line) else { return };
    let record = check(&run);
    let Interrupted { ended, seen: searches, .. } = run;
    // It kept to its rate until it was ended, but for what was due while the workers learned of the end.
    let seconds = record.phases.iter().map(|phase| phase.to_s).fold(0.0, f64::max);
    let due = 200.0 * (seconds - 1.0)..=200.0 * (seconds + 1.0);
    assert!(due.contains(&(record.counts.planned as f64)), "{seconds} s\n{ended}");
    // Connections that slapd took down with it were seen to be gone before they were used, or failed what was on them.
    assert!(
        classes(&record).contains_key("closed") || record.connections.reconnected > 0,
        "{ended}"
    );
    // A search that was answered was seen; one whose connection died may have been.
    assert!((record.counts.ok..=record.counts.sent).contains(&searches), "{searches}\n{ended}");
}

#[test]
fn restarted_server_makes_a_closed_loop_back_off() {
    let dn = user_dn(0);
    let line = ["-c", "4", "-D", &dn, "-w", PASSWORD];
    let Some(run) = interrupted("authrate", &line) else { return };
    let record = check(&run);
    let Interrupted { ended, seen: binds, .. } = run;
    assert!(binds >= record.counts.ok, "{ended}");
    // Four connections that tried as fast as they are refused would fail tens of thousands of times in two seconds.
    assert!(record.counts.failed < 2_000, "{ended}");
}
