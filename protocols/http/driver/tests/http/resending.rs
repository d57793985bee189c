//! Connections that the server closes while they are idle, or exactly while a request is sent.

use crate::Standing;
use crate::server::{Peer, Server};
use brunt_exchange::{Class, Outcome, Watch};
use brunt_http_driver::{
    CLOSED_AFTER, CONNECT, Client, Failure, Group, Network, RECONNECT, Request, Response, Settings,
    Wanted,
};
use brunt_net::resend::Resend;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const CLOSED: Outcome = Outcome::Failed(Class::Closed, 0);
const LATE: &[u8] = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";

/// One virtual user.
struct User {
    clock: Rc<Standing>,
    network: Arc<Network>,
    client: Client,
    request: Request,
    response: Response,
}

/// The result of one exchange, and what happened to its connection.
#[derive(Debug, PartialEq, Eq)]
struct ReuseResult {
    outcome: Outcome,
    reconnected: u32,
    resent: u32,
    not_ready: Option<Outcome>,
    /// The numbers of connect and reconnect parts.
    parts: (usize, usize),
    /// How long the request had been in flight when its connection ended, if it failed for that reason.
    closed_after: Option<Duration>,
}

const WELL: ReuseResult = ReuseResult {
    outcome: Outcome::Ok(200),
    reconnected: 0,
    resent: 0,
    not_ready: None,
    parts: (0, 0),
    closed_after: None,
};
/// The time in flight by a clock that stands still.
const AT_ONCE: Option<Duration> = Some(Duration::ZERO);
/// An exchange that succeeded over a reopened connection.
const ANEW: ReuseResult = ReuseResult { reconnected: 1, parts: (0, 1), ..WELL };

impl User {
    fn new(resend: Resend) -> Self {
        let network = Arc::new(
            Network::new(
                Settings { resend, ..Settings::default() },
                &brunt_net::Network::private(),
            )
            .unwrap(),
        );
        let group = Group::new(&network);
        let client = Client::new(&network, &group, 0);
        Self {
            clock: Rc::default(),
            network,
            client,
            request: Request::default(),
            response: Response::default(),
        }
    }

    /// Prepares, lets time pass by its clock until the exchange is due, and performs it, with a watch for each of the
    /// two, as the engine does.
    async fn after(&mut self, url: &str, method: &str, wait: Duration) -> ReuseResult {
        self.prepare(url).await;
        self.clock.pass(wait);
        self.ask(url, method).await
    }

    /// Prepares for an exchange, whose connection must not have been closed before.
    async fn prepare(&mut self, url: &str) {
        let origin = self.network.origin(url).unwrap();
        let mut watch = Watch::new(&*self.clock, None);
        let ready = self.client.ready(&origin, &mut watch).await;
        assert!(ready.is_ok() && watch.times_reconnected() == 0, "{ready:?}");
    }

