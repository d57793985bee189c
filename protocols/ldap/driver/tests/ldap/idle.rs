//! Connections that the server closes while they are idle, or exactly while a request is sent.

use crate::server::{Incoming, Reaction, Server, answer, entry, pause, yes};
use crate::{plan, setup, simple};
use brunt_exchange::{Class, Clock, Moment, Monotonic, Outcome, Session as _, Ticket, Watch};
use brunt_feed::{Escape, Hole, Text, Values};
use brunt_ldap_driver::{
    Change, Identity, LdapOperation, LdapPool, LdapStep, ModifySetup, OperationControls, PARTS,
    SearchSetup, Session, Setup, Task, UserConnection, open,
};
use brunt_ldap_wire::reply;
use brunt_ldap_wire::request::Scope;
use brunt_net::resend::Resend;
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

const CLOSED: Outcome = Outcome::Failed(Class::Closed, 0);

/// The result of one exchange, and what happened to its connection.
#[derive(Debug, PartialEq, Eq)]
struct ReuseResult {
    outcome: Outcome,
    parts: Vec<&'static str>,
    reconnected: u32,
    resent: u32,
    not_ready: Option<Outcome>,
    sent: bool,
}

impl ReuseResult {
    /// An exchange that succeeded over the existing connection.
    fn well() -> Self {
        let parts = Vec::new();
        let outcome = Outcome::Ok(0);
        Self { outcome, parts, reconnected: 0, resent: 0, not_ready: None, sent: true }
    }

    /// An exchange that succeeded over a reopened connection.
    fn anew(resent: u32) -> Self {
        Self { parts: vec!["reconnect"], reconnected: 1, resent, ..Self::well() }
    }
}

/// A clock that only a test advances. How long a connection was idle decides whether a request is sent again, and a
/// busy machine must not change that.
#[derive(Default)]
struct Standing(Cell<Duration>);

impl Clock for Standing {
    fn now(&self) -> Moment {
        Moment::ZERO + self.0.get()
    }
}

/// Prepares, waits until the exchange is due, and performs it, with a watch for each of the two, as the engine does.
async fn after(session: &mut Session, number: u64, wait: Duration) -> ReuseResult {
    let clock = Standing::default();
    session.ready(&mut Watch::new(&clock, None)).await;
    pause(wait).await;
    clock.0.set(wait);
    exchange(session, number, &clock).await
}

/// Performs an exchange that was prepared.
async fn exchange(session: &mut Session, number: u64, clock: &dyn Clock) -> ReuseResult {
    let mut watch = Watch::new(clock, None);
    let ticket = Ticket { number, session: 0, turn: number, phase: 0 };
    let outcome = session.exchange(&ticket, &mut watch).await;
    ReuseResult {
        outcome,
        parts: watch.parts().iter().map(|(part, _)| PARTS[usize::from(part.0)]).collect(),
        reconnected: watch.times_reconnected(),
        resent: watch.times_resent(),
        not_ready: watch.why_not_ready(),
        sent: watch.sent_at().is_some(),
    }
}

fn search() -> Task {
    Task::Search(SearchSetup::new("dc=example", "(uid=a)"))
}

fn bind() -> Task {
    Task::Bind { identity: simple("cn=a", "b"), invalid_percent: 0 }
}

fn modify() -> Task {
    Task::Modify(ModifySetup {
        dn: "uid=a".into(),
        values: vec![("description".into(), "x".into())],
        change: Change::Replace,
        value_count: 1,
        controls: OperationControls::default(),
    })
}

fn notice(code: u32) -> Reaction {
    let mut bytes = Vec::new();
    reply::notice_of_disconnection(&mut bytes, &reply::Answer::because(code, "idle"));
    Reaction::Send(bytes)
}

/// Makes a server that waits for `word` disconnect, and gives the runtime time to process this, as it has between
/// exchanges.
async fn disconnect(server: &Server, word: &Notify) {
    let before = server.log.left();
    word.notify_one();
    while server.log.left() == before {
        pause(Duration::from_millis(1)).await;
    }
    pause(Duration::from_millis(20)).await;
}

