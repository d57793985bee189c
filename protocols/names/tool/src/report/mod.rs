//! The results of a comparison of name services: the article's tables, ours beside them, and the conclusions.
//!
//! "Making OpenLDAP Faster" compared flat files, a directory, the same with indices, and that with a cache, and drew
//! conclusions by eye. From a [`Collection`] of such cells the same tables are made, and every conclusion is computed.
//! The conclusions come first, then the lines over n; the tables beside the article's are folded. Nothing here depends
//! on how a cell was measured.

mod article;
mod cells;
mod closing;
mod digits;
mod fit;
mod layers;
mod ratios;
mod seconds;
mod sweep;
#[cfg(test)]
mod tests;

use brunt_record::Collection;
use brunt_report::chart::{Axis, Chart, Line, Lines};
use brunt_report::figure::thousands;
use brunt_report::page::{Block, Page};

/// The report as one HTML file that needs nothing else.
pub(crate) fn html(collection: &Collection) -> String {
    page(collection).html()
}

/// The report.
pub fn page(collection: &Collection) -> Page {
    let mut page = Page::new("Name service");
    let mut closing = closing::lines(collection).into_iter();
    if let Some(first) = closing.next() {
        page.heading("Conclusions");
        page.push(Block::Lead(first));
    }
    page.list(closing.collect());
    curves(collection, &mut page);
    matrix(collection, &mut page);
    article_beside(collection, &mut page);
    let layers = layers::tables(collection);
    let singles = layers::singles(collection);
    if !layers.is_empty() || !singles.rows.is_empty() {
        page.heading("Layers and latencies");
        for table in layers {
            page.table(table);
        }
        page.table(singles);
    }
    let sweeps = sweep::all(collection);
    if !sweeps.is_empty() {
        page.heading("Cache settings");
    }
    for sweep in &sweeps {
        page.table(sweep.table());
    }
    for chart in sweep::charts(&sweeps) {
        page.chart(chart);
    }
    let remarks = remarks_of(collection, false);
    if !remarks.is_empty() {
        page.heading("Not measured as requested");
        page.list(remarks);
    }
    for doubt in remarks_of(collection, true) {
        page.warning(doubt);
    }
    page.origin(collection);
    page
}

fn matrix(collection: &Collection, page: &mut Page) {
    if let Some(files) = cells::files(collection)
        && !cells::backends(collection).is_empty()
    {
        page.heading("Listings");
        page.paragraph(format!(
            "ls is \"ls -l\" of {} files, or of as many as there are users, each with an owner and a group of its \
             own, so that twice as many names are looked up. First: the caches were empty; next: it had run once \
             before. Times are medians over passes; p50 and p99 are those of single lookups by uid and gid after the \
             first pass.",
            thousands(files)
        ));
    }
    for table in seconds::tables(collection) {
        page.table(table);
    }
    let ratios = ratios::against_flat(collection);
    page.table(ratios);
}

/// Listings over the number of users, as lines.
fn curves(collection: &Collection, page: &mut Page) {
    let first = |backend: &str, users| ratios::ls(collection, backend, users, "cold");
    let next = |backend: &str, users| ratios::ls(collection, backend, users, "warm");
    page.chart(lines("First listing over users", measured(collection, first)));
    let beside = if cells::files(collection) == Some(article::FILES) {
        published(collection)
    } else {
        Vec::new()
    };
    let next = measured(collection, next);
    if !next.is_empty() {
        page.chart(lines("Next listing over users", next.into_iter().chain(beside).collect()));
    }
}

fn article_beside(collection: &Collection, page: &mut Page) {
    let beside = ratios::beside_article(collection);
    if beside.iter().any(|table| !table.rows.is_empty()) {
        let mut of_article = Page::default();
        of_article.paragraph(ratios::caution());
        for table in beside {
            of_article.table(table);
        }
        of_article.table(ratios::shape(collection));
        page.folded("Beside the article", of_article.blocks);
    }
}

/// Seconds over the number of users, a line for each back end.
fn measured(collection: &Collection, seconds: impl Fn(&str, u64) -> Option<f64>) -> Vec<Line> {
    let backends = cells::backends(collection);
    let measured = backends.iter().enumerate().map(|(series, backend)| {
        let point = |users: u64| Some((users as f64, seconds(backend, users)?));
        let sizes = cells::sizes(collection, Some(backend));
        let points = sizes.into_iter().filter_map(point).collect();
        Line { name: (*backend).to_owned(), points, published: false, series }
    });
    measured.filter(|line| line.points.len() > 1).collect()
}

/// The same from the article, for the back ends that it measured too.
fn published(collection: &Collection) -> Vec<Line> {
    let backends = cells::backends(collection);
    let published = backends.iter().enumerate().filter_map(|(series, backend)| {
        let points = article::table(backend)?.iter().map(|row| (row.users as f64, row.lookup));
        let name = format!("{backend} (the article)");
        Some(Line { name, points: points.collect(), published: true, series })
    });
    published.collect()
}

fn lines(title: &str, lines: Vec<Line>) -> Chart {
    let (x, y) = (Axis::logarithmic("users"), Axis::logarithmic("seconds"));
    Chart::Lines(Lines { title: title.to_owned(), x, y, lines, ..Lines::default() })
}

/// The remarks about single cells: about those that are invalid, or about the others.
fn remarks_of(collection: &Collection, invalid: bool) -> Vec<String> {
    const LABELS: [&str; 9] =
        ["kind", "backend", "users", "way", "road", "by", "temperature", "axis", "value"];
    let mut remarks = Vec::new();
    for cell in collection.cells.iter().filter(|cell| cells::is_invalid(cell) == invalid) {
        let labels: Vec<&str> = LABELS.iter().filter_map(|label| cell.label(label)).collect();
        for note in &cell.notes {
            let remark = format!("{}: {note}", labels.join(" "));
            if !remarks.contains(&remark) {
                remarks.push(remark);
            }
        }
    }
    remarks
}
