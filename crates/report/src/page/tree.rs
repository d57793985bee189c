//! Figures of what consists of parts, above the figures of these parts: a [`Tree`]. A page shows it as a table whose
//! rows can be folded, a terminal as a table whose names are indented.

use super::Table;
use super::html::{cells, table_begins, table_ends};
use crate::escaped::escaped;
use std::fmt::Write as _;

/// The deepest level that is indented further than the one above it.
const LEVEL_MAX: usize = 6;
/// How large the course of a row is drawn.
const COURSE: [f64; 2] = [100.0, 18.0];

/// Figures in rows, each with its parts below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The rows. Parts follow what they are parts of.
    pub table: Table,
    /// For each row, how many rows contain it.
    pub levels: Vec<usize>,
    /// For each row, a figure over time; empty if none is drawn.
    pub sparklines: Vec<Sparkline>,
    /// What the courses show.
    pub course: String,
}

/// A figure over time, in equal steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparkline {
    /// The figures; `None` where nothing was measured.
    pub values: Vec<Option<f64>>,
    /// The same in words.
    pub words: String,
}

impl Tree {
    /// The table for a terminal.
    pub(super) fn indented(&self) -> Table {
        let mut table = self.table.clone();
        for (row, level) in table.rows.iter_mut().zip(&self.levels) {
            if let Some(name) = row.cells.first_mut() {
                name.insert_str(0, &"  ".repeat(*level));
            }
        }
        table
    }

    /// The table for a page.
    pub(super) fn html(&self, text: &mut String) {
        let drawn = !self.sparklines.is_empty();
        let mut table = self.table.clone();
        if drawn {
            table = table.names([self.course.clone()]);
        }
        table_begins(text, &table, "tree");
        let nothing = Sparkline::default();
        for (number, row) in self.table.rows.iter().enumerate() {
            let level = self.levels.get(number).copied().unwrap_or_default();
            let _ = write!(text, "<tr data-level=\"{level}\"");
            if level > 0 {
                let _ = write!(text, " class=\"l{}\"", level.min(LEVEL_MAX));
            }
            text.push('>');
            cells(text, &table.columns, &row.cells);
            if drawn {
                let course = self.sparklines.get(number).unwrap_or(&nothing);
                let _ = write!(text, "<td class=\"name\">{}</td>", course.svg());
            }
            text.push_str("</tr>\n");
        }
        table_ends(text, &table);
    }
}

impl Sparkline {
    fn svg(&self) -> String {
        let most = self.values.iter().flatten().copied().fold(0.0, f64::max);
        if most <= 0.0 {
            return String::new();
        }
        let [wide, high] = COURSE;
        let step = wide / (self.values.len().max(2) - 1) as f64;
        let mut path = String::new();
        let mut pen = 'M';
        for (number, value) in self.values.iter().enumerate() {
            let Some(value) = value else {
                pen = 'M';
                continue;
            };
            let y = 1.0 + (1.0 - value / most) * (high - 2.0);
            let _ = write!(path, "{pen}{:.0} {y:.1}", step * number as f64);
            pen = 'L';
        }
        format!(
            "<svg class=\"course\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" role=\"img\" \
             aria-label=\"{}\"><path d=\"{path}\"/></svg>",
            escaped(&self.words)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Tone;

    fn tree() -> Tree {
        let mut table = Table::new("Groups").names(["group"]).figures(["count"]);
        for (name, count) in [("visit", "2"), ("login", "3"), ("leave", "4")] {
            table.row(Tone::Plain, [name, count]);
        }
        let course =
            |values: &[Option<f64>]| Sparkline { values: values.into(), words: "<x>".to_owned() };
        Tree {
            table,
            levels: vec![0, 1, 0],
            sparklines: vec![
                course(&[Some(1.0), None, Some(2.0), Some(0.0)]),
                course(&[]),
                course(&[None]),
            ],
            course: "p99".to_owned(),
        }
    }

    #[test]
    fn tree_parts_are_indented_below_their_parent() {
        let names: Vec<String> =
            tree().indented().rows.iter().map(|row| row.cells[0].clone()).collect();
        assert_eq!(names, ["visit", "  login", "leave"]);
        let mut text = String::new();
        tree().html(&mut text);
        assert!(text.contains("<table class=\"tree\">"), "{text}");
        assert!(text.contains("<tr data-level=\"1\" class=\"l1\"><th scope=\"row\""), "{text}");
    }

    #[test]
    fn tree_chart_has_a_gap_without_measurements() {
        let mut text = String::new();
        tree().html(&mut text);
        assert!(text.contains("d=\"M0 9.0M67 1.0L100 17.0\""), "{text}");
        assert!(text.contains("aria-label=\"&lt;x&gt;\""), "{text}");
        assert_eq!(text.matches("<svg").count(), 1, "{text}");
        let without = Tree { sparklines: Vec::new(), ..tree() };
        let mut text = String::new();
        without.html(&mut text);
        assert!(!text.contains("p99") && !text.contains("<svg"), "{text}");
    }
}
