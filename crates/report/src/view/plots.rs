//! The charts that a page draws from a view: [`Plot`]. Their names and columns are defined only here; the script and
//! the fallback pictures use this definition.

use brunt_record::Slo;
use serde::{Deserialize, Serialize};

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// The name that a page uses: an element with `data-plot` of this value is where it is drawn.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// How it is drawn.
    pub kind: Kind,
    /// The unit of its values. Lines with another unit have an axis of their own.
    pub unit: String,
    /// Whether the axis of its values is logarithmic.
    pub logarithmic: bool,
    /// Its lines; none for a map or a spectrum.
    pub lines: Vec<PlotLine>,
    /// The limit of one of its lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// The limit that an objective sets to a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The key of the line's column.
    pub column: String,
    /// The limit, in the unit of the plot.
    pub value: f64,
    /// The objective as it was given.
    pub text: String,
}

/// How a chart is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Lines over time.
    #[default]
    Lines,
    /// Latency over the share of exchanges, towards the slowest.
    Spectrum,
    /// How many exchanges took how long, over time.
    Heat,
}

/// One line of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlotLine {
    /// The key of its column.
    pub column: String,
    /// Which colour and dash it has.
    pub series: usize,
    /// Whether it is a reference for others: thin and dotted.
    pub faint: bool,
    /// Whether it is drawn only when a reader selects it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Whether the area below it is filled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub area: bool,
}

/// The columns that an objective can limit, by their percentiles.
const LIMITED: [(f64, &str); 4] = [(50.0, "p50"), (90.0, "p90"), (99.0, "p99"), (99.9, "p999")];

/// The first limit that objectives set to a percentile of response times that is drawn.
fn limit<'a>(objectives: impl IntoIterator<Item = &'a Slo>) -> Option<Limit> {
    objectives.into_iter().find_map(|objective| {
        let (percentile, value) = objective.response_limit()?;
        let (_, column) = LIMITED.into_iter().find(|(it, _)| (it - percentile).abs() < 1e-9)?;
        Some(Limit { column: column.to_owned(), value, text: objective.text().to_owned() })
    })
}

/// How a line is drawn.
const PLAIN: char = ' ';
const FAINT: char = '.';
const HIDDEN: char = '-';
const AREA: char = 'a';

/// The charts of a run with these objectives.
pub(super) fn all<'a>(objectives: impl IntoIterator<Item = &'a Slo>) -> Vec<Plot> {
    let lines = |id: &str, title: &str, unit: &str, lines: &[(&str, usize, char)]| Plot {
        id: id.to_owned(),
        title: title.to_owned(),
        unit: unit.to_owned(),
        logarithmic: unit == "ms",
        lines: lines
            .iter()
            .map(|&(column, series, look)| PlotLine {
                column: column.to_owned(),
                series,
                faint: look == FAINT,
                hidden: look == HIDDEN,
                area: look == AREA,
            })
            .collect(),
        ..Plot::default()
    };
    let rates = [
        ("offered", 0, FAINT),
        ("achieved", 0, PLAIN),
        ("goodput", 2, HIDDEN),
        ("errors", 5, PLAIN),
        ("dropped", 3, PLAIN),
    ];
    let latencies = [
        ("p50", 4, PLAIN),
        ("p90", 2, HIDDEN),
        ("p99", 0, AREA),
        ("p999", 5, HIDDEN),
        ("max", 3, HIDDEN),
        ("s50", 1, HIDDEN),
        ("s99", 1, HIDDEN),
        // On an axis of its own.
        ("flight", 2, HIDDEN),
    ];
    let limit = limit(objectives);
    let latencies = lines("latencies", "Response times", "ms", &latencies);
    vec![
        lines("rates", "Rates", "/s", &rates),
        Plot { logarithmic: false, limit, ..latencies },
        Plot {
            id: "heat".to_owned(),
            title: "Response times over time".to_owned(),
            kind: Kind::Heat,
            unit: "ms".to_owned(),
            logarithmic: true,
            ..Plot::default()
        },
        Plot {
            id: "spectrum".to_owned(),
            title: "Response and service time".to_owned(),
            kind: Kind::Spectrum,
            unit: "ms".to_owned(),
            logarithmic: true,
            ..Plot::default()
        },
        lines(
            "waiting",
            "In flight and waiting",
            "",
            &[("flight", 0, PLAIN), ("backlog", 1, PLAIN)],
        ),
        lines(
            "lateness",
            "Waiting on our side",
            "ms",
            &[("lag99", 1, PLAIN), ("late99", 5, PLAIN)],
        ),
        lines("busy", "Busiest worker", "%", &[("busy", 0, PLAIN)]),
    ]
}
