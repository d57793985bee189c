//! Records: uploaded, listed and downloaded.

use brunt_envelope::Export;
use brunt_history::{About, Origin, RECORD_KEPT};
use brunt_record::{SloOutcome, Status};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::changes::runs::tags;
use crate::comparison::{Against, against};
use crate::history::{Entry, Put, PutError};
use crate::pages::history::{PER_PAGE, behind, filter, next};
use crate::pages::run;
use crate::problem::Problem;
use crate::store::Filter;

/// Runs, the newest first: fifty at a time.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Listed")]
pub(crate) struct ListedRuns {
    runs: Vec<Entry>,
    /// How many runs there are, on all pages together.
    all: i64,
    /// The value of the parameter behind that continues the list; null at its end.
    next: Option<String>,
}

/// `GET /api/v1/records`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    listed(call, &filter(call))
}

/// A page of the runs that match a filter.
pub(super) fn listed(call: &Call, filter: &Filter) -> Result<Answer, Problem> {
    // Runs that ended a moment ago belong to the list.
    call.app.index_ended()?;
    let listed = call.app.store.runs(filter, behind(call).as_ref(), PER_PAGE)?;
    let next = next(&listed);
    Answer::json(&ListedRuns { runs: listed.runs, all: listed.all, next })
}

/// `GET /api/v1/records/{id}`.
pub(crate) fn entry(call: &Call) -> Result<Answer, Problem> {
    Answer::json(&run::entry(call)?)
}

/// The result of uploading a record.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Pushed {
    id: String,
    /// The path of its page.
    page: String,
    /// Whether the record is new here.
    new: bool,
    /// What came of the run; of a search, its verdict.
    outcome: String,
    verdict: Status,
    /// Objectives that were missed.
    missed: Vec<String>,
    /// How it compares with the baseline of its load, if there is a baseline.
    against: Option<Against>,
}

/// `PUT /api/v1/records`.
pub(crate) fn put(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let given =
        |name: &str| Some(call.query(name).trim().to_owned()).filter(|text| !text.is_empty());
    let named = call.query.iter().filter(|(name, _)| name == "tag");
    let named: Vec<&str> = named.map(|(_, tag)| tag.as_str()).collect();
    let at = jiff::Timestamp::from_second(app.now()).map(|at| at.to_string()).unwrap_or_default();
    let origin = Origin { by: who.named(), commit: given("commit"), at, ..Origin::default() };
    let about = About {
        name: given("name").unwrap_or_default(),
        tags: tags(&named.join(",")),
        origin,
        ..About::default()
    };
    let put = app.history.put(&app.children, &call.body, about).map_err(unfit)?;
    if put.is_new {
        let indexed = app.store.put_run(&put.entry).map_err(Problem::from);
        let noted = indexed.and_then(|()| app.audit(who, "upload record", put.entry.id.as_str()));
        // Otherwise the next attempt would find the record known, and it would be in no list.
        noted.inspect_err(|_| app.forget(&put.entry.id))?;
    }
    if app.store.run(put.entry.id.as_str())?.is_none() {
        return Err(unseen(app, &put));
    }
    let against = against(app, &put.entry)?;
    let Entry { id, summary, .. } = &put.entry;
    let missed = summary.objectives.iter().filter(|one| one.outcome == SloOutcome::Missed);
    let pushed = Pushed {
        id: id.to_string(),
        page: format!("/runs/{id}"),
        new: put.is_new,
        outcome: summary.outcome_word(),
        verdict: summary.verdict,
        missed: missed.map(|one| one.text.clone()).collect(),
        against,
    };
    let status = if put.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(Answer::json(&pushed)?.status(status))
}

/// The runs of the load belong to a project that the sender does not see.
fn unseen(app: &App, put: &Put) -> Problem {
    if put.is_new {
        app.forget(&put.entry.id);
    }
    let detail = "The runs of this load belong to a project that you do not see, so nothing was stored. Ask an \
                  administrator of this site to let you see it.";
    Problem::new(StatusCode::FORBIDDEN, "In another project", detail)
}

fn unfit(error: PutError) -> Problem {
    match error {
        PutError::Long | PutError::About(_) | PutError::Unfit(_) => {
            Problem::unusable(format!("Failed to {error}."))
        }
        PutError::Child(error) => Problem::failed(error),
        PutError::History(error) => Problem::failed(error),
    }
}

/// `GET /api/v1/records/{id}/record`.
pub(crate) fn record(call: &Call) -> Result<Answer, Problem> {
    let run = run::entry(call)?;
    let bytes =
        std::fs::read(call.app.history.files(&run.id).path(RECORD_KEPT)).map_err(Problem::bug)?;
    Ok(Answer::file("application/gzip", &format!("{}.json.gz", run.id), bytes))
}

/// `GET /api/v1/records/{id}/csv`.
pub(crate) fn csv(call: &Call) -> Result<Answer, Problem> {
    let (run, text) = exported(call, Export::Csv)?;
    Ok(Answer::file("text/csv; charset=utf-8", &format!("{}.csv", run.id), text.into_bytes()))
}

/// `GET /api/v1/records/{id}/html`.
pub(crate) fn html(call: &Call) -> Result<Answer, Problem> {
    let (run, text) = exported(call, Export::Html)?;
    Ok(Answer::file("text/html; charset=utf-8", &format!("{}.html", run.id), text.into_bytes()))
}

fn exported(call: &Call, export: Export) -> Result<(Entry, String), Problem> {
    let run = run::entry(call)?;
    let files = call.app.history.files(&run.id);
    let text = call.app.children.export(files.directory(), export)?;
    Ok((run, text))
}
