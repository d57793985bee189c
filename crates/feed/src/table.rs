//! [`Table`]: the rows of a data file, read once: lines, CSV or JSON lines.
//!
//! All cells are in one buffer with one table of ends, which are 32 bits wide if the file allows it, and columns are
//! addressed by number, so that a cell is found without a search. A row with different columns than the others is an
//! error that names its line: a missing value would otherwise be noticed only during a run, much later.

use crate::files::Files;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The maximum number of bytes read from a data file.
const BYTES_MAX: u64 = 1 << 30;

/// The maximum number of columns of a table.
const COLUMNS_MAX: usize = 1000;

/// Rows of cells, and the names of the columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<String>,
    bytes: Vec<u8>,
    ends: Ends,
}

#[derive(Clone, Debug)]
enum Ends {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Default for Ends {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

/// Why a data file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// It cannot be read.
    #[error("read the data file {}; check its name and permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error that the operating system returned.
        source: std::io::Error,
    },
    /// It is too long.
    #[error("read the data file {}: it is longer than {BYTES_MAX} bytes; give each node a part of it", path.display())]
    Long {
        /// The file.
        path: PathBuf,
    },
    /// A line is not valid.
    #[error("read the data file {}, line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it and what would be correct.
        problem: TableProblem,
    },
    /// It contains no rows.
    #[error("find a row in the data file {}: {remedy}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What it should contain.
        remedy: &'static str,
    },
}

/// What is wrong with a line of a data file, and what would be correct.
#[derive(Debug, thiserror::Error)]
pub enum TableProblem {
    /// More or fewer values than columns.
    #[error("there are {values} values where {columns} columns are named")]
    Values {
        /// How many values.
        values: usize,
        /// How many columns.
        columns: usize,
    },
    /// More or fewer values than before.
    #[error(
        "there are {values} values where {columns} columns are named; put a value with a comma in double quotes"
    )]
    Unequal {
        /// How many values.
        values: u64,
        /// How many columns.
        columns: u64,
    },
    /// Names that are no text.
    #[error("the names of the columns are not UTF-8")]
    Encoding,
    /// Not CSV.
    #[error("{0}")]
    Csv(String),
    /// Not JSON.
    #[error("column {column}: it is not one JSON value: {0}", column = .0.column())]
    Json(#[from] serde_json::Error),
    /// A line of JSON that is not an object, after one that is.
    #[error("it is not an object, as the first line is")]
    NotAnObject,
    /// A member that the first line does not have.
    #[error(
        "it has a member '{0}' that the first line does not have; give every line the same members"
    )]
    OtherMember(String),
    /// A member of the first line that is missing.
    #[error("it has no member '{0}', which the first line has; null stands for none")]
    MissingMember(String),
    /// None, or too many.
    #[error("there are {0} columns, not 1 to {COLUMNS_MAX}")]
    Columns(usize),
    /// A column without a name, by its number from 1.
    #[error("column {0} has no name")]
    NoName(usize),
    /// Two columns of one name.
    #[error("two columns are called '{0}'")]
    SameName(String),
}

impl Table {
    /// The lines of the file at `path`, in one column named `line`, without their terminators (LF or CR LF). An empty
    /// line is a value like any other.
    pub fn lines(files: &Files, path: &Path) -> Result<Self, TableError> {
        let bytes = read(files, path)?;
        let mut table = Self::with(vec!["line".to_owned()]);
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if bytes.is_empty() {
            return Err(empty(path, "put one value on each line"));
        }
        for line in text.split(|byte| *byte == b'\n') {
            table.push(line.strip_suffix(b"\r").unwrap_or(line));
        }
        Ok(table)
    }