#[tokio::test]
async fn idle_close_before_an_exchange_costs_none() {
    let ways: [fn() -> Vec<Reaction>; 3] = [
        || vec![Reaction::Close],
        || vec![Reaction::Reset],
        || vec![notice(11), Reaction::Leave, Reaction::Pause(Duration::from_secs(5))],
    ];
    for (task, login) in [(search(), simple("cn=admin", "x")), (modify(), Identity::Anonymous)] {
        for way in ways {
            // The server answers the requests that open a connection and one operation, and disconnects when told to.
            let bound = usize::from(!matches!(login, Identity::Anonymous));
            let word = Arc::new(Notify::new());
            let released = Arc::clone(&word);
            let server = Server::start(move |incoming: &Incoming<'_>| {
                let mut acts = vec![Reaction::Send(yes(incoming.message))];
                if incoming.nth == bound {
                    acts.push(Reaction::Await(Arc::clone(&released)));
                    acts.extend(way());
                }
                acts
            })
            .await;
            let setup = Setup { login: login.clone(), ..setup(server.address, task.clone()) };
            let plan = plan(setup);
            let mut session = open(&plan, 0..1).remove(0);
            assert_eq!(after(&mut session, 0, Duration::ZERO).await, ReuseResult::well());
            let clock = Standing::default();
            for number in 1..4 {
                session.ready(&mut Watch::new(&clock, None)).await;
                disconnect(&server, &word).await;
                let anew = exchange(&mut session, number, &clock).await;
                assert_eq!(anew, ReuseResult::anew(0));
            }
            let requested = server.log.count("search") + server.log.count("modify");
            assert_eq!((requested, server.log.connections()), (4, 4), "each was sent once");
            assert_eq!(server.log.count("bind"), 4 * bound);
        }
    }
}

#[tokio::test]
async fn idle_close_found_when_preparing_is_counted_then() {
    // The disconnection arrives separately, or together with the answer.
    for joined in [false, true] {
        let server = Server::start(move |incoming| {
            let mut bytes = yes(incoming.message);
            if joined {
                reply::notice_of_disconnection(&mut bytes, &reply::Answer::because(52, "bye"));
            }
            vec![Reaction::Send(bytes), Reaction::Close]
        })
        .await;
        let plan = plan(setup(server.address, search()));
        let mut session = open(&plan, 0..1).remove(0);
        assert_eq!(after(&mut session, 0, Duration::ZERO).await, ReuseResult::well());
        pause(Duration::from_millis(20)).await;
        let clock = Monotonic::new();
        let mut watch = Watch::new(&clock, None);
        session.ready(&mut watch).await;
        let parts: Vec<_> =
            watch.parts().iter().map(|(part, _)| PARTS[usize::from(part.0)]).collect();
        assert_eq!((parts, watch.times_reconnected()), (vec!["reconnect"], 1), "{joined}");
    }
}

/// The result of a second exchange whose request meets what `acts` do on the first connection.
async fn second(
    task: Task,
    resend: Resend,
    acts: impl Fn(&Incoming<'_>) -> Vec<Reaction> + Send + Sync + 'static,
) -> (ReuseResult, usize) {
    let server = Server::start(move |incoming| match (incoming.connection, incoming.nth) {
        (0, 1) => acts(incoming),
        _ => vec![Reaction::Send(yes(incoming.message))],
    })
    .await;
    let plan = plan(Setup { resend, ..setup(server.address, task) });
    let mut session = open(&plan, 0..1).remove(0);
    assert_eq!(after(&mut session, 0, Duration::ZERO).await, ReuseResult::well());
    let kept = after(&mut session, 1, Duration::ZERO).await;
    assert_eq!(after(&mut session, 2, Duration::ZERO).await.outcome, Outcome::Ok(0));
    (kept, ["search", "modify", "bind"].map(|kind| server.log.count(kind)).iter().sum())
}

#[tokio::test]
async fn request_on_a_closing_connection_is_resent_if_allowed() {
    let failed = |outcome| ReuseResult { outcome, ..ReuseResult::well() };
    let reset = Outcome::Failed(Class::Closed, 104);
    for (task, resend, again) in [
        (search(), Resend::Safe, true),
        (bind(), Resend::Safe, true),
        (modify(), Resend::Safe, false),
        (modify(), Resend::Always, true),
        (search(), Resend::Never, false),
        (bind(), Resend::Never, false),
    ] {
        let cases: [(fn() -> Reaction, Outcome); 2] =
            [(|| Reaction::Close, CLOSED), (|| Reaction::Reset, reset)];
        for (act, outcome) in cases {
            let (kept, requested) = second(task.clone(), resend, move |_| vec![act()]).await;
            let expected = if again { ReuseResult::anew(1) } else { failed(outcome) };
            assert_eq!(
                (kept, requested),
                (expected, 3 + usize::from(again)),
                "{task:?} {resend:?}"
            );
        }
    }
}

#[tokio::test]
async fn connection_closed_during_work_was_not_idle() {
    for (worked, again) in [(10, true), (500, false)] {
        let word = Arc::new(Notify::new());
        let released = Arc::clone(&word);
        let server = Server::start(move |incoming: &Incoming<'_>| {
            match (incoming.connection, incoming.nth) {
                (0, 1) => vec![Reaction::Await(Arc::clone(&released)), Reaction::Close],
                _ => vec![Reaction::Send(yes(incoming.message))],
            }
        })
        .await;
        let plan = plan(Setup { resend: Resend::Always, ..setup(server.address, search()) });
        let mut session = open(&plan, 0..1).remove(0);
        assert_eq!(after(&mut session, 0, Duration::ZERO).await, ReuseResult::well());
        let clock = Standing::default();
        session.ready(&mut Watch::new(&clock, None)).await;
        let working = async {
            while server.log.count("search") < 2 {
                pause(Duration::from_millis(1)).await;
            }
            clock.0.set(Duration::from_millis(worked));
            word.notify_one();
        };
        let (ended, ()) = tokio::join!(exchange(&mut session, 1, &clock), working);
        let failed = ReuseResult { outcome: CLOSED, ..ReuseResult::well() };
        let expected = if again { ReuseResult::anew(1) } else { failed };
        assert_eq!((ended, server.log.count("search")), (expected, 2 + usize::from(again)));
    }
}

