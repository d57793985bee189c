//! JSON documents with a version: how a [`Record`] and a [`Collection`] are written to files and read back.
//!
//! A document is written with [`replace`], so a file with its name is either complete or absent. The head of a document
//! (its `schema`) is read first and separately. So an error about a file of another kind or version names that kind or
//! version, and not the first field that differs.

use crate::events::{
    GatheredError, LINE_MAX, Replay, ReplayError, begins_events, begins_gathered, gathered,
};
use crate::{COLLECTION_SCHEMA, Collection, Record, SCHEMA, replace};
use flate2::bufread::MultiGzDecoder;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

/// The most bytes of a record or a collection.
const TEXT_MAX: u64 = 1 << 30;

/// Why a document was not written.
#[derive(Debug, thiserror::Error)]
#[error("write {what} {}: {source}", path.display())]
pub struct WriteError {
    what: &'static str,
    path: PathBuf,
    source: io::Error,
}

/// Why a document could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file holds events, of which no record could be made.
    #[error(transparent)]
    Events(#[from] ReplayError),
    /// The file holds events of several runs, of which no collection could be made.
    #[error(transparent)]
    Gathered(#[from] GatheredError),
    /// The file cannot be read.
    #[error("read {what} {}: {source}", path.display())]
    File {
        /// The kind of document the file was read as.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is something else.
    #[error("read {what} {}: it is not {kind} of brunt, as --record writes it ({source})", path.display())]
    Foreign {
        /// The kind of document the file was read as.
        what: &'static str,
        /// A document of that kind.
        kind: &'static str,
        /// The file.
        path: PathBuf,
        /// What was found instead.
        source: serde_json::Error,
    },
    /// The file has another version.
    #[error(
        "read {what} {}: it has the format {found:?} and this program reads {known}; \
         use the version of brunt that wrote it",
        path.display()
    )]
    Version {
        /// The kind of document the file was read as.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The format that it states.
        found: String,
        /// The formats that are understood.
        known: String,
    },
}

/// What `--record` writes, and what is made from the output of `--events`: one run, or several that belong together.
#[derive(Clone, Debug, PartialEq)]
pub enum Document {
    /// One run.
    Record(Box<Record>),
    /// Several.
    Collection(Box<Collection>),
}

impl Document {
    /// Reads either kind; from an event file, the record of its run or the collection of its runs. Any of them may be
    /// compressed by gzip.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let (what, kind) = ("the record", "a record");
        let file = |source| ReadError::File { what, path: path.to_owned(), source };
        let opened = File::open(path).and_then(unpacked).map_err(file)?;
        let (mut first, mut rest) = (Vec::new(), BufReader::new(opened));
        (&mut rest).take(LINE_MAX).read_until(b'\n', &mut first).map_err(file)?;
        let (is_events, is_gathered) = (begins_events(&first), begins_gathered(&first));
        let whole = first.as_slice().chain(rest);
        if is_events {
            let record = Replay::read(path, whole)?.record()?;
            return Ok(Self::Record(Box::new(record)));
        }
        if is_gathered {
            return Ok(Self::Collection(Box::new(gathered(path, whole)?)));
        }
        let text = text_of(whole).map_err(file)?;
        let file = Source { path, what, kind, text };
        match file.head()?.as_str() {
            SCHEMA => file.body().map(|record| Self::Record(Box::new(record))),
            COLLECTION_SCHEMA => file.body().map(|all| Self::Collection(Box::new(all))),
            other => Err(file.version(other, &[SCHEMA, COLLECTION_SCHEMA])),
        }
    }
}

impl Record {
    /// Writes the record, in place of what was there.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        write(self, path, "the record")
    }

    /// What [`write`](Self::write) writes.
    pub fn text(&self) -> io::Result<String> {
        text(self)
    }

    /// Reads a record that a run wrote to a pipe. This function keeps the code in this crate, so it is not compiled in
    /// each crate that reads a record.
    pub fn from_text(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Reads a record back.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        read(path, "the record", "a record", SCHEMA)
    }

    /// The JSON schema of records, as it is published.
    pub fn schema() -> String {
        schema_of::<Self>(SCHEMA)
    }
}

