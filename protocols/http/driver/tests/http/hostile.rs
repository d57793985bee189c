//! Servers that violate the protocol: each causes one counted failure and little memory use, and nothing else.

use crate::User;
use crate::server::{Peer, Server};
use brunt_exchange::Class;
use brunt_http_driver::{Failure, FailureStage, Settings};

/// A small limit on heads, so that an endless head is detected immediately.
fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.limits.head = 8 * 1024;
    settings.limits.body = 1 << 20;
    settings
}

/// The failure of an exchange with a server that misbehaves after the request; the next exchange must succeed.
async fn asked_of(misbehave: impl Fn(&mut Peer) + Send + Sync + 'static) -> Failure {
    let server = Server::start(move |number, peer| {
        if peer.request().is_none() {
            return;
        }
        if number == 0 {
            misbehave(peer);
            return;
        }
        peer.say(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        peer.await_end();
    });
    let mut user = User::new(settings());
    let failure = user.count(&server).await.unwrap_err();
    assert_eq!(user.count(&server).await.unwrap(), 200, "after {failure}");
    assert_eq!(user.network.counts().opened, 2);
    failure
}

#[tokio::test]
async fn invalid_http_fails_at_once() {
    for bytes in [
        &b"SSH-2.0-OpenSSH_9.2\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        b"HTTP/1.1 OK 200\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno field\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
        b"HTTP/1.1 204 No Content\r\n\r\nab",
    ] {
        // The connection stays open, so that only the bytes can reveal the fault.
        let failure = asked_of(move |peer| {
            peer.say(bytes);
            peer.await_end();
        });
        let failure = failure.await;
        let malformed = matches!(failure, Failure::Protocol(_) | Failure::Field(_));
        assert!(malformed, "{failure}: {}", bytes.escape_ascii());
        assert_eq!((failure.class(), failure.code()), (Class::Protocol, 0));
    }
}

#[tokio::test]
async fn truncated_answer_is_a_failure() {
    for (bytes, when) in [
        (&b""[..], FailureStage::Waiting),
        (b"H", FailureStage::Head),
        (b"HTTP/1.1 200 OK\r\nContent-Len", FailureStage::Head),
        (b"HTTP/1.1 100 Continue\r\n\r\n", FailureStage::Head),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", FailureStage::Body),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123456789", FailureStage::Body),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
            FailureStage::Body,
        ),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", FailureStage::Body),
    ] {
        let failure = asked_of(move |peer| {
            peer.say(bytes);
            peer.end();
            peer.await_end();
        });
        let failure = failure.await;
        assert!(matches!(failure, Failure::Closed(at) if at == when), "{failure}");
        assert_eq!(failure.class(), Class::Closed);
        let failure = asked_of(move |peer| {
            peer.say(bytes);
            // The bytes must arrive before the reset, which discards everything unread.
            crate::server::pause(10);
            peer.reset();
        });
        let failure = failure.await;
        let reset = matches!(failure, Failure::Broken { when: at, .. } if at == when);
        assert!(reset && failure.code() == 104, "{failure}");
    }
}

#[tokio::test]
async fn endless_answer_is_abandoned() {
    let endless = |start: &'static [u8], piece: Vec<u8>| {
        asked_of(move |peer| {
            peer.say(start);
            while peer.say(&piece) {}
        })
    };
    let failure = endless(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n".repeat(20)).await;
    assert!(matches!(failure.class(), Class::Protocol), "{failure}");
    let failure = endless(b"HTTP/1.1 200 OK\r\nX: ", vec![b'x'; 100]).await;
    assert!(matches!(failure, Failure::HeadTooLong(8192)), "{failure}");
    let failure = endless(b"", vec![b'\n'; 10_000]).await;
    assert!(matches!(failure.class(), Class::Protocol), "{failure}");
    let failure = endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(10)).await;
    assert!(matches!(failure.class(), Class::Protocol), "{failure}");
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;";
    let failure = endless(chunked, vec![b'x'; 100]).await;
    assert!(matches!(failure.class(), Class::Protocol), "{failure}");
    let trailer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    let failure = endless(trailer, b"A: b\r\n".repeat(20)).await;
    assert!(matches!(failure.class(), Class::Protocol), "{failure}");
    let failure = endless(b"HTTP/1.1 200 OK\r\n\r\n", vec![b'x'; 65_536]).await;
    assert!(matches!(failure, Failure::BodyTooLong(1_048_576)), "{failure}");
    let chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let failure = endless(chunks, b"4\r\nabcd\r\n".repeat(1000)).await;
    assert!(matches!(failure, Failure::BodyTooLong(1_048_576)), "{failure}");
    assert_eq!(failure.class(), Class::Check);
}

#[tokio::test]
async fn announced_body_above_the_limit_is_refused() {
    let failure = asked_of(|peer| {
        peer.say(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n");
        peer.await_end();
    });
    assert!(matches!(failure.await, Failure::BodyTooLong(1_048_576)));
}

#[tokio::test]
async fn header_count_is_limited() {
    let mut settings = settings();
    settings.limits.fields = 3;
    let server =
        Server::answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n");
    let failure = User::new(settings).count(&server).await.unwrap_err();
    assert!(failure.to_string().contains("too many fields"), "{failure}");
}

/// A gigabyte in total: if it were kept, the memory use would show it. Other tests of this process use memory as well.
#[tokio::test]
async fn unwanted_body_costs_no_memory() {
    const PIECES: u64 = 1024;
    let server = Server::start(|_, peer| {
        peer.request();
        peer.say(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", PIECES << 20).as_bytes());
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..PIECES {
            peer.say(&piece);
        }
        peer.await_end();
    });
    let mut user = User::new(Settings::default());
    let before = peak();
    assert_eq!(user.count(&server).await.unwrap(), 200);
    assert_eq!(user.response.received(), PIECES << 20);
    assert!(peak() - before < 512 * 1024, "{} KiB more", peak() - before);
}

/// The maximum memory that this process has used, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
