//! Event files of several synthetic runs: the collection they make, for every place where the file
//! ends.

use super::super::tests::{Shared, recorded};
use super::*;
use crate::{Document, Record, Status};

fn labels(store: &str) -> BTreeMap<String, String> {
    [("store".to_owned(), store.to_owned())].into()
}

/// Two runs that were carried out, and one between them that failed before anything was measured.
fn written() -> (Vec<u8>, Collection) {
    let out = Shared::default();
    let mut log = GatheredLog::new(SharedLog::new(Box::new(out.clone())));
    let mut collection = Collection {
        schema: COLLECTION_SCHEMA.to_owned(),
        subject: "leases".to_owned(),
        tool: Tool { name: "brunt".to_owned(), version: "0.1.0".to_owned() },
        started: "2026-01-02T03:04:05Z".to_owned(),
        command: vec!["leases".to_owned(), "sqlite".to_owned()],
        environment: Environment::default(),
        facts: [("directory".to_owned(), "/var/tmp".to_owned())].into(),
        figures: [("fsync_p50_us".to_owned(), 230.0)].into(),
        cells: Vec::new(),
    };
    log.begin(&collection).unwrap();
    for (store, seconds) in [("sqlite", 6), ("lost", 0), ("memfile", 5)] {
        log.cell(labels(store)).unwrap();
        let record = recorded(seconds, Box::new(log.shared()), seconds > 0);
        let Some(record) = record else { continue };
        let mut cell = Cell { labels: labels(store), ..Cell::default() };
        cell.figures.insert("seconds".to_owned(), seconds as f64);
        cell.notes.push("a note with \"quotes\"\nand lines".to_owned());
        cell.record = Some(Box::new(record));
        log.cell_end(&cell).unwrap();
        collection.cells.push(cell);
    }
    log.end().unwrap();
    (out.text(), collection)
}

fn read(text: &[u8]) -> Result<Collection, GatheredError> {
    gathered(Path::new("leases.ndjson"), text)
}

/// The collection as `--record` would write it.
fn json_of(collection: &Collection) -> String {
    serde_json::to_string(collection).unwrap()
}

#[test]
fn collection_is_rebuilt_from_its_events() {
    let (text, collection) = written();
    assert_eq!(json_of(&read(&text).unwrap()), json_of(&collection));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("leases.ndjson");
    std::fs::write(&path, &text).unwrap();
    let Document::Collection(found) = Document::read(&path).unwrap() else { panic!("a record") };
    assert_eq!(json_of(&found), json_of(&collection));
    // The lines between those of the collection are event files of their own.
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let own =
        |line: &&[u8]| Lines { input: &b""[..], line: line.to_vec(), at: 0, read: 0 }.is_own();
    let first: Vec<u8> =
        lines[2..].iter().take_while(|line| !own(line)).flat_map(|line| line.to_vec()).collect();
    let record: Record = Replay::read(Path::new("one"), &first[..]).unwrap().record().unwrap();
    assert_eq!(Some(&record), collection.cells[0].record.as_deref());
}

#[test]
fn collection_events_cut_anywhere_keep_earlier_runs() {
    let (text, collection) = written();
    let first = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let step = (text.len() - first) / 90;
    let (mut partial, mut whole) = (0, 0);
    // The last cut leaves both runs whole, however long the lines are.
    let cuts = (first..text.len()).step_by(step).chain([text.len() - 1]);
    for end in cuts {
        let found = read(&text[..end]).unwrap_or_else(|error| panic!("cut at {end}: {error}"));
        assert_eq!(found.facts["directory"], "/var/tmp");
        assert!(found.facts["not complete"].contains("was killed"), "{:?}", found.facts);
        let (last, before) = match found.cells.split_last() {
            Some((last, before)) if last.figure("invalid").is_some() => (Some(last), before),
            _ => (None, &found.cells[..]),
        };
        assert_eq!(before, &collection.cells[..before.len()], "cut at {end}");
        whole = whole.max(before.len());
        let Some(last) = last else { continue };
        partial += 1;
        assert!(last.notes[0].contains("the events end here"), "{:?}", last.notes);
        let record = last.record.as_deref().unwrap();
        // The last line of a run contains its record; before it the record is made of the lines
        // that are there.
        let of_run = collection.cells.get(before.len()).and_then(|cell| cell.record.as_deref());
        assert!(record.verdict.status >= Status::Partial || Some(record) == of_run, "cut at {end}");
    }
    assert!(partial > 30 && whole == 2, "{partial} {whole}");
}

#[test]
fn missing_and_changed_lines_are_reported() {
    let (text, _) = written();
    let text = String::from_utf8(text).unwrap();
    let output = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let without = |number: usize| {
        let kept = lines.iter().enumerate().filter(|(at, _)| *at != number);
        kept.map(|(_, line)| *line).collect::<String>()
    };
    // The second line begins the first cell; the one before the last is the end of the last.
    assert!(output(&without(1)).contains("leases.ndjson, line 2"), "{}", output(&without(1)));
    let end = lines.len() - 2;
    assert!(
        output(&without(end)).contains("lines are missing or doubled"),
        "{}",
        output(&without(end))
    );
    let counted = text.replace("\"cells\":2", "\"cells\":3");
    assert!(output(&counted).contains("it holds 2 runs and ends with a line that says 3"));
    let other = text.replacen(GATHERED_SCHEMA, "brunt-collection-events/9", 1);
    assert!(output(&other).contains("brunt-collection-events/9"), "{}", output(&other));
    // An error in a line of a run names the run.
    let broken = without(4);
    assert!(output(&broken).contains("leases.ndjson (run 1), line 3"), "{}", output(&broken));
}
