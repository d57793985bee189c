//! Connections that are kept, replaced, lost and reopened.

use crate::server::{Server, pause};
use crate::{Standing, User};
use brunt_exchange::{Class, Monotonic, Watch};
use brunt_http_driver::{self as http, Counts, Failure, Keep, Settings, Wanted};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use tokio::sync::Notify;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn requests_per_connection_is_kept() {
    let server = Server::start(|_, peer| while peer.request().is_some() && peer.say(OK) {});
    for (requests, connections) in [(1, 6), (2, 3), (4, 2)] {
        let mut user =
            User::new(Settings { keep: Keep::Requests(requests), ..Settings::default() });
        for _ in 0..6 {
            assert_eq!(user.get(&server).await.unwrap(), 200);
        }
        assert_eq!(user.network.counts().opened, connections, "{requests} each");
        let requested = server.requested();
        let last = &requested[requested.len() - 6..];
        for (number, requested) in (1..).zip(last) {
            let says = requested.head.contains("\r\nConnection: close\r\n");
            assert_eq!(says, number % requests == 0, "request {number}: {}", requested.head);
        }
    }
}

#[tokio::test]
async fn connection_close_is_honoured() {
    let server = Server::start(|number, peer| {
        peer.request();
        peer.say(match number {
            0 => b"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n",
            1 => b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
            _ => b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        });
        assert!(peer.await_end(), "the client leaves in good order");
    });
    let mut user = User::new(Settings::default());
    for _ in 0..2 {
        user.get(&server).await.unwrap();
    }
    user.request.begin("GET");
    user.request.set_target(b"/");
    user.request.add("connection", b"close");
    user.ask(&server, Wanted::default()).await.unwrap();
    let counts = user.network.counts();
    assert_eq!(counts, Counts { opened: 3, ..Counts::default() }, "nothing was lost");
}

#[tokio::test]
async fn idle_close_is_replaced_before_the_next_request() {
    for word in [&b""[..], b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"] {
        let output = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&output);
        let server = Server::start(move |_, peer| {
            peer.request();
            peer.say(OK);
            pause(10);
            if word.is_empty() {
                peer.end();
            }
            peer.say(word);
            counted.fetch_add(1, Ordering::SeqCst);
            peer.await_end();
        });
        let mut user = User::new(Settings::default());
        for number in 1..4 {
            assert_eq!(user.post(&server, b"x").await.unwrap(), 200);
            // The runtime has to process the event, as it does during pauses between exchanges.
            while output.load(Ordering::SeqCst) < number {
                breathe().await;
            }
            breathe().await;
        }
        let counts = user.network.counts();
        let (lost, unsolicited) = if word.is_empty() { (2, 0) } else { (0, 2) };
        assert_eq!(counts, Counts { opened: 3, lost, unsolicited, healed: 0 });
    }
}

/// Gives the runtime time to process events.
async fn breathe() {
    let moment = Duration::from_millis(5);
    tokio::time::timeout(moment, std::future::pending::<()>()).await.unwrap_err();
}

/// A server that closes a connection exactly while a second request is on its way.
fn closing() -> Server {
    Server::start(|number, peer| {
        peer.request();
        peer.say(OK);
        if number == 0 {
            peer.request();
            return;
        }
        while peer.request().is_some() && peer.say(OK) {}
    })
}

#[tokio::test]
async fn idempotent_request_on_a_closing_connection_is_resent() {
    let server = closing();
    let mut user = User::new(Settings::default());
    for _ in 0..3 {
        assert_eq!(user.get(&server).await.unwrap(), 200);
    }
    assert_eq!(user.network.counts(), Counts { opened: 2, healed: 1, ..Counts::default() });
    let order: Vec<_> = server.requested().iter().map(|requested| requested.connection).collect();
    assert_eq!(order, [0, 0, 1, 1]);
}

#[tokio::test]
async fn post_on_a_closing_connection_is_not_resent() {
    let server = closing();
    let mut user = User::new(Settings::default());
    assert_eq!(user.post(&server, b"1").await.unwrap(), 200);
    let failure = user.post(&server, b"2").await.unwrap_err();
    assert!(matches!(failure, Failure::Closed(_)) && failure.class() == Class::Closed, "{failure}");
    assert_eq!(user.post(&server, b"3").await.unwrap(), 200);
    assert_eq!(user.network.counts().healed, 0);
}

#[tokio::test]
async fn new_connection_that_closes_is_not_retried() {
    let server = Server::start(|_, peer| drop(peer.request()));
    let mut user = User::new(Settings::default());
    let clock = Standing::default();
    for number in 1..4 {
        user.request.begin("GET");
        user.request.set_target(b"/");
        let failure = user.ask_by(&clock, &server, Wanted::default()).await.unwrap_err();
        assert_eq!(failure.class(), Class::Closed);
        assert_eq!(server.requested().len(), number);
    }
    assert_eq!(user.network.counts().healed, 0);
}

