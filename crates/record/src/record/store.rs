//! Puts records into files and gets them back.
//!
//! A record appears under its name whole or not at all, because a run may be killed while it
//! writes. Only its owner may read it: a command line may tell more than its author thought of.

use super::{Record, SCHEMA};
use serde::Deserialize;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Why a record was not written.
#[derive(Debug, thiserror::Error)]
#[error("write the record {}: {source}", path.display())]
pub struct WriteError {
    path: PathBuf,
    source: io::Error,
}

/// Why a record could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("read the record {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is something else.
    #[error("read the record {}: it is not a record of brunt, as --record writes it ({source})", path.display())]
    NotARecord {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        source: serde_json::Error,
    },
    /// The file has another version.
    #[error(
        "read the record {}: it has the format {found:?} and this program reads {SCHEMA:?}; \
         use the version of brunt that wrote it",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The format it says it has.
        found: String,
    },
}

impl Record {
    /// Writes the record, in place of what was there.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        self.store(path).map_err(|source| WriteError { path: path.to_owned(), source })
    }

    /// Reads a record back.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let file = |source| ReadError::File { path: path.to_owned(), source };
        let other = |source| ReadError::NotARecord { path: path.to_owned(), source };
        let mut text = String::new();
        io::Read::read_to_string(&mut BufReader::new(File::open(path).map_err(file)?), &mut text)
            .map_err(file)?;
        let head: Head = serde_json::from_str(&text).map_err(other)?;
        if head.schema != SCHEMA {
            return Err(ReadError::Version { path: path.to_owned(), found: head.schema });
        }
        serde_json::from_str(&text).map_err(other)
    }

    /// The JSON schema of records, as it is published.
    pub fn schema() -> String {
        let mut schema = schemars::schema_for!(Self);
        schema.insert("$id".to_owned(), SCHEMA.into());
        format!("{schema:#}\n", schema = schema.as_value())
    }

    fn store(&self, path: &Path) -> io::Result<()> {
        // A pipe or a device cannot be replaced, and a link must go on pointing where it does.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return self.print(File::options().write(true).open(&path)?);
        }
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let temporary = tempfile::NamedTempFile::new_in(directory.unwrap_or(Path::new(".")))?;
        self.print(temporary.as_file())?;
        temporary.as_file().sync_all()?;
        temporary.persist(&path).map_err(|error| error.error)?;
        Ok(())
    }

    fn print(&self, out: impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::samples::measured;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_is_written_can_be_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        fs::write(&path, "something older").unwrap();
        let record = measured();
        record.write(&path).unwrap();
        assert_eq!(Record::read(&path).unwrap(), record);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_no_record_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.json");
        let said = || Record::read(&path).unwrap_err().to_string();
        assert!(said().contains("x.json"));
        fs::write(&path, "{}").unwrap();
        assert!(said().contains("not a record of brunt"), "{}", said());
        fs::write(&path, r#"{"schema":"brunt-record/9"}"#).unwrap();
        assert!(
            said().contains("brunt-record/9") && said().contains("brunt-record/1"),
            "{}",
            said()
        );
        let nowhere = directory.path().join("no/such/run.json");
        assert!(measured().write(&nowhere).unwrap_err().to_string().contains("no/such/run.json"));
    }

    #[test]
    fn the_published_schema_is_the_one_of_this_version() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/record.schema.json");
        if std::env::var_os("BRUNT_BLESS").is_some() {
            fs::write(&path, Record::schema()).unwrap();
        }
        let published = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            published == Record::schema(),
            "docs/record.schema.json is out of date: run the tests with BRUNT_BLESS=1 and look at what changed"
        );
    }

    #[test]
    fn every_field_of_a_record_is_in_the_schema() {
        let schema: serde_json::Value = serde_json::from_str(&Record::schema()).unwrap();
        let record = serde_json::to_value(measured()).unwrap();
        for field in record.as_object().unwrap().keys() {
            assert!(schema["properties"][field].is_object(), "{field}");
        }
    }
}
