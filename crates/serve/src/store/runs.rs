//! The index of the runs, for lists, filters and searches, and for the removal of old ones.

use brunt_history::Summary;
use brunt_record::SloOutcome;
use rusqlite::types::{Type, Value};
use rusqlite::{OptionalExtension as _, Row, Transaction, params_from_iter};

use super::membership::{
    join_test, key_of_plan, plan_named, project_of_load, project_of_plan, test_of_load,
};
use super::{Result, Store};
use crate::history::Entry;

/// The conditions for listed runs. An empty field is no condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// The run's texts contain words that begin with each of these.
    pub(crate) text: String,
    pub(crate) tag: String,
    pub(crate) target: String,
    /// The key of an outcome, or its words.
    pub(crate) outcome: String,
    pub(crate) verdict: String,
    pub(crate) commit: String,
    pub(crate) load: String,
    /// The name of a test in addresses.
    pub(crate) test: String,
    /// The run began on this day or later, given as `2026-11-23`.
    pub(crate) since: String,
    /// The run began on this day or earlier.
    pub(crate) until: String,
    pub(crate) missed: bool,
    pub(crate) pinned: bool,
    pub(crate) baseline: bool,
    pub(crate) kind: Kind,
}

/// Which kind of runs is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Any,
    /// Searches for the highest rate.
    Searches,
}

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SortBy {
    #[default]
    Started,
    Outcome,
    Goodput,
    P99,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) by: SortBy,
    pub(crate) is_ascending: bool,
}

/// The position of a run in a list: what the list is sorted by, and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) key: String,
    pub(crate) id: String,
}

/// Where a page of a list is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PageStart {
    /// At the beginning.
    First,
    /// After this run.
    After(Position),
    /// It ends before this run.
    Before(Position),
}

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Listed {
    pub(crate) runs: Vec<Entry>,
    /// Whether more runs follow, and whether others precede.
    pub(crate) more: bool,
    pub(crate) less: bool,
    /// The number of runs that match the filter.
    pub(crate) all: i64,
}

const COLUMNS: &str = "run.id, summary, about";

/// A run from its id, summary and what people wrote about it, the first columns of a row.
pub(super) fn run(row: &Row<'_>) -> rusqlite::Result<Entry> {
    fn unread(error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
        rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error))
    }
    let [id, summary, about]: [String; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
    Ok(Entry {
        id: id.parse().map_err(unread)?,
        summary: serde_json::from_str(&summary).map_err(unread)?,
        about: serde_json::from_str(&about).map_err(unread)?,
    })
}

/// An outcome as filters and the index name it: as in records.
pub(crate) fn outcome_key(words: &str) -> String {
    words.trim().to_lowercase().replace(' ', "-")
}

/// The name of a run that has no name: its command without options, and its target.
fn title(summary: &Summary) -> String {
    let words = summary.command.iter().map(String::as_str).filter(|word| *word != "brunt");
    let words: Vec<&str> = words.take_while(|word| !word.starts_with('-')).take(2).collect();
    let what = if words.is_empty() { "A run".to_owned() } else { words.join(" ") };
    match &summary.target {
        Some(target) if !what.contains(target.as_str()) => format!("{what} against {target}"),
        _ => what,
    }
}

/// The name of a run: its own, or one that is made.
pub(crate) fn name(run: &Entry) -> String {
    if run.about.name.is_empty() { title(&run.summary) } else { run.about.name.clone() }
}

impl SortBy {
    /// The expression. No figure sorts like the least.
    const fn column(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Outcome => "outcome",
            Self::Goodput => "coalesce(goodput, -1.0)",
            Self::P99 => "coalesce(p99_ms, -1.0)",
        }
    }

    /// The key of a position as its column has it.
    fn value(self, key: &str) -> Value {
        match self {
            Self::Started | Self::Outcome => key.to_owned().into(),
            Self::Goodput | Self::P99 => key.parse::<f64>().unwrap_or(-1.0).into(),
        }
    }

    /// The key of the position of a run.
    pub(crate) fn key(self, run: &Entry) -> String {
        let figure = |figure: Option<f64>| figure.unwrap_or(-1.0).to_string();
        match self {
            Self::Started => run.summary.started.clone(),
            Self::Outcome => outcome_of(&run.summary),
            Self::Goodput => figure(run.summary.figures.goodput),
            Self::P99 => figure(run.summary.figures.p99_ms),
        }
    }
}

