//! What an operator observes of the site itself: whether it lives, whether it is ready, and its figures in the text
//! format of Prometheus.
//!
//! Liveness and readiness are public, so neither reveals anything about the site. The figures are for
//! administrators. They have no names of people, targets or plans.

use std::fmt::Write as _;

use http::StatusCode;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::disk::Disk;
use crate::problem::Problem;

/// The free disk space without which a site is not ready, in bytes.
const DISK_MIN: u64 = 64 << 20;
const PLAIN: &str = "text/plain; charset=utf-8";
const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `GET /healthz`: whether the process answers.
#[expect(clippy::unnecessary_wraps, reason = "a handler can fail")]
pub(crate) fn healthz(_: &Call) -> Result<Answer, Problem> {
    Ok(Answer::new(PLAIN, b"ok\n".to_vec()))
}

/// `GET /readyz`: whether the site can do its work.
#[expect(clippy::unnecessary_wraps, reason = "a handler can fail")]
pub(crate) fn readyz(call: &Call) -> Result<Answer, Problem> {
    let app = &call.app;
    let mut lacks = Vec::new();
    if app.store.has_admin().is_err() {
        lacks.push("the database cannot be read");
    }
    if app.all_runs.get().is_none() {
        lacks.push("the queue is not open");
    }
    if Disk::new(app).is_none_or(|disk| disk.free < DISK_MIN) {
        lacks.push("the disk is nearly full");
    }
    if lacks.is_empty() {
        return Ok(Answer::new(PLAIN, b"ready\n".to_vec()));
    }
    let text = format!("not ready: {}\n", lacks.join("; "));
    Ok(Answer::new(PLAIN, text.into_bytes()).status(StatusCode::SERVICE_UNAVAILABLE))
}

/// `GET /metrics`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    Ok(Answer::new(EXPOSITION, exposition(&call.app)?.into_bytes()))
}

/// A family of figures in the text format: its help, its type, and its lines.
fn family(text: &mut String, name: &str, kind: &str, help: &str, lines: &[(String, f64)]) {
    // Writing to memory does not fail.
    _ = writeln!(text, "# HELP brunt_site_{name} {help}\n# TYPE brunt_site_{name} {kind}");
    for (labels, value) in lines {
        _ = writeln!(text, "brunt_site_{name}{labels} {value}");
    }
}

fn exposition(app: &App) -> Result<String, Problem> {
    let mut text = String::new();
    let one = |value: u64| vec![(String::new(), value as f64)];
    let info = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    family(&mut text, "info", "gauge", "The version of the site.", &[(info, 1.0)]);
    let counters = &app.counters;
    let responses = counters.responses();
    let responses: Vec<_> =
        responses.map(|(class, count)| (format!("{{class=\"{class}\"}}"), count as f64)).collect();
    let help = "Responses by the class of their status.";
    family(&mut text, "responses_total", "counter", help, &responses);
    let seconds = [(String::new(), counters.micros() as f64 / 1e6)];
    let help = "The time from requests to responses, together.";
    family(&mut text, "response_seconds_total", "counter", help, &seconds);
    let runs = app.queue()?.list();
    let active = runs.iter().filter(|run| run.state.is_active()).count() as u64;
    let waiting = runs.iter().filter(|run| !run.state.is_over()).count() as u64 - active;
    let kept = app.store.count_runs()?;
    let people = app.store.users()?.iter().filter(|user| !user.disabled).count() as u64;
    let lines = app.store.audit_lines()?;
    for (name, help, value) in [
        ("runs", "Runs that are stored.", kept),
        ("runs_active", "Runs that have a process.", active),
        ("runs_waiting", "Runs that wait in the queue.", waiting),
        ("users", "Users who are not disabled.", people),
        ("audit_lines", "Lines of the audit trail.", u64::try_from(lines).unwrap_or_default()),
        ("database_bytes", "The size of the database.", app.store.bytes()),
    ] {
        family(&mut text, name, "gauge", help, &one(value));
    }
    let help = "Runs that were removed because of their age or number.";
    family(&mut text, "runs_removed_total", "counter", help, &one(counters.removed()));
    if let Some(disk) = Disk::new(app) {
        family(&mut text, "disk_bytes", "gauge", "The size of the disk.", &one(disk.size));
        family(&mut text, "disk_free_bytes", "gauge", "What is free of it.", &one(disk.free));
    }
    Ok(text)
}
