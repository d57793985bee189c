//! What was compared and the result, as one JSON document: [`Comparison`].

use super::figure::Figure;
use super::mismatch::Mismatch;
use brunt_record::{Reason, Status, Tool, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the format. A change that could break a reader raises the number.
pub const COMPARISON_SCHEMA: &str = "brunt-comparison/1";

/// Sides that were compared, each of one run or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// `brunt-comparison/1`.
    pub schema: String,
    /// The program that compared them.
    pub tool: Tool,
    /// The sides. The first is the baseline that all others are compared with.
    pub sides: Vec<Side>,
    /// How runs differ from the first run of the baseline.
    pub unlike: Vec<Mismatch>,
    /// The confidence of the intervals: that of all figures of a pair together.
    pub confidence: f64,
    /// How many resamples were drawn of each single run.
    pub resamples: u64,
    /// Whether every run is valid, so that the results can be trusted.
    pub trusted: bool,
    /// Each side but the first against the first.
    pub pairs: Vec<Pair>,
}

/// One side: one run, or several of the same thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// `A`, `B`, …
    pub letter: String,
    /// The file or directory.
    pub name: String,
    /// The runs.
    pub runs: Vec<RunOf>,
}

/// A run of a side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunOf {
    /// The file.
    pub file: String,
    /// The id of the run.
    pub run: Option<String>,
    /// When it began, in RFC 3339.
    pub started: String,
    /// How long its steady phase lasted, in seconds.
    pub seconds: f64,
    /// How far its figures can be trusted.
    pub status: Status,
    /// What speaks against them.
    pub reasons: Vec<Reason>,
}

/// One side against the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// The letter of the side.
    pub side: String,
    /// Worse if any figure of the target is worse; otherwise better if any is better. The cost of the generator itself
    /// (`cpu`) is not included.
    pub result: Finding,
    /// The figures.
    pub figures: Vec<Difference>,
}

/// The result for a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    /// It is worse than that of the baseline.
    Worse,
    /// It is better.
    Better,
    /// No difference that can be distinguished from chance, or that is large enough to matter.
    Same,
    /// There was not enough data to decide.
    Unknown,
}

impl Finding {
    /// The word of a table.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Better => "better",
            Self::Same => "~",
            Self::Unknown => "?",
        }
    }

    /// The combined result.
    pub(super) fn of_all(found: &[Self]) -> Self {
        let order = [Self::Worse, Self::Better, Self::Same];
        order.into_iter().find(|wanted| found.contains(wanted)).unwrap_or(Self::Unknown)
    }
}

/// One figure of a side and of the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The operation; null for the whole run.
    pub operation: Option<String>,
    /// Which figure.
    pub figure: Figure,
    /// The unit of the values: `per_second`, `share` or `us`.
    pub unit: String,
    /// The value of the baseline: for several runs the geometric mean, for shares the mean.
    pub baseline: f64,
    /// Whether that is only the least it can be: exchanges without an answer lie at or below it.
    pub baseline_at_least: bool,
    /// The value of the other side.
    pub value: f64,
    /// Whether that is only the least it can be.
    pub value_at_least: bool,
    /// By how much it changed, as a share of the baseline; for errors the difference of the shares. Null if the
    /// baseline is zero.
    pub change: Option<f64>,
    /// The interval of the change; null if it is not known how the figure varies.
    pub interval: Option<[f64; 2]>,
    /// The result.
    pub result: Finding,
}

impl Comparison {
    /// The JSON schema of comparisons, as it is published.
    pub fn schema() -> String {
        schema_of::<Self>(COMPARISON_SCHEMA)
    }
}
