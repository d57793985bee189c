//! [`Summary`]: what a list of runs shows of each run, and the source of the index.
//!
//! A child makes it from the record, so that the server never reads an uploaded record. Its texts have limited lengths.
//! They come from servers and users, so they are only ever shown as text.

use brunt_record::{Collection, Latency, Mode, Record, RunOutcome, SloOutcome, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the format.
pub const SUMMARY_SCHEMA: &str = "brunt-summary/1";
/// The most operations whose figures are in a summary.
const OPERATIONS_MAX: usize = 40;
/// The most reasons and objectives.
const LINES_MAX: usize = 40;
/// The most steps of a search that have a page.
const STEPS_MAX: usize = 200;
/// The most characters of a text.
const TEXT_MAX: usize = 500;
/// The number of points of the small curve beside a run in a list.
const CURVE: usize = 40;

/// A run in a few figures: `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// `brunt-summary/1`.
    pub schema: String,
    /// The SHA-256 of the record's file, uncompressed.
    pub sha256: String,
    /// The id of the run in its record.
    pub run: Option<String>,
    /// A hash of everything that was requested, including the seed.
    pub fingerprint: Option<String>,
    /// A hash of the load that was requested, without its seed: runs with the same value can be compared. Empty if it
    /// is unknown.
    #[serde(default)]
    pub load: String,
    /// When it began, in RFC 3339.
    pub started: String,
    /// The program that made the record, and its version.
    pub tool: String,
    /// The command line, with secrets replaced.
    pub command: Vec<String>,
    /// The target that was loaded.
    pub target: Option<String>,
    /// The machine on which the generator ran.
    pub host: String,
    /// How many of its cores the generator could use.
    pub cores: Option<u64>,
    /// How the load was made.
    pub mode: Mode,
    /// Connections or virtual users.
    pub sessions: u64,
    /// How long the steady phase was, in seconds.
    pub seconds: f64,
    /// The result, in a sentence.
    pub sentence: String,
    /// What came of the run; `None` for a search, and for a run that was kept by an older version.
    #[serde(default)]
    pub outcome: Option<RunOutcome>,
    /// Whether the figures can be trusted. No figure is shown without the verdict.
    pub verdict: Status,
    /// The reasons for the verdict, and further notes.
    pub reasons: Vec<String>,
    /// The objectives, with their outcomes.
    pub objectives: Vec<Objective>,
    /// The figures of all operations together.
    pub figures: Figures,
    /// The figures of each operation, in the order of the record.
    pub operations: Vec<OperationFigures>,
    /// Goodput over time, for a small curve.
    pub curve: Vec<f64>,
    /// What was found, if this is a search for the highest rate instead of a single run.
    #[serde(default)]
    pub capacity: Option<Capacity>,
}

/// What a search for the highest rate found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Capacity {
    /// The kind of result: `valid`, `floor`, `no claim` or `unstable`.
    pub word: String,
    /// The rate that was held; for a floor, the rate that the target sustains at least.
    pub rate: Option<f64>,
    /// Whether the rate is a floor: the target may sustain more.
    pub at_least: bool,
    /// The lowest rate above it that failed.
    pub fails_at: Option<f64>,
    /// Each step: its kind, its rate, its verdict.
    pub steps: Vec<String>,
    /// What was measured at each step that has a rate, in the same order. Searches that an older version kept have
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<MeasuredStep>,
}

/// What was measured at one step of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MeasuredStep {
    /// The number of the step, counted from 1.
    pub step: u64,
    /// The rate that was asked.
    pub rate: f64,
    /// Exchanges a second that were answered.
    pub achieved: Option<f64>,
    /// The median response time in milliseconds.
    pub p50_ms: Option<f64>,
    /// The 99th percentile.
    pub p99_ms: Option<f64>,
    /// The share of the exchanges that failed.
    pub errors: Option<f64>,
    /// The verdict: `pass`, `fail`, `undecided`, `void` or `none`.
    pub verdict: String,
    /// Whether the rate of the answer was held here for longer.
    pub confirms: bool,
}

/// The result of a search, in addition to what its collection contains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searched {
    /// What was found, in a sentence.
    pub sentence: String,
    /// The target that was loaded.
    pub target: String,
    /// The objectives that the rate had to meet.
    pub objectives: Vec<String>,
    /// Reasons to doubt the result.
    pub doubts: Vec<String>,
    /// Whether the result can be trusted.
    pub verdict: Status,
    /// What was found.
    pub capacity: Capacity,
    /// The figures of the step at which the rate was held.
    pub figures: Figures,
    /// How long the search took, in seconds.
    pub seconds: f64,
}

/// The outcome of an objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Objective {
    /// The text of the objective, as it was given.
    pub text: String,
    /// The outcome.
    pub outcome: SloOutcome,
}

/// The figures of a run by which runs are searched and followed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Figures {
    /// Exchanges a second that were requested; `None` for as many as possible.
    #[serde(rename = "asked")]
    pub requested: Option<f64>,
    /// Exchanges a second that were due.
    pub offered: Option<f64>,
    /// Exchanges a second that were answered, successfully or not.
    pub achieved: Option<f64>,
    /// Exchanges a second that succeeded.
    pub goodput: Option<f64>,
    /// Exchanges that were due.
    pub due: u64,
    /// Exchanges that succeeded.
    pub ok: u64,
    /// Exchanges that failed, had no answer or were never sent.
    pub missed: u64,
    /// The median response time in milliseconds, if there were answers.
    pub p50_ms: Option<f64>,
    /// The 99th percentile.
    pub p99_ms: Option<f64>,
    /// The 99.9th percentile.
    pub p999_ms: Option<f64>,
}

