//! Servers that reorder or repeat messages, send single bytes, wrong content or nothing, and disconnect.

use crate::operations::modify;
use crate::server::{Reaction, Server, answer, entry, pause, yes};
use crate::{ExchangeResult, one, outcomes, plan, run, settle, setup, simple};
use brunt_exchange::{Class, Outcome, Session as _};
use brunt_ldap_driver::{Mode, Plan, SearchSetup, Session, Task, open};
use brunt_ldap_wire::message::Message;
use brunt_ldap_wire::{control, op, reply};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(10);

fn search() -> Task {
    Task::Search(SearchSetup::new("dc=example", "(uid=a)"))
}

/// Answers once `count` requests have arrived, in reverse order and all in one write.
fn backwards(count: usize) -> impl Fn(&Message<'_>) -> Vec<Reaction> {
    let held = Mutex::new(Vec::new());
    move |message| {
        let mut held = held.lock().unwrap();
        held.push(yes(message));
        if held.len() < count {
            Vec::new()
        } else {
            vec![Reaction::Send(held.drain(..).rev().flatten().collect())]
        }
    }
}

/// Runs every session of one connection for `count` exchanges, all at the same time.
async fn together(plan: &Arc<Plan>, count: u64) -> Vec<Vec<ExchangeResult>> {
    let local = tokio::task::LocalSet::new();
    let mut running = Vec::new();
    for mut session in open(plan, 0..1) {
        running.push(local.spawn_local(async move {
            let mut ran = Vec::new();
            for number in 0..count {
                ran.push(one(&mut session, number, SOON).await);
            }
            (session, ran)
        }));
    }
    local
        .run_until(async move {
            let (mut sessions, mut all) = (Vec::new(), Vec::new());
            for task in running {
                let (session, ran) = task.await.unwrap();
                sessions.push(session);
                all.push(ran);
            }
            for session in &mut sessions {
                session.close(&crate::clock()).await;
            }
            settle().await;
            all
        })
        .await
}

#[tokio::test]
async fn answers_in_any_order_are_matched() {
    let script = backwards(4);
    let server = Server::start(move |incoming| script(incoming.message)).await;
    let mut setup = setup(server.address, search());
    (setup.requests_per_connection, setup.sessions) = (4, 4);
    let plan = plan(setup);
    for ran in together(&plan, 50).await {
        assert_eq!(outcomes(&ran), [Outcome::Ok(0); 50]);
        assert!(ran.iter().all(|ran| ran.items == 1), "each answer brings exactly its own entry");
    }
    assert_eq!((server.log.connections(), server.log.count("search")), (1, 200));
    assert_eq!((plan.tally().counts().orphans, plan.tally().counts().late), (0, 0));
}

#[tokio::test]
async fn shared_connection_is_bound_and_closed_once() {
    let server = Server::willing().await;
    let mut setup = setup(server.address, search());
    (setup.requests_per_connection, setup.sessions) = (8, 8);
    setup.login = simple("cn=admin", "secret");
    together(&plan(setup), 10).await;
    let log = &server.log;
    assert_eq!(
        (log.connections(), log.count("bind"), log.count("search"), log.count("unbind")),
        (1, 1, 80, 1)
    );
}

#[tokio::test]
async fn timeout_on_a_shared_connection_is_isolated() {
    // The first request is never answered; its session, which reads for all sessions, times out.
    let server = Server::start(|incoming| match incoming.nth {
        0 => Vec::new(),
        _ => {
            vec![Reaction::Pause(Duration::from_millis(30)), Reaction::Send(yes(incoming.message))]
        }
    })
    .await;
    let mut setup = setup(server.address, search());
    (setup.requests_per_connection, setup.sessions) = (3, 3);
    let plan = plan(setup);
    let mut sessions = open(&plan, 0..1);
    let mut third = sessions.pop().unwrap();
    let mut second = sessions.pop().unwrap();
    let first = sessions.first_mut().unwrap();
    let (first, second, third) = tokio::join!(
        one(first, 0, Duration::from_millis(10)),
        one(&mut second, 1, SOON),
        one(&mut third, 2, SOON)
    );
    assert_eq!(first.outcome, Outcome::TimedOut);
    assert_eq!((second.outcome, third.outcome), (Outcome::Ok(0), Outcome::Ok(0)));
}