/// The outcome of a run as the index names it; empty if it is unknown.
fn outcome_of(summary: &Summary) -> String {
    summary.outcome.map_or_else(String::new, |outcome| outcome_key(outcome.words()))
}

/// Conditions as a part of a query.
fn listed(wanted: &[String]) -> String {
    if wanted.is_empty() { String::new() } else { format!(" WHERE {}", wanted.join(" AND ")) }
}

impl Store {
    /// Adds a run to the index, or replaces its entry.
    pub(crate) fn put_run(&self, run: &Entry) -> Result<()> {
        self.write(|file| put(file, run))
    }

    /// Rebuilds the whole index.
    pub(crate) fn put_all_runs(&self, runs: impl Iterator<Item = Entry>) -> Result<usize> {
        self.write(|file| {
            file.execute_batch("DELETE FROM tag; DELETE FROM run_text; DELETE FROM run;")?;
            let mut count = 0;
            for run in runs {
                // The index is empty here, so there is no old entry to remove.
                insert(file, &run)?;
                count += 1;
            }
            file.execute("DELETE FROM against WHERE run NOT IN (SELECT id FROM run)", [])?;
            Ok(count)
        })
    }

    /// Removes a run from the index.
    pub(crate) fn forget_run(&self, id: &str) -> Result<()> {
        self.write(|file| {
            file.execute("DELETE FROM against WHERE run = ?1", [id])?;
            forget(file, id)
        })
    }

    /// One run, by its id.
    pub(crate) fn run(&self, id: &str) -> Result<Option<Entry>> {
        self.read(|file| {
            let query = format!("SELECT {COLUMNS} FROM run WHERE id = ?1");
            Ok(file.query_row(&query, [id], run).optional()?)
        })
    }

    /// The runs that match a filter, newest first.
    pub(crate) fn runs(
        &self,
        filter: &Filter,
        after: Option<&Position>,
        most: usize,
    ) -> Result<Listed> {
        let place = after.map_or(PageStart::First, |position| PageStart::After(position.clone()));
        self.sorted_runs(filter, Order::default(), &place, most)
    }

    /// A page of the runs that match a filter.
    pub(crate) fn sorted_runs(
        &self,
        filter: &Filter,
        order: Order,
        place: &PageStart,
        most: usize,
    ) -> Result<Listed> {
        let (mut wanted, mut values) = conditions(filter);
        let count = format!("SELECT count(*) FROM run{}", listed(&wanted));
        let key = order.by.column();
        // A page that ends before a run is read from its end.
        let is_reversed = matches!(place, PageStart::Before(_));
        let (sign, direction) =
            if order.is_ascending == is_reversed { ("<", "DESC") } else { (">", "ASC") };
        self.read(|file| {
            let all =
                file.prepare(&count)?.query_row(params_from_iter(&values), |row| row.get(0))?;
            if let PageStart::After(position) | PageStart::Before(position) = place {
                wanted.push(format!("({key}, run.id) {sign} (?, ?)"));
                values.extend([order.by.value(&position.key), position.id.clone().into()]);
            }
            let query = format!(
                "SELECT {COLUMNS} FROM run{} ORDER BY {key} {direction}, run.id {direction} LIMIT {}",
                listed(&wanted),
                most + 1
            );
            let mut requested = file.prepare(&query)?;
            let found = requested.query_map(params_from_iter(&values), run)?;
            let mut runs = found.collect::<rusqlite::Result<Vec<_>>>()?;
            let beyond = runs.len() > most;
            runs.truncate(most);
            let (more, less) = match place {
                PageStart::First => (beyond, false),
                PageStart::After(_) => (beyond, true),
                PageStart::Before(_) => (true, beyond),
            };
            if is_reversed {
                runs.reverse();
            }
            Ok(Listed { runs, more, less, all })
        })
    }

