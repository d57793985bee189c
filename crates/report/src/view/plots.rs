//! The charts that a page draws from a view: [`Plot`]. Their names and columns are defined only here; the script and
//! the fallback pictures use this definition.

use serde::{Deserialize, Serialize};

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plot {
    /// The name that a page uses: an element with `data-plot` of this value is where it is drawn.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// How it is drawn.
    pub kind: Kind,
    /// The unit of its values.
    pub unit: String,
    /// Whether the axis of its values is logarithmic.
    pub logarithmic: bool,
    /// Its lines; none for a map or a spectrum.
    pub lines: Vec<PlotLine>,
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
    /// Whether it is a reference for others: thin and grey.
    pub faint: bool,
}

/// The charts of a run.
pub(super) fn all() -> Vec<Plot> {
    let lines = |id: &str, title: &str, unit: &str, lines: &[(&str, usize, bool)]| Plot {
        id: id.to_owned(),
        title: title.to_owned(),
        unit: unit.to_owned(),
        logarithmic: unit == "ms",
        lines: lines
            .iter()
            .map(|&(column, series, faint)| PlotLine { column: column.to_owned(), series, faint })
            .collect(),
        ..Plot::default()
    };
    let rates = [
        ("offered", 0, true),
        ("achieved", 0, false),
        ("goodput", 2, false),
        ("errors", 5, false),
        ("dropped", 3, false),
    ];
    let latencies = [
        ("p50", 0, false),
        ("p90", 4, false),
        ("p99", 1, false),
        ("p999", 5, false),
        ("max", 3, false),
        ("s50", 0, true),
        ("s99", 1, true),
    ];
    vec![
        lines("rates", "Rates", "/s", &rates),
        lines("latencies", "Response times", "ms", &latencies),
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
            &[("flight", 0, false), ("backlog", 1, false)],
        ),
        lines(
            "lateness",
            "Waiting on our side",
            "ms",
            &[("lag99", 1, false), ("late99", 5, false)],
        ),
        lines("busy", "Busiest worker", "%", &[("busy", 0, false)]),
    ]
}
