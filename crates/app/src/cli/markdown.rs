//! The Markdown of our own pages, as blocks, and these blocks as text for a terminal.
//!
//! It reads what the pages in `docs/` use: headings, paragraphs, quotations, lists, code, tables, links. Whatever else
//! a line contains is text, so a page is never refused.

use std::fmt::Write as _;

use brunt_run::options::page::wrap;

/// The widest line on a terminal; code and words that are longer stay whole.
const WIDTH: usize = 79;

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading, and its level.
    Heading(usize, String),
    /// Text that may be wrapped.
    Paragraph(String),
    /// The same, indented.
    Quotation(String),
    /// An item of a list: its indent, its mark and its text.
    Item(usize, String, String),
    /// Lines that must not be wrapped.
    Code(String),
    /// The rows of a table, its heads first.
    Table(Vec<Vec<String>>),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Span<'a> {
    Plain(&'a str),
    Code(&'a str),
    Strong(&'a str),
    Link { text: &'a str, target: &'a str },
}

/// The blocks of a page. Comments, images and anchors are left out.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim_start();
        let unseen = ["<!--", "<a id=", "!["].iter().any(|start| text.starts_with(start));
        if text.is_empty() || text == ">" || unseen {
            continue;
        }
        if text.starts_with("```") {
            let inside = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
            let inside =
                inside.map(|line| line.get(indent..).unwrap_or_default().to_owned() + "\n");
            blocks.push(Block::Code(inside.collect()));
        } else if indent >= 4 && !matches!(blocks.last(), Some(Block::Item(..))) {
            let mut code = format!("{}\n", &line[4..]);
            while let Some(more) = lines.next_if(|line| line.starts_with("    ")) {
                let _ = writeln!(code, "{}", &more[4..]);
            }
            blocks.push(Block::Code(code));
        } else if let Some(level) = level(text) {
            blocks.push(Block::Heading(level, text[level..].trim().to_owned()));
        } else if text.starts_with('|') {
            let mut rows = vec![cells(text)];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                if !row.starts_with("|-") {
                    rows.push(cells(row));
                }
            }
            blocks.push(Block::Table(rows));
        } else {
            let (mark, first) = mark(text);
            let mut all = first.to_owned();
            while let Some(more) = lines.next_if(|line| continues(line)) {
                let _ = write!(all, " {}", more.trim_start_matches([' ', '>']));
            }
            blocks.push(match mark {
                "" if text.starts_with("> ") => Block::Quotation(all),
                "" => Block::Paragraph(all),
                mark => Block::Item(indent, mark.to_owned(), all),
            });
        }
    }
    blocks
}

fn level(text: &str) -> Option<usize> {
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    (level > 0 && text[level..].starts_with(' ')).then_some(level)
}

/// The cells of a row of a table; `\|` is a bar within one.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\u{0}");
    row.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
}

/// The mark of a list's item, and the text without it.
fn mark(text: &str) -> (&str, &str) {
    if let Some(item) = text.strip_prefix("- ") {
        return ("-", item);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text[digits..].strip_prefix(". ") {
        Some(item) if digits > 0 => (&text[..=digits], item),
        _ => ("", text.trim_start_matches("> ")),
    }
}

/// Whether a line belongs to the paragraph or item before it.
fn continues(line: &str) -> bool {
    let text = line.trim_start();
    let begins = ["```", "|", "<!--", "<a id=", "!["].iter().any(|start| text.starts_with(start));
    !text.is_empty() && text != ">" && !begins && level(text).is_none() && mark(text).0.is_empty()
}

/// The parts of a text.
pub(super) fn spans(text: &str) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '[']) {
        let (before, from) = rest.split_at(at);
        let Some((span, after)) = marked(from) else {
            spans.push(Span::Plain(&rest[..=at]));
            rest = &from[1..];
            continue;
        };
        spans.push(Span::Plain(before));
        spans.push(span);
        rest = after;
    }
    spans.push(Span::Plain(rest));
    spans.retain(|span| *span != Span::Plain(""));
    spans
}

/// The part that a text begins with, if it is marked, and the text after it.
fn marked(text: &str) -> Option<(Span<'_>, &str)> {
    if let Some(inside) = text.strip_prefix('`') {
        let (code, after) = inside.split_once('`')?;
        return Some((Span::Code(code), after));
    }
    if let Some(inside) = text.strip_prefix('[') {
        let (text, after) = inside.split_once("](")?;
        let (target, after) = after.split_once(')')?;
        return (!text.contains(']')).then_some((Span::Link { text, target }, after));
    }
    let stars = if text.starts_with("**") { "**" } else { "*" };
    let (strong, after) = text.strip_prefix(stars)?.split_once(stars)?;
    let is_word = !strong.is_empty() && !strong.starts_with(' ') && !strong.ends_with(' ');
    is_word.then_some((Span::Strong(strong), after))
}