#[tokio::test]
async fn server_closing_every_connection_is_a_failure() {
    let server = Server::start(|_: &Incoming<'_>| vec![Reaction::Close]).await;
    let login = Identity::Anonymous;
    let plan = plan(Setup { login, resend: Resend::Always, ..setup(server.address, search()) });
    let mut session = open(&plan, 0..1).remove(0);
    for number in 0..6 {
        let mut ended = after(&mut session, number, Duration::ZERO).await;
        assert!(!ended.parts.contains(&"reconnect"), "{ended:?}");
        ended.parts.clear();
        assert_eq!(ended, ReuseResult { outcome: CLOSED, ..ReuseResult::well() });
    }
    assert_eq!((server.log.count("search"), server.log.connections()), (6, 6));
}

#[tokio::test]
async fn partial_answer_is_never_resent() {
    let half = |incoming: &Incoming<'_>| {
        let mut bytes = yes(incoming.message);
        bytes.truncate(bytes.len() - 3);
        vec![Reaction::Send(bytes), Reaction::Pause(Duration::from_millis(10)), Reaction::Close]
    };
    let octet = |incoming: &Incoming<'_>| {
        let mut bytes = answer(incoming.message, 0, "");
        bytes.truncate(1);
        vec![Reaction::Send(bytes), Reaction::Pause(Duration::from_millis(10)), Reaction::Close]
    };
    let blamed = |_: &Incoming<'_>| vec![notice(2), Reaction::Close];
    for (kept, requested) in [
        second(search(), Resend::Always, half).await,
        second(search(), Resend::Always, octet).await,
    ] {
        assert_eq!((kept, requested), (ReuseResult { outcome: CLOSED, ..ReuseResult::well() }, 3));
    }
    let (kept, _) = second(search(), Resend::Always, blamed).await;
    let blamed = Outcome::Failed(Class::Closed, 2);
    assert_eq!(
        kept,
        ReuseResult { outcome: blamed, ..ReuseResult::well() },
        "the request itself was refused"
    );
    let leaving = |_: &Incoming<'_>| vec![notice(52), Reaction::Close];
    assert_eq!(second(search(), Resend::Safe, leaving).await.0, ReuseResult::anew(1));
}

#[tokio::test]
async fn connection_that_never_answered_is_not_retried() {
    let server = Server::start(|_| vec![Reaction::Close]).await;
    let plan = plan(Setup { resend: Resend::Always, ..setup(server.address, search()) });
    let mut session = open(&plan, 0..1).remove(0);
    for number in 0..3 {
        let kept = after(&mut session, number, Duration::ZERO).await;
        assert_eq!((kept.outcome, kept.reconnected, kept.resent), (CLOSED, 0, 0));
        assert_eq!(server.log.count("search"), number as usize + 1);
    }
}

#[tokio::test]
async fn connection_opened_in_advance_counts_as_reused() {
    let server = Server::start(|incoming| match incoming.connection {
        0 => vec![Reaction::Close],
        _ => vec![Reaction::Send(yes(incoming.message))],
    })
    .await;
    let plan = plan(setup(server.address, search()));
    let mut session = open(&plan, 0..1).remove(0);
    assert_eq!(after(&mut session, 0, Duration::from_millis(60)).await, ReuseResult::anew(1));
}

