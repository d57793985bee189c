//! Which test a run belongs to.
//!
//! A run of a plan belongs to the test of the plan. A run without a plan belongs to the test whose plan has made runs
//! of its load, otherwise to a test of that load.

use rusqlite::{OptionalExtension as _, Transaction};

use super::Result;

/// What comes between the name of a plan and its revision where a run says what it was made from.
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
    let ask = "SELECT id FROM plan WHERE name = ?1";
    let plan: Option<i64> = file.query_row(ask, [plan], |row| row.get(0)).optional()?;
    Ok(plan.map(|plan| (plan, revision)))
}

/// The test of a run without a plan.
pub(super) fn test_of_load(file: &Transaction<'_>, load: &str) -> Result<String> {
    if load.is_empty() {
        return Ok(String::new());
    }
    let ask =
        "SELECT test FROM run WHERE load = ?1 AND plan IS NOT NULL ORDER BY started DESC LIMIT 1";
    let made: Option<String> = file.query_row(ask, [load], |row| row.get(0)).optional()?;
    Ok(made.unwrap_or_else(|| format!("l{load}")))
}

/// The runs without a plan join the test of a plan that has made a run of their load.
pub(super) fn join_test(file: &Transaction<'_>, load: &str, test: &str) -> Result<()> {
    if !load.is_empty() {
        let join = "UPDATE run SET test = ?2 WHERE load = ?1 AND plan IS NULL AND test <> ?2";
        file.execute(join, [load, test])?;
    }
    Ok(())
}