/// A page for a terminal. `reference` turns the target of a link into what a reader can type or open, if anything.
pub(super) fn terminal(page: &str, reference: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut list = false;
    for block in blocks(page) {
        let item = matches!(block, Block::Item(..));
        if !(out.is_empty() || list && item) {
            out.push('\n');
        }
        list = item;
        match block {
            Block::Heading(level, text) => {
                let _ = writeln!(out, "{} {}", "#".repeat(level), plain(&text, reference));
            }
            Block::Paragraph(text) => hang(&plain(&text, reference), 0, "", &mut out),
            Block::Quotation(text) => hang(&plain(&text, reference), 4, "", &mut out),
            Block::Item(indent, mark, text) => {
                hang(&plain(&text, reference), indent, &format!("{mark} "), &mut out);
            }
            Block::Code(code) => {
                for line in code.lines() {
                    let _ = writeln!(out, "{}", format!("    {line}").trim_end());
                }
            }
            Block::Table(rows) => {
                let text = |cell: &String| plain(cell, reference);
                let rows =
                    rows.iter().map(|row| row.iter().map(text).collect()).collect::<Vec<_>>();
                table(&rows, &mut out);
            }
        }
    }
    out
}

/// A text without marks.
pub(super) fn plain(text: &str, reference: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    for span in spans(text) {
        match span {
            Span::Plain(text) => out.push_str(&text.replace("\\<", "<").replace("\\*", "*")),
            Span::Code(text) => out.push_str(text),
            Span::Strong(text) => out.push_str(&plain(text, reference)),
            Span::Link { text, target } => {
                out.push_str(&plain(text, reference));
                if let Some(place) = reference(target) {
                    let _ = write!(out, " ({place})");
                }
            }
        }
    }
    out
}

/// A wrapped text below and beside its mark.
fn hang(text: &str, indent: usize, mark: &str, out: &mut String) {
    let mut before = mark.to_owned();
    for line in wrap(text, WIDTH - indent - mark.len()).lines() {
        let _ = writeln!(out, "{:indent$}{before}{line}", "");
        before = " ".repeat(mark.len());
    }
}

/// A table with aligned columns, or if it is too wide one paragraph for each row.
fn table(rows: &[Vec<String>], out: &mut String) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    if widths.iter().sum::<usize>() + 2 * columns <= WIDTH {
        for row in rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            let _ = writeln!(out, "{}", line.trim_end());
        }
        return;
    }
    let Some((heads, rows)) = rows.split_first() else { return };
    for row in rows {
        let Some((first, others)) = row.split_first() else { continue };
        hang(first, 0, "", out);
        for (cell, head) in others.iter().zip(&heads[1..]).filter(|(cell, _)| !cell.is_empty()) {
            let named = others.len() > 1 && !head.is_empty();
            let text = if named { format!("{head}: {cell}") } else { cell.clone() };
            hang(&text, 4, "", out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# Load

<!-- a comment -->
The rate, see [stages](schedules.md#stages)
and `-M`:

1. **first** thing
   goes on
- a second

```sh
brunt http  -q 5
```

    indented

| a | b |
|---|---|
| `x\\|y` | 1 |
";

    #[test]
    fn markdown_is_parsed_into_blocks() {
        let item = |mark: &str, text: &str| Block::Item(0, mark.to_owned(), text.to_owned());
        let row = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        assert_eq!(
            blocks(PAGE),
            [
                Block::Heading(1, "Load".to_owned()),
                Block::Paragraph(
                    "The rate, see [stages](schedules.md#stages) and `-M`:".to_owned()
                ),
                item("1.", "**first** thing goes on"),
                item("-", "a second"),
                Block::Code("brunt http  -q 5\n".to_owned()),
                Block::Code("indented\n".to_owned()),
                Block::Table(vec![row("a", "b"), row("`x|y`", "1")]),
            ]
        );
    }

    #[test]
    fn markdown_is_rendered_for_a_terminal() {
        let shown = terminal(PAGE, &|target| Some(format!("<{target}>")));
        assert_eq!(
            shown,
            "# Load\n\nThe rate, see stages (<schedules.md#stages>) and -M:\n\n1. first thing goes on\n\
             - a second\n\n    brunt http  -q 5\n\n    indented\n\na    b\nx|y  1\n"
        );
    }

    #[test]
    fn markdown_option_explanation_is_indented() {
        let page =
            "`--record FILE`\n\n> Write the record\n> as JSON.\n>\n> See *it*.\n>\n\nNext.\n";
        let shown = terminal(page, &|_| None);
        let expected = "--record FILE\n\n    Write the record as JSON.\n\n    See it.\n\nNext.\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn markdown_unpaired_marks_are_text() {
        for text in ["2 * 3 * 4", "[a-z] and [0-9]", "a ` b", "**"] {
            assert_eq!(plain(text, &|_| None), text);
        }
    }
}
