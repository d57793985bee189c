//! A warm exchange allocates nothing, and an idle connection needs little memory, as counted by the allocator itself.
//!
//! This test has its own binary, because the allocator belongs to the whole process. The server is a thread that
//! answers with prepared bytes, and only the allocations of the measuring thread are counted.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

use brunt_exchange::{Monotonic, Outcome, Session as _, Ticket, Watch};
use brunt_feed::{Arguments, Files, Settings};
use brunt_ldap_driver::{
    BindControls, Change, Identity, Mode, ModifySetup, OperationControls, Plan, Route, SearchSetup,
    Security, Servers, Setup, Task, open,
};
use brunt_ldap_wire::message::{Message, Request};
use brunt_ldap_wire::{op, reply, response};
use brunt_net::tcp::{Dialer, Endpoint, Options};
use brunt_testbed::{CountingAllocator, allocations};
use std::io::{Read, Write};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Answers every request with one response of the matching kind and with the request's id.
fn answer(mut stream: std::net::TcpStream) {
    let mut bytes = Vec::new();
    let mut room = [0; 4096];
    loop {
        let count = stream.read(&mut room).unwrap_or(0);
        if count == 0 {
            return;
        }
        bytes.extend_from_slice(&room[..count]);
        let mut out = Vec::new();
        while let Some(length) = response::frame(&bytes).unwrap().filter(|n| *n <= bytes.len()) {
            let message = Message::decode(&bytes[..length]).unwrap();
            let (id, answer) = (message.message_id, reply::Answer::code(0));
            match message.request {
                Request::Search(_) => {
                    reply::entry(&mut out, id, b"uid=found,dc=example", [("uid", [b"found"])], &[]);
                    reply::result(&mut out, id, op::SEARCH_DONE, &answer, &[]);
                }
                Request::Modify { .. } => {
                    reply::result(&mut out, id, op::MODIFY_RESPONSE, &answer, &[]);
                }
                _ => reply::bind(&mut out, id, &answer, None, &[]),
            }
            bytes.drain(..length);
        }
        if stream.write_all(&out).is_err() {
            return;
        }
    }
}

fn plan(port: u16, task: Task) -> Arc<Plan> {
    let endpoint = Endpoint { host: "127.0.0.1".into(), port };
    let specs = ["inc(10000,99999)".to_owned(), "randstr(12)".to_owned()];
    let setup = Setup {
        route: Route {
            servers: Servers::Network(Arc::new(
                Dialer::new(&brunt_net::Network::private(), &[endpoint], Options::default())
                    .unwrap(),
            )),
            security: Security::Plain,
            step_timeout: None,
        },
        mode: Mode::Bound,
        requests_per_connection: 1,
        reconnect_every: 0,
        resend: brunt_net::resend::Resend::default(),
        login: Identity::Anonymous,
        bind_controls: BindControls::default(),
        task,
        arguments: Arguments::parse(&specs, &Settings::default(), &Files::default()).unwrap(),
        sessions: 1,
        seed: 1,
        traceparent: false,
        raw: false,
    };
    Arc::new(Plan::compile(setup).unwrap())
}

/// The number of allocations in a thousand exchanges, after a few hundred to warm up.
async fn allocated(port: u16, task: Task) -> u64 {
    let plan = plan(port, task);
    let mut session = open(&plan, 0..1).remove(0);
    let clock = Monotonic::new();
    let mut before = 0;
    for number in 0..1300 {
        if number == 300 {
            before = allocations::by_thread();
        }
        let mut watch = Watch::new(&clock, None);
        session.ready(&mut watch).await;
        let outcome = session
            .exchange(&Ticket { number, session: 0, turn: number, phase: 0 }, &mut watch)
            .await;
        assert_eq!(outcome, Outcome::Ok(0));
    }
    assert!(before > 0, "opening a connection allocates, or nothing is counted at all");
    allocations::by_thread() - before
}

#[tokio::test]
async fn exchanges_allocate_nothing_when_warm() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            std::thread::spawn(move || answer(stream));
        }
    });
    let identity = |dn: &str| Identity::Simple { dn: dn.into(), password: "password".into() };
    let search = || SearchSetup::new("dc=example", "(&(uid=user.{})(cn={2}))");
    let modify = || ModifySetup {
        dn: "uid=user.{1},dc=example".into(),
        values: vec![("description".into(), "{2}".into())],
        change: Change::Replace,
        value_count: 1,
        controls: OperationControls::default(),
    };
    let tasks = [
        Task::Bind { identity: identity("uid=user.{},dc=example"), invalid_percent: 10 },
        Task::Search(search()),
        Task::Modify(modify()),
        Task::SearchThenBind {
            search: search(),
            identity: identity("{3}"),
            invalid_percent: 0,
            apart: false,
        },
        Task::ReadModify { modify: modify(), version: "uid".into() },
    ];
    for task in tasks {
        let name = format!("{task:?}");
        let name = name.split([' ', '(']).next().unwrap_or_default().to_owned();
        assert_eq!(allocated(port, task).await, 0, "{name}");
    }
}

/// Only heap memory is counted: including the sockets' memory in the kernel and its task in the engine, a connection
/// may take 4 KB in total.
#[tokio::test]
async fn idle_connection_needs_little_memory() {
    const CONNECTIONS: i64 = 200;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            std::thread::spawn(move || answer(stream));
        }
    });
    let plan = plan(port, Task::Search(SearchSetup::new("dc=example", "(uid=user.{})")));
    let mut sessions = open(&plan, 0..200);
    let clock = Monotonic::new();
    let without = allocations::bytes_held();
    for session in &mut sessions {
        let mut watch = Watch::new(&clock, None);
        session.ready(&mut watch).await;
        let outcome = session
            .exchange(&Ticket { number: 0, session: 0, turn: 0, phase: 0 }, &mut watch)
            .await;
        assert_eq!(outcome, Outcome::Ok(0));
    }
    let connected = (allocations::bytes_held() - without) / CONNECTIONS;
    drop(sessions);
    let each = connected + (without - allocations::bytes_held()).max(0) / CONNECTIONS;
    assert!((100..2048).contains(&each), "{each} bytes a connection");
    println!(
        "{each} bytes a connection on the heap, {} of a session",
        size_of::<brunt_ldap_driver::Session>()
    );
}
