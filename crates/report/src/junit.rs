//! Objectives and verdict of a record as JUnit XML, which CI servers read: [`junit`].
//!
//! Each objective is a test case, and the verdict is one. A missed objective is a failure: the target did not do what
//! it should. An undecided objective, or anything that speaks against the figures themselves, is an error: the test
//! could not decide. What was measured and its limit are in the `system-out` of each case, also of one that was met.
//! The form is that of Ant's reports, which is the one that has a schema, with that element of Jenkins'.

use crate::escaped::escaped;
use crate::summary::found;
use brunt_record::{Record, SloOutcome, SloResult, Status, Verdict};
use std::fmt::Write;

/// One test case: its name, and what is wrong.
struct Case {
    class: &'static str,
    name: String,
    wrong: Option<Wrong>,
    /// What was measured and what was required, one below the other.
    figures: String,
}

/// What is wrong: its element, its kind, a short description, and the full text.
struct Wrong {
    element: &'static str,
    kind: &'static str,
    message: String,
    text: String,
}

/// The report of one record.
pub fn junit(record: &Record) -> String {
    let objectives = record.slo.iter().map(|slo| objective(slo, record));
    let cases: Vec<Case> = objectives.chain([verdict(&record.verdict)]).collect();
    let wrong = |element| {
        cases
            .iter()
            .filter(|case| case.wrong.as_ref().is_some_and(|it| it.element == element))
            .count()
    };
    let seconds = record.rates.seconds;
    let host =
        if record.environment.host.is_empty() { "localhost" } else { &record.environment.host };
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let _ = writeln!(
        text,
        "  <testsuite id=\"0\" package=\"brunt\" name=\"{}\" timestamp=\"{}\" hostname=\"{}\" tests=\"{}\" \
         failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{seconds:.3}\">",
        shown(record.plan.target.as_deref().filter(|target| !target.is_empty()).unwrap_or("run")),
        shown(&moment(&record.started)),
        shown(host),
        cases.len(),
        wrong("failure"),
        wrong("error"),
    );
    properties(&mut text, record);
    for case in &cases {
        write_case(&mut text, case, seconds);
    }
    let reasons = record.verdict.reasons.iter().map(|reason| reason.text.as_str());
    let notes = reasons.chain(record.verdict.notes.iter().map(String::as_str));
    let reported: Vec<&str> = std::iter::once(record.verdict.status.word()).chain(notes).collect();
    let _ = writeln!(text, "    <system-out>{}</system-out>", shown(&reported.join("\n")));
    text.push_str("    <system-err></system-err>\n  </testsuite>\n</testsuites>\n");
    text
}

fn objective(slo: &SloResult, record: &Record) -> Case {
    let message = format!("{}: {}", slo.outcome.word(), found(slo, record));
    let text = slo.why.clone().unwrap_or_default();
    let wrong = match slo.outcome {
        SloOutcome::Met => None,
        SloOutcome::Missed => Some(Wrong { element: "failure", kind: "missed", message, text }),
        SloOutcome::Undecided => Some(Wrong { element: "error", kind: "undecided", message, text }),
    };
    let limit = slo.expr.find(['<', '>', '=']).map_or("", |at| &slo.expr[at..]);
    let figures = format!(
        "measured: {}\nlimit: {limit}\noutcome: {}",
        found(slo, record),
        slo.outcome.word()
    );
    Case { class: "brunt.objectives", name: slo.expr.clone(), wrong, figures }
}

/// An unstable run still has figures, and its exit code is its own.
fn verdict(verdict: &Verdict) -> Case {
    let reasons: Vec<&str> = verdict.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let wrong = match verdict.status {
        Status::Valid | Status::Unstable => None,
        status @ (Status::Partial | Status::GeneratorLimited) => Some(Wrong {
            element: "error",
            kind: status.word(),
            message: reasons.first().copied().unwrap_or_default().to_owned(),
            text: reasons.join("\n"),
        }),
    };
    let figures = format!("verdict: {}", verdict.status.word());
    Case { class: "brunt.verdict", name: "the figures can be trusted".to_owned(), wrong, figures }
}

fn properties(text: &mut String, record: &Record) {
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, |rate| format!("{rate:.3}"));
    let command = record.command.join(" ");
    text.push_str("    <properties>\n");
    for (name, value) in [
        ("run", record.run.clone().unwrap_or_default()),
        ("version", record.tool.version.clone()),
        ("command", command),
        ("outcome", record.outcome().words().to_lowercase()),
        ("verdict", record.verdict.status.word().to_owned()),
        ("offered", rate(record.rates.offered)),
        ("achieved", rate(record.rates.achieved)),
        ("goodput", rate(record.rates.goodput)),
    ] {
        let _ = writeln!(text, "      <property name=\"{name}\" value=\"{}\"/>", shown(&value));
    }
    text.push_str("    </properties>\n");
}

fn write_case(text: &mut String, case: &Case, seconds: f64) {
    let name = shown(&case.name);
    let head =
        format!("    <testcase classname=\"{}\" name=\"{name}\" time=\"{seconds:.3}\"", case.class);
    let _ = writeln!(text, "{head}>");
    if let Some(Wrong { element, kind, message, text: why }) = &case.wrong {
        let (message, why) = (shown(message), shown(why));
        let _ = writeln!(
            text,
            "      <{element} type=\"{kind}\" message=\"{message}\">{why}</{element}>"
        );
    }
    let _ =
        writeln!(text, "      <system-out>{}</system-out>\n    </testcase>", shown(&case.figures));
}

/// A moment to the second and without its zone, which this form does not have.
fn moment(rfc3339: &str) -> String {
    rfc3339.get(..19).unwrap_or("1970-01-01T00:00:00").to_owned()
}

/// A text without any markup, for an element or an attribute.
fn shown(text: &str) -> String {
    escaped(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests;