impl Collection {
    /// Writes the collection, in place of what was there.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        write(self, path, "the collection")
    }

    /// What [`write`](Self::write) writes.
    pub fn text(&self) -> io::Result<String> {
        text(self)
    }

    /// Reads a collection back.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        read(path, "the collection", "a collection", COLLECTION_SCHEMA)
    }

    /// The JSON schema of collections, as it is published.
    pub fn schema() -> String {
        schema_of::<Self>(COLLECTION_SCHEMA)
    }
}

/// What a schema of this version is called: an absolute URI, as readers of schemas resolve references against it.
pub fn schema_id(version: &str) -> String {
    format!("{}/{version}", env!("CARGO_PKG_REPOSITORY"))
}

/// The JSON Schema of a document of this version.
pub fn schema_of<T: JsonSchema>(version: &str) -> String {
    let mut schema = schemars::schema_for!(T);
    schema.insert("$id".to_owned(), schema_id(version).into());
    format!("{schema:#}\n", schema = schema.as_value())
}

fn read<T: DeserializeOwned>(
    path: &Path,
    what: &'static str,
    kind: &'static str,
    version: &str,
) -> Result<T, ReadError> {
    let file = Source::read(path, what, kind)?;
    let found = file.head()?;
    if found == version { file.body() } else { Err(file.version(&found, &[version])) }
}

