//! [`Visibility`]: the tests that the queries of a store find. Who sees which tests is decided only here.
//!
//! Queries name tables. On a connection with limited visibility, the name of a table that is about tests is the name of
//! a view of what may be seen, so no query can omit the condition. Tables of which all users see everything are listed
//! in a test, and a new table in neither list fails it.

use rusqlite::Connection;

use super::{Result, Store};

/// Which tests a user, or the site itself, may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// All tests: for administrators, and for what the site does by itself.
    All,
    /// The tests without a project, and those of the projects that this user sees.
    OfUser(i64),
    /// The tests without a project.
    WithoutProject,
}

/// The tables about tests, each with the condition for a row that may be seen.
const SEEN: [(&str, &str); 13] = [
    ("project", "id IN (SELECT project FROM temp.mine)"),
    ("project_user", "project IN (SELECT project FROM temp.mine)"),
    ("project_group", "project IN (SELECT project FROM temp.mine)"),
    ("load_project", "project IN (SELECT project FROM temp.mine)"),
    ("plan", "project IS NULL OR project IN (SELECT project FROM temp.mine)"),
    ("run", "project IS NULL OR project IN (SELECT project FROM temp.mine)"),
    ("revision", OF_PLAN),
    ("draft", OF_PLAN),
    ("last_target", OF_PLAN),
    ("schedule", OF_PLAN),
    ("occasion", "EXISTS (SELECT 1 FROM temp.schedule AS seen WHERE seen.id = own.schedule)"),
    ("tag", OF_RUN),
    ("against", OF_RUN),
];
const OF_PLAN: &str = "EXISTS (SELECT 1 FROM temp.plan AS seen WHERE seen.id = own.plan)";
const OF_RUN: &str = "EXISTS (SELECT 1 FROM temp.run AS seen WHERE seen.id = own.run)";

impl Visibility {
    pub(super) fn is_limited(self) -> bool {
        self != Self::All
    }

    /// Limits what queries on this connection find.
    pub(super) fn limit(reader: &Connection) -> Result<()> {
        // A service may have no directory for files that are not the site's.
        reader.pragma_update(None, "temp_store", "memory")?;
        reader.execute_batch("CREATE TEMP TABLE mine (project INTEGER PRIMARY KEY)")?;
        for (table, is_seen) in SEEN {
            let view = format!(
                "CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} AS own WHERE {is_seen}"
            );
            reader.execute_batch(&view)?;
        }
        Ok(())
    }

    /// Lets the next query on a limited connection find what this user may see.
    pub(super) fn apply(self, reader: &Connection) -> Result<()> {
        let user = match self {
            Self::All => return Ok(()),
            Self::OfUser(user) => Some(user),
            Self::WithoutProject => None,
        };
        reader.execute("DELETE FROM temp.mine", [])?;
        let mine = "INSERT INTO temp.mine (project) \
                    SELECT project FROM main.project_user WHERE user = ?1 UNION \
                    SELECT project FROM main.project_group JOIN main.user_group USING (name) WHERE user = ?1";
        reader.execute(mine, [user])?;
        Ok(())
    }
}

impl Store {
    /// The same database, of which reads find only what is visible. Writes are not limited: a change begins with a
    /// read.
    pub(crate) fn seen_by(&self, visibility: Visibility) -> Self {
        Self { visibility, ..self.clone() }
    }

