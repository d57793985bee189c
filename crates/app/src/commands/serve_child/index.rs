//! Reads the record of a run and writes what a history stores of it: the record itself, its events, the files from
//! which charts and pages are made, and a summary. All files are in the directory in which the child was started.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;

use brunt_history::{
    BROUGHT, EVENTS, EVENTS_KEPT, PAGE_KEPT, PROGRESS, RECORD, RECORD_KEPT, RunFiles, SUMMARY,
    Summary, VIEW_KEPT, sha256,
};
use brunt_record::{Collection, Document, HistogramError, ReadError, Record, unpacked};
use brunt_report::page::Page;
use brunt_run::requested_words;
use serde::de::IgnoredAny;

use super::{TaskError, figured, parts, searched};

/// The most bytes of a stored record.
const RECORD_MAX: u64 = 512 << 20;

/// Why a record is not indexed.
#[derive(Debug, thiserror::Error)]
enum IndexError {
    #[error("failed to find a record")]
    NoRecord,
    #[error("failed to {0}")]
    Page(#[source] HistogramError),
    #[error("{}", unread(.0))]
    Read(#[source] ReadError),
}

/// Indexes the record. The error says what is wrong with it.
pub(super) fn index() -> Result<(), TaskError> {
    let files = RunFiles::new(PathBuf::from("."));
    let source = [BROUGHT, RECORD, EVENTS].into_iter().find(|name| files.path(name).is_file());
    let source = source.ok_or(IndexError::NoRecord)?;
    let kept = |error: io::Error| TaskError::writing("failed to keep the record", &error);
    let (text, page, mut summary) = match Document::read(&files.path(source)) {
        Ok(Document::Record(record)) => {
            let text = text_of(&files, source, || record.text()).map_err(kept)?;
            let page = brunt_report::run::page(&record).map_err(IndexError::Page)?;
            let summary = Summary::new(&record, String::new(), &page.sentence());
            let load = load(&record);
            figured::keep(&files, *record)?;
            (text, page, Summary { load, ..summary })
        }
        Ok(Document::Collection(collection)) => {
            let text = text_of(&files, source, || collection.text()).map_err(kept)?;
            let (page, summary) = searched::read(&collection)?;
            (text, page, Summary { load: load_of_search(&collection), ..summary })
        }
        Err(error) => return Err(IndexError::Read(error).into()),
    };
    summary.sha256 = sha256(text.as_bytes());
    files.pack(RECORD_KEPT, text.as_bytes()).map_err(kept)?;
    write_page(&files, &page).map_err(kept)?;
    if let Some(events) = opened(&files, EVENTS).map_err(kept)? {
        files.pack(EVENTS_KEPT, events).map_err(kept)?;
    }
    // Written last: a run with a summary is complete.
    files.write(SUMMARY, &summary).map_err(kept)?;
    for name in [RECORD, EVENTS, PROGRESS] {
        drop(fs::remove_file(files.path(name)));
    }
    Ok(())
}

/// What is wrong with a document, for the person who uploaded it: it names the lines of the file, and not the types
/// into which it is read.
fn unread(error: &ReadError) -> String {
    let mut text = format!("failed to {error}");
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(one) = cause {
        if let Some(json) = one.downcast_ref::<serde_json::Error>() {
            text = text.replace(&json.to_string(), &position(json));
        }
        cause = one.source();
    }
    text
}

fn position(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    match line {
        _ if error.is_eof() => "it ends too early".to_owned(),
        0 | 1 => format!("something is missing or has another form at character {column}"),
        _ => format!("something is missing or has another form at line {line}, character {column}"),
    }
}

/// A hash of the load that was requested, without its seed and its output files.
fn load(record: &Record) -> String {
    let words = requested_words(&record.command);
    let operations = record.operations.iter().map(|operation| operation.name.as_str());
    let target = record.plan.target.as_deref().unwrap_or_default();
    let requested: Vec<&str> = [record.tool.name.as_str(), record.plan.mode.word(), target]
        .into_iter()
        .chain(operations)
        .chain(words.iter().map(String::as_str))
        .collect();
    sha256(requested.join("\0").as_bytes())
}

/// A hash of the load of a search.
fn load_of_search(collection: &Collection) -> String {
    let target = collection.facts.get("target").cloned().unwrap_or_default();
    let requested = [collection.subject.clone(), target].into_iter();
    let requested: Vec<String> = requested.chain(requested_words(&collection.command)).collect();
    sha256(requested.join("\0").as_bytes())
}

/// The text of the record: unchanged, or, if it was made from events, as a run writes it.
fn text_of(
    files: &RunFiles,
    source: &str,
    written: impl FnOnce() -> io::Result<String>,
) -> io::Result<String> {
    let mut text = String::new();
    let from = unpacked(File::open(files.path(source))?)?;
    from.take(RECORD_MAX).read_to_string(&mut text)?;
    // An event file contains many documents.
    if source != EVENTS && serde_json::from_str::<IgnoredAny>(&text).is_ok() {
        return Ok(text);
    }
    written()
}

fn write_page(files: &RunFiles, page: &Page) -> io::Result<()> {
    files.pack(PAGE_KEPT, serde_json::to_vec(&parts(page))?.as_slice())?;
    // Only a run has a view.
    let Some(view) = &page.view else { return Ok(()) };
    files.pack(VIEW_KEPT, serde_json::to_vec(view)?.as_slice())
}

fn opened(files: &RunFiles, name: &str) -> io::Result<Option<File>> {
    match File::open(files.path(name)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upload_errors_mention_no_internal_types() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("record.json");
        for (text, reported) in [
            ("{", "it ends too early"),
            ("{\"schema\": 5}", "something is missing or has another form at character 12"),
            ("{\"schema\": \"brunt-record/2\",\n\"tool\": 7}", "another form at line 2, character"),
        ] {
            fs::write(&path, text).unwrap();
            let text = unread(&Document::read(&path).unwrap_err());
            assert!(text.contains(reported), "{text}");
            for foreign in ["expected", "invalid type", "struct", "missing field"] {
                assert!(!text.contains(foreign), "{text}");
            }
        }
    }
}
