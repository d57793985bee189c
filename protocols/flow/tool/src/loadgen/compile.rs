//! Compiles a [`Draft`] to the flow that is run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use brunt_exchange::ThinkTime;
use brunt_feed::{Escape, Feeder, Files, Hole, RowOrder, Table, TableError, Text, TextPiece};
use brunt_flow_driver::{
    AfterFailure, Content, ExchangeStep, Extract, Flow, HttpExchange, Location as Position,
    LocationError, Missing, Order, Pause, Payload, Renewal, Scenario, Source, Start, Step, Times,
    Variable,
};
use brunt_net::secret::Secret;

use super::draft::{self, Bit, Draft, Meaning, Words};
use super::job::Job;
use super::wildcard::{Column, Endpoint};
use crate::report::Compatibility;

/// An answer takes a millisecond or more, or counts as immediate: a threshold of zero is below the first.
const AT_ONCE: Duration = Duration::from_nanos(999_999);

/// The maximum number of operations and of variables, which have two-byte numbers.
const NUMBERED_MAX: usize = u16::MAX as usize;

/// Values that services listed, by the endpoint they came from.
pub(super) type Listed = BTreeMap<String, Vec<Vec<u8>>>;

/// The key of a list of values.
pub(super) fn list_name(endpoint: &Endpoint) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    format!("{} {} {}", endpoint.url, part(&endpoint.attribute), part(&endpoint.member))
}

/// A placeholder for every list that a draft needs, for a flow that is examined and not run.
pub(super) fn unlisted(draft: &Draft) -> Listed {
    let lists = draft.variables.iter().filter_map(|variable| match &variable.meaning {
        Meaning::Element(endpoint) => Some((list_name(endpoint), vec![b"0".to_vec()])),
        _ => None,
    });
    lists.collect()
}

