//! The runs of a load in the few figures that a trend draws, so that their summaries are not read.

use rusqlite::Row;

use super::{Result, Store};

/// A run of a load, in what a trend draws of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FollowedRun {
    pub(crate) id: String,
    /// When it began, in RFC 3339.
    pub(crate) started: String,
    /// The word of its verdict.
    pub(crate) verdict: String,
    /// The key of its outcome; empty if that is unknown.
    pub(crate) outcome: String,
    pub(crate) baseline: bool,
    /// The commit that was tested; empty if that is unknown.
    pub(crate) commit: String,
    pub(crate) p99_ms: Option<f64>,
    pub(crate) goodput: Option<f64>,
    pub(crate) project: Option<i64>,
}

fn followed(row: &Row<'_>) -> rusqlite::Result<FollowedRun> {
    Ok(FollowedRun {
        id: row.get(0)?,
        started: row.get(1)?,
        verdict: row.get(2)?,
        outcome: row.get(3)?,
        baseline: row.get(4)?,
        commit: row.get(5)?,
        p99_ms: row.get(6)?,
        goodput: row.get(7)?,
        project: row.get(8)?,
    })
}

impl Store {
    /// The newest runs of a load, searches excepted, the oldest first.
    pub(crate) fn followed(&self, load: &str, most: usize) -> Result<Vec<FollowedRun>> {
        self.read(|file| {
            let query = "SELECT id, started, verdict, outcome, baseline, revision, \
                       p99_ms, goodput, project FROM run WHERE load = ?1 AND is_search = 0 \
                       ORDER BY started DESC, id DESC LIMIT ?2";
            let mut all = file.prepare(query)?;
            let runs = all.query_map((load, i64::try_from(most).unwrap_or(i64::MAX)), followed)?;
            let mut runs: Vec<_> = runs.collect::<rusqlite::Result<_>>()?;
            runs.reverse();
            Ok(runs)
        })
    }
}
