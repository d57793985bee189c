//! The page of one run: the result in a sentence, whether to trust it, then the figures, from those that every reader
//! needs to those that are looked up.
//!
//! Everything on it comes from the record. Texts come from servers and users, and the page shows them as text.

mod chart_images;
mod curl;
mod failures;
mod generator;
mod goals;
mod groups;
mod next;
mod numbers;
mod origin;
mod so_far;
mod tables;
#[cfg(test)]
mod tests;

use crate::figure::thousands;
use crate::last_screen;
use crate::page::{Block, Drawing, Page, RunResult, Tone, Verdict};
use crate::summary::scenarios;
use crate::trust::{COMPLETE, Trust};
use crate::view::{Plot, View};
use brunt_record::{HistogramError, Noun, Record};
use chart_images::ChartImages;

pub use so_far::{LiveUpdate, page_so_far, record_so_far};

/// The page of a run that is over.
pub fn page(record: &Record) -> Result<Page, HistogramError> {
    let (view, coarse) = View::with_coarse(record)?;
    let stills = ChartImages::new(&coarse, &view, record);
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
    page.push(Block::Result(run_result(record)?));
    page.push(Block::Trust(believed(record, view.over)));
    let drawing = |id: &str, note: &str| drawn(view, stills, id, note);
    page.part("result", None);
    page.push(Block::Numbers(numbers::numbers(record)?));
    let first = failures::first(record).filter(|_| numbers::is_nothing(record));
    page.blocks.extend(first.map(Block::Failed));
    let notes = Notes::new(&record.plan.noun);
    let queue = record.rates.overload.is_some();
    let panels = [
        drawing("rates", "By end: what ended in each step. Offered is what was scheduled."),
        drawing("waiting", &notes.waiting).filter(|_| queue),
        drawing("latencies", &notes.latencies),
    ];
    page.blocks.extend(panels.into_iter().flatten());
    page.push(Block::Choice);
    resolution(&mut page, record, view);
    if view.over || !record.slo.is_empty() {
        goals::add(&mut page, record)?;
    }
    if view.over {
        next::add(&mut page, record);
    }
    if numbers::is_nothing(record) {
        failures::add(&mut page, record);
    }
    scenarios::add(&mut page, record);
    page.heading("Latency");
    page.push(Block::Choice);
    let both = [drawing("spectrum", &notes.spectrum), drawing("heat", &notes.heat)];
    page.push(Block::Columns(both.into_iter().flatten().collect()));
    if let Some(curve) = crate::rate_curve(record)? {
        page.chart(curve);
        page.push(Block::Note(notes.rates));
    }
    page.heading("Operations");
    groups::add(&mut page, record, stills.coarse())?;
    tables::operations(&mut page, record)?;
    if !numbers::is_nothing(record) {
        failures::add(&mut page, record);
    }
    tables::parts(&mut page, record)?;
    tables::monitors(&mut page, record);
    let draw = |page: &mut Page, id: &str, note: &str| {
        // The queue of an overload is at the top.
        let block = drawing(id, note).filter(|_| !(queue && id == "waiting"));
        page.blocks.extend(block);
    };
    generator::add(&mut page, record, &draw)?;
    origin::add(&mut page, record);
    Ok(page)
}

/// The texts below the charts, about exchanges of this name.
struct Notes {
    waiting: String,
    latencies: String,
    rates: String,
    spectrum: String,
    heat: String,
}

impl Notes {
    fn new(Noun { one, many }: &Noun) -> Self {
        Self {
            waiting: format!("{many} that were due and not yet sent, and those in flight."),
            latencies: format!(
                "Response time begins when a scheduled {one} is due, service time when it is sent: it is drawn when \
                 its name is chosen. One without an answer counts with its minimum possible time."
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

/// A chart. A finished run has no chart of what never happened.
fn drawn(view: &View, stills: &ChartImages<'_>, id: &str, note: &str) -> Option<Block> {
    let plot: &Plot = view.plots.iter().find(|plot| plot.id == id)?;
    let still = stills.of(plot)?;
    let logarithmic = if plot.logarithmic { ", logarithmic" } else { "" };
    Some(Block::Drawing(Drawing {
        id: plot.id.clone(),
        title: plot.title.clone(),
        unit: format!("{}{logarithmic}", chart_images::unit(plot, &view.noun)),
        note: note.to_owned(),
        still,
    }))
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
    words.extend((record.rates.seconds > 0.0).then(|| last_screen::lasted(record.rates.seconds)));
    words.extend(Some(record.environment.host.clone()).filter(|host| !host.is_empty()));
    words.push(format!("{} {}", record.tool.name, record.tool.version));
    words.extend(record.run.as_ref().map(|run| format!("run {run}")));
    words.join(" · ")
}

/// The most sentences in large letters.
const LARGE_MAX: usize = 3;

/// The outcome of the run, in the words of its last screen, so that a reader learns them once.
fn run_result(record: &Record) -> Result<RunResult, HistogramError> {
    let outcome = record.outcome();
    let sentences = last_screen::sentences(record)?;
    // An overload needs more of them than a reader sees at once.
    let large = if sentences.len() > LARGE_MAX { LARGE_MAX - 1 } else { sentences.len() };
    let (words, more) = sentences.split_at(large);
    Ok(RunResult {
        tone: outcome.tone(),
        word: outcome.words().to_owned(),
        words: words.join(" "),
        more: more.join(" "),
    })
}

/// Whether that can be believed, which is another question. Only a run that is over accounts for every exchange.
fn believed(record: &Record, is_over: bool) -> Verdict {
    let trust = Trust::new(record);
    let (tone, word, meaning) = match &trust {
        _ if numbers::is_nothing(record) => (
            Tone::Doubtful,
            "This run says nothing about speed",
            "nothing succeeded, so its times are those of failures.".to_owned(),
        ),
        Trust::Complete => (Tone::Plain, "The figures can be trusted", format!("{COMPLETE}.")),
        Trust::Unstable(_) => (
            Tone::Beside,
            "Read the figures with care",
            "throughput was still changing, and a longer run would give others.".to_owned(),
        ),
        Trust::Partial(_) => {
            (Tone::Beside, "The figures are of a part", "the run is incomplete.".to_owned())
        }
        Trust::Limited(_) => (
            Tone::Doubtful,
            "The figures cannot be trusted",
            "brunt or its machine changed them.".to_owned(),
        ),
        trust => (Tone::Beside, "Can they be believed", format!("{trust}.")),
    };
    let reasons = record.verdict.reasons.iter().map(|reason| capital(&reason.text));
    // A note may be the doubt itself, which is shown already.
    let is_shown = |note: &str| matches!(&trust, Trust::Unjudged(doubt) if doubt == note);
    let notes = record.verdict.notes.iter().filter(|note| !is_shown(note));
    let notes = notes.map(|note| format!("Note: {note}"));
    let imbalance = record.conservation.imbalance.iter().filter(|_| is_over);
    let imbalance = imbalance.map(|what| format!("The run failed to {what}."));
    let reasons = reasons.chain(imbalance).chain(notes).collect();
    Verdict { tone, word: word.to_owned(), meaning, reasons }
}

/// A word in the form for the beginning of a sentence.
fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
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
