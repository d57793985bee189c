//! The page of agents, with a real nats-server and real agents: which agents wait, which are busy and with what, which
//! were killed, and the message if there is no broker.

use std::fs;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_testbed::{free_port, require, until};
use rustix::process::Signal;
use serde_json::Value;

use crate::cluster::Broker;
use crate::website::{Visitor, end, site, site_with};
use brunt_test_program::{Program, Target, brunt, run, scratch};

const PATIENCE: Duration = Duration::from_secs(90);
/// A page waits no longer than two seconds for agents, and not as long as the broker is away; the rest is a busy
/// machine's.
const PAGE_WITHIN: Duration = Duration::from_secs(60);

/// An agent without a policy, which stays.
pub(crate) fn agent(broker: &Broker, name: &str) -> Program {
    let agent = brunt("agent --nats").args([&broker.url(), "--name", name, "--records"]);
    agent.arg(broker.records()).start()
}

/// The agents, as the API returns them.
fn agent_listing(visitor: &Visitor, token: &str) -> Value {
    serde_json::from_str(&visitor.api(token, "/api/v1/agents")).expect("JSON")
}

/// What an agent of this name does, and in which run.
fn state<'a>(listing: &'a Value, name: &str) -> (&'a str, Option<&'a str>) {
    let agents = listing["agents"].as_array().expect("agents");
    let found = agents.iter().find(|agent| agent["name"] == name);
    let word = |field: &str| found.and_then(|agent| agent[field].as_str());
    (word("state").unwrap_or("nobody"), word("run"))
}

#[test]
fn agents_page_shows_waiting_busy_and_killed_agents() {
    if !require(&["nats-server"]) {
        return;
    }
    let (broker, directory, rest) = (Broker::start(), scratch(), Target::start("rest"));
    let (program, visitor) =
        site_with(&directory.path().join("site"), &["--nats", &broker.url(), "--pool", "default"]);
    let token = visitor.token("read");
    let (_, page) = visitor.ask("GET", "/agents", "", "");
    assert!(page.contains("No agents were found") && page.contains("brunt agent --keys"), "{page}");
    assert!(page.contains("aria-current=\"page\">Agents"), "{page}");
    let agents = ["a", "b"].map(|name| agent(&broker, name));
    let mut last = Value::Null;
    // Which of them takes part is who asks first.
    let mut is = |wanted: [&str; 2]| {
        let there = until(PATIENCE, || {
            last = agent_listing(&visitor, &token);
            let mut states = ["a", "b"].map(|name| state(&last, name).0);
            states.sort_unstable();
            states == wanted
        });
        assert!(there, "not {wanted:?}: {last}");
        last.clone()
    };
    let waits = is(["waits", "waits"]);
    let cores = std::thread::available_parallelism().expect("cores").get();
    for agent in waits["agents"].as_array().expect("agents") {
        assert_eq!(agent["cores"], cores, "{agent}");
        assert_eq!(agent["version"], env!("CARGO_PKG_VERSION"), "{agent}");
        // Without a policy an agent reaches only its own machine; its clock is that of this machine.
        assert!(agent["permits"]["targets"].to_string().contains("127.0.0.0/8"), "{agent}");
        assert!(agent["clock_ahead_s"].as_f64().is_some_and(|ahead| ahead.abs() < 1.0), "{agent}");
    }
    let record = directory.path().join("all.json");
    let cluster = brunt("cluster run --agents 1 --nats").arg(broker.url()).arg("--record");
    let cluster = cluster.arg(&record).typed("-- http -q 20 -z 6s");
    let busy = cluster.arg(rest.url("/bytes/10")).start();
    let runs = is(["runs", "waits"]);
    let run = ["a", "b"].iter().find_map(|name| state(&runs, name).1).expect("a run");
    let (_, page) = visitor.ask("GET", "/agents", "", "");
    let words = ["1 waits, 1 is busy.", "takes part in a run", "from another coordinator"];
    assert!(words.iter().all(|words| page.contains(words)), "{page}");
    assert!(page.contains(&run[..8]), "{page}");
    busy.wait().expect(0);
    is(["waits", "waits"]);
    agents[1].signal(Signal::KILL);
    let silent = is(["silent", "waits"]);
    assert_eq!(state(&silent, "b").0, "silent", "{silent}");
    let (_, page) = visitor.ask("GET", "/agents", "", "");
    assert!(page.contains("1 waits, 1 does not answer."), "{page}");
    // Whoever did not sign in learns nothing.
    let nobody = Visitor { at: visitor.at.clone(), cookie: String::new() };
    let (head, body) = nobody.ask("GET", "/agents", "", "");
    assert!(head.starts_with("HTTP/1.1 303") && !body.contains("brunt agent"), "{head}\n{body}");
    assert!(nobody.ask("GET", "/api/v1/agents", "", "").0.starts_with("HTTP/1.1 401"));
    end(program);
}