    /// The records of the file at `path`: comma-separated values as in RFC 4180, except that the delimiter may differ.
    /// If `columns` does not name the columns, the first record does.
    pub fn csv(
        files: &Files,
        path: &Path,
        delimiter: u8,
        columns: Option<Vec<String>>,
    ) -> Result<Self, TableError> {
        let bytes = read(files, path)?;
        let line = |line, problem| TableError::Line { path: path.to_owned(), line, problem };
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(columns.is_none())
            .from_reader(&bytes[..]);
        let columns = if let Some(columns) = columns {
            columns
        } else {
            let named = reader.headers().map_err(|error| malformed(path, &error))?;
            named.iter().map(|name| name.trim().to_owned()).collect()
        };
        let count = columns.len();
        let mut table = Self::with(checked(columns).map_err(|problem| line(1, problem))?);
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record).map_err(|error| malformed(path, &error))? {
            if record.len() != count {
                let at = record.position().map_or(0, csv::Position::line);
                let (values, columns) = (record.len(), count);
                return Err(line(at, TableProblem::Values { values, columns }));
            }
            record.iter().for_each(|cell| table.push(cell));
        }
        if table.rows() == 0 {
            return Err(empty(path, "the first line names the columns, the others are the rows"));
        }
        Ok(table)
    }

    /// The lines of the file at `path`. Either each is a JSON object with the same members as the first, or each is
    /// another JSON value, in one column named `value`. Strings are without their quotes, null is empty, and arrays and
    /// objects are kept as JSON.
    pub fn json_lines(files: &Files, path: &Path) -> Result<Self, TableError> {
        let bytes = read(files, path)?;
        let mut table: Option<Self> = None;
        for (at, text) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if text.trim_ascii().is_empty() {
                continue;
            }
            let line =
                |problem| TableError::Line { path: path.to_owned(), line: at as u64 + 1, problem };
            let value: Value =
                serde_json::from_slice(text).map_err(|error| line(TableProblem::Json(error)))?;
            let table = match &mut table {
                Some(table) => table,
                None => table.insert(Self::with(checked(members(&value)).map_err(line)?)),
            };
            table.push_json(value).map_err(line)?;
        }
        table.ok_or_else(|| empty(path, "put one JSON object on each line"))
    }

    /// Values from another source, in one column.
    pub fn list(column: &str, values: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut table = Self::with(vec![column.to_owned()]);
        values.into_iter().for_each(|value| table.push(&value));
        table
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The number of the column with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        let cells = match &self.ends {
            Ends::Narrow(ends) => ends.len(),
            Ends::Wide(ends) => ends.len(),
        };
        (cells / self.columns.len().max(1)) as u64
    }

    /// A cell; empty if there is none.
    pub fn cell(&self, row: u64, column: usize) -> &[u8] {
        let count = self.columns.len() as u64;
        let index = row.saturating_mul(count).saturating_add(column as u64);
        let Ok(index) = usize::try_from(index) else { return &[] };
        let start = index.checked_sub(1).map_or(Some(0), |before| self.end(before));
        match (start, self.end(index)) {
            (Some(start), Some(end)) if column < self.columns.len() => &self.bytes[start..end],
            _ => &[],
        }
    }

    fn end(&self, index: usize) -> Option<usize> {
        match &self.ends {
            Ends::Narrow(ends) => ends.get(index).map(|&end| end as usize),
            Ends::Wide(ends) => ends.get(index).map(|&end| end as usize),
        }
    }

    fn with(columns: Vec<String>) -> Self {
        Self { columns, ..Self::default() }
    }

    fn push(&mut self, cell: &[u8]) {
        self.bytes.extend_from_slice(cell);
        let end = self.bytes.len();
        match (&mut self.ends, u32::try_from(end)) {
            (Ends::Narrow(ends), Ok(end)) => ends.push(end),
            (Ends::Narrow(ends), Err(_)) => {
                let mut wide: Vec<u64> = ends.iter().map(|&end| u64::from(end)).collect();
                wide.push(end as u64);
                self.ends = Ends::Wide(wide);
            }
            (Ends::Wide(ends), _) => ends.push(end as u64),
        }
    }

    /// Appends a row from a JSON value, if it has the same columns as the others.
    fn push_json(&mut self, value: Value) -> Result<(), TableProblem> {
        let Value::Object(object) = value else {
            if self.columns != ["value"] {
                return Err(TableProblem::NotAnObject);
            }
            self.push(&cell_of(&value));
            return Ok(());
        };
        if let Some(name) = object.keys().find(|name| self.column(name).is_none()) {
            return Err(TableProblem::OtherMember(name.clone()));
        }
        for at in 0..self.columns.len() {
            let name = &self.columns[at];
            let value =
                object.get(name).ok_or_else(|| TableProblem::MissingMember(name.clone()))?;
            self.push(&cell_of(value));
        }
        Ok(())
    }
}

fn cell_of(value: &Value) -> Vec<u8> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => text.clone().into_bytes(),
        other => other.to_string().into_bytes(),
    }
}

/// The columns that the first line of JSON defines.
fn members(value: &Value) -> Vec<String> {
    match value {
        Value::Object(object) => object.keys().cloned().collect(),
        _ => vec!["value".to_owned()],
    }
}

/// The columns, if their names are unique.
fn checked(columns: Vec<String>) -> Result<Vec<String>, TableProblem> {
    if columns.is_empty() || columns.len() > COLUMNS_MAX {
        return Err(TableProblem::Columns(columns.len()));
    }
    for (at, column) in columns.iter().enumerate() {
        if column.is_empty() {
            return Err(TableProblem::NoName(at + 1));
        }
        if columns[..at].contains(column) {
            return Err(TableProblem::SameName(column.clone()));
        }
    }
    Ok(columns)
}

/// The bytes of a file that is not too long, without a byte order mark.
fn read(files: &Files, path: &Path) -> Result<Vec<u8>, TableError> {
    let failed = |source| TableError::Read { path: path.to_owned(), source };
    let file = files.open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(TableError::Long { path: path.to_owned() });
    }
    Ok(crate::file::unmarked(bytes))
}

