//! JUnit of records; `tests/behaviour/integrations.rs` validates real ones against a schema.

use super::*;
use crate::summary::tests::measured;
use brunt_record::Reason;

#[test]
fn junit_has_a_case_per_objective_and_the_verdict() {
    let mut record = measured(&["bind.p50<20ms", "errors<1%"]);
    record.verdict = Verdict::default();
    let text = junit(&record);
    assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"0\""), "{text}");
    assert!(
        text.contains("name=\"bind.p50&lt;20ms\" time=\"2.000\">\n      <system-out>measured: "),
        "{text}"
    );
    assert!(text.contains("<failure type=\"missed\" message=\"missed: "), "{text}");
    assert!(text.contains("name=\"outcome\" value=\"missed\""), "{text}");
    assert!(text.contains("timestamp=\"2026-01-02T03:04:05\""), "{text}");
    assert!(text.contains("<system-out>verdict: valid</system-out>"), "{text}");

    let figures = "<system-out>measured: 3.000ms\nlimit: &lt;20ms\noutcome: met</system-out>";
    assert!(text.contains(figures), "{text}");
    assert!(text.contains("measured: 27.273%\nlimit: &lt;1%\noutcome: missed"), "{text}");

    record.slo[0].outcome = SloOutcome::Undecided;
    record.verdict.status = Status::Partial;
    let reason = Reason::from_text(Status::Partial, "the target stopped responding");
    record.verdict.reasons = vec![reason];
    let text = junit(&record);
    assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"2\""), "{text}");
    assert!(text.contains("<error type=\"undecided\""), "{text}");
    assert!(
        text.contains("<error type=\"partial\" message=\"the target stopped responding\""),
        "{text}"
    );
}

#[test]
fn junit_escapes_hostile_names() {
    let mut record = measured(&["errors<1%"]);
    let hostile = "]]></testsuite><script>\"'&\u{1b}[2J\u{ffff}";
    record.plan.target = Some(hostile.to_owned());
    record.slo[0].why = Some(hostile.to_owned());
    record.command = vec![hostile.to_owned()];
    let text = junit(&record);
    assert!(!text.contains("<script>") && !text.contains(['\u{1b}', '\u{ffff}']), "{text}");
    assert_eq!(text.matches("</testsuite>").count(), 1, "{text}");
    assert!(text.contains("]]&gt;&lt;/testsuite&gt;&lt;script&gt;&quot;&#39;&amp;"), "{text}");
}
