//! The nodes that a record was merged from, a line each: the one that was too slow must be seen.

use super::{LABEL, Style, printable};
use brunt_record::{NodeRecord, Record};
use std::fmt::Write;

pub(super) fn nodes(text: &mut String, record: &Record, style: Style) {
    let Some(first) = record.nodes.first() else { return };
    let heading = format!(
        "{:<LABEL$}{:>12}{:>12}{:>12}{:>12}  verdict",
        format!("Nodes ({} of {})", record.nodes.len(), first.node.of),
        "offered",
        "achieved",
        "late p99 ms",
        "busiest"
    );
    let _ = writeln!(text, "{}", style.heading(&heading));
    for node in &record.nodes {
        let host = printable(&node.environment.host);
        let _ = writeln!(
            text,
            "{:<LABEL$}{:>12}{:>12}{:>12}{:>12}  {}",
            format!("{} {host}", node.node.rank).trim_end(),
            shown(node.rates.offered, 1),
            shown(node.rates.achieved, 1),
            shown(late(node), 3),
            shown(node.generator.cpu_share_max.map(|share| 100.0 * share), 0) + "%",
            style.status(node.verdict.status, node.verdict.status.word())
        );
    }
    text.push('\n');
}

fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.digits$}"))
}

/// The 99th percentile of what exchanges waited for the node itself, in milliseconds.
fn late(node: &NodeRecord) -> Option<f64> {
    let histogram = node.lateness.histogram().ok()?;
    histogram.quantile(0.99).map(|late| late.as_secs_f64() * 1e3)
}
