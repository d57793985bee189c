//! The page of one run: the result in a sentence, whether to trust it, then the figures, from those that every reader
//! needs to those that are looked up.
//!
//! Everything on it comes from the record. Texts come from servers and users, and the page shows them as text.

mod chart_images;
mod generator;
mod origin;
mod sentence;
mod so_far;
mod tables;
#[cfg(test)]
mod tests;

use crate::figure::{NONE, percent, thousands};
use crate::page::{Block, Drawing, Page, Tone, Verdict};
use crate::summary::{found, millis, response};
use crate::view::{Plot, View};
use brunt_record::{HistogramError, Noun, OutcomeTone, Record, RunOutcome, SloOutcome, Status};
use chart_images::ChartImages;

pub use so_far::{LiveUpdate, page_so_far, record_so_far};

/// The page of a run that is over.
pub fn page(record: &Record) -> Result<Page, HistogramError> {
    let (view, coarse) = View::with_coarse(record)?;
    let stills = ChartImages::new(&coarse, &view);
    let page = build(record, &view, &stills)?;
    Ok(Page { view: Some(view), ..page })
}

/// The page of a run in progress, from what is known of it so far. It has no pictures; the script draws the charts.
fn live_page(record: &Record, view: View) -> Result<Page, HistogramError> {
    let page = build(record, &view, &ChartImages::none())?;
    Ok(Page { view: Some(view), ..page })
}

fn build(record: &Record, view: &View, stills: &ChartImages<'_>) -> Result<Page, HistogramError> {
    let mut page = Page::new(title(record));
    page.about = about(record);
    page.push(Block::Lead(sentence::sentence(record)?));
    page.push(Block::Verdict(verdict(record)));
    objectives(&mut page, record);
    page.push(Block::Tiles(tiles(record)?));
    let notes = Notes::new(&record.plan.noun);
    let drawing = |page: &mut Page, id: &str, note: &str| draw(page, &view.plots, stills, id, note);
    page.heading("Over time");
    page.push(Block::Choice);
    drawing(
        &mut page,
        "rates",
        "By end: what ended in each step, whenever it was due. Offered is what was scheduled.",
    );
    drawing(&mut page, "latencies", &notes.latencies);
    resolution(&mut page, record, view);
    if let Some(curve) = crate::rate_curve(record)? {
        page.heading("Response against rate");
        page.chart(curve);
        page.push(Block::Note(notes.rates));
    }
    page.heading("Percentile spectrum");
    drawing(&mut page, "spectrum", &notes.spectrum);
    page.heading("Heat map");
    page.push(Block::Choice);
    drawing(&mut page, "heat", &notes.heat);
    tables::operations(&mut page, record)?;
    tables::parts(&mut page, record)?;
    tables::monitors(&mut page, record);
    generator::add(&mut page, record, &drawing)?;
    origin::add(&mut page, record);
    Ok(page)
}

/// The texts below the charts, about exchanges of this name.
struct Notes {
    latencies: String,
    rates: String,
    spectrum: String,
    heat: String,
}

impl Notes {
    fn new(Noun { one, many }: &Noun) -> Self {
        Self {
            latencies: format!(
                "Response time begins when a scheduled {one} is due, service time when it is sent. Where the curves \
                 differ, {many} waited to be sent. One without an answer counts with its minimum possible time."
            ),
            rates: format!(
                "Steps of the steady phase, grouped by the number of {many} that were scheduled per second. Latencies \
                 are those of the {many} that ended in them. Where the curves turn up, the target has reached its \
                 limit."
            ),
            spectrum: format!(
                "The time within which a share of the steady phase's {many} ended. Each step to the right leaves a \
                 tenth as many {many} that took longer. The gap between the curves is time spent waiting to be sent."
            ),
            heat: format!(
                "How many {many} took how long: of all kinds together, or of the one that the charts show. A stronger \
                 colour means more {many}, on a logarithmic scale."
            ),
        }
    }
}

/// Adds a chart. A finished run has no chart of what never happened.
fn draw(page: &mut Page, plots: &[Plot], stills: &ChartImages<'_>, id: &str, note: &str) {
    let Some(plot) = plots.iter().find(|plot| plot.id == id) else { return };
    let Some(still) = stills.of(plot) else { return };
    page.push(Block::Drawing(Drawing {
        id: plot.id.clone(),
        title: plot.title.clone(),
        unit: plot.unit.clone(),
        note: note.to_owned(),
        still,
    }));
}

/// The command, as far as it describes what was done, and the target.
fn title(record: &Record) -> String {
    let words = record.command.iter().map(String::as_str).filter(|word| *word != "brunt");
    let words: Vec<&str> = words.take_while(|word| !word.starts_with('-')).take(2).collect();
    let what = if words.is_empty() { "A run".to_owned() } else { words.join(" ") };
    match &record.plan.target {
        Some(target) => format!("{what} against {target}"),
        None => what,
    }
}

fn about(record: &Record) -> String {
    // Fractions of a second are shown further down.
    let started = record.started.split_once('.').filter(|(_, rest)| rest.ends_with('Z'));
    let started =
        started.map_or_else(|| record.started.clone(), |(to_second, _)| format!("{to_second}Z"));
    let mut words = vec![started.replace('T', " ").replace('Z', " UTC")];
    words.extend(Some(record.environment.host.clone()).filter(|host| !host.is_empty()));
    words.push(format!("{} {}", record.tool.name, record.tool.version));
    words.extend(record.run.as_ref().map(|run| format!("run {run}")));
    words.join(" · ")
}

