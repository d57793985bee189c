//! Which runs the index has, and which of them may be removed because of their age, number or size.

use super::{Result, Store};

impl Store {
    /// The runs that are neither pinned nor baselines nor the last of their test, and have no tag unless `tagged`:
    /// their ids, and when they were stored, the newest first. The tag that scheduled runs get is no tag of a person.
    pub(crate) fn removable_runs(&self, tagged: bool) -> Result<Vec<(String, String)>> {
        self.read(|file| {
            let ask = "SELECT id, coalesce(nullif(json_extract(about, '$.origin.at'), ''), started) AS stored \
                       FROM run WHERE pinned = 0 AND baseline = 0 AND (?1 OR NOT EXISTS \
                       (SELECT 1 FROM tag WHERE tag.run = run.id AND tag <> 'scheduled')) \
                       AND (test = '' OR id <> (SELECT newest.id FROM run AS newest WHERE newest.test = run.test \
                       ORDER BY newest.started DESC, newest.id DESC LIMIT 1)) \
                       ORDER BY stored DESC, id DESC";
            let mut all = file.prepare(ask)?;
            let runs = all.query_map([tagged], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(runs.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The ids of all runs of the index.
    pub(crate) fn run_ids(&self) -> Result<Vec<String>> {
        self.read(|file| {
            let mut all = file.prepare("SELECT id FROM run")?;
            let ids = all.query_map([], |row| row.get(0))?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
    }
}
