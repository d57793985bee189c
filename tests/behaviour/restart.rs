//! A server that dies and comes back in the middle of a run: the run continues, and reports what happened.

use std::collections::BTreeMap;
use std::time::Duration;

use brunt_record::{Phase, Record, Status};
use brunt_testbed::{BASE_DN, PASSWORD, until, user_dn};

use crate::program::{Ended, among_others, slapd, start};

/// How often each class of outcome was met.
fn classes(record: &Record) -> BTreeMap<&str, u64> {
    let mut classes = BTreeMap::new();
    for code in record.operations.iter().flat_map(|operation| &operation.codes) {
        *classes.entry(code.class.as_str()).or_default() += code.count;
    }
    classes
}

/// Runs a tool for eight seconds, in the middle of which the server is away for two.
fn interrupted(tool: &str, line: &[&str]) -> Option<(Ended, u64)> {
    let mut slapd = slapd(20)?;
    let mut run = start(tool, slapd.port(), &[&["-d", "8", "-i", "1"], line].concat());
    // Five lines of header, then two rows of a second each.
    run.wait_for_lines(7);
    slapd.kill();
    until(Duration::from_secs(2), || false);
    slapd.restart();
    let ended = run.wait().expect(5);
    let seen = slapd.operations();
    Some((ended, seen.searches.max(seen.binds)))
}

/// What holds for every run whose server was away.
fn check(ended: &Ended) -> Record {
    let record = ended.record();
    // On a busy machine there may be something worse to say.
    assert!(record.verdict.status >= Status::Partial, "{ended}");
    let summary = ended.stderr.trim_start_matches(|c| c != '\n').trim_start();
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    let word = record.verdict.status.word().to_uppercase();
    assert!(summary.starts_with(&word), "{word} is not the first word\n{ended}");
    let reason = record.verdict.reasons.iter().find(|reason| reason.status == Status::Partial);
    let lost = format!("{} lost their connection or could not connect", record.counts.failed);
    let explains = |text: &str| text.contains("the target was away: away") && text.contains(&lost);
    assert!(reason.is_some_and(|reason| explains(&reason.text)) && explains(&summary), "{ended}");
    // Killed for two seconds.
    let away = &record.away[0];
    let lasted = away.to_s.expect("it came back") - away.from_s;
    assert!((1.8..=3.0).contains(&lasted), "{away:?}\n{ended}");

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

#[test]
fn a_run_at_a_rate_goes_on_when_its_server_comes_back() {
    let _among = among_others();
    let line = ["-M", "200", "-c", "10", "-F", "-b", BASE_DN, "-s", "base", "(objectClass=*)"];
    let Some((ended, searches)) = interrupted("searchrate", &line) else { return };
    let record = check(&ended);
    assert_eq!(record.counts.planned, 1_600, "{ended}");
    // Connections that slapd took down with it were seen to be gone before they were used, or failed what was on them.
    assert!(
        classes(&record).contains_key("closed") || record.connections.reconnected > 0,
        "{ended}"
    );
    // A search that was answered was seen; one whose connection died may have been.
    assert!((record.counts.ok..=record.counts.sent).contains(&searches), "{searches}\n{ended}");
}

#[test]
fn a_run_at_full_speed_backs_off_while_its_server_is_away() {
    let _among = among_others();
    let dn = user_dn(0);
    let Some((ended, binds)) = interrupted("authrate", &["-c", "4", "-D", &dn, "-w", PASSWORD])
    else {
        return;
    };
    let record = check(&ended);
    assert!(binds >= record.counts.ok, "{ended}");
    // Four connections that tried as fast as they are refused would fail tens of thousands of times in two seconds.
    assert!(record.counts.failed < 2_000, "{ended}");
}