fn verdict(record: &Record) -> Verdict {
    let status = record.verdict.status;
    let (tone, meaning) = match status {
        Status::Valid => (
            Tone::Plain,
            "The figures can be trusted: the run is complete, and brunt was not the limit.",
        ),
        Status::Unstable => {
            (Tone::Beside, "Throughput was still changing: a longer run would give other figures.")
        }
        Status::Partial => (Tone::Beside, "The run is incomplete."),
        Status::GeneratorLimited => {
            (Tone::Doubtful, "The figures cannot be trusted: brunt or its machine changed them.")
        }
    };
    let reasons = record.verdict.reasons.iter().map(|reason| capital(&reason.text));
    let notes = record.verdict.notes.iter().map(|note| format!("Note: {note}"));
    let imbalance = record.conservation.imbalance.iter();
    let imbalance = imbalance.map(|what| format!("The run failed to {what}."));
    let outcome = match tone_of(record.outcome()) {
        // A run of which nothing is known to be bad keeps the tone of its figures.
        Tone::Plain => tone,
        tone => tone,
    };
    Verdict {
        tone: if tone == Tone::Doubtful { tone } else { outcome },
        word: record.outcome().words().to_owned(),
        meaning: meaning.to_owned(),
        reasons: reasons.chain(imbalance).chain(notes).collect(),
    }
}

/// How bad an outcome is.
const fn tone_of(outcome: RunOutcome) -> Tone {
    match outcome.tone() {
        OutcomeTone::Bad => Tone::Doubtful,
        OutcomeTone::Care => Tone::Beside,
        OutcomeTone::Good | OutcomeTone::Plain => Tone::Plain,
    }
}

/// A word in the form for the beginning of a sentence.
fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

/// The title of the table of objectives.
const OBJECTIVES: &str = "Objectives";

fn objectives(page: &mut Page, record: &Record) {
    let mut table = crate::page::Table::new(OBJECTIVES)
        .names(["objective", "outcome"])
        .figures(["measured"])
        .names(["why"]);
    for slo in &record.slo {
        let tone = if slo.outcome == SloOutcome::Met { Tone::Plain } else { Tone::Doubtful };
        let why = slo.why.clone().unwrap_or_default();
        table.row(tone, [slo.expr.clone(), slo.outcome.word().to_owned(), found(slo, record), why]);
    }
    if record.slo.iter().all(|slo| slo.why.is_none()) {
        table.columns.pop();
        table.rows.iter_mut().for_each(|row| row.cells.truncate(3));
    }
    page.table(table);
}

/// The figures that matter most: those of the summary, with as many digits.
fn tiles(record: &Record) -> Result<Vec<(String, String, String)>, HistogramError> {
    let rates = &record.rates;
    let rate = |rate: Option<f64>| rate.map_or_else(|| NONE.to_owned(), tenths);
    let tile = |name: &str, value: String, unit: &str| (name.to_owned(), value, unit.to_owned());
    let mut tiles = vec![
        tile("offered", rate(rates.offered), "/s"),
        tile("achieved", rate(rates.achieved), "/s"),
        tile("goodput", rate(rates.goodput), "/s"),
    ];
    if let Some(latency) = response(record) {
        let (histogram, waits) = (latency.histogram()?, latency.waits()?);
        for (name, share) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
            let Some(took) = histogram.quantile(share) else { continue };
            let sign =
                if waits.quantile(share).is_some_and(|reach| !reach.is_exact()) { ">" } else { "" };
            tiles.push(tile(&format!("response {name}"), format!("{sign}{}", millis(took)), "ms"));
        }
        if let Some(most) = histogram.max() {
            let sign = if latency.censored.is_some() { ">" } else { "" };
            tiles.push(tile("response max", format!("{sign}{}", millis(most)), "ms"));
        }
    }
    let counts = &record.counts;
    if counts.due() > 0 {
        let share = percent(counts.missed() as f64 / counts.due() as f64).replace(" %", "");
        tiles.push(tile(
            &format!("failed, {} of {}", thousands(counts.missed()), thousands(counts.due())),
            share,
            "%",
        ));
    }
    Ok(tiles)
}

/// A rate with one decimal.
fn tenths(rate: f64) -> String {
    let tenths = (rate * 10.0).round() as u64;
    format!("{}.{}", thousands(tenths / 10), tenths % 10)
}

/// Adds how long the steps in the charts are.
fn resolution(page: &mut Page, record: &Record, view: &View) {
    let intervals: u64 = record.series.iter().map(|step| step.intervals).sum();
    let longest = view.rows.iter().map(|row| row.lasted_s).fold(0.0, f64::max);
    if intervals as usize > view.rows.len() && !view.rows.is_empty() {
        page.push(Block::Note(format!(
            "{} intervals are shown in {} steps of up to {longest:.0} s. Counts and histograms of neighbours were \
             added, so percentiles are those of the whole step.",
            thousands(intervals),
            view.rows.len()
        )));
    }
}
