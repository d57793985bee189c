//! Requests that carry an identity for the traces of the server.

use crate::churn::{DeleteMode, adding};
use crate::operations::modify;
use crate::server::{Reaction, Server, answer, yes};
use crate::{ExchangeResult, outcomes, plan, run, setup, simple};
use brunt_exchange::Outcome;
use brunt_feed::TraceContext;
use brunt_ldap_driver::{SearchSetup, Setup, Task};
use brunt_ldap_wire::control::W3C_TRACE_CONTEXT;
use brunt_ldap_wire::message::Request;
use std::sync::{Arc, Mutex};

/// The kinds of requests that a server received, each with the value of the control.
type Seen = Vec<(&'static str, Option<Vec<u8>>)>;

/// Runs exchanges with this seed, which the server answers with this code; those of a search find an entry.
async fn ran(task: Task, seed: u64, code: u32, count: u64) -> (Seen, Vec<ExchangeResult>) {
    let requests = Arc::new(Mutex::new(Seen::new()));
    let log = Arc::clone(&requests);
    let server = Server::start(move |incoming| {
        let message = incoming.message;
        let kind = match message.request {
            Request::Bind { .. } => "bind",
            Request::Search(_) => "search",
            Request::Modify { .. } => "modify",
            Request::Add { .. } => "add",
            Request::Delete { .. } => "delete",
            _ => return Vec::new(),
        };
        let known = message.controls.iter().find(|it| it.oid == W3C_TRACE_CONTEXT.as_bytes());
        assert!(known.is_none_or(|control| !control.critical));
        let value = known.and_then(|control| control.value).map(<[u8]>::to_vec);
        log.lock().unwrap().push((kind, value));
        vec![Reaction::Send(if code == 0 { yes(message) } else { answer(message, code, "no") })]
    })
    .await;
    let setup = Setup { seed, traceparent: true, ..setup(server.address, task) };
    let ran = run(&plan(setup), count).await;
    let requests = requests.lock().unwrap().clone();
    (requests, ran)
}

/// The value of the control of exchange `number`: SEQUENCE { OCTET STRING }.
fn value(seed: u64, number: u64) -> Vec<u8> {
    let text = TraceContext::new(seed, number, 0).to_string();
    [&[0x30, 57, 0x04, 55], text.as_bytes()].concat()
}

#[tokio::test]
async fn traceparent_is_on_every_measured_request() {
    let search = || SearchSetup::new("dc=example", "(uid=a)");
    let bind = |identity| Task::Bind { identity, invalid_percent: 0 };
    let then_bind = Task::SearchThenBind {
        search: search(),
        identity: simple("{1}", "password"),
        invalid_percent: 0,
        apart: false,
    };
    for (task, requests) in [
        (Task::Search(search()), vec![("search", 0), ("search", 1)]),
        (Task::Modify(modify("cn=a", &[("title", "x")])), vec![("modify", 0), ("modify", 1)]),
        (bind(simple("cn=a", "b")), vec![("bind", 0), ("bind", 1)]),
        (then_bind, vec![("search", 0), ("bind", 0), ("search", 1), ("bind", 1)]),
        (adding(DeleteMode::Fifo, 1), vec![("add", 0), ("add", 1)]),
    ] {
        for seed in [7, 8] {
            let (received, ran) = ran(task.clone(), seed, 0, 2).await;
            assert_eq!(outcomes(&ran), [Outcome::Ok(0); 2], "{task:?}");
            let expected: Seen =
                requests.iter().map(|(kind, number)| (*kind, Some(value(seed, *number)))).collect();
            assert_eq!(received, expected, "{task:?}");
        }
    }
}

#[tokio::test]
async fn traceparent_is_absent_when_connecting_and_named_by_failures() {
    let search = Task::Search(SearchSetup::new("dc=example", "(uid=a)"));
    let (seen, failed) = ran(search.clone(), 7, 32, 1).await;
    assert_eq!(seen, [("search", Some(value(7, 0)))]);
    let trace = format!("(traceparent {})", TraceContext::new(7, 0, 0));
    let sent = failed[0].requested.as_deref().unwrap();
    assert!(sent.ends_with(&trace) && sent.contains("dc=example"), "{sent}");
    let server = Server::willing().await;
    let mut with_login = Setup { traceparent: true, ..setup(server.address, search.clone()) };
    with_login.login = simple("cn=a", "b");
    assert_eq!(outcomes(&run(&plan(with_login), 1).await), [Outcome::Ok(0)]);
    // Nobody answers: the identity is known to the caller, who gives up.
    let silent = Server::start(|_| Vec::new()).await;
    let plan = plan(Setup { traceparent: true, seed: 7, ..setup(silent.address, search) });
    let mut session = brunt_ldap_driver::open(&plan, 0..1).remove(0);
    let given_up = crate::one(&mut session, 3, std::time::Duration::from_millis(50)).await;
    assert_eq!(given_up.outcome, Outcome::TimedOut);
    let trace = format!("traceparent {}", TraceContext::new(7, 3, 0));
    assert_eq!(given_up.requested, Some(trace));
}
