//! The data of a run that is compared and followed, computed once from its record: [`RunFigures`] and [`RunSteps`].
//!
//! Reading a record takes long, since it contains every second of the run with its histograms. A program that keeps
//! many runs keeps these data beside each. Comparisons and trends made from them equal those made from the records, to
//! the byte. Comparisons of records use them too, so there is one computation.

use super::document::RunOf;
use super::measured::{Measured, varied};
use super::mismatch::ComparableProperties;
use super::steps::Step;
use super::{Given, Input};
use brunt_record::{Histogram, HistogramError, OperationRecord, Record, Status, compact};
use serde::{Deserialize, Serialize};

/// The version of both. Every change to how a figure is computed here raises the number.
pub const FIGURES_SCHEMA: &str = "brunt-figures/2";

/// The figures of a run, and what they are figures of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFigures {
    schema: String,
    pub(super) likeness: ComparableProperties,
    described: RunOf,
    pub(super) measured: Vec<Measured>,
}

/// How the figures of a run varied within it, and how long its exchanges took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSteps {
    schema: String,
    /// The steady phase of the whole run, then of its operations.
    pub(super) varied: Vec<Vec<Step>>,
    pub(super) spectra: Vec<Spectrum>,
}

/// How long the exchanges of an operation took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Spectrum {
    pub(super) operation: String,
    #[serde(with = "compact")]
    pub(super) response: Histogram,
    #[serde(with = "compact")]
    pub(super) service: Histogram,
}

/// A run that is compared.
#[derive(Clone, Debug)]
pub struct FiguredRun {
    /// What it is called.
    pub name: String,
    /// Its figures.
    pub figures: RunFigures,
    /// How they varied.
    pub steps: RunSteps,
}

/// A side that is compared.
#[derive(Clone, Debug)]
pub struct FiguredSide {
    /// The file or directory.
    pub name: String,
    /// Its runs.
    pub runs: Vec<FiguredRun>,
}

impl RunFigures {
    /// Those of a run.
    pub fn new(run: &Input) -> Result<Self, HistogramError> {
        Ok(Self {
            schema: FIGURES_SCHEMA.to_owned(),
            likeness: ComparableProperties::new(run),
            described: described(&run.record),
            measured: Measured::new(&run.record)?,
        })
    }

    /// Whether this version made them.
    pub fn is_current(&self) -> bool {
        self.schema == FIGURES_SCHEMA
    }

    /// Whether a trend leaves the run out: its figures are about the generator, or about a part of the load.
    pub(super) fn is_left_out(&self) -> bool {
        left_out(self.described.status)
    }

    /// The figures that can be compared with those of runs with this definition of rates.
    pub(super) fn comparable(&self, definition: u32) -> Vec<Measured> {
        let same = self.likeness.definition() == definition;
        let kept = |measured: &Measured| {
            let points = measured.points.iter().copied();
            let points = points.filter(|point| same || !point.figure.is_of_rate()).collect();
            Measured { operation: measured.operation.clone(), points }
        };
        self.measured.iter().map(kept).collect()
    }

    /// The newest definition of rates among these.
    pub(super) fn newest<'a>(runs: impl IntoIterator<Item = &'a Self>) -> u32 {
        runs.into_iter().map(|run| run.likeness.definition()).max().unwrap_or_default()
    }

    /// The description of the run under this name.
    pub(super) fn described(&self, name: &str) -> RunOf {
        RunOf { file: name.to_owned(), ..self.described.clone() }
    }
}

impl RunSteps {
    /// Those of a run.
    pub fn new(record: &Record) -> Result<Self, HistogramError> {
        Ok(Self {
            schema: FIGURES_SCHEMA.to_owned(),
            varied: varied(record)?,
            spectra: Spectrum::all(record)?,
        })
    }

    /// Whether this version made them.
    pub fn is_current(&self) -> bool {
        self.schema == FIGURES_SCHEMA
    }
}

impl Spectrum {
    /// Those of the operations of a run.
    pub(super) fn all(record: &Record) -> Result<Vec<Self>, HistogramError> {
        let of = |operation: &OperationRecord| {
            Ok(Self {
                operation: operation.name.clone(),
                response: operation.response.histogram()?,
                service: operation.service.histogram()?,
            })
        };
        record.operations.iter().map(of).collect()
    }
}

impl FiguredRun {
    /// Of a record.
    pub fn new(run: &Input) -> Result<Self, HistogramError> {
        let (figures, steps) = (RunFigures::new(run)?, RunSteps::new(&run.record)?);
        Ok(Self { name: run.name.clone(), figures, steps })
    }
}

impl FiguredSide {
    /// Of records.
    pub fn new(side: &Given) -> Result<Self, HistogramError> {
        let runs = side.runs.iter().map(FiguredRun::new).collect::<Result<_, _>>()?;
        Ok(Self { name: side.name.clone(), runs })
    }
}

/// Whether a trend leaves runs with this status out.
pub(super) fn left_out(status: Status) -> bool {
    matches!(status, Status::GeneratorLimited | Status::Partial)
}

fn described(record: &Record) -> RunOf {
    RunOf {
        file: String::new(),
        run: record.run.clone(),
        started: record.started.clone(),
        seconds: record.rates.seconds,
        status: record.verdict.status,
        reasons: record.verdict.reasons.clone(),
    }
}
