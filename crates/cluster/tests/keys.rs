//! `brunt cluster keys` with a real nats-server: the server accepts the configuration, and lets each party do what it
//! must, and nothing else.
//!
//! What a party may not do is shown by what the others receive: the broker drops forbidden messages and continues.

#![expect(clippy::unwrap_used, reason = "in a test an error ends it")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use async_nats::{Client, RequestErrorKind};
use brunt_cluster::keys::{self, Login, Wanted};
use brunt_testbed::{Daemon, free_port, require};
use futures_util::StreamExt as _;
use tempfile::TempDir;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A broker with the keys of two agents.
struct Broker {
    daemon: Daemon,
    directory: TempDir,
    port: u16,
}

impl Broker {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let port = free_port();
        keys::make(directory.path(), &wanted(port)).unwrap();
        let nats = directory.path().join("nats");
        let checked = Command::new("nats-server")
            .args(["-t", "-c", "nats.conf"])
            .current_dir(&nats)
            .output()
            .unwrap();
        assert!(checked.status.success(), "{checked:?}");
        let mut command = Command::new("sh");
        command
            .args(["-c", "cd \"$1\" && exec nats-server -a 127.0.0.1 -c nats.conf", "sh"])
            .arg(nats);
        let daemon = Daemon::start(&command, &directory.path().join("log"));
        daemon.wait_for_port(port);
        Self { daemon, directory, port }
    }

    fn login(&self, party: &str) -> Login {
        Login::read(&self.directory.path().join(party)).unwrap()
    }

    async fn client(&self, party: &str) -> Client {
        let login = self.login(party);
        let connected = login.options().connect(&login.nats).await;
        connected.unwrap_or_else(|error| panic!("{party}: {error}"))
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("log")).unwrap()
    }
}

fn wanted(port: u16) -> Wanted {
    Wanted {
        agents: 2,
        hosts: vec!["localhost".to_owned()],
        port,
        from: "2000-01-01".parse().unwrap(),
        until: "2999-01-01".parse().unwrap(),
    }
}

/// Waits until the broker has processed everything that a client sent before.
async fn settled(client: &Client) {
    tokio::time::timeout(PATIENCE, client.flush()).await.expect("the broker answers").unwrap();
}

/// The request of an agent that asks for work. A subscription may reach the broker a moment after the call that made
/// it; until then there is no responder, and an agent asks again.
async fn asked_for_work(agent: &Client) -> async_nats::Message {
    let ask = async {
        loop {
            match agent.request("b1.lab.hello", "work?".into()).await {
                Err(error) if error.kind() == RequestErrorKind::NoResponders => {}
                answer => break answer.unwrap(),
            }
        }
    };
    tokio::time::timeout(PATIENCE, ask).await.expect("in time")
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn agent_key_permits_only_its_own_subjects() {
    if !require(&["nats-server"]) {
        return;
    }
    let broker = Broker::start();
    runtime().block_on(async {
        let coordinator = broker.client("coordinator").await;
        let first = broker.client("agents/agent-0").await;
        let second = broker.client("agents/agent-1").await;
        let mut reports = coordinator.subscribe("b1.*.*.up.*").await.unwrap();
        let mut requested = coordinator.subscribe("b1.*.hello").await.unwrap();
        // What the first agent tries to receive: the second's answers, and the orders and reports of all.
        let mut overheard = Vec::new();
        for subject in
            ["_I.agent-1.>", "_I.>", ">", "b1.>", "b1.*.hello", "b1.r.1.up.agent-1", "_INBOX.>"]
        {
            overheard.push(first.subscribe(subject).await.unwrap());
        }
        settled(&coordinator).await;
        settled(&first).await;
        // What it must be able to do: send requests, receive answers, report.
        let answers = async {
            while let Some(message) = requested.next().await {
                let reply = message.reply.expect("a request");
                coordinator.publish(reply, "an order".into()).await.unwrap();
            }
        };
        let asks = async {
            for agent in [&first, &second] {
                assert_eq!(asked_for_work(agent).await.payload, "an order");
            }
        };
        tokio::select! { () = answers => (), () = asks => () }
        // What it may not do: publish as the second agent, as the coordinator, or on other subjects.
        for subject in
            ["b1.r.1.up.agent-1", "_I.agent-1.x", "b1.r.1.get.agent-1", "b1.r.1.down", "other"]
        {
            first.publish(subject, "forged".into()).await.unwrap();
        }
        first.publish("b1.r.1.up.agent-0", "last of the first".into()).await.unwrap();
        settled(&first).await;
        second.publish("b1.r.1.up.agent-1", "last of the second".into()).await.unwrap();
        settled(&second).await;
        // The messages of one connection arrive in order, so forged ones would have arrived before these.
        let mut heard = Vec::new();
        for _ in 0..2 {
            let next =
                tokio::time::timeout(PATIENCE, reports.next()).await.expect("in time").unwrap();
            heard.push((
                next.subject.to_string(),
                String::from_utf8(next.payload.to_vec()).unwrap(),
            ));
        }
        heard.sort();
        let of = |agent: &str, text: &str| (format!("b1.r.1.up.{agent}"), text.to_owned());
        assert_eq!(
            heard,
            [of("agent-0", "last of the first"), of("agent-1", "last of the second")]
        );
        // Everything that the second agent sent or received has passed the broker, and the first received none of it.
        settled(&first).await;
        for (at, subscription) in overheard.iter_mut().enumerate() {
            let next = tokio::time::timeout(Duration::ZERO, subscription.next()).await;
            assert!(next.is_err() || next.as_ref().is_ok_and(Option::is_none), "{at}: {next:?}");
        }
    });
    let log = broker.log();
    for violation in ["Subscription Violation", "Publish Violation"] {
        assert!(log.contains(violation), "{log}");
    }
}

#[test]
fn foreign_keys_and_authorities_are_rejected() {
    if !require(&["nats-server"]) {
        return;
    }
    let broker = Broker::start();
    let others = tempfile::tempdir().unwrap();
    keys::make(others.path(), &wanted(broker.port)).unwrap();
    let (ours, theirs) =
        (broker.directory.path().join("agents/agent-0"), others.path().join("agents/agent-0"));
    runtime().block_on(async {
        drop(broker.client("agents/agent-0").await);
        // One file of the other cluster at a time, in the directory of an agent of this one.
        for foreign in [&["login.seed"][..], &["client.pem", "client.key"], &["ca.pem"]] {
            let mixed = tempfile::tempdir().unwrap();
            for name in ["login.toml", "login.seed", "ca.pem", "client.pem", "client.key"] {
                let from = if foreign.contains(&name) { &theirs } else { &ours };
                std::fs::copy(from.join(name), mixed.path().join(name)).unwrap();
            }
            let login = Login::read(mixed.path()).unwrap();
            let connected = login.options().connect(&login.nats).await;
            assert!(connected.is_err(), "{foreign:?} of another cluster");
        }
        // Without TLS, and without a certificate.
        let plain = format!("nats://127.0.0.1:{}", broker.port);
        assert!(async_nats::connect(&plain).await.is_err());
        let seed = std::fs::read_to_string(ours.join("login.seed")).unwrap();
        let anonymous = async_nats::ConnectOptions::new()
            .nkey(seed.trim().to_owned())
            .require_tls(true)
            .add_root_certificates(Path::new(&ours).join("ca.pem"));
        assert!(anonymous.connect(&broker.login("agents/agent-0").nats).await.is_err());
    });
    assert!(broker.daemon.is_running());
}
