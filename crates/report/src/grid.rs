//! [`Grid`]: figures in equal columns after a name, as the summary of a run shows them.
//!
//! A grid is made for a screen. Where it does not fit, its columns first move closer, then long names lose their
//! middle, and then the columns are divided into several blocks below each other. So no terminal breaks a line.

use crate::figure::printable;
use crate::screen::Screen;
use crate::wrapped::{shortened, wrapped};
use std::fmt::Write;
use std::ops::Range;

/// The least room for names, so that the grids of one summary are aligned.
const LABEL: usize = 24;
const BOLD: &str = "1";

/// Figures in rows.
pub struct Grid {
    title: String,
    columns: Vec<&'static str>,
    /// How wide columns are where there is room.
    roomy: usize,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    /// What follows the name, and is never shortened.
    kind: String,
    cells: Vec<String>,
    /// Texts below it, after this indent.
    notes: Vec<(&'static str, String)>,
}

impl Row {
    fn label(&self) -> usize {
        self.name.chars().count() + self.kind.chars().count()
    }
}

impl Grid {
    /// A grid without rows, whose columns are this wide where there is room.
    pub fn new(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = &'static str>,
        roomy: usize,
    ) -> Self {
        Self {
            title: title.into(),
            columns: columns.into_iter().collect(),
            roomy,
            rows: Vec::new(),
        }
    }

    /// Adds a row: a name, the text after it, and as many cells as there are columns; if there are fewer, the last ones
    /// are empty.
    pub fn row(
        &mut self,
        name: &str,
        kind: &str,
        cells: impl IntoIterator<Item = impl Into<String>>,
    ) {
        let cells = cells.into_iter().map(Into::into).collect();
        self.rows.push(Row {
            name: name.to_owned(),
            kind: kind.to_owned(),
            cells,
            notes: Vec::new(),
        });
    }

    /// Adds a text below the last row.
    pub fn note(&mut self, indent: &'static str, text: String) {
        if let Some(row) = self.rows.last_mut() {
            row.notes.push((indent, text));
        }
    }

    /// The grid on a screen.
    pub fn text(&self, screen: Screen) -> String {
        let (label, widths) = self.layout(screen.whole());
        let mut text = String::new();
        for block in blocks(&widths, screen.whole().saturating_sub(label)) {
            let widths = &widths[block.clone()];
            let titles = self.columns[block.clone()].iter().copied();
            let heading = line(&fitted(&self.title, "", label, screen), label, widths, titles);
            text += &(screen.dress(BOLD, &heading) + "\n");
            for row in &self.rows {
                let cells = row.cells.iter().map(String::as_str).skip(block.start);
                let name = fitted(&row.name, &row.kind, label, screen);
                text += &(line(&name, label, widths, cells) + "\n");
                for (indent, note) in row.notes.iter().filter(|_| block.start == 0) {
                    text += &wrapped(&printable(note), indent, screen.columns());
                }
            }
        }
        text
    }

    /// How many columns of the screen the names take, and each of the figures.
    fn layout(&self, width: usize) -> (usize, Vec<usize>) {
        let names = self.rows.iter().map(Row::label).chain([self.title.chars().count()]);
        let names = names.max().unwrap_or(0).max(LABEL);
        let narrow: Vec<usize> =
            (0..self.columns.len()).map(|column| self.narrow(column)).collect();
        let even = vec![narrow.iter().copied().max().unwrap_or(0); narrow.len()];
        let roomy = even.iter().map(|narrow| self.roomy.max(*narrow)).collect();
        let tries: [Vec<usize>; 2] = [roomy, even];
        for widths in tries {
            if names + widths.iter().sum::<usize>() <= width {
                return (names, widths);
            }
        }
        (names.min(width.saturating_sub(narrow.iter().sum()).max(LABEL)), narrow)
    }

    /// The least that a column needs, with the space before it.
    fn narrow(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
        let cells = cells.map(|cell| cell.chars().count());
        cells.chain([self.columns[column].len()]).max().unwrap_or(0) + 1
    }
}

/// Columns of these widths, the space before each included, in as few blocks as possible; no block has many more
/// columns than another.
pub fn blocks(widths: &[usize], room: usize) -> Vec<Range<usize>> {
    let mut count = 1;
    loop {
        let each = widths.len().div_ceil(count).max(1);
        let fit = widths.chunks(each).all(|block| block.iter().sum::<usize>() <= room);
        if fit || each == 1 {
            let starts = (0..widths.len()).step_by(each);
            return starts.map(|from| from..(from + each).min(widths.len())).collect();
        }
        count += 1;
    }
}

fn fitted(name: &str, kind: &str, label: usize, screen: Screen) -> String {
    let room = label.saturating_sub(kind.chars().count());
    shortened(&printable(name), room, screen.either("\u{2026}", "..")) + kind
}

fn line<'a>(
    name: &str,
    label: usize,
    widths: &[usize],
    cells: impl Iterator<Item = &'a str>,
) -> String {
    let mut line = format!("{name:<label$}");
    for (cell, width) in cells.zip(widths) {
        let _ = write!(line, "{cell:>width$}");
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new("Milliseconds", ["mean", "p50", "p99", "max"], 9);
        grid.row(
            "read the entry of a member of the group",
            " response",
            ["1.5", "2", ">14000", "-"],
        );
        grid.row("", "  service", ["1.5"]);
        grid
    }

    fn shown(width: usize) -> Vec<String> {
        let screen = Screen { width, unicode: false, colour: false };
        grid().text(screen).lines().map(str::to_owned).collect()
    }

    #[test]
    fn grid_narrows_columns_then_names_then_folds() {
        assert_eq!(
            shown(100),
            [
                "Milliseconds                                         mean      p50      p99      max",
                "read the entry of a member of the group response      1.5        2   >14000        -",
                "  service                                             1.5",
            ]
        );
        assert_eq!(
            shown(60),
            [
                "Milliseconds                             mean p50    p99 max",
                "read the entry ..r of the group response  1.5   2 >14000   -",
                "  service                                 1.5",
            ]
        );
        assert_eq!(
            shown(40),
            [
                "Milliseconds             mean p50",
                "read th.. group response  1.5   2",
                "  service                 1.5",
                "Milliseconds                p99 max",
                "read th.. group response >14000   -",
                "  service",
            ]
        );
        for width in 40..120 {
            assert!(shown(width).iter().all(|line| line.chars().count() <= width), "{width}");
        }
    }
}
