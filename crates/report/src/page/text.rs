//! A page for a terminal.

use super::layout::wrapped;
use super::{Block, Page, Side, Table, Tone};
use crate::figure::printable;
use crate::screen::Screen;
use std::fmt::Write;

const BOLD: &str = "1";
const FAINT: &str = "2";
const YELLOW: &str = "33";
/// Between columns.
const GAP: usize = 2;
/// A fact whose name is longer stands by itself.
const NAME_MAX: usize = 32;

/// Renders a page. Blocks stand apart by an empty line.
pub(super) fn render(page: &Page, screen: Screen) -> String {
    let mut text = screen.dress(BOLD, &printable(&page.title)) + "\n";
    for block in &page.blocks {
        let shown = self::block(block, screen);
        if !shown.is_empty() {
            text.push('\n');
            text += &shown;
        }
    }
    text
}

fn block(block: &Block, screen: Screen) -> String {
    let width = screen.columns();
    match block {
        Block::Heading(heading) => {
            let heading = printable(heading);
            let rule = screen.either("─", "-").repeat(heading.chars().count().min(width));
            format!("{}\n{}\n", screen.dress(BOLD, &heading), screen.dress(FAINT, &rule))
        }
        Block::Paragraph(text) => wrapped(&printable(text), "", width),
        Block::Warning(text) => {
            let lines = wrapped(&printable(text), "warning: ", width);
            lines.lines().map(|line| screen.dress(YELLOW, line) + "\n").collect()
        }
        Block::List(items) => {
            items.iter().map(|item| wrapped(&printable(item), "- ", width)).collect()
        }
        Block::Table(table) => self::table(table, screen),
        Block::Chart(chart) => chart.text(screen),
        Block::Facts(facts) => self::facts(facts, screen),
        Block::Raw { .. } => String::new(),
    }
}

fn facts(facts: &[(String, String)], screen: Screen) -> String {
    let length = |name: &str| name.chars().count();
    let names = facts.iter().map(|(name, _)| length(name)).filter(|length| *length <= NAME_MAX);
    let column = names.max().unwrap_or_default() + GAP;
    let fact = |(name, value): &(String, String)| {
        let name = printable(name);
        if length(&name) > NAME_MAX {
            let below = wrapped(&printable(value), &" ".repeat(column), screen.columns());
            return format!("{name}\n{below}");
        }
        wrapped(&printable(value), &format!("{name:<column$}"), screen.columns())
    };
    facts.iter().map(fact).collect()
}

fn table(table: &Table, screen: Screen) -> String {
    let width = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(column));
        let title = &table.columns[column].title;
        cells.chain([title]).map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for (number, cell) in cells.enumerate().take(widths.len()) {
            let width = widths[number];
            let gap = if number == 0 { 0 } else { GAP };
            let cell = printable(cell);
            let _ = match table.columns[number].side {
                Side::Left => write!(line, "{:gap$}{cell:<width$}", ""),
                Side::Right => write!(line, "{:gap$}{cell:>width$}", ""),
            };
        }
        line.trim_end().to_owned()
    };
    let mut text = String::new();
    for caption in wrapped(&printable(&table.caption), "", screen.columns()).lines() {
        text += &(screen.dress(BOLD, caption) + "\n");
    }
    let titles = line(&mut table.columns.iter().map(|column| column.title.as_str()));
    text += &(screen.dress("4", &titles) + "\n");
    if !screen.colour {
        let rule = widths.iter().map(|width| screen.either("─", "-").repeat(*width));
        text += &(rule.collect::<Vec<_>>().join(&" ".repeat(GAP)) + "\n");
    }
    for row in &table.rows {
        let line = line(&mut row.cells.iter().map(String::as_str));
        let line = match row.tone {
            Tone::Plain => line,
            Tone::Beside => screen.dress(FAINT, &line),
            Tone::Doubtful => screen.dress(YELLOW, &line),
        };
        text += &(line + "\n");
    }
    for note in &table.notes {
        text += &wrapped(&printable(note), "  ", screen.columns());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        let mut page = Page::new("Title\x1b[31m");
        page.heading("One");
        page.paragraph("Some words that are longer than the forty columns there are.");
        page.warning("beware");
        page.list(vec!["first".to_owned(), "second".to_owned()]);
        let mut table = Table::new("Rates").names(["store"]).figures(["create", "search"]);
        table.row(Tone::Plain, ["sqlite", "1.5", "22222.00"]);
        table.row(Tone::Beside, ["2012", "10", "-"]);
        table.note("A note.");
        page.table(table);
        page.facts(vec![("kernel".to_owned(), "Linux 6".to_owned())]);
        page.raw("cells", "a,b\n");
        page.table(Table::new("without rows"));
        page
    }

    #[test]
    fn a_page_is_laid_out_for_its_screen() {
        let text = page().text(Screen { width: 40, unicode: false, colour: false });
        let expected = [
            "Title [31m",
            "",
            "One",
            "---",
            "",
            "Some words that are longer than the",
            "forty columns there are.",
            "",
            "warning: beware",
            "",
            "- first",
            "- second",
            "",
            "Rates",
            "store   create    search",
            "------  ------  --------",
            "sqlite     1.5  22222.00",
            "2012        10         -",
            "  A note.",
            "",
            "kernel  Linux 6",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn colours_add_nothing_but_colours() {
        let text = page().text(Screen { colour: true, ..Screen::default() });
        assert!(text.contains("\x1b[33mwarning: beware\x1b[0m"), "{text:?}");
        assert!(text.contains("\x1b[2m2012        10         -\x1b[0m"), "{text:?}");
        assert!(text.starts_with("\x1b[1mTitle [31m\x1b[0m\n"), "{text:?}");
    }
}