#[tokio::test]
async fn frames_split_or_joined_are_reassembled() {
    let server = Server::start(|incoming| {
        let mut bytes = Vec::new();
        for _ in 0..40 {
            bytes.extend(entry(
                incoming.message,
                "uid=x,dc=example",
                &[("description", &["y".repeat(300).as_str()])],
            ));
        }
        bytes.extend(answer(incoming.message, 0, ""));
        if incoming.nth == 0 {
            return vec![Reaction::Drip(bytes)];
        }
        let rest = bytes.split_off(7001);
        vec![Reaction::Send(bytes), Reaction::Pause(Duration::from_millis(5)), Reaction::Send(rest)]
    })
    .await;
    let ran = run(&plan(setup(server.address, search())), 3).await;
    assert_eq!(
        ran.iter().map(|ran| (ran.outcome, ran.items)).collect::<Vec<_>>(),
        [(Outcome::Ok(0), 40); 3]
    );
}

#[tokio::test]
async fn answers_longer_than_a_read_are_complete() {
    let long = "z".repeat(1_000_000);
    let server = Server::start(move |incoming| {
        let mut bytes = entry(incoming.message, "uid=x", &[("jpegPhoto", &[long.as_str()])]);
        bytes.extend(answer(incoming.message, 0, ""));
        vec![Reaction::Send(bytes)]
    })
    .await;
    let ran = run(&plan(setup(server.address, search())), 2).await;
    assert_eq!(
        ran.iter().map(|ran| (ran.outcome, ran.items)).collect::<Vec<_>>(),
        [(Outcome::Ok(0), 1); 2]
    );
}

#[tokio::test]
async fn unmatched_messages_are_orphans() {
    let server = Server::start(|incoming| {
        let mut bytes = Vec::new();
        reply::result(&mut bytes, 77_777, op::SEARCH_DONE, &reply::Answer::code(0), &[]);
        reply::reference(&mut bytes, incoming.message.message_id, &[b"ldap://elsewhere/dc=x"], &[]);
        reply::intermediate(&mut bytes, incoming.message.message_id, Some("1.2.3"), None, &[]);
        bytes.extend(yes(incoming.message));
        vec![Reaction::Send(bytes)]
    })
    .await;
    let plan = plan(setup(server.address, search()));
    let ran = run(&plan, 5).await;
    assert_eq!(outcomes(&ran), [Outcome::Ok(0); 5]);
    assert!(ran.iter().all(|ran| ran.items == 1));
    let counts = plan.tally().counts();
    assert_eq!(
        (counts.orphans, counts.references, counts.intermediates, counts.late),
        (5, 5, 5, 0)
    );
}

#[tokio::test]
async fn late_answer_does_not_answer_the_next_request() {
    let server = Server::start(|incoming| match incoming.nth {
        0 => vec![
            Reaction::Pause(Duration::from_millis(60)),
            Reaction::Send(answer(incoming.message, 50, "late")),
        ],
        _ => vec![Reaction::Send(yes(incoming.message))],
    })
    .await;
    let plan = plan(setup(server.address, search()));
    let mut session = open(&plan, 0..1).remove(0);
    assert_eq!(one(&mut session, 0, Duration::from_millis(20)).await.outcome, Outcome::TimedOut);
    let next = one(&mut session, 1, SOON).await;
    assert_eq!((next.outcome, next.items), (Outcome::Ok(0), 1));
    assert_eq!((server.log.connections(), plan.tally().counts().late), (1, 1));
}

/// How many requests of a run whose only exchange is never answered the server is told to abandon, once it has all.
async fn abandoned(task: Task) -> (usize, Vec<String>) {
    let server = Server::start(|_| Vec::new()).await;
    let plan = plan(setup(server.address, task));
    let mut session = open(&plan, 0..1).remove(0);
    assert_eq!(one(&mut session, 0, Duration::from_millis(20)).await.outcome, Outcome::TimedOut);
    // The connection stays open, and nothing else is sent over it until the session closes it.
    assert_eq!(server.log.count("unbind"), 0);
    session.close(&crate::clock()).await;
    let closed = async {
        while server.log.left() == 0 {
            settle().await;
        }
    };
    tokio::time::timeout(SOON * 6, closed).await.unwrap();
    (server.log.count("abandon"), server.log.texts())
}