/// The figures of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationFigures {
    /// Its name.
    pub name: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

impl Summary {
    /// The word for the outcome of the run; where it is not known, that of the verdict.
    pub fn outcome_word(&self) -> String {
        self.outcome.map_or_else(|| self.verdict.word().to_owned(), |it| it.words().to_lowercase())
    }

    /// The summary of a record whose file has this hash. The sentence is the one on the record's page.
    pub fn new(record: &Record, sha256: String, sentence: &str) -> Self {
        let operations = record.operations.iter().take(OPERATIONS_MAX);
        let operations = operations.map(|operation| OperationFigures {
            name: cut(&operation.name),
            figures: Figures {
                achieved: operation.achieved,
                goodput: operation.goodput,
                due: operation.counts.sent,
                ok: operation.counts.ok,
                missed: operation.counts.sent.saturating_sub(operation.counts.ok),
                ..latencies(Some(&operation.response))
            },
        });
        let reasons = record.verdict.reasons.iter().map(|reason| &reason.text);
        let objectives = record
            .slo
            .iter()
            .take(LINES_MAX)
            .map(|objective| Objective { text: cut(&objective.expr), outcome: objective.outcome });
        Self {
            schema: SUMMARY_SCHEMA.to_owned(),
            sha256,
            run: record.run.as_deref().map(cut),
            fingerprint: record.fingerprint.as_deref().map(cut),
            load: String::new(),
            started: cut(&record.started),
            tool: cut(&format!("{} {}", record.tool.name, record.tool.version)),
            command: record.command.iter().take(LINES_MAX).map(|word| cut(word)).collect(),
            target: record.plan.target.as_deref().map(cut),
            host: cut(&record.environment.host),
            cores: record.environment.cores,
            mode: record.plan.mode,
            sessions: record.plan.sessions,
            seconds: record.rates.seconds,
            sentence: cut(sentence),
            outcome: Some(record.outcome()),
            verdict: record.verdict.status,
            reasons: reasons
                .chain(&record.verdict.notes)
                .take(LINES_MAX)
                .map(|it| cut(it))
                .collect(),
            objectives: objectives.collect(),
            figures: together(record),
            operations: operations.collect(),
            curve: curve(record),
            capacity: None,
        }
    }

    /// The summary of a search whose file has this hash.
    pub fn of_search(collection: &Collection, sha256: String, searched: Searched) -> Self {
        let Searched { capacity, figures, verdict, seconds, .. } = searched;
        // A claimed rate met the objectives. Without a claim nothing is known about them.
        let is_claim = verdict == Status::Valid;
        let objectives = searched.objectives.iter().take(LINES_MAX).filter(|_| is_claim);
        let (tool, environment) = (&collection.tool, &collection.environment);
        Self {
            schema: SUMMARY_SCHEMA.to_owned(),
            sha256,
            run: None,
            fingerprint: None,
            load: String::new(),
            started: cut(&collection.started),
            tool: cut(&format!("{} {}", tool.name, tool.version)),
            command: collection.command.iter().take(LINES_MAX).map(|word| cut(word)).collect(),
            target: Some(cut(&searched.target)).filter(|target| !target.is_empty()),
            host: cut(&environment.host),
            cores: environment.cores,
            mode: Mode::Open,
            sessions: 0,
            seconds,
            sentence: cut(&searched.sentence),
            outcome: None,
            verdict,
            reasons: searched.doubts.iter().take(LINES_MAX).map(|it| cut(it)).collect(),
            objectives: objectives
                .map(|text| Objective { text: cut(text), outcome: SloOutcome::Met })
                .collect(),
            figures,
            operations: Vec::new(),
            curve: Vec::new(),
            capacity: Some(Capacity {
                word: cut(&capacity.word),
                steps: capacity.steps.iter().take(STEPS_MAX).map(|step| cut(step)).collect(),
                measured: capacity.measured.into_iter().take(STEPS_MAX).collect(),
                ..capacity
            }),
        }
    }
}

fn together(record: &Record) -> Figures {
    let only = || match &record.operations[..] {
        [operation] => Some(&operation.response),
        _ => None,
    };
    Figures {
        requested: record.rates.target,
        offered: record.rates.offered,
        achieved: record.rates.achieved,
        goodput: record.rates.goodput,
        due: record.counts.due(),
        ok: record.counts.ok,
        missed: record.counts.missed(),
        ..latencies(record.response.as_ref().or_else(only))
    }
}

fn latencies(latency: Option<&Latency>) -> Figures {
    let of = |wanted: f64| {
        let mut all = latency?.percentiles.iter();
        all.find(|one| (one.percentile - wanted).abs() < 1e-9).map(|one| one.us / 1e3)
    };
    Figures { p50_ms: of(50.0), p99_ms: of(99.0), p999_ms: of(99.9), ..Figures::default() }
}

/// Goodput by the time at which exchanges ended, in up to as many intervals as the curve has points.
fn curve(record: &Record) -> Vec<f64> {
    let each = record.series.len().div_ceil(CURVE).max(1);
    let stretches = record.series.chunks(each).map(|steps| {
        let seconds: f64 = steps.iter().map(|step| step.to_s - step.from_s).sum();
        let ok: u64 = steps.iter().map(|step| step.ended.ok).sum();
        if seconds > 0.0 { ok as f64 / seconds } else { 0.0 }
    });
    stretches.collect()
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_MAX).collect()
}
