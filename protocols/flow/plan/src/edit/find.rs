//! Finds the positions of the parts of a document in its text.

use std::ops::Range;

use toml_edit::{ArrayOfTables, Document, Item, Table, Value};

use super::Part;

/// The item at a path.
#[derive(Clone, Copy)]
pub(super) enum Found<'d> {
    /// A table with a header, dotted keys, or the whole document.
    Table(&'d Table),
    /// An array of tables with headers.
    Tables(&'d ArrayOfTables),
    /// Any value after an equals sign.
    Value(&'d Value),
}

/// The item at a path.
pub(super) fn find<'d>(document: &'d Document<String>, path: &[Part]) -> Option<Found<'d>> {
    path.iter().try_fold(Found::Table(document.as_table()), |found, part| match (found, part) {
        (Found::Table(table), Part::Key(key)) => found_in(table.get(key)?),
        (Found::Tables(list), Part::Index(index)) => list.get(*index).map(Found::Table),
        (Found::Value(Value::InlineTable(table)), Part::Key(key)) => {
            table.get(key).map(Found::Value)
        }
        (Found::Value(Value::Array(list)), Part::Index(index)) => {
            list.get(*index).map(Found::Value)
        }
        _ => None,
    })
}

fn found_in(item: &Item) -> Option<Found<'_>> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(Found::Value(value)),
        Item::Table(table) => Some(Found::Table(table)),
        Item::ArrayOfTables(list) => Some(Found::Tables(list)),
    }
}

/// The position of a table's own header line (`[a.b]`), if it has one.
pub(super) fn header(table: &Table) -> Option<Range<usize>> {
    table.span().filter(|span| !table.is_dotted() && !span.is_empty())
}

/// The end of the last key below a table's header and before any other header.
pub(super) fn own_end(table: &Table) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(table) if table.is_dotted() => own_end(table),
        _ => None,
    });
    ends.max()
}

/// The end of a table, including its subtables.
pub(super) fn whole_end(table: &Table) -> Option<usize> {
    let inner = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(table) => whole_end(table),
        Item::ArrayOfTables(list) => list.iter().filter_map(whole_end).max(),
        Item::None => None,
    });
    inner.chain(header(table).map(|span| span.end)).max()
}

/// The beginning of the first header of a table and its subtables.
pub(super) fn first_header(table: &Table) -> Option<usize> {
    let inner = table.iter().filter_map(|(_, item)| match item {
        Item::Table(table) => first_header(table),
        Item::ArrayOfTables(list) => list.iter().filter_map(first_header).min(),
        _ => None,
    });
    inner.chain(header(table).map(|span| span.start)).min()
}

/// The beginning of the line at a position.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The end of the line at a position, line break included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// The beginning of the block of a header: the comments right above it.
pub(super) fn block_start(text: &str, header: usize) -> usize {
    let mut start = line_start(text, header);
    while start > 0 {
        let above = line_start(text, start - 1);
        if !text[above..start].trim_start().starts_with('#') {
            break;
        }
        start = above;
    }
    start
}