/// The content of a file, which may be compressed by gzip.
pub fn unpacked(file: impl Read + 'static) -> io::Result<Box<dyn Read>> {
    const PACKED: [u8; 2] = [0x1f, 0x8b];
    let mut file = BufReader::new(file);
    let is_packed = file.fill_buf()?.starts_with(&PACKED);
    Ok(if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

/// The text of a record, up to the size limit.
fn text_of(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    from.take(TEXT_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > TEXT_MAX {
        let words = format!("it has more than {} MiB, so it is no record", TEXT_MAX >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    Ok(text)
}

/// A file that was read and not yet understood.
struct Source<'a> {
    path: &'a Path,
    what: &'static str,
    kind: &'static str,
    text: String,
}

impl<'a> Source<'a> {
    fn read(path: &'a Path, what: &'static str, kind: &'static str) -> Result<Self, ReadError> {
        let file = |source| ReadError::File { what, path: path.to_owned(), source };
        let text = File::open(path).and_then(unpacked).and_then(text_of);
        text.map(|text| Self { path, what, kind, text }).map_err(file)
    }

    fn head(&self) -> Result<String, ReadError> {
        #[derive(serde::Deserialize)]
        struct Head {
            schema: String,
        }
        self.parse::<Head>().map(|head| head.schema)
    }

    fn body<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        self.parse()
    }

    fn parse<'t, T: Deserialize<'t>>(&'t self) -> Result<T, ReadError> {
        serde_json::from_str(&self.text).map_err(|source| ReadError::Foreign {
            what: self.what,
            kind: self.kind,
            path: self.path.to_owned(),
            source,
        })
    }

    fn version(&self, found: &str, known: &[&str]) -> ReadError {
        let known: Vec<String> = known.iter().map(|version| format!("{version:?}")).collect();
        ReadError::Version {
            what: self.what,
            path: self.path.to_owned(),
            found: found.to_owned(),
            known: known.join(" and "),
        }
    }
}

fn write(document: &impl Serialize, path: &Path, what: &'static str) -> Result<(), WriteError> {
    let written = replace(path, |out: &mut dyn io::Write| print(document, out));
    written.map_err(|source| WriteError { what, path: path.to_owned(), source })
}

fn text(document: &impl Serialize) -> io::Result<String> {
    let mut text = Vec::new();
    print(document, &mut text)?;
    String::from_utf8(text).map_err(io::Error::other)
}

fn print(document: &impl Serialize, mut out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, document)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;
    use crate::record::samples::measured;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn collected() -> Collection {
        let record = measured();
        let mut cell = Cell::new([("store", "sqlite"), ("phase", "create")]);
        cell.figures.insert("seconds".to_owned(), 1.5);
        cell.notes.push("a note".to_owned());
        cell.record = Some(Box::new(record.clone()));
        Collection {
            schema: COLLECTION_SCHEMA.to_owned(),
            subject: "leases".to_owned(),
            tool: record.tool.clone(),
            started: record.started.clone(),
            command: vec!["brunt".to_owned(), "leases".to_owned()],
            environment: record.environment,
            facts: [("directory".to_owned(), "/var/tmp".to_owned())].into(),
            figures: [("fsync_p50_us".to_owned(), 230.0)].into(),
            cells: vec![cell],
        }
    }

    #[test]
    fn document_round_trips() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        fs::write(&path, "something older").unwrap();
        let record = measured();
        record.write(&path).unwrap();
        assert_eq!(Record::read(&path).unwrap(), record);
        assert_eq!(Document::read(&path).unwrap(), Document::Record(Box::new(record)));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        let collection = collected();
        collection.write(&path).unwrap();
        assert_eq!(Collection::read(&path).unwrap(), collection);
        assert_eq!(Document::read(&path).unwrap(), Document::Collection(Box::new(collection)));
    }

    #[test]
    fn gzip_document_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json.gz");
        let record = measured();
        let mut packed = flate2::write::GzEncoder::new(
            File::create(&path).unwrap(),
            flate2::Compression::fast(),
        );
        serde_json::to_writer(&mut packed, &record).unwrap();
        packed.finish().unwrap();
        assert_eq!(Record::read(&path).unwrap(), record);
        assert_eq!(Document::read(&path).unwrap(), Document::Record(Box::new(record)));
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        let message = Document::read(&path).unwrap_err().to_string();
        assert!(
            message.starts_with("read the record") && message.contains("run.json.gz"),
            "{message}"
        );
    }

    #[test]
    fn document_of_another_kind_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.json");
        let message = || Record::read(&path).unwrap_err().to_string();
        assert!(message().contains("x.json"));
        fs::write(&path, "{}").unwrap();
        assert!(message().contains("not a record of brunt"), "{}", message());
        fs::write(&path, r#"{"schema":"brunt-record/9"}"#).unwrap();
        assert!(
            message().contains("brunt-record/9") && message().contains("brunt-record/2"),
            "{}",
            message()
        );
        let either = Document::read(&path).unwrap_err().to_string();
        assert!(either.contains(r#""brunt-record/2" and "brunt-collection/1""#), "{either}");
        collected().write(&path).unwrap();
        assert!(message().contains("brunt-collection/1"), "{}", message());
        measured().write(&path).unwrap();
        let message = Collection::read(&path).unwrap_err().to_string();
        assert!(
            message.contains("read the collection") && message.contains("brunt-record/2"),
            "{message}"
        );
        let nowhere = directory.path().join("no/such/run.json");
        let message = collected().write(&nowhere).unwrap_err().to_string();
        assert!(message.contains("write the collection") && message.contains("no/such/run.json"));
    }

    #[test]
    fn schemas_published_equal_this_version() {
        let events = crate::events::events_schema();
        let gathered = crate::events::gathered_schema();
        for (name, schema) in [
            ("record", Record::schema()),
            ("collection", Collection::schema()),
            ("events", events),
            ("collection-events", gathered),
        ] {
            // Readers resolve references against it; a relative one makes them look for a file.
            let read: serde_json::Value = serde_json::from_str(&schema).unwrap();
            let id = read["$id"].as_str().unwrap();
            assert!(id.starts_with("https://") && id.contains(&format!("/brunt-{name}/")), "{id}");
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(format!("../../docs/{name}.schema.json"));
            if std::env::var_os("BRUNT_BLESS").is_some() {
                fs::write(&path, &schema).unwrap();
            }
            let published = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                published == schema,
                "docs/{name}.schema.json is out of date: run the tests with BRUNT_BLESS=1 and look at what changed"
            );
        }
    }

    #[test]
    fn schema_contains_every_field() {
        let documents = [
            (Record::schema(), serde_json::to_value(measured()).unwrap()),
            (Collection::schema(), serde_json::to_value(collected()).unwrap()),
        ];
        for (schema, document) in documents {
            let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
            for field in document.as_object().unwrap().keys() {
                assert!(schema["properties"][field].is_object(), "{field}");
            }
        }
    }
}
