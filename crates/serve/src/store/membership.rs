//! Which test a run belongs to.
//!
//! A run of a plan belongs to the test of the plan. A run without a plan belongs to the test whose plan has made runs
//! of its load in the same project, otherwise to a test of that load. So two teams that test the same load in two
//! projects do not get each other's runs.

use rusqlite::{OptionalExtension as _, Transaction};

use super::Result;

/// The separator between the name of a plan and its revision, in a run's reference to its plan.
pub(crate) const REVISION: &str = ", revision ";

/// The name in addresses of the test of a plan.
pub(crate) fn key_of_plan(plan: i64) -> String {
    format!("p{plan}")
}

/// The plan and the revision that a text names as the origin of a run.
pub(super) fn plan_named(
    file: &Transaction<'_>,
    origin: Option<&str>,
) -> Result<Option<(i64, i64)>> {
    let Some((plan, revision)) = origin.and_then(|text| text.rsplit_once(REVISION)) else {
        return Ok(None);
    };
    let Ok(revision) = revision.parse::<i64>() else { return Ok(None) };
    let query = "SELECT id FROM plan WHERE name = ?1";
    let plan: Option<i64> = file.query_row(query, [plan], |row| row.get(0)).optional()?;
    Ok(plan.map(|plan| (plan, revision)))
}

/// The project of a plan.
pub(super) fn project_of_plan(file: &Transaction<'_>, plan: i64) -> Result<Option<i64>> {
    let query = "SELECT project FROM plan WHERE id = ?1";
    Ok(file.query_row(query, [plan], |row| row.get(0))?)
}

/// The project of the runs of a load that have no plan.
pub(super) fn project_of_load(file: &Transaction<'_>, load: &str) -> Result<Option<i64>> {
    let query = "SELECT project FROM load_project WHERE load = ?1";
    Ok(file.query_row(query, [load], |row| row.get(0)).optional()?)
}

/// The test of a run of this load without a plan, in the project of such runs.
pub(super) fn test_of_load(
    file: &Transaction<'_>,
    load: &str,
    project: Option<i64>,
) -> Result<String> {
    if load.is_empty() {
        return Ok(String::new());
    }
    let query = "SELECT test FROM run WHERE load = ?1 AND plan IS NOT NULL AND project IS ?2 \
               ORDER BY started DESC LIMIT 1";
    let made: Option<String> =
        file.query_row(query, (load, project), |row| row.get(0)).optional()?;
    Ok(made.unwrap_or_else(|| format!("l{load}")))
}

/// The runs without a plan join the test of a plan that has made a run of their load in their project.
pub(super) fn join_test(
    file: &Transaction<'_>,
    load: &str,
    (test, project): (&str, Option<i64>),
) -> Result<()> {
    if !load.is_empty() {
        let join = "UPDATE run SET test = ?2 WHERE load = ?1 AND plan IS NULL AND test <> ?2 AND project IS ?3";
        file.execute(join, (load, test, project))?;
    }
    Ok(())
}

/// The runs of a load that have no plan belong to the test, and to the project, in which they are now. How runs of the
/// load compare with their baselines is found again.
pub(super) fn settle_load(file: &Transaction<'_>, load: &str) -> Result<()> {
    let project = project_of_load(file, load)?;
    let test = test_of_load(file, load, project)?;
    let change = "UPDATE run SET test = ?2, project = ?3 WHERE load = ?1 AND plan IS NULL";
    file.execute(change, (load, test, project))?;
    let compared = "DELETE FROM against WHERE run IN (SELECT id FROM run WHERE load = ?1)";
    file.execute(compared, [load])?;
    Ok(())
}
