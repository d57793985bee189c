//! A page for a terminal.

use super::{Block, Goal, NextStep, Number, Page, Side, Table, Tone};
use crate::figure::printable;
use crate::grid::blocks;
use crate::screen::Screen;
use crate::wrapped::{command_line, wrapped};
use std::fmt::Write;
use std::ops::Range;

const BOLD: &str = "1";
const FAINT: &str = "2";
const YELLOW: &str = "33";
/// The space between columns.
const GAP: usize = 2;
/// A fact with a longer name has its name on a line of its own.
const NAME_MAX: usize = 32;

/// Renders a page. Blocks are separated by an empty line.
pub(super) fn render(page: &Page, screen: Screen) -> String {
    let mut text = screen.dress(BOLD, &printable(&page.title)) + "\n";
    let mut add = |block: &Block| {
        let shown = self::block(block, screen);
        if !shown.is_empty() {
            text.push('\n');
            text += &shown;
        }
    };
    page.blocks.iter().for_each(&mut add);
    for block in &page.blocks {
        if let Block::Folded { title, blocks } = block {
            add(&Block::Heading(title.clone()));
            blocks.iter().for_each(&mut add);
        }
    }
    text
}

fn block(block: &Block, screen: Screen) -> String {
    let width = screen.columns();
    match block {
        Block::Heading(heading) | Block::Part(_, Some(heading)) => {
            let heading = printable(heading);
            let rule = screen.either("─", "-").repeat(heading.chars().count().min(width));
            format!("{}\n{}\n", screen.dress(BOLD, &heading), screen.dress(FAINT, &rule))
        }
        Block::Lead(text) | Block::Paragraph(text) | Block::Note(text) => {
            wrapped(&printable(text), "", width)
        }
        Block::Verdict(verdict) | Block::Trust(verdict) => {
            let first = format!("{}: {}", verdict.word, verdict.meaning);
            let reasons =
                verdict.reasons.iter().map(|reason| wrapped(&printable(reason), "- ", width));
            wrapped(&printable(&first), "", width) + &reasons.collect::<String>()
        }
        Block::Warning(text) => {
            let lines = wrapped(&printable(text), "warning: ", width);
            lines.lines().map(|line| screen.dress(YELLOW, line) + "\n").collect()
        }
        Block::List(items) => {
            items.iter().map(|item| wrapped(&printable(item), "- ", width)).collect()
        }
        Block::Table(table) => self::table(table, screen),
        Block::Tree(tree) => self::table(&tree.indented(), screen),
        Block::Chart(chart) => chart.text(screen),
        Block::Facts(facts) => self::facts(facts, screen),
        Block::Command(words) => command_line(words, width) + "\n",
        // Folded content follows the rest.
        Block::Raw { .. }
        | Block::Drawing(_)
        | Block::Choice
        | Block::Part(_, None)
        | Block::Folded { .. } => String::new(),
        of_run => block_of_run(of_run, screen),
    }
}