#[tokio::test]
async fn search_timeout_sends_abandon_but_modify_does_not() {
    let (count, requests) = abandoned(search()).await;
    assert_eq!((count, requests[1].as_str()), (1, "abandon 1"), "{requests:?}");
    let change = Task::Modify(modify("dc=example", &[("description", "x")]));
    let (count, requests) = abandoned(change).await;
    assert_eq!((count, requests.len()), (0, 2), "{requests:?}");
}

#[tokio::test]
async fn ldaps_port_spoken_in_the_clear_is_recognized() {
    // A fatal alert: protocol version.
    let server =
        Server::start(|_| vec![Reaction::Send(vec![0x15, 3, 3, 0, 2, 2, 70]), Reaction::Close])
            .await;
    let ran = run(&plan(setup(server.address, search())), 1).await;
    assert_eq!(outcomes(&ran), [Outcome::Failed(Class::Protocol, 0)]);
    assert!(ran[0].text.ends_with("this port needs LDAPS (-Z, ldaps://)"), "{}", ran[0].text);
}

#[tokio::test]
async fn abandon_is_sent_before_the_next_request() {
    let server = Server::start(|_| Vec::new()).await;
    let plan = plan(setup(server.address, search()));
    let mut session = open(&plan, 0..1).remove(0);
    assert_eq!(one(&mut session, 0, Duration::from_millis(20)).await.outcome, Outcome::TimedOut);
    let abandoned = async {
        while server.log.count("abandon") == 0 {
            settle().await;
        }
    };
    tokio::time::timeout(SOON * 6, abandoned).await.unwrap();
    assert_eq!(server.log.connections(), 1);
}

#[tokio::test]
async fn cancelled_bind_closes_the_connection() {
    let server = Server::start(|incoming| match (incoming.connection, incoming.nth) {
        (0, 0) => Vec::new(),
        _ => vec![Reaction::Send(yes(incoming.message))],
    })
    .await;
    let task = Task::Bind { identity: simple("cn=a", "b"), invalid_percent: 0 };
    let plan = plan(setup(server.address, task));
    let mut session = open(&plan, 0..1).remove(0);
    assert_eq!(one(&mut session, 0, Duration::from_millis(20)).await.outcome, Outcome::TimedOut);
    assert_eq!(one(&mut session, 1, SOON).await.outcome, Outcome::Ok(0));
    assert_eq!(one(&mut session, 2, SOON).await.outcome, Outcome::Ok(0));
    assert_eq!(server.log.connections(), 2);
}

#[tokio::test]
async fn partially_sent_request_is_completed_first() {
    // The server does not read for a while, so the sending of a huge request blocks midway.
    let server = Server::start(|incoming| match incoming.nth {
        0 => {
            vec![Reaction::Send(yes(incoming.message)), Reaction::Pause(Duration::from_millis(150))]
        }
        _ => vec![Reaction::Send(yes(incoming.message))],
    })
    .await;
    let task = Task::Search(SearchSetup::new("dc=example", "(uid={})"));
    let mut setup = setup(server.address, task);
    setup.arguments = crate::arguments(&["randstr(8000000)"]);
    let plan = plan(setup);
    let mut session = open(&plan, 0..1).remove(0);
    assert_eq!(one(&mut session, 0, SOON).await.outcome, Outcome::Ok(0));
    let cut = one(&mut session, 1, Duration::from_millis(30)).await;
    assert_eq!((cut.outcome, cut.sent), (Outcome::TimedOut, true));
    assert_eq!(one(&mut session, 2, SOON).await.outcome, Outcome::Ok(0));
    assert_eq!((server.log.connections(), server.log.count("search")), (1, 3));
}

