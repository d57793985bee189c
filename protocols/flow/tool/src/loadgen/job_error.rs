//! [`JobError`]: what is wrong with a file of a job, where, and what to do about it.
//!
//! Every fault names the file, the line, the column and the key, because a job consists of three kinds of files and any
//! of them may be wrong. Nothing is printed here.

use std::fmt;
use std::path::PathBuf;

use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct JobError {
    /// The file.
    pub file: PathBuf,
    /// The place in it, counted from 1; `None` if the fault concerns the whole file.
    pub place: Option<Position>,
    /// The keys that lead there, such as `header.X-Id`; empty at the top.
    pub key: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Position {
    /// The place of a byte of a text.
    pub fn new(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[start..].chars().count() + 1 }
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "read {}", self.file.display())?;
        if let Some(Position { line, column }) = self.place {
            write!(f, ", line {line}, column {column}")?;
        }
        if !self.key.is_empty() {
            write!(f, ", at {}", self.key)?;
        }
        write!(f, ": {}; {}", self.what, self.remedy)
    }
}

impl From<JobError> for Refusal {
    fn from(fault: JobError) -> Self {
        Self { text: format!("failed to {fault}\n"), exit: Exit::Usage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_counts_lines_and_characters_from_one() {
        let place = |at| {
            let Position { line, column } = Position::new("{\n \"ä\": 1\n}", at);
            (line, column)
        };
        assert_eq!([0, 2, 3, 8, 10].map(place), [(1, 1), (2, 1), (2, 2), (2, 6), (2, 8)]);
        assert_eq!(place(99), (3, 2));
    }
}
