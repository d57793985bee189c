//! The charts of a run as pictures, for paper and where scripts are off: [`ChartImages`].
//!
//! They follow the same plots as the script does, from a view with fewer rows.

use crate::chart::{Axis, Chart, HeatMap, Line, Lines, Panel, PanelLine, PanelSize};
use crate::figure::rate;
use crate::view::{Kind, Plot, Row, Spectrum, View};
use brunt_record::Record;
use std::collections::BTreeMap;

/// How many columns a map has at most.
const COLUMNS_MAX: usize = 60;

/// Pictures of a view, or none while a run is in progress.
pub(super) struct ChartImages<'a> {
    view: Option<(&'a View, &'a [Spectrum], &'a Record)>,
}

impl<'a> ChartImages<'a> {
    /// Pictures of a coarse view of a record, and of the spectra of the view that it was made from.
    pub(super) fn new(coarse: &'a View, view: &'a View, record: &'a Record) -> Self {
        Self { view: Some((coarse, &view.spectra, record)) }
    }

    /// No pictures.
    pub(super) const fn none() -> Self {
        Self { view: None }
    }

    /// The coarse view, unless the run is in progress.
    pub(super) fn coarse(&self) -> Option<&'a View> {
        self.view.map(|(coarse, ..)| coarse)
    }

    /// The picture of a plot: empty if the run is in progress, `None` if there is nothing to show.
    pub(super) fn of(&self, plot: &Plot) -> Option<String> {
        let Some((view, spectra, record)) = self.view else { return Some(String::new()) };
        let id = format!("still-{}", plot.id);
        match plot.kind {
            Kind::Heat => heat(plot, view).map(|map| map.svg(&id)),
            Kind::Lines => {
                let panel = panel(plot, view, record);
                let sizes = [PanelSize::Wide, PanelSize::Narrow];
                (!panel.is_empty()).then(|| sizes.map(|size| panel.svg(&id, size)).concat())
            }
            Kind::Spectrum => drawn(spectrum(plot, spectra.first()?, view), &id),
        }
    }
}

fn drawn(lines: Lines, id: &str) -> Option<String> {
    let seen = lines.lines.iter().flat_map(|line| &line.points).any(|(_, y)| *y > 0.0);
    seen.then(|| Chart::Lines(lines).svg(id))
}

/// What the values of a plot are.
pub(super) fn unit(plot: &Plot, many: &str) -> String {
    match plot.unit.as_str() {
        "ms" => "milliseconds".to_owned(),
        "/s" => format!("{many} a second"),
        "%" => "per cent of a core".to_owned(),
        _ => many.to_owned(),
    }
}

fn axis(plot: &Plot, view: &View) -> Axis {
    let unit = unit(plot, &view.noun);
    if plot.logarithmic { Axis::logarithmic(unit) } else { Axis::linear(unit) }
}

/// The lines of a plot over time that a reader sees at first.
fn panel(plot: &Plot, view: &View, record: &Record) -> Panel {
    let named = |key: &str| view.columns.iter().find(|column| column.key == key);
    let lines = plot.lines.iter().filter(|line| !line.hidden).filter_map(|line| {
        let points = view.line(&line.column);
        // Errors that never happened have no line.
        let seen = plot.id != "rates" || points.iter().any(|(_, y)| *y > 0.0);
        let name = named(&line.column)?.name.trim_start_matches("response ").to_owned();
        let look = if line.faint { "asked".to_owned() } else { format!("s{}", line.series) };
        seen.then_some(PanelLine { name, points, look, is_area: line.area })
    });
    let bands = view.spans.iter().filter(|span| span.name != "steady");
    Panel {
        about: format!("{}, {}, over seconds", plot.title, axis(plot, view).described()),
        logarithmic: plot.logarithmic,
        lines: lines.collect(),
        limit: plot.limit.as_ref().map(|limit| (limit.value, limit.text.clone())),
        bands: bands.map(|span| (span.from_s, span.to_s, span.name.clone())).collect(),
        moments: kept_up(record).filter(|_| plot.id == "rates").into_iter().collect(),
    }
}

/// Until when an overloaded target kept up.
fn kept_up(record: &Record) -> Option<(f64, String)> {
    let overload = record.rates.overload.as_ref()?;
    let (until, most) = overload.kept_up_s.zip(overload.kept_up_per_second)?;
    Some((record.rates.from_s + until, format!("kept up until here, {}/s", rate(most))))
}

/// The spectrum over how many exchanges there are for each slower one: 10 at 90 %, 100 at 99 %.
fn spectrum(plot: &Plot, spectrum: &Spectrum, view: &View) -> Lines {
    let points =
        |flat: &[f64]| flat.chunks_exact(2).map(|pair| (1.0 / (1.0 - pair[0]), pair[1])).collect();
    let line = |name: &str, flat: &[f64], series| Line {
        name: name.to_owned(),
        points: points(flat),
        series,
        published: false,
    };
    Lines {
        title: plot.title.clone(),
        x: Axis::logarithmic(format!(
            "one in so many {} took longer (10: 90 %, 100: 99 %, 1k: 99.9 %)",
            view.noun
        )),
        y: axis(plot, view),
        lines: vec![line("response", &spectrum.response, 0), line("service", &spectrum.service, 1)],
        dense: true,
        ..Lines::default()
    }
}

/// The map, in half as many steps as the lines have: counts can be added.
fn heat(plot: &Plot, view: &View) -> Option<HeatMap> {
    let mut cells = Vec::new();
    for rows in view.rows.chunks(view.rows.len().div_ceil(COLUMNS_MAX).max(1)) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { continue };
        let x = [first.from_s, last.from_s + last.lasted_s];
        for (class, count) in added(rows) {
            let y = [view.heat.edge(class), view.heat.edge(class + 1)];
            cells.push((x, y, count as f64 / (x[1] - x[0])));
        }
    }
    (!cells.is_empty()).then(|| HeatMap {
        title: plot.title.clone(),
        x: Axis::linear("seconds"),
        y: axis(plot, view),
        cells,
    })
}

/// How many exchanges of all these rows fell into which class, ascending.
fn added(rows: &[Row]) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for row in rows {
        let [first, classes @ ..] = row.heat.as_slice() else { continue };
        for (class, count) in (*first..).zip(classes).filter(|(_, count)| **count > 0) {
            *counts.entry(class).or_default() += count;
        }
    }
    counts
}
