//! A change of text: bytes are cut and pasted.

use std::ops::Range;

use toml::Value;
use toml_edit::{Document, Key, Table, Value as Written};

use super::find::{
    Found, block_start, find, first_header, header, line_end, line_start, own_end, whole_end,
};
use super::{Edit, EditError, Part};

/// Lists whose new elements are written as tables with headers.
const TABLES: [&str; 2] = ["scenario", "steps"];

/// The text of a document after a change. The caller checks whether it has the intended values.
pub(super) fn splice(document: &Document<String>, act: &Edit) -> Result<String, EditError> {
    match act {
        Edit::Set(path, value) => set(document, path, value),
        Edit::Unset(path) => unset(document, path),
        Edit::Insert(path, index, value) => insert(document, path, *index, value),
        Edit::Move(path, from, to) => moved(document, path, *from, *to),
    }
}

fn parsed(text: String) -> Result<Document<String>, EditError> {
    Document::parse(text).map_err(|_| EditError::Notation)
}

/// The text with a part of it replaced.
fn replaced(text: &str, range: Range<usize>, by: &str) -> String {
    [&text[..range.start], by, &text[range.end..]].concat()
}

fn set(document: &Document<String>, path: &[Part], value: &Value) -> Result<String, EditError> {
    let text = document.raw();
    match find(document, path) {
        Some(Found::Value(old)) => {
            let span = old.span().ok_or(EditError::Notation)?;
            return Ok(replaced(text, span, &value.to_string()));
        }
        // Tables with headers are removed before another value takes their place.
        Some(_) if !path.is_empty() => {
            return set(&parsed(unset(document, path)?)?, path, value);
        }
        _ => {}
    }
    let Some((Part::Key(key), above)) = path.split_last() else { return Err(EditError::Notation) };
    match find(document, above) {
        Some(Found::Table(table)) => below(document, table, above, (key, value)),
        Some(Found::Value(Written::InlineTable(table))) => {
            let span = table.span().ok_or(EditError::Notation)?;
            let last = table.iter().filter_map(|(_, value)| Some(value.span()?.end)).max();
            let pair = format!("{} = {value}", Key::new(key));
            Ok(match last {
                Some(end) => replaced(text, end..end, &format!(", {pair}")),
                None => replaced(text, span, &format!("{{ {pair} }}")),
            })
        }
        None if !above.is_empty() => {
            let mut table = toml::Table::new();
            table.insert(key.clone(), value.clone());
            set(document, above, &Value::Table(table))
        }
        _ => Err(EditError::Notation),
    }
}

/// Writes a new key of a table.
fn below(
    document: &Document<String>,
    table: &Table,
    path: &[Part],
    (key, value): (&str, &Value),
) -> Result<String, EditError> {
    let text = document.raw();
    if let (true, Value::Table(inner)) = (path.is_empty(), value) {
        // A table of the plan gets a header, before the scenarios.
        let section = format!("[{}]\n{}", Key::new(key), lines(inner));
        let scenarios = find(document, &[Part::Key(TABLES[0].to_owned())]);
        let before = match scenarios {
            Some(Found::Tables(list)) => list.iter().filter_map(first_header).min(),
            _ => None,
        };
        return Ok(match before {
            Some(header) => {
                let at = block_start(text, header);
                replaced(text, at..at, &format!("{section}\n"))
            }
            None => appended(text, &section),
        });
    }
    if let (true, Value::Array(list)) = (TABLES.contains(&key), value) {
        let keys = [path, &[Part::Key(key.to_owned())]].concat();
        let blocks: Vec<String> = list
            .iter()
            .map(|one| block(&keys, one))
            .collect::<Option<_>>()
            .ok_or(EditError::Notation)?;
        let at = whole_end(table).filter(|_| !path.is_empty());
        let blocks = blocks.join("\n");
        return Ok(match at {
            Some(at) => after_line(text, at, &format!("\n{blocks}")),
            None => appended(text, &blocks),
        });
    }
    let name = dotted(document, path, key)?;
    let line = format!("{name} = {value}\n");
    if let Some(end) = own_end(table) {
        return Ok(after_line(text, end, &line));
    }
    if let Some(header) = header(table) {
        return Ok(after_line(text, header.end, &line));
    }
    let first = first_header(table).map(|header| block_start(text, header));
    if path.is_empty() {
        let at = first.unwrap_or(text.len());
        let gap = if first.is_some() { "\n" } else { "" };
        return Ok(replaced(text, at..at, &format!("{line}{gap}")));
    }
    // It exists only because of its subtables.
    let at = first.ok_or(EditError::Notation)?;
    Ok(replaced(text, at..at, &format!("[{}]\n{line}\n", names(path))))
}

