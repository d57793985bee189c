//! Projects: who sees which tests, and which tests belong to each.

use rusqlite::Transaction;

use super::membership::settle_load;
use super::{Result, Store};

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Project {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// How many tests belong to it.
    pub(crate) tests: i64,
}

/// Who sees the tests of a project, besides administrators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Members {
    /// The names of users.
    pub(crate) users: Vec<String>,
    /// Groups at the provider.
    pub(crate) groups: Vec<String>,
}

/// The tests of a project: its plans, and its loads that belong to no plan's test.
const TESTS: &str = "(SELECT count(*) FROM plan WHERE plan.project = project.id) + \
                     (SELECT count(*) FROM load_project AS own WHERE own.project = project.id AND NOT EXISTS \
                     (SELECT 1 FROM run WHERE run.load = own.load AND run.project = own.project AND plan IS NOT NULL))";

impl Store {
    /// The projects, by name.
    pub(crate) fn projects(&self) -> Result<Vec<Project>> {
        self.read(|file| {
            let mut all =
                file.prepare(&format!("SELECT id, name, {TESTS} FROM project ORDER BY name"))?;
            let projects = all.query_map([], |row| {
                Ok(Project { id: row.get(0)?, name: row.get(1)?, tests: row.get(2)? })
            })?;
            Ok(projects.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Who sees the tests of a project.
    pub(crate) fn members(&self, project: i64) -> Result<Members> {
        self.read(|file| {
            let names = |query: &str| -> Result<Vec<String>> {
                let mut all = file.prepare(query)?;
                let names = all.query_map([project], |row| row.get(0))?;
                Ok(names.collect::<rusqlite::Result<_>>()?)
            };
            let users = "SELECT user.name FROM project_user JOIN user ON user.id = user WHERE project = ?1 ORDER BY 1";
            let groups = "SELECT name FROM project_group WHERE project = ?1 ORDER BY 1";
            Ok(Members { users: names(users)?, groups: names(groups)? })
        })
    }

    /// Adds a project; `None` if the name is taken. Users who do not exist are left out.
    pub(crate) fn add_project(&self, name: &str, members: &Members) -> Result<Option<i64>> {
        self.write(|file| {
            if file.execute("INSERT OR IGNORE INTO project (name) VALUES (?1)", [name])? == 0 {
                return Ok(None);
            }
            let id = file.last_insert_rowid();
            put_members(file, id, members)?;
            Ok(Some(id))
        })
    }

    /// Replaces the name of a project and who sees its tests; false if another project has the name.
    pub(crate) fn change_project(&self, id: i64, name: &str, members: &Members) -> Result<bool> {
        self.write(|file| {
            if file.execute("UPDATE OR IGNORE project SET name = ?2 WHERE id = ?1", (id, name))?
                == 0
            {
                return Ok(false);
            }
            put_members(file, id, members)?;
            Ok(true)
        })
    }

    /// Removes a project. Its tests move to another, or to none.
    pub(crate) fn remove_project(&self, id: i64, to: Option<i64>) -> Result<()> {
        self.write(|file| {
            let loads = texts(file, "SELECT DISTINCT load FROM run WHERE project = ?1", id)?;
            file.execute("UPDATE plan SET project = ?2 WHERE project = ?1", (id, to))?;
            file.execute("UPDATE run SET project = ?2 WHERE project = ?1", (id, to))?;
            match to {
                Some(_) => file
                    .execute("UPDATE load_project SET project = ?2 WHERE project = ?1", (id, to))?,
                None => file.execute("DELETE FROM load_project WHERE project = ?1", [id])?,
            };
            for load in loads {
                settle_load(file, &load)?;
            }
            file.execute("DELETE FROM project WHERE id = ?1", [id])?;
            Ok(())
        })
    }

    /// Moves a test, by its name in addresses, to a project or out of all. The runs of a plan's test that were uploaded
    /// come along, and so do later ones of their loads.
    pub(crate) fn move_test(&self, key: &str, to: Option<i64>) -> Result<()> {
        self.write(|file| {
            let Some(plan) = key.strip_prefix('p').and_then(|id| id.parse::<i64>().ok()) else {
                let load = key.strip_prefix('l').unwrap_or_default();
                put_load(file, load, to)?;
                return settle_load(file, load);
            };
            let query = "SELECT DISTINCT load FROM run WHERE plan IS NULL AND test = 'p' || ?1";
            for load in texts(file, query, plan)? {
                put_load(file, &load, to)?;
            }
            let loads = texts(file, "SELECT DISTINCT load FROM run WHERE test = 'p' || ?1", plan)?;
            file.execute("UPDATE plan SET project = ?2 WHERE id = ?1", (plan, to))?;
            file.execute("UPDATE run SET project = ?2 WHERE plan = ?1", (plan, to))?;
            loads.iter().try_for_each(|load| settle_load(file, load))
        })
    }

    /// Stores the groups of a user, as the provider reports them.
    pub(crate) fn note_groups(&self, user: i64, groups: &[String]) -> Result<()> {
        self.write(|file| {
            file.execute("DELETE FROM user_group WHERE user = ?1", [user])?;
            let mut add =
                file.prepare("INSERT OR IGNORE INTO user_group (user, name) VALUES (?1, ?2)")?;
            for group in groups {
                add.execute((user, group))?;
            }
            Ok(())
        })
    }
}

fn put_members(file: &Transaction<'_>, project: i64, members: &Members) -> Result<()> {
    file.execute("DELETE FROM project_user WHERE project = ?1", [project])?;
    file.execute("DELETE FROM project_group WHERE project = ?1", [project])?;
    let user = "INSERT OR IGNORE INTO project_user (project, user) SELECT ?1, id FROM user WHERE name = ?2";
    let group = "INSERT OR IGNORE INTO project_group (project, name) VALUES (?1, ?2)";
    for (add, names) in [(user, &members.users), (group, &members.groups)] {
        for name in names {
            file.execute(add, (project, name))?;
        }
    }
    Ok(())
}

/// Sets the project of the runs of a load that have no plan.
fn put_load(file: &Transaction<'_>, load: &str, to: Option<i64>) -> Result<()> {
    match to.filter(|_| !load.is_empty()) {
        Some(to) => {
            let put = "INSERT OR REPLACE INTO load_project (load, project) VALUES (?1, ?2)";
            file.execute(put, (load, to))?
        }
        None => file.execute("DELETE FROM load_project WHERE load = ?1", [load])?,
    };
    Ok(())
}

fn texts(file: &Transaction<'_>, query: &str, of: i64) -> Result<Vec<String>> {
    let mut all = file.prepare(query)?;
    let texts = all.query_map([of], |row| row.get(0))?;
    Ok(texts.collect::<rusqlite::Result<_>>()?)
}