async fn misbehaving(act: fn(&Message<'_>) -> Vec<Reaction>) -> (Server, Vec<ExchangeResult>) {
    let server = Server::start(move |incoming| match incoming.connection {
        0 => act(incoming.message),
        _ => vec![Reaction::Send(yes(incoming.message))],
    })
    .await;
    let ran = run(&plan(setup(server.address, search())), 2).await;
    (server, ran)
}

#[tokio::test]
async fn connection_failures_are_each_counted_once() {
    type Way = (fn(&Message<'_>) -> Vec<Reaction>, Class, u32, &'static str);
    let ways: [Way; 7] = [
        (|_| vec![Reaction::Close], Class::Closed, 0, "closed: the server closed the connection"),
        (|_| vec![Reaction::Reset], Class::Closed, 104, "reset"),
        (
            |message| {
                let mut bytes = yes(message);
                bytes.truncate(bytes.len() - 3);
                vec![
                    Reaction::Send(bytes),
                    Reaction::Pause(Duration::from_millis(10)),
                    Reaction::Close,
                ]
            },
            Class::Closed,
            0,
            "closed: the server closed the connection",
        ),
        (
            |_| vec![Reaction::Send(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())],
            Class::Protocol,
            0,
            "not LDAP",
        ),
        (
            |_| vec![Reaction::Send(vec![0x30, 0x84, 0xff, 0xff, 0xff, 0xff])],
            Class::Protocol,
            0,
            "not LDAP",
        ),
        (
            |message| {
                let mut bytes = Vec::new();
                reply::result(
                    &mut bytes,
                    message.message_id,
                    op::MODIFY_RESPONSE,
                    &reply::Answer::code(0),
                    &[],
                );
                vec![Reaction::Send(bytes)]
            },
            Class::Protocol,
            0,
            "is of operation 0x67, where 0x65 was expected",
        ),
        (
            |_| {
                let mut bytes = Vec::new();
                reply::notice_of_disconnection(
                    &mut bytes,
                    &reply::Answer::because(52, "going down"),
                );
                vec![Reaction::Send(bytes), Reaction::Close]
            },
            Class::Closed,
            52,
            "notice of disconnection: 52 (unavailable): going down",
        ),
    ];
    for (act, class, code, words) in ways {
        let (server, ran) = misbehaving(act).await;
        assert_eq!(ran[0].outcome, Outcome::Failed(class, code), "{words}: {}", ran[0].text);
        assert!(ran[0].text.contains(words), "{}", ran[0].text);
        assert_eq!(ran[1].outcome, Outcome::Ok(0), "{words}");
        assert_eq!(server.log.connections(), 2, "{words}");
    }
}

#[tokio::test]
async fn server_closing_between_exchanges_fails_none() {
    let server =
        Server::start(|incoming| vec![Reaction::Send(yes(incoming.message)), Reaction::Close])
            .await;
    let plan = plan(setup(server.address, search()));
    let mut session = open(&plan, 0..1).remove(0);
    for number in 0..3 {
        assert_eq!(one(&mut session, number, SOON).await.outcome, Outcome::Ok(0));
        pause(Duration::from_millis(20)).await;
    }
    assert_eq!((server.log.connections(), plan.tally().counts().lost), (3, 2));
}

#[tokio::test]
async fn server_down_fails_each_attempt_until_it_returns() {
    let address = Server::willing().await.address;
    settle().await;
    let plan = plan(setup(address, search()));
    let mut session = open(&plan, 0..1).remove(0);
    for number in 0..3 {
        let ran = one(&mut session, number, SOON).await;
        assert_eq!(
            (ran.outcome, ran.sent),
            (Outcome::Failed(Class::Connect, 111), false),
            "{}",
            ran.text
        );
    }
    let server = Server::start_at(address, |incoming| vec![Reaction::Send(yes(incoming.message))]);
    assert_eq!(one(&mut session, 3, SOON).await.outcome, Outcome::Ok(0));
    assert_eq!(server.log.connections(), 1);
}

#[tokio::test]
async fn refused_identity_is_a_failed_login() {
    let server =
        Server::start(|incoming| vec![Reaction::Send(answer(incoming.message, 49, "wrong"))]).await;
    let mut setup = setup(server.address, search());
    setup.login = simple("cn=admin", "secret");
    setup.mode = Mode::Bound;
    let ran = run(&plan(setup), 2).await;
    assert_eq!(outcomes(&ran), [Outcome::Failed(Class::Login, 49); 2]);
    assert_eq!(ran[0].text, "login: bind as cn=admin: result 49 (invalidCredentials): wrong");
    assert_eq!((server.log.count("bind"), server.log.count("search")), (2, 0));
}

#[tokio::test]
async fn connection_down_reports_why_it_cannot_reopen() {
    let server = Server::willing().await;
    let mut setup = setup(server.address, search());
    (setup.requests_per_connection, setup.sessions) = (2, 2);
    let plan = plan(setup);
    let mut sessions = open(&plan, 0..1);
    let clock = crate::clock();
    for session in &mut sessions {
        session.ready(&mut brunt_exchange::Watch::new(&clock, None)).await;
    }
    drop(server);
    settle().await;
    let mut outcomes = Vec::new();
    for (number, session) in (0..).zip(&mut sessions) {
        let ticket = brunt_exchange::Ticket { number, session: 0, turn: number, phase: 0 };
        let mut watch = brunt_exchange::Watch::new(&clock, None);
        outcomes.push(session.exchange(&ticket, &mut watch).await);
    }
    // The first connection was refused; it is too early for another attempt, so the second exchange has the same
    // outcome.
    assert_eq!(outcomes, [Outcome::Failed(Class::Connect, 111); 2]);
}

#[tokio::test]
async fn password_repeated_by_a_server_is_hidden() {
    let reported = "'s3cret' is\u{1b}[2J wrong";
    let server =
        Server::start(move |incoming| vec![Reaction::Send(answer(incoming.message, 49, reported))])
            .await;
    let starred = "result 49 (invalidCredentials): '***' is\\u{1b}[2J wrong";
    let mut login = setup(server.address, search());
    login.login = simple("cn=admin", "s3cret");
    let ran = run(&plan(login), 1).await;
    assert_eq!(ran[0].text, format!("login: bind as cn=admin: {starred}"));
    let task = Task::Bind { identity: simple("cn=admin", "s3cret"), invalid_percent: 0 };
    let ran = run(&plan(setup(server.address, task)), 1).await;
    assert_eq!(ran[0].text, format!("{starred} [cn=admin]"));
}

#[tokio::test]
async fn start_tls_never_continues_in_clear_text() {
    let server =
        Server::start(|incoming| vec![Reaction::Send(answer(incoming.message, 2, "no TLS here"))])
            .await;
    let mut setup = setup(server.address, search());
    let client = brunt_net::tls::Client::new(
        &brunt_net::tls::Options::default(),
        &brunt_feed::Files::default(),
    );
    let Ok(client) = client else { panic!("the system has no roots: {client:?}") };
    setup.route.security = brunt_ldap_driver::Security::StartTls(Arc::new(client));
    setup.login = simple("cn=admin", "secret");
    let ran = run(&plan(setup), 2).await;
    assert_eq!(outcomes(&ran), [Outcome::Failed(Class::Tls, 2); 2]);
    assert_eq!(
        (server.log.count("bind"), server.log.count("search"), server.log.count("extended")),
        (0, 0, 2)
    );
}

#[tokio::test]
async fn cancelled_connecting_leaves_nothing_half_open() {
    // The first connection's bind is never answered, and the run stops waiting for it.
    let server = Server::start(|incoming| match incoming.connection {
        0 => Vec::new(),
        _ => vec![Reaction::Send(yes(incoming.message))],
    })
    .await;
    let mut setup = setup(server.address, search());
    setup.login = simple("cn=admin", "secret");
    let plan = plan(setup);
    let mut session: Session = open(&plan, 0..1).remove(0);
    let clock = crate::clock();
    let mut watch = brunt_exchange::Watch::new(&clock, None);
    let ready = tokio::time::timeout(Duration::from_millis(20), session.ready(&mut watch)).await;
    assert!(ready.is_err());
    assert_eq!(one(&mut session, 0, SOON).await.outcome, Outcome::Ok(0));
    assert_eq!(
        (server.log.connections(), server.log.count("bind"), server.log.count("search")),
        (2, 2, 1)
    );
}

#[tokio::test]
async fn password_policy_responses_are_counted() {
    let value = control::value::PasswordPolicy {
        warning: Some(control::value::PolicyWarning::GraceBindsLeft(2)),
        error: None,
    }
    .encode();
    let server = Server::start(move |incoming| {
        let mut bytes = Vec::new();
        let oid = control::PASSWORD_POLICY.as_bytes();
        let control = control::RawControl { oid, critical: false, value: Some(&value) };
        reply::bind(
            &mut bytes,
            incoming.message.message_id,
            &reply::Answer::code(0),
            None,
            &[control],
        );
        assert!(incoming.message.control(control::PASSWORD_POLICY).is_some());
        vec![Reaction::Send(bytes)]
    })
    .await;
    let task = Task::Bind { identity: simple("cn=a", "b"), invalid_percent: 0 };
    let mut setup = setup(server.address, task);
    setup.bind_controls.password_policy = true;
    let plan = plan(setup);
    assert_eq!(outcomes(&run(&plan, 3).await), [Outcome::Ok(0); 3]);
    let counts = plan.tally().counts();
    assert_eq!((counts.policy_warnings, counts.policy_errors), (3, 0));
}