/// A key as it is written in the lines of a table, which may use dotted keys.
fn dotted(document: &Document<String>, path: &[Part], key: &str) -> Result<String, EditError> {
    let mut parts = vec![Key::new(key).to_string()];
    let mut above = path;
    while let Some(Found::Table(table)) = find(document, above) {
        if !table.is_dotted() {
            break;
        }
        let Some((Part::Key(name), rest)) = above.split_last() else {
            return Err(EditError::Notation);
        };
        parts.push(Key::new(name).to_string());
        above = rest;
    }
    parts.reverse();
    Ok(parts.join("."))
}

/// The keys of a path as they are written in a header.
fn names(path: &[Part]) -> String {
    let keys = path.iter().filter_map(|part| match part {
        Part::Key(key) => Some(Key::new(key).to_string()),
        Part::Index(_) => None,
    });
    keys.collect::<Vec<_>>().join(".")
}

/// A table of an array, with its header.
fn block(path: &[Part], value: &Value) -> Option<String> {
    let (name, table) = (names(path), value.as_table()?);
    let mut out = format!("[[{name}]]\n");
    // Steps of a new scenario have headers as well.
    let is_tables = |key: &str, value: &Value| {
        TABLES.contains(&key)
            && value.as_array().is_some_and(|list| list.iter().all(Value::is_table))
    };
    let plain: toml::Table = table
        .iter()
        .filter(|(key, value)| !is_tables(key, value))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    out.push_str(&lines(&plain));
    for (key, value) in table.iter().filter(|(key, value)| is_tables(key, value)) {
        let path = [path, &[Part::Key(key.clone())]].concat();
        for one in value.as_array()? {
            out.push('\n');
            out.push_str(&block(&path, one)?);
        }
    }
    Some(out)
}

fn lines(table: &toml::Table) -> String {
    let lines = table.iter().map(|(key, value)| format!("{} = {value}\n", Key::new(key)));
    lines.collect::<Vec<_>>().concat()
}

/// The text with lines inserted after the one at this position.
fn after_line(text: &str, at: usize, lines: &str) -> String {
    let end = line_end(text, at);
    let gap = if text[..end].ends_with('\n') { "" } else { "\n" };
    replaced(text, end..end, &format!("{gap}{lines}"))
}

/// The text with a block appended.
fn appended(text: &str, block: &str) -> String {
    let gap = match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{block}")
}

fn unset(document: &Document<String>, path: &[Part]) -> Result<String, EditError> {
    let text = document.raw();
    let (part, above) = path.split_last().ok_or(EditError::Notation)?;
    match (find(document, above), find(document, path)) {
        (Some(Found::Table(table)), Some(Found::Value(value))) => {
            let Part::Key(key) = part else { return Err(EditError::Notation) };
            let key = table.key(key).and_then(Key::span).ok_or(EditError::Notation)?;
            let end = value.span().ok_or(EditError::Notation)?.end;
            let start = line_start(text, key.start);
            let rest = text[end..line_end(text, end)].trim_start();
            // A comment after the value stays.
            let until = if rest.starts_with('#') {
                line_end(text, end) - rest.len()
            } else {
                line_end(text, end)
            };
            Ok(replaced(text, start..until, ""))
        }
        (Some(Found::Value(Written::InlineTable(table))), Some(Found::Value(value))) => {
            let Part::Key(key) = part else { return Err(EditError::Notation) };
            let (key, _) = table.get_key_value(key).ok_or(EditError::Notation)?;
            let range = key.span().ok_or(EditError::Notation)?.start
                ..value.span().ok_or(EditError::Notation)?.end;
            Ok(without_comma(text, range))
        }
        (Some(Found::Value(Written::Array(_))), Some(Found::Value(value))) => {
            Ok(without_comma(text, value.span().ok_or(EditError::Notation)?))
        }
        (Some(Found::Tables(list)), Some(Found::Table(_))) => {
            let Part::Index(index) = part else { return Err(EditError::Notation) };
            let blocks = blocks(text, list).ok_or(EditError::Notation)?;
            let end = blocks
                .get(index + 1)
                .map_or_else(|| line_end(text, blocks[*index].end), |next| next.start);
            Ok(replaced(text, blocks.get(*index).ok_or(EditError::Notation)?.start..end, ""))
        }
        (_, Some(Found::Table(table))) => {
            if let Some(header) = header(table) {
                let end = line_end(text, whole_end(table).ok_or(EditError::Notation)?);
                let gap = text[end..].len() - text[end..].trim_start_matches('\n').len();
                return Ok(replaced(text, block_start(text, header.start)..end + gap, ""));
            }
            // Dotted keys, or headers of subtables: one after the other.
            let key =
                table.iter().next().map(|(key, _)| key.to_owned()).ok_or(EditError::Notation)?;
            let alone = table.len() == 1;
            let without = unset(document, &[path, &[Part::Key(key)]].concat())?;
            if alone { Ok(without) } else { unset(&parsed(without)?, path) }
        }
        (_, Some(Found::Tables(list))) => {
            let (at, alone) = (list.len().saturating_sub(1), list.len() <= 1);
            let without = unset(document, &[path, &[Part::Index(at)]].concat())?;
            if alone { Ok(without) } else { unset(&parsed(without)?, path) }
        }
        _ => Err(EditError::Notation),
    }
}

