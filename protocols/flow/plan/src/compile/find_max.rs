//! The table `[find-max]`: the search that a plan requests, checked when the plan is read.

use brunt_capacity::{Goals, PRECISION};
use brunt_engine::schedule::Rate;
use brunt_run::SearchOptions;

use crate::key_error::KeyError;
use crate::model::{FindMax, Plan};
use crate::path::KeyPath;

/// The search of a plan whose operations have these names.
pub(super) fn search(plan: &Plan, operations: &[String]) -> Result<SearchOptions, KeyError> {
    let Some(table) = plan.find_max.as_deref() else { return Ok(SearchOptions::default()) };
    let at = KeyPath::new("find-max");
    check_objectives(&table.objectives, &at.key("objectives"), operations)?;
    if let Some(precision) = table.precision.filter(|share| !PRECISION.contains(share)) {
        let why = format!("is {precision}, but must be a share from 0.005 to 0.5, such as 0.05");
        return Err(KeyError::new(&at.key("precision"), why));
    }
    let FindMax { from, to, .. } = table;
    Ok(SearchOptions {
        objectives: table.objectives.clone(),
        quick: table.quick.unwrap_or_default(),
        precision: table.precision,
        confirm: table.confirm.map(|time| time.0),
        budget: table.budget.map(|time| time.0),
        recovery: table.recovery.map(|time| time.0),
        from: from.as_deref().map(|text| rate(text, &at.key("from"))).transpose()?,
        to: to.as_deref().map(|text| rate(text, &at.key("to"))).transpose()?,
    })
}

fn rate(text: &str, at: &KeyPath) -> Result<Rate, KeyError> {
    text.parse().map_err(|error| KeyError::new(at, format!("is not a rate: {error}")))
}

fn check_objectives(texts: &[String], at: &KeyPath, operations: &[String]) -> Result<(), KeyError> {
    let names: Vec<&str> = operations.iter().map(String::as_str).collect();
    for (index, text) in texts.iter().enumerate() {
        let goals = Goals::parse([text]).and_then(|goals| goals.check(&names));
        goals.map_err(|error| KeyError::new(&at.index(index), format!("failed to {error}")))?;
    }
    Ok(())
}
