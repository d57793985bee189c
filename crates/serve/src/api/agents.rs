//! The agents of a cluster, for programs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::agents::Agent;
use crate::call::{Answer, Call};
use crate::pages::agents::{cluster_snapshot, page_of};
use crate::problem::Problem;

/// An agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
struct AgentReply<'a> {
    #[serde(flatten)]
    agent: &'a Agent,
    /// The path of the page of its run, if the run belongs to this site.
    page: Option<String>,
}

/// The agents of a cluster.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Agents")]
pub(crate) struct AgentsReply<'a> {
    /// The address of the broker.
    broker: &'a str,
    /// The pool whose agents are listed.
    pool: &'a str,
    /// Why no agent can be seen, if so.
    #[serde(rename = "trouble")]
    failure: Option<&'a str>,
    agents: Vec<AgentReply<'a>>,
}

/// `GET /api/v1/agents`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let snapshot = cluster_snapshot(call)?;
    let mut agents = Vec::new();
    for agent in &snapshot.agents {
        let page = agent.run.as_deref().map(|run| page_of(&call.app, run)).transpose()?.flatten();
        agents.push(AgentReply { agent, page });
    }
    let failure = snapshot.problem.as_deref();
    Answer::json(&AgentsReply { broker: &snapshot.broker, pool: &snapshot.pool, failure, agents })
}