#[test]
fn agents_page_reports_a_lost_and_returned_broker() {
    if !require(&["nats-server"]) {
        return;
    }
    let (mut broker, directory) = (Broker::start(), scratch());
    broker.kill();
    let (program, visitor) = site_with(&directory.path().join("site"), &["--nats", &broker.url()]);
    let token = visitor.token("read");
    let clock = Monotonic::new();
    let (head, page) = visitor.ask("GET", "/agents", "", "");
    let waited = clock.now().since_origin();
    assert!(waited < PAGE_WITHIN, "{waited:?}");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(
        page.contains("This site cannot use the broker") && page.contains("nats-server"),
        "{page}"
    );
    let mut last = Value::Null;
    let mut is_told = |problem: bool| {
        let there = until(PATIENCE, || {
            last = agent_listing(&visitor, &token);
            last["trouble"].is_string() == problem
        });
        assert!(there, "{last}");
    };
    broker.again();
    is_told(false);
    broker.kill();
    is_told(true);
    // A broker that answers nothing keeps no page waiting.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("nats://{}", silent.local_addr().expect("an address"));
    end(program);
    let (program, visitor) = site_with(&directory.path().join("other"), &["--nats", &url]);
    let clock = Monotonic::new();
    let (_, page) = visitor.ask("GET", "/agents", "", "");
    let waited = clock.now().since_origin();
    assert!(waited < PAGE_WITHIN && page.contains("has not answered yet"), "{waited:?}: {page}");
    end(program);
}

#[test]
fn agents_page_without_a_broker_is_empty_and_a_bad_url_refused() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (program, visitor) = site(&at);
    let token = visitor.token("read");
    let (head, _) = visitor.ask("GET", "/agents", "", "");
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert!(visitor.ask("GET", "/api/v1/agents", &bearer, "").0.starts_with("HTTP/1.1 404"));
    assert!(!visitor.ask("GET", "/", "", "").1.contains("/agents"));
    end(program);
    let empty = directory.path().join("keys");
    fs::create_dir(&empty).expect("a directory");
    let [at, empty] = [&at, &empty].map(|path| path.display().to_string());
    let open = format!("nats://192.0.2.1:{}", free_port());
    for (words, code, output) in [
        (&["--keys", &*empty][..], 1, "failed to use the keys in"),
        (&["--nats", &open], 1, "without TLS"),
        (&["--pool", "other"], 2, "--pool and --patience need the broker"),
        (&["--patience", "5s"], 2, "--pool and --patience need the broker"),
        (&["--patience", "soon", "--nats", &open], 2, "write a time such as 30s"),
        (&["--pool", "no such", "--nats", &open], 2, "1 to 64 letters"),
        (&["--nats", &open, "--trial"], 2, "--trial"),
    ] {
        let line = ["serve", "--listen", "127.0.0.1:0", "--dir", &at];
        let ended = run(line.iter().chain(words));
        assert_eq!(ended.code(), code, "{ended}");
        assert!(ended.output().contains(output), "{output}: {ended}");
    }
}
