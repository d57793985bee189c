//! The nodes that a record was merged from, a line each: the one that was too slow must be visible.

use super::COLUMN;
use crate::grid::Grid;
use crate::screen::Screen;
use brunt_record::{NodeRecord, Record, Status};

pub(super) fn nodes(text: &mut String, record: &Record, screen: Screen) {
    let Some(first) = record.nodes.first() else { return };
    let title = format!("Nodes ({} of {})", record.nodes.len(), first.node.of);
    let mut grid = Grid::new(title, ["offered", "achieved", "late p99 ms", "busiest"], COLUMN);
    for node in &record.nodes {
        let rank = node.node.rank;
        let cells = [
            shown(node.rates.offered, 1),
            shown(node.rates.achieved, 1),
            shown(late(node), 3),
            shown(node.generator.cpu_share_max.map(|share| 100.0 * share), 0) + "%",
        ];
        let name = node.name.as_deref().unwrap_or(&node.environment.host);
        grid.row(format!("{rank} {name}").trim_end(), "", cells);
        if let Some(at) = node.lost_at_s {
            grid.note("    ", format!("lost at {at:.1} s: what it did after that is in no figure"));
        }
        if node.verdict.status != Status::Valid {
            grid.note("    ", format!("verdict: {}", node.verdict.status));
        }
    }
    *text += &(grid.text(screen) + "\n");
}

fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.digits$}"))
}

/// The 99th percentile of how long exchanges waited for the node itself, in milliseconds.
fn late(node: &NodeRecord) -> Option<f64> {
    let histogram = node.lateness.histogram().ok()?;
    histogram.quantile(0.99).map(|late| late.as_secs_f64() * 1e3)
}
