//! Answers of every form, complete and in pieces.

use crate::User;
use crate::server::{Server, pause};
use brunt_http_driver::{Body, CONNECT, FIRST_BYTE, Settings, Wanted};
use std::time::{Duration, Instant};

const SHAPES: [(&[u8], &[u8]); 5] = [
    (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello", b"hello"),
    (
        b"HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n\
          2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nT: u\r\n\r\n",
        b"hello",
    ),
    (b"HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 0\r\n\r\n", b""),
    (
        b"HTTP/1.1 100 Continue\r\nY: z\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n\
          HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok",
        b"ok",
    ),
    (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nX-A: b\r\nContent-Length: 1\r\n\r\n1", b"1"),
];

#[tokio::test]
async fn answers_are_read_whole_and_in_pieces() {
    for (bytes, body) in SHAPES {
        let server = Server::start(move |_, peer| {
            let mut at_a_time = bytes.len();
            while peer.request().is_some() && peer.trickle(bytes, at_a_time) {
                at_a_time = at_a_time / 3 + 1;
            }
        });
        let mut user = User::new(Settings::default());
        for _ in 0..6 {
            assert_eq!(user.get(&server).await.unwrap(), 200);
            assert_eq!(user.response.body(), body);
            assert_eq!(user.response.received(), body.len() as u64);
            let fields: Vec<_> = user.response.fields().map(|(name, _)| name.to_vec()).collect();
            assert!(fields.contains(&b"X-A".to_vec()), "{fields:?}");
            assert!(!fields.contains(&b"Link".to_vec()), "an interim answer's: {fields:?}");
            assert_eq!(user.response.values("x-a").collect::<Vec<_>>(), [b"b"]);
            assert_eq!(user.count(&server).await.unwrap(), 200);
            assert_eq!(user.response.received(), body.len() as u64);
            assert_eq!((user.response.body(), user.response.fields().count()), (&b""[..], 0));
        }
        assert!(server.requested().iter().all(|requested| requested.connection == 0));
        assert_eq!((user.network.counts().opened, server.requested().len()), (1, 12));
    }
}

#[tokio::test]
async fn body_may_end_with_the_connection() {
    let server = Server::start(|_, peer| {
        peer.request();
        peer.say(b"HTTP/1.1 200 OK\r\n\r\nall of");
        pause(5);
        peer.say(b" it");
    });
    let mut user = User::new(Settings::default());
    for opened in 1..4 {
        assert_eq!(user.get(&server).await.unwrap(), 200);
        assert_eq!(user.response.body(), b"all of it");
        let counts = user.network.counts();
        assert_eq!((counts.opened, counts.lost), (opened, 0));
    }
}

#[tokio::test]
async fn answers_to_head_204_and_304_have_no_body() {
    for status in ["204 No Content", "304 Not Modified"] {
        let bytes = format!("HTTP/1.1 {status}\r\nContent-Length: 9\r\n\r\n").into_bytes();
        let server = Server::answering(bytes.leak());
        let mut user = User::new(Settings::default());
        for _ in 0..2 {
            user.get(&server).await.unwrap();
            assert_eq!(user.response.received(), 0);
        }
        assert_eq!(user.network.counts().opened, 1);
    }
    let server = Server::answering(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    let mut user = User::new(Settings::default());
    for _ in 0..2 {
        user.request.begin("HEAD");
        user.request.set_target(b"/");
        assert_eq!(user.ask(&server, Wanted::default()).await.unwrap(), 200);
    }
    assert_eq!(user.network.counts().opened, 1);
}

#[tokio::test]
async fn body_is_kept_up_to_its_limit() {
    let server = Server::answering(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789");
    let mut settings = Settings::default();
    settings.limits.body_kept = 4;
    let mut user = User::new(settings);
    user.get(&server).await.unwrap();
    assert_eq!((user.response.body(), user.response.received()), (&b"0123"[..], 10));
    assert!(user.response.is_truncated());
    user.count(&server).await.unwrap();
    assert!(!user.response.is_truncated());
}

#[tokio::test]
async fn bodies_of_every_size_are_sent() {
    let server = Server::answering(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
    let mut user = User::new(Settings::default());
    let sizes = [0, 1, 16 * 1024, 16 * 1024 + 1, 3 << 20];
    for size in sizes {
        let body: Vec<u8> = (0..size).map(|at: usize| (at % 251) as u8).collect();
        assert_eq!(user.post(&server, &body).await.unwrap(), 201);
        user.request.begin("PUT");
        user.request.set_target(b"/shared");
        user.request.set_body(Body::Shared(body.clone().into()));
        assert_eq!(user.ask(&server, Wanted::default()).await.unwrap(), 201);
        let requested = server.requested();
        let [.., rendered, shared] = &requested[..] else { panic!("{}", requested.len()) };
        assert!(rendered.body == body && shared.body == body, "{size}");
        assert!(
            rendered.head.starts_with("POST / HTTP/1.1\r\nHost: 127.0.0.1:"),
            "{}",
            rendered.head
        );
        assert!(shared.head.starts_with("PUT /shared HTTP/1.1\r\n"));
    }
    assert_eq!(user.network.counts().opened, 1);
}

#[tokio::test]
async fn early_refusal_is_the_answer() {
    let server = Server::start(|_, peer| {
        peer.head();
        peer.say(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nno!");
        // It stops reading until the client must have received the answer.
        pause(300);
    });
    let mut user = User::new(Settings::default());
    // Far more than the socket buffers can take.
    let body = vec![b'x'; 64 << 20];
    for opened in 1..3 {
        assert_eq!(user.post(&server, &body).await.unwrap(), 413);
        assert_eq!(user.response.body(), b"no!");
        assert_eq!(user.network.counts().opened, opened, "the connection was of no further use");
    }
}

#[tokio::test]
async fn expect_100_continue_delays_the_body() {
    let server = Server::start(|number, peer| {
        peer.head();
        if number == 0 {
            pause(20);
            peer.say(b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
            assert_eq!(peer.take(4), b"body");
            peer.say(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            peer.head();
            peer.say(b"HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
            assert!(peer.await_end(), "a body that was refused must not be sent");
        } else {
            assert_eq!(peer.take(4), b"body");
            peer.say(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let mut user = User::new(Settings::default());
    let mut statuses = Vec::new();
    let mut times = Vec::new();
    for _ in 0..3 {
        user.request.begin("POST");
        user.request.set_target(b"/");
        user.request.add("Expect", b"100-continue");
        user.request.body_mut().extend_from_slice(b"body");
        let begun = started();
        statuses.push(user.ask(&server, Wanted::default()).await.unwrap());
        times.push(begun.elapsed());
    }
    assert_eq!((statuses, user.network.counts().opened), (vec![200, 417, 200], 2));
    let second = Duration::from_secs(1);
    assert!(times[0] < second && times[1] < second && times[2] >= second, "{times:?}");
}

#[expect(clippy::disallowed_methods, reason = "how long a test waited is no latency")]
fn started() -> Instant {
    Instant::now()
}

#[tokio::test]
async fn connect_and_first_byte_are_measured() {
    let server = Server::answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let mut user = User::new(Settings::default());
    user.get(&server).await.unwrap();
    assert_eq!(user.parts, [CONNECT.0, FIRST_BYTE.0]);
    user.get(&server).await.unwrap();
    assert_eq!(user.parts, [FIRST_BYTE.0]);
}
