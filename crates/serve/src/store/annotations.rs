//! Annotations: what happened outside of the site, such as a deployment, to be seen on charts.

use rusqlite::{OptionalExtension as _, Row};

use super::{Result, Store};

/// The most annotations that are read at once.
const READ_MAX: i64 = 1_000;

/// Something that happened at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Annotation {
    pub(crate) id: i64,
    /// When it happened, in seconds since 1970.
    pub(crate) at: i64,
    pub(crate) label: String,
    /// The target that it concerns; all of them without one.
    pub(crate) target: Option<i64>,
    /// Who wrote it down.
    pub(crate) by: String,
    pub(crate) made: i64,
}

/// Which annotations are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<'a> {
    /// The first and the last second.
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// Those of these targets, and those of all targets; without it, every one.
    pub(crate) targets: Option<&'a [i64]>,
}

fn annotation(row: &Row<'_>) -> rusqlite::Result<Annotation> {
    Ok(Annotation {
        id: row.get(0)?,
        at: row.get(1)?,
        label: row.get(2)?,
        target: row.get(3)?,
        by: row.get(4)?,
        made: row.get(5)?,
    })
}

impl Store {
    /// The newest annotations of a window, the oldest first.
    pub(crate) fn annotations(&self, window: &Window<'_>) -> Result<Vec<Annotation>> {
        self.read(|file| {
            let query = "SELECT id, at, label, target, author, made FROM annotation \
                       WHERE at BETWEEN ?1 AND ?2 ORDER BY at DESC, id DESC LIMIT ?3";
            let mut all = file.prepare(query)?;
            let read = all.query_map((window.from, window.to, READ_MAX), annotation)?;
            let mut read: Vec<_> = read.collect::<rusqlite::Result<_>>()?;
            read.retain(|one| match (one.target, window.targets) {
                (Some(target), Some(targets)) => targets.contains(&target),
                (None, _) | (_, None) => true,
            });
            read.reverse();
            Ok(read)
        })
    }

    /// One annotation.
    pub(crate) fn annotation(&self, id: i64) -> Result<Option<Annotation>> {
        self.read(|file| {
            let query = "SELECT id, at, label, target, author, made FROM annotation WHERE id = ?1";
            Ok(file.query_row(query, [id], annotation).optional()?)
        })
    }

    /// Adds an annotation, ignoring its `id`, and returns that.
    pub(crate) fn annotate(&self, it: &Annotation) -> Result<i64> {
        self.write(|file| {
            let add = "INSERT INTO annotation (at, label, target, author, made) VALUES (?1, ?2, ?3, ?4, ?5)";
            file.execute(add, (it.at, &it.label, it.target, &it.by, it.made))?;
            Ok(file.last_insert_rowid())
        })
    }

    /// Removes an annotation; false if there is none.
    pub(crate) fn end_annotation(&self, id: i64) -> Result<bool> {
        self.write(|file| Ok(file.execute("DELETE FROM annotation WHERE id = ?1", [id])? > 0))
    }

    /// The targets that the runs of a load were made at, where they are known.
    pub(crate) fn targets_of_load(&self, load: &str) -> Result<Vec<i64>> {
        self.read(|file| {
            let query =
                "SELECT DISTINCT target_id FROM run WHERE load = ?1 AND target_id IS NOT NULL";
            let mut all = file.prepare(query)?;
            let targets = all.query_map([load], |row| row.get(0))?;
            Ok(targets.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The target that a run was made at, if it is known.
    pub(crate) fn target_of_run(&self, run: &str) -> Result<Option<i64>> {
        self.read(|file| {
            let query = "SELECT target_id FROM run WHERE id = ?1";
            Ok(file.query_row(query, [run], |row| row.get(0)).optional()?.flatten())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_selected_by_time_and_target() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        for (at, label, target) in [(30, "c", Some(2)), (10, "a", None), (20, "b", Some(1))] {
            let one = Annotation {
                at,
                label: label.to_owned(),
                target,
                by: "ada".to_owned(),
                made: 40,
                ..Annotation::default()
            };
            store.annotate(&one).unwrap();
        }
        let labels = |from, to, targets: Option<&[i64]>| {
            let read = store.annotations(&Window { from, to, targets }).unwrap();
            read.into_iter().map(|one| one.label).collect::<String>()
        };
        assert_eq!(labels(0, 99, None), "abc");
        assert_eq!(labels(10, 20, None), "ab");
        assert_eq!(labels(0, 99, Some(&[1])), "ab");
        assert_eq!(labels(0, 99, Some(&[])), "a");
        assert_eq!(
            store.annotation(3).unwrap().map(|one| (one.at, one.target)),
            Some((20, Some(1)))
        );
        assert!(store.end_annotation(3).unwrap() && !store.end_annotation(3).unwrap());
        assert_eq!(labels(0, 99, None), "ac");
    }
}