#[tokio::test]
async fn cancelled_exchange_closes_its_connection() {
    let received = Arc::new(Notify::new());
    // Without room, so that no connection takes what another is to be told.
    let (advance, told) = mpsc::sync_channel(0);
    let (receiving, told) = (Arc::clone(&received), Mutex::new(told));
    // Every second connection answers only when it is told to.
    let server = Server::start(move |number, peer| {
        peer.request();
        if number % 2 == 0 {
            receiving.notify_one();
            told.lock().unwrap().recv().unwrap();
        }
        peer.say(OK);
        peer.await_end();
    });
    let mut user = User::new(Settings::default());
    let clock = Monotonic::new();
    for _ in 0..3 {
        let origin = user.network.origin(&server.url()).unwrap();
        let mut watch = Watch::new(&clock, None);
        user.client.ready(&origin, &mut watch).await.unwrap();
        user.request.begin("GET");
        user.request.set_target(b"/");
        let exchange = user.client.exchange(
            &origin,
            &mut user.request,
            Wanted::default(),
            &mut user.response,
            &mut watch,
        );
        tokio::select! {
            answer = exchange => panic!("there was no answer yet: {answer:?}"),
            () = received.notified() => {}
        }
        assert_eq!(user.get(&server).await.unwrap(), 200, "over another connection");
        advance.send(()).unwrap();
        user.client.close(&clock).await;
    }
    assert_eq!(user.network.counts().opened, 6);
}

#[tokio::test]
async fn unreachable_server_is_counted_and_backed_off() {
    let server = Server::answering(OK);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let mut user = User::new(Settings::default());
    let clock = Monotonic::new();
    let origin = user.network.origin(&nowhere).unwrap();
    for _ in 0..3 {
        let mut watch = Watch::new(&clock, None);
        let failure = user.client.ready(&origin, &mut watch).await.unwrap_err();
        assert_eq!((failure.class(), failure.code()), (Class::Connect, 111));
        assert_eq!(watch.parts(), [], "what failed took no time that could be compared");
    }
    assert_eq!(user.get(&server).await.unwrap(), 200, "another place is not held up");
}

#[tokio::test]
async fn source_addresses_take_turns() {
    let server = Server::start(|_, peer| while peer.request().is_some() && peer.say(OK) {});
    let mut settings = Settings { keep: Keep::Requests(1), ..Settings::default() };
    settings.dialing.sources = "127.0.0.1,127.0.0.2".parse().unwrap();
    let mut user = User::new(settings);
    for _ in 0..4 {
        assert_eq!(user.get(&server).await.unwrap(), 200);
    }
    assert_eq!(user.network.counts().opened, 4);
}

#[tokio::test]
async fn connecting_is_not_counted_as_lateness() {
    let server = Server::answering(OK);
    let mut user = User::new(Settings::default());
    let origin = user.network.origin(&server.url()).unwrap();
    let clock = Monotonic::new();
    for expected in [&[http::CONNECT, http::FIRST_BYTE][..], &[http::FIRST_BYTE]] {
        let mut watch = Watch::new(&clock, None);
        user.request.begin("GET");
        user.request.set_target(b"/");
        let (wanted, response) = (Wanted::default(), &mut user.response);
        let sent = user.client.exchange(&origin, &mut user.request, wanted, response, &mut watch);
        sent.await.unwrap();
        let parts: Vec<_> = watch.parts().iter().map(|(part, _)| *part).collect();
        assert_eq!(parts, expected);
        // It was free to send once it was connected.
        assert_eq!(watch.free_at().is_some(), parts.contains(&http::CONNECT));
        assert!(watch.free_at() <= watch.sent_at());
    }
}

#[tokio::test]
async fn rendered_urls_reach_their_servers() {
    let (one, two) = (Server::answering(OK), Server::answering(OK));
    let mut user = User::new(Settings::default());
    let clock = Monotonic::new();
    for (server, rest, target) in [
        (&one, "/a?b#c", "/a?b"),
        (&two, "", "/"),
        (&one, "?q=1", "/?q=1"),
        (&one, "/a/http://x", "/a/http://x"),
        (&two, "/%41", "/%41"),
    ] {
        let url = format!("{}{rest}", server.url());
        let mut watch = Watch::new(&clock, None);
        let (origin, path) = user.client.aim(url.as_bytes(), &mut watch).await.unwrap();
        assert_eq!(origin.port(), server.address().port());
        user.request.begin("GET");
        user.request.set_target(&url.as_bytes()[path..]);
        let exchange = user.client.exchange(
            &origin,
            &mut user.request,
            Wanted::default(),
            &mut user.response,
            &mut watch,
        );
        exchange.await.unwrap();
        let requested = server.requested().pop().unwrap();
        assert_eq!(requested.head.lines().next().unwrap(), format!("GET {target} HTTP/1.1"));
    }
    assert_eq!(user.network.counts().opened, 2);
    let failure = user.client.aim(b"nonsense", &mut Watch::new(&clock, None)).await.unwrap_err();
    assert_eq!(failure.class(), Class::Check);
    user.request.begin("GET");
    user.request.set_target(b"/a b");
    let failure = user.ask(&one, Wanted::default()).await.unwrap_err();
    assert_eq!((failure.class(), one.requested().len()), (Class::Check, 3), "nothing was sent");
}