/// A block of the page of a run.
fn block_of_run(block: &Block, screen: Screen) -> String {
    let width = screen.columns();
    match block {
        Block::Result(result) => wrapped(&printable(&result.sentence()), "", width),
        Block::Numbers(numbers) => {
            let fact = |number: &Number| {
                let value = format!("{} {}", number.value, number.unit);
                (number.name.clone(), value.trim_end().to_owned())
            };
            self::facts(&numbers.iter().map(fact).collect::<Vec<_>>(), screen)
        }
        Block::Goals(goals) => {
            let fact = |goal: &Goal| {
                let why = goal.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                (goal.text.clone(), format!("{}, {}{why}", goal.found, goal.word))
            };
            self::facts(&goals.iter().map(fact).collect::<Vec<_>>(), screen)
        }
        Block::Next(steps) => {
            let step = |step: &NextStep| {
                let message = step.command.as_deref().unwrap_or(&step.detail);
                wrapped(&printable(&format!("{}: {message}", step.words)), "- ", width)
            };
            steps.iter().map(step).collect()
        }
        Block::Failed(failed) => {
            let sent = failed.sent.iter().map(|sent| ("sent".to_owned(), sent.replace('\n', "; ")));
            let answered = ("what came of it".to_owned(), failed.message.clone());
            let title = wrapped(&printable(&failed.title), "", width);
            title + &self::facts(&sent.chain([answered]).collect::<Vec<_>>(), screen)
        }
        Block::Columns(blocks) => blocks.iter().map(|block| self::block(block, screen)).collect(),
        _ => String::new(),
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
    let line = |shown: &[usize], cells: &dyn Fn(usize) -> String| {
        let mut line = String::new();
        for (place, &number) in shown.iter().enumerate() {
            let width = widths[number];
            let gap = if place == 0 { 0 } else { GAP };
            let cell = cells(number);
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
    for (index, shown) in folded(table, &widths, screen.whole()).iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let titles = line(shown, &|number| printable(&table.columns[number].title));
        text += &(screen.dress("4", &titles) + "\n");
        if !screen.colour {
            let rule = |number: &usize| screen.either("─", "-").repeat(widths[*number]);
            let rule: Vec<_> = shown.iter().map(rule).collect();
            let rule = rule.join(&" ".repeat(GAP));
            text.extend(rule.chars().take(screen.whole()).chain(['\n']));
        }
        for row in &table.rows {
            let cell = |number: usize| printable(row.cells.get(number).map_or("", String::as_str));
            let mut lines = line(shown, &cell);
            // A text that is longer than the screen continues on the lines below.
            if let Some((last, before)) = shown.split_last()
                && table.columns[*last].side == Side::Left
                && lines.chars().count() > screen.whole()
            {
                let start: usize = before.iter().map(|number| widths[*number] + GAP).sum();
                let before = format!("{:<start$}", line(before, &cell));
                lines = wrapped(&cell(*last), &before, screen.whole());
            }
            for line in lines.lines().map(str::trim_end) {
                let line = match row.tone {
                    Tone::Plain => line.to_owned(),
                    Tone::Beside => screen.dress(FAINT, line),
                    Tone::Doubtful => screen.dress(YELLOW, line),
                };
                text += &(line + "\n");
            }
        }
    }
    for note in &table.notes {
        text += &wrapped(&printable(note), "  ", screen.columns());
    }
    text
}

/// The columns of each block of a table: all of them where they fit the screen. Where they do not, figures are divided
/// into several blocks, each after the names of its rows. A text that no block has room for has a block of its own.
fn folded(table: &Table, widths: &[usize], width: usize) -> Vec<Vec<usize>> {
    let names = table.columns.iter().take_while(|column| column.side == Side::Left).count().max(1);
    let names = names.min(widths.len());
    let taken: usize = widths[..names].iter().map(|width| width + GAP).sum();
    let figures: Vec<usize> = widths[names..].iter().map(|width| width + GAP).collect();
    // The first column of a line has no gap before it.
    let room = (width + GAP).saturating_sub(taken);
    let texts = (0..figures.len()).filter(|at| figures[*at] > room);
    let (mut divided, mut from) = (Vec::new(), 0);
    for text in texts.chain([figures.len()]) {
        let between = blocks(&figures[from..text], room).into_iter();
        divided.extend(between.map(|block| block.start + from..block.end + from));
        divided.extend((text < figures.len()).then_some(text..text + 1));
        from = text + 1;
    }
    let with_names = |block: Range<usize>| (0..names).chain(block.map(|at| at + names)).collect();
    match divided.as_slice() {
        [] => vec![(0..names).collect()],
        _ => divided.into_iter().map(with_names).collect(),
    }
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
    fn text_page_is_laid_out_for_its_screen() {
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
    fn text_page_wraps_long_cells() {
        let mut page = Page::new("Title");
        let mut table = Table::new("Steps").names(["step"]).figures(["rate"]).names(["because"]);
        table.row(Tone::Plain, ["ramp", "1", "twice what passed, and this is longer than a line"]);
        table.row(Tone::Plain, ["search", "2", "short"]);
        page.table(table);
        let text = page.text(Screen { width: 40, unicode: false, colour: false });
        let expected = [
            "Title",
            "",
            "Steps",
            "step    rate",
            "------  ----",
            "ramp       1",
            "search     2",
            "",
            "step    because",
            "------  --------------------------------",
            "ramp    twice what passed, and this is",
            "        longer than a line",
            "search  short",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn text_page_keeps_figures_of_a_table_together() {
        let mut page = Page::new("Title");
        let mut table = Table::new("Steps").names(["step"]);
        table = table.figures(["a", "b", "c"]).names(["why", "because"]);
        let long = "a reason that is longer than a line of a narrow screen";
        table.row(Tone::Plain, ["ramp", "1", "2", "3", long, long]);
        page.table(table);
        let text = page.text(Screen { width: 40, unicode: false, colour: false });
        let titles: Vec<&str> = text.lines().filter(|line| line.starts_with("step")).collect();
        assert_eq!(titles, ["step  a  b  c", "step  why", "step  because"], "{text}");
    }

    #[test]
    fn text_page_puts_folded_sections_last() {
        let mut page = Page::new("Title");
        page.folded("Old", vec![Block::Paragraph("old words".to_owned())]);
        page.folded("Nothing", Vec::new());
        page.paragraph("new words");
        let text = page.text(Screen { width: 40, unicode: false, colour: false });
        assert_eq!(text, "Title\n\nnew words\n\nOld\n---\n\nold words\n");
    }

    #[test]
    fn text_page_colours_change_nothing_else() {
        let text = page().text(Screen { colour: true, ..Screen::default() });
        assert!(text.contains("\x1b[33mwarning: beware\x1b[0m"), "{text:?}");
        assert!(text.contains("\x1b[2m2012        10         -\x1b[0m"), "{text:?}");
        assert!(text.starts_with("\x1b[1mTitle [31m\x1b[0m\n"), "{text:?}");
    }

    #[test]
    fn text_page_splits_a_wide_table_into_blocks() {
        let mut table = Table::new("Rates").names(["store", "phase"]).figures(["a", "b", "c", "d"]);
        table.row(Tone::Plain, ["sqlite", "create", "1234567.89", "2.50", "33333333", "-"]);
        let mut page = Page::new("Wide");
        page.table(table);
        let text = page.text(Screen { width: 40, unicode: false, colour: false });
        let expected = [
            "Wide",
            "",
            "Rates",
            "store   phase            a     b",
            "------  ------  ----------  ----",
            "sqlite  create  1234567.89  2.50",
            "",
            "store   phase          c  d",
            "------  ------  --------  -",
            "sqlite  create  33333333  -",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }
}