    /// How many runs there are.
    pub(crate) fn count_runs(&self) -> Result<u64> {
        let count: i64 = self
            .read(|file| Ok(file.query_row("SELECT count(*) FROM run", [], |row| row.get(0))?))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// The newest baseline of the load of a run, in the run's project.
    pub(crate) fn baseline_of(&self, of: &Entry) -> Result<Option<Entry>> {
        self.read(|file| {
            let query = format!(
                "SELECT {COLUMNS} FROM run WHERE load = ?1 AND baseline = 1 \
                 AND project IS (SELECT project FROM run WHERE id = ?2) ORDER BY started DESC, id DESC LIMIT 1"
            );
            let given = [of.summary.load.as_str(), of.id.as_str()];
            Ok(file.query_row(&query, given, run).optional()?)
        })
    }

    /// The tags in use, most frequent first.
    pub(crate) fn tags(&self, most: i64) -> Result<Vec<String>> {
        Ok(self.tag_counts(most)?.into_iter().map(|(tag, _)| tag).collect())
    }

    /// The tags in use and how many runs have each, most frequent first.
    pub(crate) fn tag_counts(&self, most: i64) -> Result<Vec<(String, i64)>> {
        self.read(|file| {
            let query =
                "SELECT tag, count(*) FROM tag GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?1";
            let mut all = file.prepare(query)?;
            let tags = all.query_map([most], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(tags.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn put(file: &Transaction<'_>, run: &Entry) -> Result<()> {
    forget(file, run.id.as_str())?;
    insert(file, run)
}

fn insert(file: &Transaction<'_>, run: &Entry) -> Result<()> {
    let Entry { id, summary, about } = run;
    // A summary always serialises, so these cannot fail.
    let [summary_json, about_json] = [serde_json::to_string(summary), serde_json::to_string(about)];
    let missed = summary.objectives.iter().filter(|one| one.outcome == SloOutcome::Missed).count();
    let (title, tags) = (title(summary), about.tags.join(" "));
    let target = summary.target.as_deref().unwrap_or_default();
    let commit = about.origin.commit.as_deref().unwrap_or_default();
    let outcome = outcome_of(summary);
    let made = plan_named(file, about.origin.plan.as_deref())?;
    let (test, project) = if let Some((plan, _)) = made {
        (key_of_plan(plan), project_of_plan(file, plan)?)
    } else {
        let project = project_of_load(file, &summary.load)?;
        (test_of_load(file, &summary.load, project)?, project)
    };
    let add = "INSERT INTO run (id, started, target, load, verdict, missed, pinned, baseline, revision, summary, \
               about, outcome, plan, plan_revision, target_id, p99_ms, goodput, is_search, test, project) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, \
               (SELECT id FROM target WHERE name = ?15), ?16, ?17, ?18, ?19, ?20)";
    let values = rusqlite::params![
        id.as_str(),
        summary.started,
        target,
        summary.load,
        summary.verdict.word(),
        i64::try_from(missed).unwrap_or(i64::MAX),
        about.pin,
        about.baseline,
        commit,
        summary_json.unwrap_or_default(),
        about_json.unwrap_or_default(),
        outcome,
        made.map(|(plan, _)| plan),
        made.map(|(_, revision)| revision),
        about.origin.target,
        summary.figures.p99_ms,
        summary.figures.goodput,
        summary.capacity.is_some(),
        test,
        project
    ];
    file.execute(add, values)?;
    if made.is_some() {
        join_test(file, &summary.load, (&test, project))?;
    }
    for tag in &about.tags {
        file.execute("INSERT OR IGNORE INTO tag (run, tag) VALUES (?1, ?2)", [id.as_str(), tag])?;
    }
    let outcome = summary.outcome_word();
    let words = [
        &about.name,
        &title,
        target,
        &tags,
        &about.note,
        commit,
        &outcome,
        summary.verdict.word(),
        &summary.started,
        &about.origin.by,
        id.as_str(),
    ];
    file.execute(
        "INSERT INTO run_text (run, words) VALUES (?1, ?2)",
        [id.as_str(), &words.join("\n")],
    )?;
    Ok(())
}

fn forget(file: &Transaction<'_>, id: &str) -> Result<()> {
    file.execute(
        "DELETE FROM run_text WHERE rowid IN (SELECT rowid FROM run_text WHERE run = ?1)",
        [id],
    )?;
    file.execute("DELETE FROM run WHERE id = ?1", [id])?;
    Ok(())
}

/// The conditions of a filter, and their values in the same order.
fn conditions(filter: &Filter) -> (Vec<String>, Vec<Value>) {
    let mut wanted = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    let (search, outcome) = (search(&filter.text), outcome_key(&filter.outcome));
    // This text sorts after every time on that day.
    let until = if filter.until.is_empty() { String::new() } else { format!("{}~", filter.until) };
    let conditions: [(&str, &str); 10] = [
        ("run.id IN (SELECT run FROM run_text WHERE run_text MATCH ?)", &search),
        ("run.id IN (SELECT run FROM tag WHERE tag = ?)", &filter.tag),
        ("instr(target, ?) > 0", &filter.target),
        ("outcome = ?", &outcome),
        ("verdict = ?", &filter.verdict),
        ("revision = ?", &filter.commit),
        ("load = ?", &filter.load),
        ("test = ?", &filter.test),
        ("started >= ?", &filter.since),
        ("started <= ?", &until),
    ];
    for (condition, value) in conditions {
        if !value.is_empty() {
            wanted.push(condition.to_owned());
            values.push(value.to_owned().into());
        }
    }
    for (condition, is_wanted) in [
        ("missed > 0", filter.missed),
        ("pinned = 1", filter.pinned),
        ("baseline = 1", filter.baseline),
        ("is_search = 1", filter.kind == Kind::Searches),
    ] {
        if is_wanted {
            wanted.push(condition.to_owned());
        }
    }
    (wanted, values)
}

/// A search in the syntax of FTS5: every word is a prefix of a word of the text. Quoting prevents words from being
/// operators.
fn search(text: &str) -> String {
    let words = text.split_whitespace().take(10);
    let quoted = words.map(|word| format!("\"{}\"*", word.replace('"', "\"\"").replace('\0', "")));
    quoted.collect::<Vec<_>>().join(" ")
}

impl Store {
    /// The runs that are neither pinned nor baselines nor the last of their test, and have no tag unless `tagged`:
    /// their ids, and when they were stored, the newest first. The tag that scheduled runs get is no tag of a person.
    pub(crate) fn removable_runs(&self, tagged: bool) -> Result<Vec<(String, String)>> {
        self.read(|file| {
            let query = "SELECT id, coalesce(nullif(json_extract(about, '$.origin.at'), ''), started) AS stored \
                       FROM run WHERE pinned = 0 AND baseline = 0 AND (?1 OR NOT EXISTS \
                       (SELECT 1 FROM tag WHERE tag.run = run.id AND tag <> 'scheduled')) \
                       AND (test = '' OR id <> (SELECT newest.id FROM run AS newest WHERE newest.test = run.test \
                       ORDER BY newest.started DESC, newest.id DESC LIMIT 1)) \
                       ORDER BY stored DESC, id DESC";
            let mut all = file.prepare(query)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_history::{About, Objective, RunId};
    use brunt_record::{RunOutcome, Status};

    fn row(number: usize) -> Entry {
        let verdict = if number.is_multiple_of(2) { Status::Valid } else { Status::Partial };
        let outcome = if number == 3 { SloOutcome::Missed } else { SloOutcome::Met };
        let mut summary = brunt_history::samples::summary();
        summary.started = format!("2026-11-{:02}T10:00:00Z", number + 1);
        summary.command = ["brunt", "authrate", "-p", "389"].map(str::to_owned).to_vec();
        summary.target = Some(format!("ldap://ds{number}.example.com"));
        summary.load = "l".to_owned();
        summary.verdict = verdict;
        summary.outcome =
            Some(if number == 4 { RunOutcome::NotReliable } else { RunOutcome::Measured });
        summary.objectives = vec![Objective { text: "p99<20ms".to_owned(), outcome }];
        let tags = vec![format!("t{}", number % 3), "all".to_owned()];
        Entry {
            id: format!("{number:024x}").parse().unwrap(),
            summary,
            about: About { tags, ..About::default() },
        }
    }

    fn store() -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        assert_eq!(store.put_all_runs((0..7).map(row)).unwrap(), 7);
        (directory, store)
    }

    fn found(store: &Store, filter: &Filter) -> Vec<usize> {
        let listed = store.runs(filter, None, 50).unwrap();
        assert_eq!(listed.all as usize, listed.runs.len());
        listed.runs.iter().map(|run| usize::from_str_radix(run.id.as_str(), 16).unwrap()).collect()
    }

    #[test]
    fn run_filters_find_matching_runs() {
        let (_directory, store) = store();
        let with = |change: &dyn Fn(&mut Filter)| {
            let mut filter = Filter::default();
            change(&mut filter);
            found(&store, &filter)
        };
        assert_eq!(with(&|_| {}), [6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(with(&|filter| filter.tag = "t0".to_owned()), [6, 3, 0]);
        assert_eq!(with(&|filter| filter.verdict = "partial".to_owned()), [5, 3, 1]);
        for outcome in ["not-reliable", "Not reliable"] {
            assert_eq!(with(&|filter| filter.outcome = outcome.to_owned()), [4]);
        }
        assert_eq!(with(&|filter| filter.outcome = "measured".to_owned()), [6, 5, 3, 2, 1, 0]);
        assert_eq!(with(&|filter| filter.text = "reliable".to_owned()), [4]);
        assert_eq!(with(&|filter| filter.missed = true), [3]);
        assert_eq!(with(&|filter| filter.since = "2026-11-06".to_owned()), [6, 5]);
        assert_eq!(with(&|filter| filter.until = "2026-11-02".to_owned()), [1, 0]);
        assert_eq!(with(&|filter| filter.text = "ds4 auth".to_owned()), [4]);
        assert_eq!(with(&|filter| filter.target = "ds5.".to_owned()), [5]);
        // None of these is an operator, and none causes an error.
        for text in ["\"", "ds4 OR ds5", "NEAR(", "*", "-", "words:x", "ds4\"*"] {
            let _ = with(&|filter| filter.text = text.to_owned());
        }
        assert_eq!(with(&|filter| filter.text = "ds4 OR ds5".to_owned()), [0; 0]);
    }

    #[test]
    fn run_pages_follow_without_a_gap() {
        let (_directory, store) = store();
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let listed = store.runs(&Filter::default(), after.as_ref(), 3).unwrap();
            assert_eq!(listed.all, 7);
            seen.extend(listed.runs.iter().map(|run| run.id.clone()));
            let last = listed.runs.last().unwrap();
            after = Some(Position {
                key: last.summary.started.clone(),
                id: last.id.as_str().to_owned(),
            });
            if !listed.more {
                break;
            }
        }
        let all: Vec<RunId> = (0..7).rev().map(|number| row(number).id).collect();
        assert_eq!(seen, all);
    }

    #[test]
    fn run_stored_again_replaces_the_old_entry() {
        let (_directory, store) = store();
        let mut changed = row(2);
        changed.about = About { note: "slower".to_owned(), baseline: true, ..About::default() };
        store.put_run(&changed).unwrap();
        assert_eq!(store.run(changed.id.as_str()).unwrap(), Some(changed.clone()));
        let tag = Filter { tag: "t2".to_owned(), ..Filter::default() };
        assert_eq!(found(&store, &tag), [5]);
        let text = Filter { text: "slower".to_owned(), ..Filter::default() };
        assert_eq!(found(&store, &text), [2]);
        assert_eq!(store.baseline_of(&row(3)).unwrap().map(|run| run.id), Some(changed.id.clone()));
        store.forget_run(changed.id.as_str()).unwrap();
        assert_eq!(found(&store, &text), [0; 0]);
        assert_eq!(store.tags(9).unwrap()[0], "all");
    }
}
