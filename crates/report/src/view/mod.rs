//! [`View`]: a run over time in the form for a page's script: the data of the charts, and nothing else.
//!
//! A page has two halves. Its words, tables and fallback pictures are made here, in Rust, and are in the page whether
//! scripts run or not ([`Page`](crate::page::Page)). Its charts are drawn by the script from a view: a JSON document
//! that follows from the record, in which every figure is made from the record's own histograms and counts. A live page
//! has the same script; it gets a view without rows first, then a row a second, and in the end the view of the record.
//!
//! **The script's side** (`crates/report/src/page/js/`), as one global object:
//!
//! - `brunt.show(view)` replaces the whole view and redraws every chart. A page with an element `<script
//!   type="application/json" id="view">` calls it with what is in there.
//! - `brunt.append(row)` (or an array of rows) adds rows to the view that is shown, and draws at most once a frame.
//! - `brunt.sections({id: html})` replaces the inner HTML of sections by their ids: words and tables, as
//!   `Page::sections` makes them. Charts in a section that is replaced are redrawn.
//!
//! **A view as JSON** (`brunt-view/1`):
//!
//! ```json
//! {"schema": "brunt-view/1", "over": true,
//!  "spans": [{"name": "steady", "from_s": 2.0, "to_s": 12.0}],
//!  "operations": ["bind", "search", "login"], "groups": 1,
//!  "columns": [{"key": "offered", "name": "offered", "unit": "/s"}],
//!  "own": [{"key": "p99", "name": "response p99", "unit": "ms"}],
//!  "heat": {"least_ms": 0.001, "per_decade": 12},
//!  "plots": [{"id": "rates", "title": "Rates", "kind": "lines", "unit": "/s", "logarithmic": false,
//!             "lines": [{"column": "offered", "series": 0, "faint": true}],
//!             "limit": {"column": "p99", "value": 250, "text": "p99<250ms"}}],
//!  "spectra": [{"name": "all", "response": [0.5, 1.2, 0.9, 2.5], "service": []}],
//!  "rows": [{"t": 2.0, "d": 1.0, "p": 0, "v": [100, null], "h": [37, 5, 0, 2], "o": [[1.2], [3.4]],
//!            "g": [[37, 5], [39, 2]]}]}
//! ```
//!
//! A row describes one step: it began at `t` and lasted `d` seconds, in the phase `p` (its number in [`Phase::ALL`]);
//! `groups` is how many of the last `operations` are groups of steps, whose exchanges are in the other operations.
//! `v` has a value for each of `columns`, `o` for each of `operations` a value for each of `own`, null where nothing
//! was measured; `h` is the number of the first non-empty class of latencies, and then how many fell into it and the
//! following ones; `g` has the same for each of `operations`, where there are several. Class k contains response times
//! from `least_ms` times 10^(k / `per_decade`). A line that is `hidden` is drawn when a reader asks for it, the area
//! below one with `area` is filled, and what lies above a `limit` is red. A spectrum has quantiles and milliseconds in
//! turn.

mod columns;
mod heat;
mod live;
mod plots;
mod row;
mod shown;
mod slice;
mod spectrum;
#[cfg(test)]
mod tests;

pub use columns::Column;
pub use heat::Heat;
pub use live::{LiveView, Update};
pub use plots::{Kind, Limit, Plot, PlotLine};
pub use shown::Shown;
pub use slice::Slice;
pub use spectrum::Spectrum;

use brunt_record::{Head, HistogramError, Noun, Phase, Record, Slo, Step};
use serde::{Deserialize, Serialize};

/// The version of the format.
pub const VIEW_SCHEMA: &str = "brunt-view/1";
/// The most rows of a finished run: a screen has no more useful columns.
pub const ROWS_MAX: usize = 600;
/// About how many rows a still picture is made from.
const STILL_ROWS: usize = 120;
/// The most bytes that all rows take together as JSON. With it a page stays below 400 KB however long a run was.
const BYTES_MAX: usize = 190_000;
/// Percentiles that rise this many times need a logarithmic axis.
const WIDE: f64 = 10.0;
/// What a row takes without its values, and each value, at most.
const ROW_BYTES: usize = 48;
const VALUE_BYTES: usize = 6;

/// A run over time, for charts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// `brunt-view/1`.
    pub schema: String,
    /// Whether the run is over.
    pub over: bool,
    /// The phases, in order of time.
    pub spans: Vec<Span>,
    /// What several exchanges of the run are called.
    pub noun: String,
    /// The operations that have values of their own, followed by the groups.
    pub operations: Vec<String>,
    /// How many of those are groups of steps, whose exchanges are in other operations.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub groups: usize,
    /// The meaning of the values of a row.
    pub columns: Vec<Column>,
    /// The meaning of the values of an operation in a row.
    pub own: Vec<Column>,
    /// The classes of latencies.
    pub heat: Heat,
    /// The charts that can be made of the rows.
    pub plots: Vec<Plot>,
    /// Percentile spectra: of all operations together first, then of each.
    pub spectra: Vec<Spectrum>,
    /// The steps, in order of time.
    pub rows: Vec<Row>,
}

/// A phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Which.
    pub name: String,
    /// When it began, in seconds since the origin of the run.
    pub from_s: f64,
    /// When it ended.
    pub to_s: f64,
}

/// One step of the run. The names are short because there are hundreds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// When it began, in seconds since the origin of the run.
    #[serde(rename = "t")]
    pub from_s: f64,
    /// How long it lasted, in seconds.
    #[serde(rename = "d")]
    pub lasted_s: f64,
    /// Its phase, as a number in [`Phase::ALL`].
    #[serde(rename = "p")]
    pub phase: usize,
    /// The values of the view's columns.
    #[serde(rename = "v")]
    pub values: Vec<Option<f64>>,
    /// Response times by class: the number of the first, then counts.
    #[serde(rename = "h")]
    pub heat: Vec<u64>,
    /// The values of each operation's own columns.
    #[serde(rename = "o")]
    pub own: Vec<Vec<Option<f64>>>,
    /// Response times of each operation by class. A single operation has those of the row.
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    pub own_heat: Vec<Vec<u64>>,
}

