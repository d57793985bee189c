//! Tags and baselines of runs, as programs list and change them.

use brunt_history::{About, TAGS_MAX, WORDS_MAX};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use super::records::listed;
use crate::call::{Answer, Call};
use crate::changes::runs::change;
use crate::history::Entry;
use crate::pages::run::entry;
use crate::problem::{InvalidValue, ParameterLocation, Problem};
use crate::store::Filter;

/// The most tags of a list.
const LISTED_MAX: i64 = 1_000;

/// A tag, and how many runs have it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Tag {
    tag: String,
    runs: i64,
}

/// The tags in use, the most frequent first: at most a thousand.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Tags {
    tags: Vec<Tag>,
}

/// The tags of a run.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TagsOfRun {
    tags: Vec<String>,
}

/// The tags that a run gets in place of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TagsRequest {
    /// The tags, none of which has a comma.
    #[schemars(length(max = TAGS_MAX), inner(length(min = 1, max = WORDS_MAX)))]
    tags: Vec<String>,
}

/// `GET /api/v1/tags`.
pub(crate) fn tags(call: &Call) -> Result<Answer, Problem> {
    let tags = call.app.store.tag_counts(LISTED_MAX)?;
    Answer::json(&Tags { tags: tags.into_iter().map(|(tag, runs)| Tag { tag, runs }).collect() })
}

/// `GET /api/v1/records/{id}/tags`.
pub(crate) fn of_run(call: &Call) -> Result<Answer, Problem> {
    Answer::json(&TagsOfRun { tags: entry(call)?.about.tags })
}

/// `PUT /api/v1/records/{id}/tags`.
pub(crate) fn replace(call: &Call) -> Result<Answer, Problem> {
    let (run, requested) = (entry(call)?, body::read::<TagsRequest>(call)?);
    let tags = checked("tags", &requested.tags)?;
    let about = change(&call.app, &run.id, |about| about.tags = tags)?;
    noted(call, "describe run", &run, &about)?;
    Answer::json(&TagsOfRun { tags: about.tags })
}

/// `PUT /api/v1/records/{id}/tags/{tag}`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let (run, tag) = (entry(call)?, tag(call)?);
    if run.about.tags.contains(&tag) {
        return of_run(call);
    }
    let about = change(&call.app, &run.id, |about| about.tags.push(tag))?;
    call.app.audit(call.who()?, "tag", run.id.as_str())?;
    Answer::json(&TagsOfRun { tags: about.tags })
}

/// `DELETE /api/v1/records/{id}/tags/{tag}`.
pub(crate) fn remove(call: &Call) -> Result<Answer, Problem> {
    let (run, tag) = (entry(call)?, tag(call)?);
    if !run.about.tags.contains(&tag) {
        return Err(Problem::missing("tag"));
    }
    let about = change(&call.app, &run.id, |about| about.tags.retain(|one| *one != tag))?;
    noted(call, "describe run", &run, &about)?;
    Answer::json(&TagsOfRun { tags: about.tags })
}

/// `GET /api/v1/baselines`.
pub(crate) fn baselines(call: &Call) -> Result<Answer, Problem> {
    let load = call.query("load").to_owned();
    listed(call, &Filter { load, baseline: true, ..Filter::default() })
}

/// `GET /api/v1/baselines/{id}`.
pub(crate) fn baseline(call: &Call) -> Result<Answer, Problem> {
    let run = entry(call)?;
    if run.about.baseline { Answer::json(&run) } else { Err(Problem::missing("baseline")) }
}

/// `PUT /api/v1/baselines/{id}`.
pub(crate) fn mark(call: &Call) -> Result<Answer, Problem> {
    marked(call, true)
}

/// `DELETE /api/v1/baselines/{id}`.
pub(crate) fn unmark(call: &Call) -> Result<Answer, Problem> {
    marked(call, false)
}

fn marked(call: &Call, baseline: bool) -> Result<Answer, Problem> {
    let run = entry(call)?;
    if run.summary.capacity.is_some() {
        let detail = "This is a search for the highest rate, and only runs can be baselines.";
        return Err(Problem::new(StatusCode::CONFLICT, "Not a run", detail));
    }
    if run.about.baseline != baseline {
        let about = change(&call.app, &run.id, |about| about.baseline = baseline)?;
        noted(call, "describe run", &run, &about)?;
    }
    Answer::json(&entry(call)?)
}

fn noted(call: &Call, act: &str, run: &Entry, about: &About) -> Result<(), Problem> {
    call.app.audit(call.who()?, act, &format!("{} {}", run.id, about.name))
}

/// The tag that a path names.
fn tag(call: &Call) -> Result<String, Problem> {
    let given = call.segment("tag");
    plain(given).ok_or_else(|| {
        Problem::faulty(vec![InvalidValue::new(
            ParameterLocation::Path,
            "tag",
            Some(given),
            wanted(),
        )])
    })
}

/// The tags in a field of a body.
pub(super) fn checked(field: &str, tags: &[String]) -> Result<Vec<String>, Problem> {
    let one = |(number, given): (usize, &String)| {
        plain(given).ok_or_else(|| {
            Problem::faulty(vec![InvalidValue::of_field(
                &format!("{field}[{number}]"),
                given,
                wanted(),
            )])
        })
    };
    tags.iter().enumerate().map(one).collect()
}

/// A tag as it is kept: pages separate tags by commas.
fn plain(given: &str) -> Option<String> {
    let tag = given.trim();
    let fits = (1..=WORDS_MAX).contains(&tag.len())
        && !tag.contains(',')
        && !tag.chars().any(char::is_control);
    fits.then(|| tag.to_owned())
}

fn wanted() -> String {
    format!("a tag of 1 to {WORDS_MAX} bytes on one line, without commas")
}