#[tokio::test]
async fn server_that_died_is_a_failure() {
    let server = Server::willing().await;
    let plan = plan(setup(server.address, search()));
    let mut session = open(&plan, 0..1).remove(0);
    assert_eq!(after(&mut session, 0, Duration::ZERO).await, ReuseResult::well());
    let clock = Monotonic::new();
    session.ready(&mut Watch::new(&clock, None)).await;
    drop(server);
    pause(Duration::from_millis(20)).await;
    let mut watch = Watch::new(&clock, None);
    let ticket = Ticket { number: 1, session: 0, turn: 1, phase: 0 };
    let refused = Outcome::Failed(Class::Connect, 111);
    assert_eq!(session.exchange(&ticket, &mut watch).await, refused);
    assert_eq!((watch.why_not_ready(), watch.sent_at()), (Some(refused), None));
    assert_eq!((watch.times_reconnected(), watch.times_resent()), (0, 0));
}

#[tokio::test]
async fn shared_connection_judges_each_exchange_separately() {
    // Both have one answer. Then the first to send a request gets half of another answer, and the connection ends while
    // the second's request is on it.
    let server = Server::start(|incoming| match (incoming.connection, incoming.nth) {
        (0, 2) => vec![Reaction::Send(entry(incoming.message, "uid=a", &[]))],
        (0, 3) => vec![Reaction::Close],
        _ => vec![Reaction::Send(yes(incoming.message))],
    })
    .await;
    let mut setup = setup(server.address, search());
    (setup.requests_per_connection, setup.sessions) = (2, 2);
    let plan = plan(setup);
    let mut sessions = open(&plan, 0..1);
    let mut second = sessions.pop().unwrap();
    let mut first = sessions.pop().unwrap();
    for number in 0..2 {
        let (one, other) = tokio::join!(after(&mut first, number, Duration::ZERO), async {
            // The first's request is the one that the server receives first.
            while server.log.count("search") <= 2 * number as usize {
                pause(Duration::from_millis(1)).await;
            }
            after(&mut second, number, Duration::ZERO).await
        });
        if number == 1 {
            assert_eq!(one, ReuseResult { outcome: CLOSED, ..ReuseResult::well() });
            assert_eq!(other, ReuseResult::anew(1));
        }
    }
    assert_eq!((server.log.connections(), server.log.count("search")), (2, 5));
}

/// The connection of a flow's user is also reopened and bound again, and the intended request is sent.
#[tokio::test]
async fn flow_user_repeats_its_step_on_a_new_connection() {
    for resent in [0, 1] {
        // Each connection is bound and carries one search. The first is closed after it, or while the second is on it.
        let word = Arc::new(Notify::new());
        let released = Arc::clone(&word);
        let server = Server::start(move |incoming| match (incoming.connection, incoming.nth) {
            (0, 1) if resent == 0 => {
                vec![
                    Reaction::Send(yes(incoming.message)),
                    Reaction::Await(Arc::clone(&released)),
                    Reaction::Close,
                ]
            }
            (0, 2) => vec![Reaction::Close],
            _ => vec![Reaction::Send(yes(incoming.message))],
        })
        .await;
        let login = simple("cn=admin", "secret");
        let plan = plan(Setup { login, ..setup(server.address, Task::Given) });
        let mut user = UserConnection::new(&LdapPool::new(&plan), 0);
        let filter = Text::parse("(uid=${x})", Escape::None, |_| Some(Hole(0))).unwrap();
        let step = LdapOperation::Search {
            base: Text::literal("dc=x"),
            scope: Scope::Subtree,
            filter,
            attributes: Vec::new(),
            size_limit: 1,
        };
        let compiled = LdapStep::new(&step).unwrap();
        let clock = Monotonic::new();
        for number in 0..2 {
            let mut values = Values::new(1);
            values.set(Hole(0), format!("user.{number}").as_bytes());
            user.ready(&mut Watch::new(&clock, None)).await.unwrap();
            if (number, resent) == (1, 0) {
                disconnect(&server, &word).await;
            }
            let mut watch = Watch::new(&clock, None);
            let result = user.run(&compiled, &values, None, &mut watch).await.unwrap().unwrap();
            assert_eq!((result.code, result.entries), (0, 1));
            let seen = (watch.times_reconnected(), watch.times_resent());
            assert_eq!(seen, (number, number * resent));
        }
        let mut expected = vec!["bind cn=admin secret", "search dc=x (uid=user.0)"];
        if resent > 0 {
            expected.push("search dc=x (uid=user.1)");
        }
        expected.extend(["bind cn=admin secret", "search dc=x (uid=user.1)"]);
        assert_eq!(server.log.texts(), expected);
    }
}
