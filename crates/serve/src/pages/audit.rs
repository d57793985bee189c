//! The audit trail. For administrators.

use maud::html;

use super::{moment_of, page as whole};
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::store::BrokenAt;

/// How many lines are shown.
const LINES_MAX: i64 = 500;

/// `GET /audit`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let app = &call.app;
    let lines = app.store.audit(LINES_MAX)?;
    let verified = app.store.verify_audit(&app.audit_key)?;
    let body = html! {
        h1.large { "Audit" }
        @match verified {
            Ok(count) => div.verdict { p {
                strong { "Intact." } " Each of the " (count) " lines is unchanged."
                @if app.audit_key.from() > 1 {
                    " The key of the lines before line " (app.audit_key.from()) " was lost: they cannot be checked."
                }
            } }
            Err(BrokenAt(line)) => div.verdict.bad { p {
                strong { "Not intact." } " Line " (line) " was changed or is missing. The lines after it prove nothing."
            } }
        }
        div.scroll role="region" tabindex="0" aria-label="Audit" {
            table.cards {
                thead { tr {
                    th scope="col" { "line" } th.name scope="col" { "when" } th.name scope="col" { "who" }
                    th.name scope="col" { "did" } th.name scope="col" { "what" }
                } }
                tbody { @for line in &lines { tr {
                    th scope="row" { (line.id) }
                    td.name data-label="when" { (moment_of(line.at)) }
                    td.name data-label="who" { (line.who) }
                    td.name data-label="did" { (line.act) }
                    td.name data-label="what" { (line.what) }
                } } }
            }
        }
        @if i64::try_from(lines.len()) == Ok(LINES_MAX) { p.note { "The newest " (LINES_MAX) " lines are shown." } }
    };
    Ok(Answer::page(whole(call, "Audit", &body)))
}
