//! Runs of the website that agents carry out, with a real nats-server, real agents and a real nginx, which counts its
//! requests: what the record says of them, what they may not reach, and what ends them.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_record::{Reason, Record, Status};
use brunt_testbed::{Listener, Nginx, require, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cluster::{Broker, keyed_broker, record, runs_of};
use crate::website::{Visitor, between, end, site, site_with};
use crate::website_agents::agent;
use brunt_test_program::{Program, brunt, scratch};

const PATIENCE: Duration = Duration::from_secs(90);

/// A plan whose paths and pace are filled in.
fn plan(pace: &str, get: &str) -> String {
    format!(
        "# Of a site.\n[run]\nusers = 4\n{pace}\n[http]\nbase = \"${{env:BASE}}\"\nredirects = 3\n\
         [[scenario]]\nname = \"s\"\nsteps = [{{ get = \"{get}\" }}]\n"
    )
}

/// A site that lists nginx, and its plan.
struct Team {
    nginx: Nginx,
    directory: TempDir,
    program: Program,
    visitor: Visitor,
    run: String,
}

impl Team {
    fn start(options: &[&str]) -> Self {
        let (nginx, directory) = (Nginx::start(), scratch());
        let (program, visitor) = site_with(&directory.path().join("site"), options);
        let port = nginx.port(Listener::Clear);
        let fields = format!(
            "name=web&allow=127.0.0.1:{port}&settings=BASE=http://127.0.0.1:{port}&users=10&seconds=60&days=1"
        );
        let (head, body) = visitor.send("/targets", "/targets", &fields);
        assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
        visitor.send("/plans", "/plans", "name=visit&template=0");
        let run = visitor.token("run");
        Self { nginx, directory, program, visitor, run }
    }

    /// Saves another text of the plan.
    fn write(&self, text: &str) {
        let (_, page) = self.visitor.ask("GET", "/plans/1", "", "");
        let after = between(&page, "name=\"after\" value=\"", "\"");
        let text: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let fields = format!("after={after}&text={text}");
        let (head, body) = self.visitor.send("/plans/1", "/plans/1", &fields);
        assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    }

    /// Has the plan run by so many agents, by the form; its id.
    fn submit(&self, agents: &str) -> String {
        let fields = format!("target=1&agents={agents}");
        let (head, body) = self.visitor.send("/plans/1", "/plans/1/run", &fields);
        assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
        between(&head, "location: /live/", "\r\n").to_owned()
    }

    /// What a program is answered.
    fn requested(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        requested(&self.visitor, &self.run, (method, path), body)
    }

    fn status(&self, id: &str) -> Value {
        self.requested("GET", &format!("/api/v1/runs/{id}"), "").1
    }

    /// How a run ended.
    fn ended(&self, id: &str) -> Value {
        let mut status = Value::Null;
        let over = until(PATIENCE, || {
            status = self.status(id);
            status["over"] == true
        });
        assert!(over, "{status}");
        status
    }

    fn files(&self, id: &str) -> PathBuf {
        self.directory.path().join("site/runs").join(id)
    }

    fn record(&self, id: &str) -> Record {
        record(&self.files(id).join("record.json.gz"))
    }

    /// How many requests nginx has had so far.
    fn served(&self) -> u64 {
        self.nginx.served().len() as u64
    }

    fn end(self) {
        end(self.program);
    }
}

fn requested(
    visitor: &Visitor,
    token: &str,
    (method, path): (&str, &str),
    body: &str,
) -> (u16, Value) {
    let by = format!("Authorization: Bearer {token}\r\n");
    let program = Visitor { at: visitor.at.clone(), cookie: String::new() };
    let (head, body) = program.ask(method, path, &by, body);
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
    (status, serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}")))
}

fn is_there() -> bool {
    require(&["nats-server", "nginx"])
}

#[test]
fn shared_run_record_agrees_with_nginx() {
    if !is_there() {
        return;
    }
    let directory = scratch();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let (_broker, port) = keyed_broker(directory.path());
    let _agents = ["agents/agent-0", "agents/agent-1"]
        .map(|place| brunt("agent --keys").args([&at(place), "--records", &at("records")]).start());
    let team = Team::start(&["--keys", &at("coordinator")]);
    team.write(&plan("rate = \"50/s\"\nduration = \"50s\"", "/small.txt"));
    let (_, page) = team.visitor.ask("GET", "/plans/1", "", "");
    assert!(page.contains("name=\"agents\"") && page.contains("/agents"), "{page}");
    let id = team.submit("2&duration=4s");
    // During the run, the page of agents links to it.
    let read = team.visitor.token("read");
    let mut listing = Value::Null;
    let busy = until(PATIENCE, || {
        listing = requested(&team.visitor, &read, ("GET", "/api/v1/agents"), "").1;
        let agents = listing["agents"].as_array().expect("agents");
        agents.iter().filter(|agent| agent["page"] == format!("/live/{id}")).count() == 2
    });
    assert!(busy, "{listing}");
    let status = team.ended(&id);
    assert_eq!((&status["state"], &status["exit"]), (&json!("done"), &json!(0)), "{status}");
    let whole = team.record(&id);
    assert!(whole.conservation.holds);
    assert_eq!((whole.counts.planned, whole.nodes.len()), (200, 2), "{status}");
    assert_eq!(whole.conservation.counts.sent, team.served(), "{status}");
    let (_, page) = team.visitor.ask("GET", &format!("/runs/{id}"), "", "");
    assert!(page.contains("Nodes (2 of 2)") && page.contains("agent-1"), "{page}");
    // What was sent is the plan with its settings; keys and broker are not visible.
    let sent = std::fs::read_to_string(team.files(&id).join("plan.toml")).expect("a plan");
    let base = format!("base = \"http://127.0.0.1:{}\"", team.nginx.port(Listener::Clear));
    assert!(sent.starts_with("# Of a site.\n") && sent.contains(&base), "{sent}");
    let words = whole.command.join(" ");
    assert!(words.contains("cluster run --agents=2") && !words.contains("keys"), "{words}");
    assert!(!words.contains(&port.to_string()) && words.contains("--allow="), "{words}");
    let (_, audit) = team.visitor.ask("GET", "/audit", "", "");
    assert!(audit.contains("by 2 agents"), "{audit}");
    team.end();
}

#[test]
fn shared_run_with_too_few_agents_sends_nothing() {
    if !is_there() {
        return;
    }
    let broker = Broker::start();
    let _agent = agent(&broker, "only");
    // It waits as long as it is configured to, and not the half minute of the default.
    let team = Team::start(&["--nats", &broker.url(), "--patience", "4s"]);
    team.write(&plan("rate = \"50/s\"\nduration = \"1s\"", "/small.txt"));
    let wanted = json!({ "plan": "visit", "target": "web", "agents": 3 });
    let (code, submitted) = team.requested("POST", "/api/v1/runs", &wanted.to_string());
    assert_eq!(code, 200, "{submitted}");
    let id = submitted["id"].as_str().expect("an id").to_owned();
    let waits =
        until(PATIENCE, || team.status(&id)["reason"].to_string().contains("until 3 agents"));
    assert!(waits, "{}", team.status(&id));
    let status = team.ended(&id);
    assert_eq!(status["state"], "failed", "{status}");
    let output = "3 agents were asked for, and there are 1: only";
    assert!(status["reason"].as_str().is_some_and(|reason| reason.contains(output)), "{status}");
    let (_, page) = team.visitor.ask("GET", &format!("/live/{id}"), "", "");
    assert!(page.contains(output), "{page}");
    assert_eq!(team.served(), 0);
    team.end();
}

#[test]
fn scheduled_runs_are_shared_by_agents() {
    if !is_there() {
        return;
    }
    let broker = Broker::start();
    let _agents = ["a", "b"].map(|name| agent(&broker, name));
    let team = Team::start(&["--nats", &broker.url()]);
    team.write(&plan("rate = \"50/s\"\nduration = \"50s\"", "/small.txt"));
    let add = |agents: &str| {
        let fields = format!("plan=1&target=1&times=0+0+1+1+*&duration=2s&agents={agents}");
        team.visitor.send("/schedules", "/schedules", &fields)
    };
    for wrong in ["0", "1001", "two"] {
        let (head, body) = add(wrong);
        assert!(head.starts_with("HTTP/1.1 422") && body.contains("from 1 to 1000"), "{body}");
    }
    let (head, body) = add("2");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let (_, page) = team.visitor.ask("GET", "/schedules", "", "");
    assert!(page.contains(", by 2 agents"), "{page}");
    // Its time came a minute ago, and comes again in an hour.
    let file = rusqlite::Connection::open(team.directory.path().join("site/brunt.db"));
    let came = "UPDATE schedule SET times = strftime('%M', 'now', '-1 minutes') || ' * * * *', \
                seen = unixepoch() - 180";
    assert_eq!(file.expect("a database").execute(came, []).expect("a schedule"), 1);
    let (read, mut listed) = (team.visitor.token("read"), Value::Null);
    let begun = until(PATIENCE, || {
        let (_, answer) = requested(&team.visitor, &read, ("GET", "/api/v1/schedules"), "");
        listed = answer["schedules"][0].clone();
        listed["came"][0]["run"].is_string()
    });
    assert!(begun && listed["agents"] == 2, "{listed}");
    let id = listed["came"][0]["run"].as_str().expect("a run").to_owned();
    let status = team.ended(&id);
    assert_eq!((&status["state"], &status["exit"]), (&json!("done"), &json!(0)), "{status}");
    let whole = team.record(&id);
    assert_eq!((whole.counts.planned, whole.nodes.len()), (100, 2), "{status}");
    assert_eq!(whole.conservation.counts.sent, team.served(), "{status}");
    let (_, page) = team.visitor.ask("GET", &format!("/runs/{id}"), "", "");
    assert!(page.contains("admin (scheduled), on 2 agents of the pool default"), "{page}");
    team.end();
}

#[test]
fn killed_agent_makes_the_run_partial_and_is_named() {
    if !is_there() {
        return;
    }
    let broker = Broker::start();
    let agents = ["a", "b"].map(|name| agent(&broker, name));
    let team = Team::start(&["--nats", &broker.url()]);
    team.write(&plan("rate = \"50/s\"\nduration = \"40s\"", "/small.txt"));
    let id = team.submit("2");
    assert!(until(PATIENCE, || team.served() > 100), "{}", team.status(&id));
    assert_eq!(runs_of(&agents[1]).len(), 1);
    agents[1].signal(Signal::KILL);
    let status = team.ended(&id);
    assert_eq!(status["exit"], 5, "{status}");
    let whole = team.record(&id);
    // On a busy machine there may be something worse to say first.
    assert!(whole.verdict.status >= Status::Partial, "{:?}", whole.verdict);
    let lost =
        |reason: &Reason| reason.status == Status::Partial && reason.text.contains("lost at");
    assert!(whole.verdict.reasons.iter().any(lost), "{:?}", whole.verdict);
    let (_, page) = team.visitor.ask("GET", &format!("/runs/{id}"), "", "");
    assert!(page.contains("lost at"), "{page}");
    let (counted, served) = (whole.conservation.counts.sent, team.served());
    assert!(counted <= served && served - counted <= 25 * 3, "{counted} of {served}");
    team.end();
}

#[test]
fn agents_reach_only_the_addresses_of_the_target() {
    if !is_there() {
        return;
    }
    let broker = Broker::start();
    // Their owners permit all of this machine.
    let _agents = ["a", "b"].map(|name| agent(&broker, name));
    let team = Team::start(&["--nats", &broker.url()]);
    let canary = TcpListener::bind("127.0.0.1:0").expect("a port");
    canary.set_nonblocking(true).expect("it can be asked");
    let elsewhere = format!("http://{}/", canary.local_addr().expect("an address"));
    team.write(&plan("rate = \"20/s\"\nduration = \"1s\"", &elsewhere));
    let status = team.ended(&team.submit("2"));
    assert_eq!((&status["state"], &status["exit"]), (&json!("failed"), &json!(8)), "{status}");
    assert!(canary.accept().is_err(), "somebody came: {status}");
    // A run that is redirected there does not reach it either: only listed targets were contacted.
    team.write(&plan("rate = \"20/s\"\nduration = \"1s\"", "/redirect/elsewhere"));
    let status = team.ended(&team.submit("2"));
    let served = team.nginx.served();
    assert!(!served.is_empty() && served.iter().all(|one| one.listener == "clear"), "{status}");
    assert_ne!(status["exit"], 0, "{status}");
    // The same run without an address policy would get there.
    let port = team.nginx.port(Listener::Clear);
    let url = format!("http://127.0.0.1:{port}/redirect/elsewhere");
    brunt("http -n 1 --quiet --redirect 3").arg(url).run();
    assert!(team.nginx.served().iter().any(|one| one.listener == "short"));
    team.end();
}

#[test]
fn stop_button_ends_the_load_of_all_agents() {
    if !is_there() {
        return;
    }
    let broker = Broker::start();
    let agents = ["a", "b"].map(|name| agent(&broker, name));
    let team = Team::start(&["--nats", &broker.url()]);
    team.write(&plan("rate = \"50/s\"\nduration = \"60s\"", "/small.txt"));
    for act in ["stop", "now"] {
        let before = team.served();
        let id = team.submit("2");
        assert!(until(PATIENCE, || team.served() > before + 50), "{}", team.status(&id));
        // The agents' reports are followed during the run.
        let mut status = Value::Null;
        let steady = until(PATIENCE, || {
            status = team.status(&id);
            status["state"] == "steady" && status["seconds"].as_f64() > Some(1.0)
        });
        assert!(steady && status["reason"] == "", "{status}");
        let (_, shown) = team.visitor.ask("GET", &format!("/live/{id}"), "", "");
        assert!(shown.contains("Stop, and report"), "{shown}");
        let page = format!("/live/{id}");
        team.visitor.send(&page, &format!("{page}/stop"), &format!("act={act}"));
        let status = team.ended(&id);
        assert_eq!(status["state"], "stopped", "{status}");
        assert!(until(PATIENCE, || agents.iter().all(|agent| runs_of(agent).is_empty())));
        let served = team.served();
        let clock = Monotonic::new();
        until(PATIENCE, || clock.now().since_origin() > Duration::from_secs(1));
        assert_eq!(team.served(), served, "{act}: load goes on");
        assert_eq!(team.record(&id).conservation.counts.sent, served - before, "{act}: {status}");
    }
    team.end();
}

#[test]
fn abort_conditions_use_the_figures_of_all_agents() {
    if !is_there() {
        return;
    }
    let broker = Broker::start();
    let agents = ["a", "b"].map(|name| agent(&broker, name));
    let team = Team::start(&["--nats", &broker.url()]);
    // First a condition that neither agent's own figures meet, and then the one that every run of a site has.
    let own = "abort-on = [\"goodput > 35/s for 2s\"]\n";
    for (head, path) in [(own, "/small.txt"), ("", "/status/503")] {
        let text = plan("rate = \"50/s\"\nduration = \"60s\"", path);
        team.write(&format!("{head}{text}"));
        let status = team.ended(&team.submit("2"));
        let how = (&status["state"], &status["exit"]);
        assert_eq!(how, (&json!("stopped"), &json!(10)), "{status}");
        // Its plan would have gone on for a minute.
        assert!(status["seconds"].as_f64().is_some_and(|seconds| seconds < 59.0), "{status}");
        assert!(until(PATIENCE, || agents.iter().all(|agent| runs_of(agent).is_empty())));
    }
    team.end();
}

#[test]
fn shared_run_refuses_what_agents_cannot_share() {
    if !is_there() {
        return;
    }
    let broker = Broker::start();
    let team = Team::start(&["--nats", &broker.url()]);
    team.write(&plan("rate = \"50/s\"\nduration = \"1s\"", "/small.txt"));
    let start = |more: &Value| {
        let mut wanted = json!({ "plan": "visit", "target": "web", "agents": 2 });
        for (field, value) in more.as_object().expect("fields") {
            wanted[field] = value.clone();
        }
        let (code, output) = team.requested("POST", "/api/v1/runs", &wanted.to_string());
        assert_eq!((code, output["title"].is_string()), (422, true), "{output}");
        output["detail"].as_str().expect("why").to_owned()
    };
    let search = json!({ "objectives": ["p99<1s"], "quick": true });
    assert!(start(&json!({ "search": search })).contains("only on this machine"));
    assert!(start(&json!({ "agents": 0 })).contains("from 1 to 1000"));
    assert!(start(&json!({ "agents": 1_001 })).contains("from 1 to 1000"));
    assert!(start(&json!({ "agents": 5 })).contains("4 virtual users for 5 agents"));
    let (head, body) =
        team.visitor.send("/plans/1", "/plans/1/thresholds", "target=1&agents=2&duration=1s");
    assert!(
        head.starts_with("HTTP/1.1 422") && body.contains("one virtual user on this machine"),
        "{body}"
    );
    let (head, body) = team.visitor.send("/plans/1", "/plans/1/run", "target=1&agents=two");
    assert!(head.starts_with("HTTP/1.1 422") && body.contains("whole number"), "{body}");
    // A secret stays here, however a plan takes it.
    team.visitor.send("/secrets", "/secrets", "target=1&name=PW&value=canary-of-a-password");
    let with = |line: &str| {
        format!("{}\n[variables]\n{line}\n", plan("rate = \"1/s\"\nduration = \"1s\"", "/${pw}"))
    };
    team.write(&with("pw = { env = \"PW\" }"));
    let output = start(&json!({}));
    assert!(output.contains("needs secrets (PW)"), "{output}");
    team.write(&with("pw = { env = \"OTHER\" }"));
    let output = start(&json!({}));
    assert!(output.contains("OTHER"), "{output}");
    let runs = std::fs::read_dir(team.directory.path().join("site/runs")).expect("runs").count();
    assert_eq!((runs, team.served()), (0, 0));
    team.end();
}

#[test]
fn shared_run_without_a_cluster_is_refused() {
    let directory = scratch();
    let (program, visitor) = site(&directory.path().join("site"));
    let run = visitor.token("run");
    let fields =
        "name=web&allow=127.0.0.1:9&settings=BASE=http://127.0.0.1:9&users=10&seconds=60&days=1";
    visitor.send("/targets", "/targets", fields);
    visitor.send("/plans", "/plans", "name=visit&template=0");
    let (_, page) = visitor.ask("GET", "/plans/1", "", "");
    assert!(page.contains("name=\"duration\"") && !page.contains("name=\"agents\""), "{page}");
    let (head, body) = visitor.send("/plans/1", "/plans/1/run", "target=1&duration=1s&agents=2");
    assert!(head.starts_with("HTTP/1.1 422") && body.contains("has no agents"), "{head}\n{body}");
    let wanted = json!({ "plan": "visit", "target": "web", "agents": 2 }).to_string();
    let (code, output) = requested(&visitor, &run, ("POST", "/api/v1/runs"), &wanted);
    assert!(code == 422 && output["detail"].to_string().contains("has no agents"), "{output}");
    assert!(!is_kept(&directory.path().join("site/runs")));
    end(program);
}

/// Whether there is a run.
fn is_kept(runs: &Path) -> bool {
    std::fs::read_dir(runs).is_ok_and(|mut runs| runs.next().is_some())
}