/// Why a draft makes no flow.
#[derive(Debug, thiserror::Error)]
pub(super) enum CompileError {
    #[error(
        "failed to run the job: it has {count} {what}; split it, because a run has at most {NUMBERED_MAX}"
    )]
    TooMany { count: usize, what: &'static str },
    #[error("failed to {0}")]
    Table(#[from] TableError),
    #[error("failed to find the column \"{name}\" in {}: its first line names {}", path.display(), columns.join(", "))]
    NoColumn { name: String, path: PathBuf, columns: Vec<String> },
    #[error("failed to {0}")]
    Location(#[from] LocationError),
}

/// The flow of a draft.
pub(super) fn flow(
    draft: &Draft,
    job: &Job,
    manner: Compatibility,
    seed: u64,
    (listed, files): (&Listed, &Files),
) -> Result<Flow, CompileError> {
    for (count, what) in
        [(draft.operations.len(), "operations"), (draft.variables.len(), "variables")]
    {
        if count > NUMBERED_MAX {
            return Err(CompileError::TooMany { count, what });
        }
    }
    let mut rows = Rows { files: files.clone(), feeders: BTreeMap::new() };
    let mut variables = Vec::new();
    for (number, variable) in draft.variables.iter().enumerate() {
        variables.push(self::variable(number as u32, variable, manner, listed, &mut rows)?);
    }
    let scenarios = draft.scenarios.iter().map(scenario).collect::<Result<_, LocationError>>();
    Ok(Flow {
        scenarios: scenarios?,
        order: Order::Rounds(draft.rounds.clone()),
        variables,
        operations: draft.operations.iter().map(|operation| operation.name.clone()).collect(),
        start: start(job),
        seed,
        users: job.threads,
        times: match manner {
            Compatibility::Repaired => Times::Service,
            Compatibility::Compatible => Times::Coarse,
        },
        ..Flow::default()
    })
}

fn start(job: &Job) -> Start {
    match (job.group_size, job.interval) {
        (Some(size @ 1..), Some(millis @ 1..)) => {
            Start::Groups { size: size as u32, every: Duration::from_millis(millis) }
        }
        _ => Start::Together,
    }
}

fn variable(
    number: u32,
    variable: &draft::Variable,
    manner: Compatibility,
    listed: &Listed,
    rows: &mut Rows,
) -> Result<Variable, CompileError> {
    let (source, renewal) = match &variable.meaning {
        Meaning::Random { least, most } => {
            let [least, most] = [*least, *most].map(u64::cast_signed);
            (Source::Random { least, most }, Renewal::Iteration)
        }
        Meaning::Increment => {
            let renewal = match manner {
                Compatibility::Repaired => Renewal::IterationIfUsed,
                Compatibility::Compatible => Renewal::AfterUse,
            };
            (Source::Count { first: 0, step: 1 }, renewal)
        }
        Meaning::Thread => (Source::User, Renewal::User),
        Meaning::Uuid => (Source::Uuid, Renewal::Iteration),
        Meaning::Kept(_) => (Source::Answer, Renewal::Extracted),
        Meaning::Line(path) => (cell(number, Table::lines(&rows.files, path)?), Renewal::Iteration),
        Meaning::Column(path, column) => {
            (self::column(number, path, column, rows)?, Renewal::Iteration)
        }
        Meaning::Element(endpoint) => {
            let name = list_name(endpoint);
            let values = listed.get(&name).cloned().unwrap_or_default();
            (cell(number, Table::list(&endpoint.url, values)), Renewal::Iteration)
        }
        Meaning::Secret(secret) => {
            (Source::Secret(Secret::new(secret.clone().into_bytes())), Renewal::User)
        }
        Meaning::Text(words) => (Source::Text(text(words, Escape::None)), Renewal::Iteration),
    };
    Ok(Variable { name: variable.name.clone(), source, renewal })
}

/// The files of rows, each with one feeder, so that all its columns come from the same row.
struct Rows {
    files: Files,
    feeders: BTreeMap<(PathBuf, u8), Arc<Feeder>>,
}

/// A column of a random row.
fn column(
    number: u32,
    path: &Path,
    column: &Column,
    rows: &mut Rows,
) -> Result<Source, CompileError> {
    let key = (path.to_owned(), column.separator);
    let feeder = if let Some(known) = rows.feeders.get(&key) {
        Arc::clone(known)
    } else {
        let table = Table::csv(&rows.files, path, column.separator, None)?;
        let feeder = Arc::new(Feeder::new(number, Arc::new(table), RowOrder::Random));
        rows.feeders.insert(key, Arc::clone(&feeder));
        feeder
    };
    let Some(column) = feeder.table().column(&column.name) else {
        return Err(CompileError::NoColumn {
            name: column.name.clone(),
            path: path.to_owned(),
            columns: feeder.table().columns().to_vec(),
        });
    };
    Ok(Source::Cell { feeder, column })
}

/// A random row of a table that has one column.
fn cell(number: u32, table: Table) -> Source {
    let feeder = Feeder::new(number, Arc::new(table), RowOrder::Random);
    Source::Cell { feeder: Arc::new(feeder), column: 0 }
}

fn scenario(scenario: &draft::Scenario) -> Result<Scenario, LocationError> {
    let steps: Result<Vec<Step>, LocationError> = scenario.steps.iter().map(step).collect();
    Ok(Scenario { name: scenario.name.clone(), steps: steps?, after_failure: AfterFailure::Skip })
}

fn step(step: &draft::Step) -> Result<Step, LocationError> {
    let send = match step {
        draft::Step::Sleep { key, millis, .. } => {
            return Ok(Step::Pause(Pause {
                time: ThinkTime::Constant(Duration::from_millis(*millis)),
                name: key.clone(),
            }));
        }
        draft::Step::Send(send) => send,
    };
    let extracts: Result<Vec<Extract>, LocationError> = send.keeps.iter().map(extract).collect();
    let request = HttpExchange {
        method: send.method.clone(),
        url: text(&send.url, Escape::None),
        fields: send
            .fields
            .iter()
            .map(|(name, value)| (name.clone(), text(value, Escape::None)))
            .collect(),
        body: match &send.body {
            None => Content::None,
            Some((words, escape)) => Content::Text(text(words, *escape)),
        },
        ..HttpExchange::default()
    };
    Ok(Step::Exchange(Box::new(ExchangeStep {
        extracts: extracts?,
        threshold: send.threshold.map(threshold),
        timeout: send.threshold.filter(|millis| *millis > 0).map(Duration::from_millis),
        ..ExchangeStep::new(send.operation as u16, Payload::Http(Box::new(request)))
    })))
}

/// The longest time of an answer.
pub(super) fn threshold(millis: u64) -> Duration {
    if millis == 0 { AT_ONCE } else { Duration::from_millis(millis) }
}

fn extract((attribute, variable): &(String, usize)) -> Result<Extract, LocationError> {
    let from = if attribute.starts_with('/') {
        Position::pointer(attribute)?
    } else {
        Position::Member(attribute.clone())
    };
    // If an answer lacks the attribute, the variable keeps the value from an earlier answer.
    Ok(Extract { from, into: Hole(*variable as u16), missing: Missing::Keep, expires: None })
}

/// A text for the flow.
pub(super) fn text(words: &Words, escape: Escape) -> Text {
    Text::of(words.0.iter().map(|bit| match bit {
        Bit::Literal(text) => TextPiece::Literal(text.as_bytes().into()),
        Bit::Variable(number) => TextPiece::Hole(Hole(*number as u16), escape),
        Bit::Encoded(number) => TextPiece::Hole(Hole(*number as u16), Escape::Url),
    }))
}