    /// The names of the plans that may not be seen, for what is known outside of the database.
    pub(crate) fn hidden_plans(&self) -> Result<Vec<String>> {
        if !self.visibility.is_limited() {
            return Ok(Vec::new());
        }
        self.read(|file| {
            let mut all =
                file.prepare("SELECT name FROM main.plan WHERE id NOT IN (SELECT id FROM plan)")?;
            let names = all.query_map([], |row| row.get(0))?;
            Ok(names.collect::<rusqlite::Result<_>>()?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DATABASE, MIGRATIONS, Members};
    use super::*;
    use crate::auth::Role;

    /// Tables that are not about tests, or are read only by what may not be seen in another table.
    const OPEN: [&str; 16] = [
        "annotation",
        "audit",
        "hook",
        "identity",
        "invitation",
        "keyed",
        "provider",
        "run_text",
        "secret",
        "session",
        "share",
        "step",
        "target",
        "token",
        "user",
        "user_group",
    ];

    #[test]
    fn visibility_covers_every_table() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let mut tables: Vec<String> = store
            .read(|file| {
                let query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
                let mut all = file.prepare(query)?;
                let names = all.query_map([], |row| row.get(0))?;
                Ok(names.collect::<rusqlite::Result<_>>()?)
            })
            .unwrap();
        // The tables inside of the full-text index.
        tables.retain(|name| !name.starts_with("run_text_"));
        let limited = SEEN.map(|(name, _)| name);
        for name in &tables {
            let times = limited.iter().chain(&OPEN).filter(|known| *known == name).count();
            assert_eq!(times, 1, "the table {name} needs a decision who sees its rows");
        }
        assert_eq!(tables.len(), limited.len() + OPEN.len());
    }

    /// The database of the version before, with a plan that has been run.
    #[test]
    fn older_database_shows_every_test_to_everybody() {
        let directory = tempfile::tempdir().unwrap();
        let older = Connection::open(directory.path().join(DATABASE)).unwrap();
        MIGRATIONS[..12].iter().for_each(|step| older.execute_batch(step).unwrap());
        let made = "INSERT INTO user (name, role, created) VALUES ('eve', 'viewer', 1);
             INSERT INTO plan (name) VALUES ('nightly');
             INSERT INTO revision (plan, revision, text, author, at) VALUES (1, 1, '', 'ada', 1);
             INSERT INTO run (id, started, target, load, verdict, missed, pinned, baseline, revision, summary, about,
               test) VALUES ('a', '2026-11-23', '', 'x', 'valid', 0, 0, 0, '', '{}', '{}', 'p1');
             INSERT INTO tag (run, tag) VALUES ('a', 'all');
             PRAGMA user_version = 12;";
        older.execute_batch(made).unwrap();
        drop(older);
        let store = Store::open(directory.path()).unwrap();
        for visibility in [Visibility::All, Visibility::OfUser(1), Visibility::WithoutProject] {
            let seen = store.seen_by(visibility);
            assert_eq!(
                (seen.count_runs().unwrap(), seen.plans().unwrap().len()),
                (1, 1),
                "{visibility:?}"
            );
            assert_eq!(
                (seen.tags(9).unwrap().len(), seen.test_of("a").unwrap()),
                (1, "p1".to_owned())
            );
        }
        let project = store.add_project("house", &Members::default()).unwrap();
        store.move_test("p1", project).unwrap();
        let seen = store.seen_by(Visibility::OfUser(1));
        assert_eq!((seen.count_runs().unwrap(), seen.plans().unwrap().len()), (0, 0));
        assert_eq!(
            (seen.tags(9).unwrap().len(), seen.hidden_plans().unwrap()),
            (0, vec!["nightly".to_owned()])
        );
        assert_eq!((store.count_runs().unwrap(), store.hidden_plans().unwrap().len()), (1, 0));
    }

    #[test]
    fn membership_of_projects_takes_effect_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let [ada, bob, eve] = ["ada", "bob", "eve"]
            .map(|name| store.add_user(name, Role::Runner, 1).unwrap().unwrap());
        let members = |users: &[&str], groups: &[&str]| Members {
            users: users.iter().map(|name| (*name).to_owned()).collect(),
            groups: groups.iter().map(|name| (*name).to_owned()).collect(),
        };
        let house = store.add_project("house", &members(&["ADA"], &["load"])).unwrap().unwrap();
        let plan = store.add_plan_to(("p", Some(house)), ("", ""), ("ada", 1)).unwrap().unwrap();
        let sees = || {
            [ada, bob, eve]
                .map(|user| store.seen_by(Visibility::OfUser(user)).plan(plan).unwrap().is_some())
        };
        assert_eq!(sees(), [true, false, false]);
        // Groups are compared exactly.
        store.note_groups(bob, &["load".to_owned(), "other".to_owned()]).unwrap();
        store.note_groups(eve, &["Load".to_owned(), "loads".to_owned()]).unwrap();
        assert_eq!(sees(), [true, true, false]);
        assert!(store.change_project(house, "house", &members(&["eve"], &["other"])).unwrap());
        assert_eq!(sees(), [false, true, true]);
        store.note_groups(bob, &[]).unwrap();
        assert_eq!(sees(), [false, false, true]);
        assert_eq!(store.seen_by(Visibility::OfUser(bob)).projects().unwrap(), []);
        let user = |id| store.user(id).unwrap().unwrap();
        assert_eq!(user(eve).visibility(), Visibility::OfUser(eve));
        assert!(store.change_user(ada, Role::Admin, false).unwrap());
        assert_eq!(user(ada).visibility(), Visibility::All);
        store.remove_project(house, None).unwrap();
        assert_eq!(sees(), [true; 3]);
    }
}