impl Row {
    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        let values = self.values.len() + self.own.iter().map(Vec::len).sum::<usize>();
        let counts = self.own_heat.iter().chain([&self.heat]).flatten();
        let digits = |count: &u64| 2 + count.checked_ilog10().unwrap_or_default() as usize;
        ROW_BYTES + VALUE_BYTES * values + counts.map(digits).sum::<usize>()
    }
}

impl View {
    /// The view of a run that begins: it has no rows yet. Its operations are the first of the catalogue.
    pub fn begun(head: &Head) -> Self {
        let (catalogue, shown) = (&head.catalogue, Shown::first(&head.catalogue));
        let spans = |number: usize| catalogue.spans[number].as_str();
        let names = shown.names(|number| catalogue.operation(number), spans);
        let begun = Self::of_operations(names, &shown, &head.plan.noun);
        Self { plots: plots::all(&head.objectives), ..begun }
    }

    /// The view of a run in progress, from its steps so far. Rows of further intervals can be added to it.
    pub fn so_far(head: &Head, steps: &[Step]) -> Self {
        let (begun, shown) = (Self::begun(head), Shown::first(&head.catalogue));
        let slices = slice::merged(steps.iter().map(Slice::of_step).collect(), ROWS_MAX);
        let rows = fitting(slices, &shown).iter().map(|slice| slice.row(&shown)).collect();
        Self { rows, ..begun }
    }

    /// The spectra of a run in progress, from a record of what was measured so far.
    pub fn spectra_of(record: &Record) -> Result<Vec<Spectrum>, HistogramError> {
        spectrum::spectra(record, &Shown::busiest(record))
    }

    /// The view of a run that is over. Where it has more steps than a page shows, neighbours of one phase are merged,
    /// exact to the bucket.
    pub fn new(record: &Record) -> Result<Self, HistogramError> {
        Ok(Self::with_coarse(record)?.0)
    }

    /// The same, and a second one with no more rows than a still picture needs. It has values of all that is measured,
    /// the operations and then the spans, if there are spans.
    pub(crate) fn with_coarse(record: &Record) -> Result<(Self, Self), HistogramError> {
        let shown = Shown::busiest(record);
        let names = shown
            .names(|number| &record.operations[number].name, |number| &record.spans[number].name);
        let slices = fitting(Slice::of_record(record, ROWS_MAX)?, &shown);
        let spans = record.phases.iter().map(|phase| Span {
            name: phase.name.word().to_owned(),
            from_s: phase.from_s,
            to_s: phase.to_s,
        });
        let view = Self {
            over: true,
            spans: spans.collect(),
            spectra: spectrum::spectra(record, &shown)?,
            rows: slices.iter().map(|slice| slice.row(&shown)).collect(),
            ..Self::of_operations(names, &shown, &record.plan.noun)
        };
        let coarse = slice::merged(slices, STILL_ROWS);
        let own = Shown::in_tree(record);
        let rows = coarse.iter().map(|slice| slice.row(&own)).collect();
        let none = Self::of_operations(Vec::new(), &own, &record.plan.noun);
        let coarse = Self { rows, spans: view.spans.clone(), ..none };
        let objectives: Vec<Slo> =
            record.slo.iter().filter_map(|slo| slo.expr.parse().ok()).collect();
        let plots = coarse.fitting_plots(plots::all(&objectives));
        Ok((Self { plots: plots.clone(), ..view }, Self { plots, ..coarse }))
    }

    fn of_operations(operations: Vec<String>, shown: &Shown, noun: &Noun) -> Self {
        Self {
            schema: VIEW_SCHEMA.to_owned(),
            noun: noun.many.clone(),
            operations,
            groups: shown.spans.len(),
            columns: columns::all(),
            own: columns::own(),
            heat: Heat::default(),
            plots: plots::all(&[]),
            ..Self::default()
        }
    }

    /// The plots, with a logarithmic axis for response times that could not be seen on a linear one.
    fn fitting_plots(&self, mut plots: Vec<Plot>) -> Vec<Plot> {
        let values = || self.line("p99").into_iter().map(|(_, value)| value).filter(|it| *it > 0.0);
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        for plot in &mut plots {
            plot.logarithmic |= plot.id == "latencies" && most > WIDE * least;
        }
        plots
    }

    /// The values of a column, with the middle of each step.
    pub fn line(&self, key: &str) -> Vec<(f64, f64)> {
        let Some(at) = self.columns.iter().position(|column| column.key == key) else {
            return Vec::new();
        };
        let point =
            |row: &Row| Some((row.from_s + row.lasted_s / 2.0, *row.values.get(at)?.as_ref()?));
        self.rows.iter().filter_map(point).collect()
    }
}

/// Merges neighbours until their rows take no more bytes than a page has room for.
fn fitting(mut slices: Vec<Slice>, shown: &Shown) -> Vec<Slice> {
    loop {
        let bytes: usize = slices.iter().map(|slice| slice.row(shown).bytes()).sum();
        if bytes <= BYTES_MAX || slices.len() <= STILL_ROWS {
            return slices;
        }
        let fewer = slices.len() * BYTES_MAX / bytes;
        slices = slice::merged(slices, fewer);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The place of a phase in [`Phase::ALL`].
fn number(phase: Phase) -> usize {
    Phase::ALL.iter().position(|known| *known == phase).unwrap_or_default()
}
