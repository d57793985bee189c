//! The page of agents. The source of agents is made up here, and reports what no real agent should.

use brunt_envelope::ClusterSettings;
use serde_json::Value;

use super::*;
use crate::agents::{Agent, AgentState, Agents, ClusterSnapshot, Permitted};

/// Returns a fixed list of agents.
#[derive(Debug)]
struct Known(ClusterSnapshot);

impl Agents for Known {
    fn snapshot(&self) -> ClusterSnapshot {
        self.0.clone()
    }
}

pub(super) fn cluster(problem: Option<&str>, agents: Vec<Agent>) -> Cluster {
    let snapshot = ClusterSnapshot {
        broker: "nats://127.0.0.1:4222".to_owned(),
        pool: "default".to_owned(),
        problem: problem.map(str::to_owned),
        agents,
    };
    let meeting = ClusterSettings { pool: "default".to_owned(), ..ClusterSettings::default() };
    Cluster { meeting, agents: Arc::new(Known(snapshot)) }
}

/// A waiting agent that reports what no agent should, a busy one, and a silent one.
pub(super) fn some() -> Vec<Agent> {
    let permits = Permitted {
        targets: vec![EVIL.to_owned()],
        more: 3,
        rate_max: Some(5_000.0),
        commands: Some(vec![EVIL.to_owned()]),
        expires: Some(EVIL.to_owned()),
    };
    // A run that this site does not know.
    let run = "ffffffffffffffffffffffff".to_owned();
    vec![
        Agent {
            name: "a".to_owned(),
            host: Some(EVIL.to_owned()),
            cores: Some(1),
            version: Some(EVIL.to_owned()),
            misfit: Some(EVIL.to_owned()),
            twin: true,
            ceilings: [(EVIL.to_owned(), 1.5)].into(),
            permits: Some(permits),
            clock_ahead_s: Some(-7.25),
            last_seen_s: 0.25,
            ..Agent::default()
        },
        Agent { name: "b".to_owned(), state: AgentState::Runs, run: Some(run), ..Agent::default() },
        Agent { name: "c".to_owned(), state: AgentState::Silent, ..Agent::default() },
    ]
}

#[test]
fn agents_page_is_absent_without_a_cluster() {
    let server = Server::start();
    let user = server.user("vic", Role::Viewer);
    let (vic, read) = (server.session(user), server.token(user, Scope::Read));
    assert_eq!(server.see(&vic, "/agents").status, 404);
    assert_eq!(server.see(&read, "/api/v1/agents").status, 404);
    assert!(!server.see(&vic, "/").body.contains("href=\"/agents\""));
    assert!(!server.see(&read, "/api/v1/openapi.json").body.contains("/api/v1/agents"));
}

#[test]
fn agents_page_escapes_text_and_requires_sign_in() {
    let server = Server::start_with(Some(cluster(None, some())));
    let user = server.user("vic", Role::Viewer);
    let (vic, read) = (server.session(user), server.token(user, Scope::Read));
    let reply = server.see(&vic, "/agents");
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.body.matches("<script").count(),
        reply.body.matches("<script src=\"/assets/").count()
    );
    for words in [
        "1 waits, 1 is busy, 1 does not answer.",
        "Another agent has this name",
        "at most 5,000/s",
        "and 3 more",
        "7.2 s behind",
        "0.2 s ago",
        "from another coordinator",
        "href=\"/agents\"",
    ] {
        assert!(reply.body.contains(words), "no {words} in {}", reply.body);
    }
    let answer = server.see(&read, "/api/v1/agents");
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(answer["agents"][0]["host"], EVIL);
    assert_eq!(
        (&answer["agents"][1]["state"], &answer["agents"][1]["page"]),
        (&"runs".into(), &Value::Null)
    );
    let nobody = server.see(&Client::Nobody, "/agents");
    assert!(nobody.status == 303 && !nobody.body.contains("0.2 s ago"), "{}", nobody.head);
    assert_eq!(server.see(&Client::Nobody, "/api/v1/agents").status, 401);
    let push = server.token(user, Scope::Push);
    assert_eq!(server.see(&push, "/api/v1/agents").status, 403);
    assert!(server.see(&read, "/api/v1/openapi.json").body.contains("/api/v1/agents"));
}

#[test]
fn agents_page_explains_a_lost_broker_and_missing_agents() {
    for (problem, words) in [
        (Some("failed to reach the broker"), "nats-server there, or restart"),
        (None, "brunt agent --keys DIR"),
    ] {
        let server = Server::start_with(Some(cluster(problem, Vec::new())));
        let vic = server.session(server.user("vic", Role::Viewer));
        let reply = server.see(&vic, "/agents").body;
        assert!(reply.contains(words), "{reply}");
        assert_eq!(reply.contains("failed to reach the broker"), problem.is_some(), "{reply}");
        assert_eq!(reply.contains("No agents were found"), problem.is_none(), "{reply}");
    }
}
