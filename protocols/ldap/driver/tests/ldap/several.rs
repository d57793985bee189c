//! Several servers of which one goes away and comes back.

use crate::server::{Reaction, Server, answer, yes};
use crate::{plan, setup, simple};
use brunt_exchange::{Class, Clock, Moment, Outcome, Session as _, Ticket, Watch};
use brunt_ldap_driver::{Plan, SearchSetup, Servers, Session, Task, open, probe};
use brunt_net::tcp::{Dialer, Endpoint, Options};
use std::cell::Cell;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// A clock that only a test advances.
#[derive(Default)]
struct Standing(Cell<Duration>);

impl Clock for Standing {
    fn now(&self) -> Moment {
        Moment::ZERO + self.0.get()
    }
}

/// A plan for sessions that stay connected to these servers in turn.
fn plan_of(addresses: [SocketAddr; 2]) -> Arc<Plan> {
    let endpoints =
        addresses.map(|address| Endpoint { host: address.ip().to_string(), port: address.port() });
    let task = Task::Search(SearchSetup::new("dc=example", "(uid=a)"));
    let mut setup = setup(addresses[0], task);
    setup.route.servers = Servers::Network(Arc::new(
        Dialer::new(&brunt_net::Network::private(), &endpoints, Options::default()).unwrap(),
    ));
    (setup.sessions, setup.login) = (2, simple("cn=admin", "secret"));
    plan(setup)
}

/// One exchange: how it ended, and the server that it went to.
async fn one(session: &mut Session, clock: &Standing) -> (Outcome, Option<u16>) {
    let mut watch = Watch::new(clock, None);
    session.ready(&mut watch).await;
    let outcome = session.exchange(&Ticket::default(), &mut watch).await;
    (outcome, watch.named_server())
}

fn willing_at(address: SocketAddr) -> Server {
    Server::start_at(address, |incoming| vec![Reaction::Send(yes(incoming.message))])
}

#[tokio::test]
async fn load_returns_to_a_recovered_server() {
    let (first, second) = (Server::willing().await, Server::willing().await);
    let (own, other) = (first.address, second.address);
    let plan = plan_of([own, other]);
    assert_eq!(plan.servers(), [own.to_string(), other.to_string()]);
    let clock = Standing::default();
    let mut sessions = open(&plan, 0..2);
    for (session, server) in sessions.iter_mut().zip([0, 1]) {
        assert_eq!(one(session, &clock).await, (Outcome::Ok(0), Some(server)));
    }
    drop(first);
    let displaced = &mut sessions[0];
    while one(displaced, &clock).await.1 == Some(0) {}
    let pass = |millis| clock.0.set(clock.0.get() + Duration::from_millis(millis));
    for wait in [0, 1_999, 1, 2_000] {
        pass(wait);
        let there = one(displaced, &clock).await;
        assert_eq!(there, (Outcome::Ok(0), Some(1)), "nobody is there, and no exchange fails");
    }
    let first = willing_at(own);
    pass(1_999);
    assert_eq!(one(displaced, &clock).await, (Outcome::Ok(0), Some(1)));
    pass(1);
    assert_eq!(one(displaced, &clock).await, (Outcome::Ok(0), Some(0)), "it is there again");
    assert_eq!(one(displaced, &clock).await, (Outcome::Ok(0), Some(0)));
    // One connection to find out, one for the load.
    assert_eq!((first.log.connections(), first.log.count("search")), (2, 2));
    assert_eq!(one(&mut sessions[1], &clock).await, (Outcome::Ok(0), Some(1)));
    for session in &mut sessions {
        session.close(&clock).await;
    }
}

#[tokio::test]
async fn dead_first_server_does_not_refuse_the_run() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let alive = Server::willing().await;
    let other = alive.address;
    for servers in [[nobody, other], [other, nobody]] {
        probe(&plan_of(servers), &crate::clock()).await.unwrap();
    }
    assert_eq!(alive.log.count("bind"), 2);
    let error = probe(&plan_of([nobody, nobody]), &crate::clock()).await.unwrap_err();
    assert_eq!((error.class, error.code), (Class::Connect, 91));
    // A password that one server refuses is not tried at the others.
    let refusing = Server::start(|incoming| {
        vec![Reaction::Send(answer(incoming.message, 49, "no such user"))]
    })
    .await;
    let error = probe(&plan_of([refusing.address, other]), &crate::clock()).await.unwrap_err();
    assert_eq!((error.class, error.code, alive.log.count("bind")), (Class::Login, 49, 2));
    // What goes to a server that is not there is counted there.
    let clock = Standing::default();
    let mut sessions = open(&plan_of([nobody, other]), 0..1);
    let (outcome, server) = one(&mut sessions[0], &clock).await;
    assert!(matches!(outcome, Outcome::Failed(Class::Connect, _)) && server == Some(0));
    assert_eq!(one(&mut sessions[0], &clock).await, (Outcome::Ok(0), Some(1)));
    sessions[0].close(&clock).await;
}
