//! LDAP sessions against a scripted server: the counts must match what happened, in every case.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

mod binds;
mod churn;
mod faults;
mod idle;
mod modes;
mod operations;
mod server;
mod several;
mod traced;

use brunt_exchange::{Monotonic, Outcome, Session as _, Ticket, Watch};
use brunt_feed::{Arguments, Files, Settings};
use brunt_ldap_driver::{
    BindControls, Identity, Mode, Plan, Route, Security, Servers, Setup, Task, open,
};
use brunt_net::tcp::{Dialer, Endpoint, Options};
use server::Server;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// A plan for one session that stays connected; the test may change it.
fn setup(address: SocketAddr, task: Task) -> Setup {
    let endpoint = Endpoint { host: address.ip().to_string(), port: address.port() };
    let dialer =
        Dialer::new(&brunt_net::Network::private(), &[endpoint], Options::default()).unwrap();
    Setup {
        route: Route {
            servers: Servers::Network(Arc::new(dialer)),
            security: Security::Plain,
            step_timeout: Some(Duration::from_secs(5)),
        },
        mode: Mode::Bound,
        requests_per_connection: 1,
        reconnect_every: 0,
        resend: brunt_net::resend::Resend::default(),
        login: Identity::Anonymous,
        bind_controls: BindControls::default(),
        task,
        arguments: Arguments::default(),
        sessions: 1,
        seed: 1,
        traceparent: false,
        raw: false,
    }
}

fn arguments(specs: &[&str]) -> Arguments {
    let specs: Vec<String> = specs.iter().map(|spec| (*spec).to_owned()).collect();
    Arguments::parse(&specs, &Settings::default(), &Files::default()).unwrap()
}

fn simple(dn: &str, password: &str) -> Identity {
    Identity::Simple { dn: dn.into(), password: password.into() }
}

fn plan(setup: Setup) -> Arc<Plan> {
    Arc::new(Plan::compile(setup).unwrap())
}

/// The result of one exchange.
#[derive(Debug)]
struct ExchangeResult {
    outcome: Outcome,
    operation: u16,
    items: u64,
    parts: Vec<&'static str>,
    text: String,
    /// The bytes that the exchange reports as sent.
    requested: Option<String>,
    sent: bool,
    /// How long the exchange had begun when its request was sent.
    opening: Duration,
    /// How long connecting and binding took.
    connecting: Duration,
}

/// Performs one exchange as the engine does: first ready, then the exchange with the timeout.
async fn one(
    session: &mut brunt_ldap_driver::Session,
    number: u64,
    timeout: Duration,
) -> ExchangeResult {
    let clock = clock();
    let mut text = String::new();
    let mut watch = Watch::new(&clock, Some(&mut text));
    session.ready(&mut watch).await;
    let ticket = Ticket { number, session: 0, turn: number, phase: 0 };
    let outcome = tokio::time::timeout(timeout, session.exchange(&ticket, &mut watch)).await;
    let outcome = outcome.unwrap_or(Outcome::TimedOut);
    let names = brunt_ldap_driver::PARTS;
    ExchangeResult {
        outcome,
        operation: watch.named_operation(),
        items: watch.counted_items(),
        parts: watch.parts().iter().map(|(part, _)| names[usize::from(part.0)]).collect(),
        requested: watch.take_shown().sent,
        sent: watch.sent_at().is_some(),
        opening: watch
            .sent_at()
            .zip(watch.began_at())
            .map_or(Duration::ZERO, |(sent, began)| sent - began),
        connecting: watch.parts().iter().map(|(_, took)| *took).sum(),
        text,
    }
}

/// A clock of which only the order of its moments matters.
fn clock() -> Monotonic {
    Monotonic::new()
}

/// Runs exchanges one after the other on the plan's first session, then closes it.
async fn run(plan: &Arc<Plan>, count: u64) -> Vec<ExchangeResult> {
    let mut sessions = open(plan, 0..1);
    let mut ran = Vec::new();
    for number in 0..count {
        ran.push(one(&mut sessions[0], number, Duration::from_secs(10)).await);
    }
    for session in &mut sessions {
        session.close(&clock()).await;
    }
    settle().await;
    ran
}

/// Gives the server time to process what was sent last.
async fn settle() {
    server::pause(Duration::from_millis(20)).await;
}

fn outcomes(ran: &[ExchangeResult]) -> Vec<Outcome> {
    ran.iter().map(|ran| ran.outcome).collect()
}

async fn willing(task: Task) -> (Server, Setup) {
    let server = Server::willing().await;
    let setup = setup(server.address, task);
    (server, setup)
}
