//! Runs that agents of a cluster share: their options, and their restrictions.
//!
//! The plan is sent to other machines, so it must be complete: the values of `${env:NAME}` are filled in. A plan that
//! needs secrets is refused, because secrets do not leave this machine.

use std::collections::BTreeMap;

use brunt_envelope::{Checked, RunSpec};
use serde_json::json;

use super::edited::edited;
use crate::agents::AGENTS_MAX;
use crate::app::App;
use crate::problem::Problem;

/// A number of agents, in words.
pub(crate) fn words(agents: u32) -> String {
    if agents == 1 { "1 agent".to_owned() } else { format!("{agents} agents") }
}

/// A number of agents and their pool, in words.
pub(crate) fn carriers(app: &App, agents: u32) -> String {
    let pool = app.cluster.as_ref().map(|cluster| format!(" of the pool {}", cluster.meeting.pool));
    words(agents) + &pool.unwrap_or_default()
}

/// Refuses a number of agents that this site could never use.
pub(crate) fn permitted(app: &App, agents: u32) -> Result<(), Problem> {
    if app.cluster.is_none() {
        return Err(Problem::unusable(
            "This site has no agents: it was started without --keys and --nats. Leave 'agents' out to run on this \
             machine.",
        )
        .at("agents"));
    }
    if !(1..=AGENTS_MAX).contains(&agents) {
        return Err(wrong_number());
    }
    Ok(())
}

/// The problem of a number of agents that is none.
pub(crate) fn wrong_number() -> Problem {
    let why = format!("The number of agents is a whole number from 1 to {AGENTS_MAX}.");
    Problem::unusable(why).at("agents")
}

/// The request for a run that agents carry out: its settings are written into the plan.
pub(crate) fn requested(app: &App, requested: RunSpec, agents: u32) -> Result<RunSpec, Problem> {
    permitted(app, agents)?;
    if requested.search.is_some() {
        return Err(Problem::unusable(
            "This site searches for the highest rate only on this machine: leave 'agents' out. To search with agents, \
             use brunt find-max --agents.",
        )
        .at("agents"));
    }
    let plan = edited(app, &requested.plan, &json!({ "op": "fill", "of": requested.variables }))?;
    Ok(RunSpec { plan, variables: BTreeMap::new(), agents: Some(agents), ..requested })
}

/// Refuses a checked plan that this number of agents cannot share: one that refers to secrets, or has fewer users than
/// there are agents.
pub(crate) fn refuse_unshared(checked: &Checked, agents: u32) -> Result<(), Problem> {
    if let Some(users) = checked.load.map(|load| load.users).filter(|users| *users < agents) {
        let why = format!(
            "The plan has {users} virtual users for {agents} agents, and each agent needs at least one."
        );
        return Err(Problem::unusable(why).at("agents"));
    }
    let names = &checked.secrets;
    if names.is_empty() {
        return Ok(());
    }
    Err(Problem::unusable(format!(
        "The plan needs secrets ({}), and secrets do not leave this machine. Run it without agents, or use a plan \
         without secrets.",
        names.join(", ")
    ))
    .at("agents"))
}