fn empty(path: &Path, remedy: &'static str) -> TableError {
    TableError::Empty { path: path.to_owned(), remedy }
}

fn malformed(path: &Path, error: &csv::Error) -> TableError {
    let line = error.position().map_or(0, csv::Position::line);
    let problem = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            TableProblem::Unequal { values: *len, columns: *expected_len }
        }
        csv::ErrorKind::Utf8 { .. } => TableProblem::Encoding,
        _ => TableProblem::Csv(error.to_string()),
    };
    TableError::Line { path: path.to_owned(), line, problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn cells(table: &Table) -> Vec<Vec<String>> {
        let row = |row| {
            let cell = |column| String::from_utf8(table.cell(row, column).to_vec()).unwrap();
            (0..table.columns().len()).map(cell).collect()
        };
        (0..table.rows()).map(row).collect()
    }

    #[test]
    fn lines_are_rows_of_one_column() {
        let table = Table::lines(&Files::default(), file(b"a\r\n\nc").path()).unwrap();
        assert_eq!(cells(&table), [["a"], [""], ["c"]]);
        assert_eq!(Table::lines(&Files::default(), file(b"a\nb\n").path()).unwrap().rows(), 2);
        assert_eq!(
            (table.cell(3, 0), table.cell(0, 1), table.cell(u64::MAX, 0)),
            (&[][..], &[][..], &[][..])
        );
        let error = Table::lines(&Files::default(), file(b"").path()).unwrap_err().to_string();
        assert!(error.contains("one value on each line"), "{error}");
    }

    #[test]
    fn csv_keeps_quoted_text() {
        let text = b"\xef\xbb\xbfname, mail\njo,\"a, \"\"b\"\"\nc\"\nal,\n";
        let table = Table::csv(&Files::default(), file(text).path(), b',', None).unwrap();
        assert_eq!(table.columns(), ["name", "mail"]);
        assert_eq!(cells(&table), [["jo", "a, \"b\"\nc"], ["al", ""]]);
        let named = Some(vec!["x".to_owned(), "y".to_owned()]);
        let table = Table::csv(&Files::default(), file(b"1;2\n3;4").path(), b';', named).unwrap();
        assert_eq!(
            (cells(&table), table.column("y")),
            (vec![vec!["1".into(), "2".into()], vec!["3".into(), "4".into()]], Some(1))
        );
    }

    #[test]
    fn json_lines_are_rows_of_the_same_members() {
        let text =
            b"{\"n\":1,\"t\":\"a\\nb\",\"o\":null}\n\n{\"t\":\"c\",\"o\":{\"x\":[1]},\"n\":2.50}\n";
        let table = Table::json_lines(&Files::default(), file(text).path()).unwrap();
        let column = |name| table.column(name).unwrap();
        let at = |row, name| table.cell(row, column(name));
        assert_eq!((at(0, "n"), at(0, "t"), at(0, "o")), (&b"1"[..], &b"a\nb"[..], &b""[..]));
        assert_eq!((at(1, "t"), at(1, "o")), (&b"c"[..], &b"{\"x\":[1]}"[..]));
        let table = Table::json_lines(&Files::default(), file(b"\"a\"\n7\n").path()).unwrap();
        assert_eq!(
            (cells(&table), table.columns()),
            (vec![vec!["a".to_owned()], vec!["7".to_owned()]], &["value".to_owned()][..])
        );
    }

    #[test]
    fn file_errors_name_the_line() {
        type Read = fn(&Path) -> Result<Table, TableError>;
        let csv: Read = |path| Table::csv(&Files::default(), path, b',', None);
        let json: Read = |path| Table::json_lines(&Files::default(), path);
        let cases: [(Read, &str, &str); 9] = [
            (csv, "a,b\n1,2\n3\n", "line 3: there are 1 values where 2"),
            (csv, "a,a\n1,2\n", "two columns are called 'a'"),
            (csv, "a,\n1,2\n", "column 2 has no name"),
            (csv, "a,b\n", "the first line names the columns"),
            (json, "{\"a\":1}\n{\"b\":1}\n", "line 2: it has a member 'b'"),
            (json, "{\"a\":1}\n{}\n", "line 2: it has no member 'a'"),
            (json, "{\"a\":1}\n7\n", "line 2: it is not an object"),
            (json, "{\"a\":1}\n{\"a\":\n", "line 2: column"),
            (json, "\n", "one JSON object on each line"),
        ];
        for (read, text, expected) in cases {
            let error = read(file(text.as_bytes()).path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
        let error = Table::lines(&Files::default(), Path::new("/nowhere/names.txt"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("/nowhere/names.txt"), "{error}");
    }
}
