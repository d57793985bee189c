//! Connection modes: the exact numbers of connections, binds and operations that the server
//! receives.

use crate::{outcomes, plan, run, setup, simple, willing};
use brunt_exchange::{Class, Outcome};
use brunt_ldap_driver::{Mode, Plan, PlanError, SearchSetup, Task, probe};
use std::time::Duration;

fn search() -> Task {
    Task::Search(SearchSetup::new("dc=example", "(uid=a)"))
}

#[tokio::test]
async fn modes_make_the_promised_connections_and_binds() {
    // Mode, number of operations before reconnecting, connections, binds.
    let table = [
        (Mode::PerOperation, 0, 30, 30),
        (Mode::Rebind, 0, 1, 31),
        (Mode::Bound, 0, 1, 1),
        (Mode::Bound, 10, 3, 3),
    ];
    for (mode, reconnect_every, connections, binds) in table {
        let (server, mut setup) = willing(search()).await;
        setup.mode = mode;
        setup.reconnect_every = reconnect_every;
        setup.login = simple("cn=admin", "secret");
        let plan = plan(setup);
        let ran = run(&plan, 30).await;
        assert_eq!(outcomes(&ran), [Outcome::Ok(0); 30], "{mode:?}");
        assert!(ran.iter().all(|ran| ran.items == 1 && ran.sent));
        let seen = (server.log.connections(), server.log.count("bind"), server.log.count("search"));
        assert_eq!(seen, (connections, binds, 30), "{mode:?}");
        assert_eq!(server.log.count("unbind"), connections, "{mode:?}");
        let counts = plan.tally().counts();
        assert_eq!(
            (counts.opened, counts.binds, counts.lost),
            (connections as u64, binds as u64, 0),
            "{mode:?}"
        );
    }
}

#[tokio::test]
async fn authrate_binds_exactly_once_per_exchange() {
    for (mode, connections) in [(Mode::PerOperation, 20), (Mode::Rebind, 1)] {
        let task = Task::Bind {
            identity: simple("uid=user.{},dc=example", "password"),
            invalid_percent: 0,
        };
        let (server, mut setup) = willing(task).await;
        setup.mode = mode;
        setup.arguments = crate::arguments(&["inc(0,999)"]);
        let ran = run(&plan(setup), 20).await;
        assert_eq!(outcomes(&ran), [Outcome::Ok(0); 20]);
        assert_eq!((server.log.connections(), server.log.count("bind")), (connections, 20));
        let texts: Vec<_> =
            server.log.texts().into_iter().filter(|text| text.starts_with("bind")).collect();
        assert_eq!(texts[7], "bind uid=user.7,dc=example password");
    }
}

#[tokio::test]
async fn connecting_belongs_to_its_operation() {
    // Mode, number of operations before reconnecting, and which of five operations open a connection.
    let table = [
        (Mode::PerOperation, 0, [true; 5]),
        (Mode::Bound, 0, [false; 5]),
        (Mode::Bound, 2, [false, false, true, false, true]),
        (Mode::Rebind, 2, [false, false, true, false, true]),
    ];
    for (mode, reconnect_every, owned) in table {
        let (_server, mut setup) = willing(search()).await;
        (setup.mode, setup.reconnect_every) = (mode, reconnect_every);
        setup.login = simple("cn=admin", "secret");
        let ran = run(&plan(setup), 5).await;
        for (number, (ran, own)) in ran.iter().zip(owned).enumerate() {
            let about = format!("{mode:?} {reconnect_every}, operation {number}: {:?}", ran.parts);
            assert_eq!(ran.parts.contains(&"connect"), own || number == 0, "{about}");
            assert_eq!(!ran.opening.is_zero(), own, "{about}");
            assert!(!own || ran.opening >= ran.connecting, "{about}");
        }
    }
}

#[tokio::test]
async fn parts_are_reported_where_they_happen() {
    let (_server, mut setup) = willing(search()).await;
    setup.login = simple("cn=admin", "secret");
    setup.mode = Mode::Rebind;
    let ran = run(&plan(setup), 2).await;
    assert_eq!(ran[0].parts, ["connect", "bind", "bind"]);
    assert_eq!(ran[1].parts, ["bind"]);
}

#[tokio::test]
async fn probe_uses_one_connection_and_returns_the_code() {
    let (server, mut setup) = willing(search()).await;
    setup.login = simple("cn=admin", "secret");
    let plan = plan(setup);
    probe(&plan, &crate::clock()).await.unwrap();
    run(&plan, 1).await;
    assert_eq!(
        (server.log.connections(), server.log.count("bind"), server.log.count("search")),
        (2, 2, 1)
    );

    let refusing = crate::Server::start(|incoming| {
        vec![crate::server::Reaction::Send(crate::server::answer(
            incoming.message,
            49,
            "no such user",
        ))]
    })
    .await;
    let mut wrong = crate::setup(refusing.address, search());
    wrong.login = simple("cn=admin", "secret");
    let error = probe(&crate::plan(wrong), &crate::clock()).await.unwrap_err();
    assert_eq!((error.class, error.code), (Class::Login, 49));
    assert_eq!(error.to_string(), "bind as cn=admin: result 49 (invalidCredentials): no such user");

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error =
        probe(&crate::plan(crate::setup(nobody, search())), &crate::clock()).await.unwrap_err();
    assert_eq!((error.class, error.code), (Class::Connect, 91));
}

/// A server that expects TLS may wait for more of what it takes for a handshake, and sends nothing.
#[tokio::test]
async fn probe_without_an_answer_suggests_ldaps() {
    let silent = crate::Server::start(|_| Vec::new()).await;
    let mut setup = crate::setup(silent.address, search());
    setup.login = simple("cn=admin", "secret");
    setup.route.step_timeout = Some(Duration::from_millis(50));
    let error = probe(&crate::plan(setup), &crate::clock()).await.unwrap_err();
    assert_eq!((error.class, error.code), (Class::Closed, 81));
    let text = "reach the server: no answer to the bind within 50ms; if the server expects TLS on this port, use LDAPS \
                (-Z)";
    assert_eq!(error.to_string(), text);
}

#[test]
fn invalid_setups_are_refused_before_the_run() {
    let address = "127.0.0.1:389".parse().unwrap();
    let refused = |change: &dyn Fn(&mut brunt_ldap_driver::Setup)| {
        let mut setup = setup(address, search());
        change(&mut setup);
        Plan::compile(setup).unwrap_err()
    };
    assert!(matches!(
        refused(&|setup| {
            setup.requests_per_connection = 2;
            setup.mode = Mode::Rebind;
        }),
        PlanError::Concurrency(2)
    ));
    assert!(matches!(
        refused(&|setup| setup.task =
            Task::Bind { identity: simple("cn=a", "b"), invalid_percent: 101 }),
        PlanError::Percent(101)
    ));
    assert!(matches!(
        refused(&|setup| {
            setup.task =
                Task::Bind { identity: brunt_ldap_driver::Identity::Anonymous, invalid_percent: 0 };
        }),
        PlanError::Nobody
    ));
    assert!(matches!(
        refused(&|setup| setup.task = Task::Search(SearchSetup::new("dc=x", "(uid={})"))),
        PlanError::Template(_)
    ));
    let text =
        refused(&|setup| setup.task = Task::Search(SearchSetup::new("dc=x", "(uid=a"))).to_string();
    assert!(text.starts_with("use the filter (uid=a: "), "{text}");
}