/// The text without an element, and without the comma that is no longer needed.
fn without_comma(text: &str, range: Range<usize>) -> String {
    if let Some(comma) = next_comma(text, range.end) {
        let spaces = text[comma + 1..].len() - text[comma + 1..].trim_start_matches(' ').len();
        return replaced(text, range.start..comma + 1 + spaces, "");
    }
    let before = text[..range.start].trim_end();
    if before.ends_with(',') {
        return replaced(text, before.len() - 1..range.end, "");
    }
    replaced(text, range, "")
}

/// The comma after an element, if there is one, beyond spaces and comments.
fn next_comma(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        match trimmed.as_bytes().first() {
            Some(b',') => return Some(at),
            Some(b'#') => at = line_end(text, at),
            _ => return None,
        }
    }
}

/// The ranges of the tables of an array, from the comments above a header to the end of the last line of the table.
fn blocks(text: &str, list: &toml_edit::ArrayOfTables) -> Option<Vec<Range<usize>>> {
    let whole = list.iter().map(|table| {
        let start = block_start(text, header(table)?.start);
        Some(start..line_end(text, whole_end(table)?))
    });
    let mut all: Vec<Range<usize>> = whole.collect::<Option<_>>()?;
    // Any text between two of them belongs to the first.
    for at in 1..all.len() {
        let next = all[at].start;
        let end = text[..next].trim_end_matches('\n').len() + 1;
        all[at - 1].end = end.min(next);
    }
    all.windows(2).all(|pair| pair[0].end <= pair[1].start).then_some(all)
}

fn insert(
    document: &Document<String>,
    path: &[Part],
    index: usize,
    value: &Value,
) -> Result<String, EditError> {
    let text = document.raw();
    match find(document, path) {
        Some(Found::Tables(list)) => {
            let blocks = blocks(text, list).ok_or(EditError::Notation)?;
            let made = block(path, value).ok_or(EditError::Notation)?;
            if let Some(next) = blocks.get(index) {
                return Ok(replaced(text, next.start..next.start, &format!("{made}\n")));
            }
            let end = blocks.last().ok_or(EditError::Notation)?.end;
            Ok(after_line(text, end.saturating_sub(1), &format!("\n{made}")))
        }
        Some(Found::Value(Written::Array(list))) => {
            let span = |at: usize| list.get(at).and_then(Written::span);
            if let Some(next) = span(index) {
                let indent = &text[line_start(text, next.start)..next.start];
                let gap =
                    if indent.trim().is_empty() { format!("\n{indent}") } else { " ".to_owned() };
                return Ok(replaced(text, next.start..next.start, &format!("{value},{gap}")));
            }
            if let Some(before) = list.len().checked_sub(1).and_then(span) {
                let indent = &text[line_start(text, before.start)..before.start];
                let gap =
                    if indent.trim().is_empty() { format!("\n{indent}") } else { " ".to_owned() };
                return Ok(replaced(text, before.end..before.end, &format!(",{gap}{value}")));
            }
            let open = list.span().ok_or(EditError::Notation)?.start + 1;
            Ok(replaced(text, open..open, &value.to_string()))
        }
        None => set(document, path, &Value::Array(vec![value.clone()])),
        _ => Err(EditError::Notation),
    }
}

fn moved(
    document: &Document<String>,
    path: &[Part],
    from: usize,
    to: usize,
) -> Result<String, EditError> {
    let text = document.raw();
    let places = match find(document, path) {
        Some(Found::Tables(list)) => blocks(text, list).ok_or(EditError::Notation)?,
        Some(Found::Value(Written::Array(list))) => {
            list.iter().map(Written::span).collect::<Option<_>>().ok_or(EditError::Notation)?
        }
        _ => return Err(EditError::Notation),
    };
    // The positions and the text between them stay; the contents are exchanged.
    let ended = |part: &Range<usize>| text[part.clone()].to_owned();
    let mut parts: Vec<String> = places.iter().map(ended).collect();
    if places.len() > 1
        && text[..].ends_with(|c| c != '\n')
        && parts.iter().any(|part| part.ends_with('\n'))
    {
        // The last line has no line break, and may no longer be the last.
        if let Some(last) = parts.last_mut() {
            last.push('\n');
        }
    }
    let part = parts.remove(from);
    parts.insert(to, part);
    let mut out = String::with_capacity(text.len() + 1);
    let mut at = 0;
    for (place, part) in places.iter().zip(&parts) {
        out.push_str(&text[at..place.start]);
        out.push_str(part);
        at = place.end;
    }
    out.push_str(&text[at..]);
    Ok(out)
}