    /// Performs an exchange that was prepared.
    async fn ask(&mut self, url: &str, method: &str) -> ReuseResult {
        let origin = self.network.origin(url).unwrap();
        self.request.begin(method);
        self.request.set_target(b"/");
        if method == "POST" || method == "PATCH" {
            self.request.body_mut().extend_from_slice(b"once");
        }
        let mut watch = Watch::new(&*self.clock, None);
        let (request, response) = (&mut self.request, &mut self.response);
        let wanted = Wanted::default();
        let requested = self.client.exchange(&origin, request, wanted, response, &mut watch).await;
        let outcome = match requested {
            Ok(()) => Outcome::Ok(u32::from(response.status())),
            Err(failure) => Failure::as_outcome(&failure),
        };
        let count = |wanted| watch.parts().iter().filter(|(part, _)| *part == wanted).count();
        ReuseResult {
            outcome,
            reconnected: watch.times_reconnected(),
            resent: watch.times_resent(),
            not_ready: watch.why_not_ready(),
            parts: (count(CONNECT), count(RECONNECT)),
            closed_after: watch
                .parts()
                .iter()
                .find(|(part, _)| *part == CLOSED_AFTER)
                .map(|(_, took)| *took),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a user that waits for its next exchange")]
async fn breathe(time: Duration) {
    tokio::time::sleep(time).await;
}

/// Leaves a connection. Returns it if it stays open nevertheless.
type Way = fn(Peer) -> Option<Peer>;

/// A server that answers one request on each connection, and leaves the connection when it is told to.
struct LeavingServer {
    server: Server,
    tell: mpsc::Sender<()>,
    /// How many connections it has left.
    left: Arc<AtomicUsize>,
}

impl LeavingServer {
    fn start(way: Way) -> Self {
        let (tell, told) = mpsc::channel();
        let told = Mutex::new(told);
        let left = Arc::new(AtomicUsize::new(0));
        let leaving = Arc::clone(&left);
        let server = Server::handing_over(move |_, mut peer| {
            peer.request();
            peer.say(OK);
            // It is told no more when the test has ended.
            let Ok(()) = told.lock().unwrap().recv() else { return };
            let open = way(peer);
            leaving.fetch_add(1, Ordering::SeqCst);
            if let Some(mut peer) = open {
                peer.await_end();
            }
        });
        Self { server, tell, left }
    }

    /// Makes it leave its connection, and gives the runtime time to process this, as it has between exchanges.
    async fn leave(&self) {
        let before = self.left.load(Ordering::SeqCst);
        self.tell.send(()).unwrap();
        while self.left.load(Ordering::SeqCst) == before {
            breathe(Duration::from_millis(1)).await;
        }
        breathe(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn request_after_a_pause_is_sent_once() {
    let ways: [Way; 3] = [
        |_| None,
        |mut peer| {
            peer.reset();
            None
        },
        |mut peer| {
            peer.say(LATE);
            Some(peer)
        },
    ];
    let cases = [(Resend::Safe, "POST"), (Resend::Never, "PATCH"), (Resend::Never, "GET")];
    for way in ways {
        for (resend, method) in cases {
            let leaving = LeavingServer::start(way);
            let mut user = User::new(resend);
            let url = leaving.server.url();
            assert_eq!(user.after(&url, method, Duration::ZERO).await, WELL);
            for _ in 0..3 {
                // The connection is open when the user is ready, and closed when the exchange is due.
                user.prepare(&url).await;
                leaving.leave().await;
                assert_eq!(user.ask(&url, method).await, ANEW, "{method}");
            }
            assert_eq!(leaving.server.requested().len(), 4, "none was sent twice");
            assert_eq!(user.network.counts().healed, 0);
        }
    }
}

/// The result of a second exchange whose request meets what `end` does on the first connection.
async fn second(method: &str, resend: Resend, end: fn(&mut Peer)) -> (ReuseResult, usize) {
    let server = Server::start(move |number, peer| {
        peer.request();
        peer.say(OK);
        if number == 0 {
            peer.request();
            return end(peer);
        }
        while peer.request().is_some() && peer.say(OK) {}
    });
    let mut user = User::new(resend);
    assert_eq!(user.after(&server.url(), method, Duration::ZERO).await, WELL);
    let kept = user.after(&server.url(), method, Duration::ZERO).await;
    (kept, server.requested().len())
}

/// The table of methods in RFC 9110 section 9.2.2.
#[tokio::test]
async fn resend_rules_apply_per_method() {
    let failed = ReuseResult { outcome: CLOSED, closed_after: AT_ONCE, ..WELL };
    let again = ReuseResult { resent: 1, ..ANEW };
    for (method, idempotent) in [
        ("GET", true),
        ("OPTIONS", true),
        ("PUT", true),
        ("DELETE", true),
        ("POST", false),
        ("PATCH", false),
    ] {
        for (resend, allowed) in
            [(Resend::Never, false), (Resend::Safe, idempotent), (Resend::Always, true)]
        {
            let (kept, requested) = second(method, resend, |_| {}).await;
            let expected = if allowed { &again } else { &failed };
            assert_eq!(
                (&kept, requested),
                (expected, 2 + usize::from(allowed)),
                "{method} {resend:?}"
            );
        }
    }
    let (kept, _) = second("GET", Resend::Safe, Peer::reset).await;
    assert_eq!(kept, again, "a reset is an end as well");
}

#[tokio::test]
async fn partial_answer_is_never_resent() {
    let ends: [fn(&mut Peer); 2] = [
        |peer| {
            peer.say(b"H");
        },
        |peer| {
            peer.say(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
        },
    ];
    for end in ends {
        let (kept, requested) = second("GET", Resend::Always, end).await;
        assert_eq!(kept, ReuseResult { outcome: CLOSED, closed_after: AT_ONCE, ..WELL });
        assert_eq!(requested, 2);
    }
}

#[tokio::test]
async fn connection_opened_in_advance_counts_as_reused() {
    for (wait, kept) in [(0, false), (60, true)] {
        let server = Server::start(|number, peer| {
            peer.request();
            while number > 0 && peer.say(OK) && peer.request().is_some() {}
        });
        let mut user = User::new(Resend::Safe);
        let seen = user.after(&server.url(), "GET", Duration::from_millis(wait)).await;
        let expected = if kept { (Outcome::Ok(200), 1) } else { (CLOSED, 0) };
        assert_eq!((seen.outcome, seen.resent), expected);
    }
}

/// A user whose second request is in flight for `worked` by its clock when the server ends the connection with `end`.
async fn second_ended_after(
    worked: Duration,
    method: &str,
    resend: Resend,
    end: fn(&mut Peer),
) -> (ReuseResult, usize) {
    let (tell, told) = mpsc::channel();
    let told = Mutex::new(told);
    let server = Server::start(move |number, peer| {
        peer.request();
        peer.say(OK);
        peer.request();
        if number == 0 {
            told.lock().unwrap().recv().unwrap();
            return end(peer);
        }
        peer.say(OK);
    });
    let mut user = User::new(resend);
    assert_eq!(user.after(&server.url(), method, Duration::ZERO).await, WELL);
    let (clock, url) = (Rc::clone(&user.clock), server.url());
    let work = async {
        while server.requested().len() < 2 {
            breathe(Duration::from_millis(1)).await;
        }
        clock.pass(worked);
        tell.send(()).unwrap();
    };
    let (ended, ()) = tokio::join!(user.ask(&url, method), work);
    (ended, server.requested().len())
}

#[tokio::test]
async fn connection_closed_during_work_was_not_idle() {
    let ends: [fn(&mut Peer); 2] = [|_| {}, Peer::reset];
    for end in ends {
        for resend in [Resend::Safe, Resend::Always] {
            let ended =
                |worked| second_ended_after(Duration::from_millis(worked), "GET", resend, end);
            let (at_once, requested) = ended(10).await;
            assert_eq!((at_once, requested), (ReuseResult { resent: 1, ..ANEW }, 3));
            let (late, requested) = ended(500).await;
            assert!(matches!(late.outcome, Outcome::Failed(Class::Closed, _)), "{late:?}");
            let counts = (late.reconnected, late.resent, late.parts.1, late.closed_after);
            assert_eq!((counts, requested), ((0, 0, 0, Some(Duration::from_millis(500))), 2));
        }
    }
}

#[tokio::test]
async fn server_closing_every_connection_is_a_failure() {
    let accepted = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&accepted);
    let server = Server::start(move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let mut user = User::new(Resend::Always);
    for number in 0..6 {
        let met = user.after(&server.url(), "GET", Duration::ZERO).await;
        assert!(matches!(met.outcome, Outcome::Failed(Class::Closed, _)), "{number}: {met:?}");
        assert_eq!((met.reconnected, met.resent, met.parts.1), (0, 0, 0), "{number}");
    }
    assert_eq!(user.network.counts().healed, 0);
    // At most two connections an exchange.
    assert!((6..=12).contains(&accepted.load(Ordering::SeqCst)));
}

#[tokio::test]
async fn server_that_died_is_a_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut room = [0; 4096];
        assert!(stream.read(&mut room).unwrap() > 0);
        stream.write_all(OK).unwrap();
        assert!(stream.read(&mut room).unwrap() > 0);
        drop(listener);
    });
    let mut user = User::new(Resend::Always);
    assert_eq!(user.after(&url, "GET", Duration::ZERO).await, WELL);
    let refused = Outcome::Failed(Class::Connect, 111);
    let kept = user.after(&url, "GET", Duration::ZERO).await;
    assert_eq!(kept, ReuseResult { outcome: CLOSED, not_ready: Some(refused), ..WELL });
    server.join().unwrap();
}
