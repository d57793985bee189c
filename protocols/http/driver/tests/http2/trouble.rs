//! Servers that disconnect, fail, or use another protocol: each results in one class of failure.

use crate::frames::{DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, OK, Peer, RST_STREAM, Server};
use crate::{Still, User, Worker, plain, run};
use brunt_exchange::Class;
use brunt_http_driver::{Counts, Failure, Http2Failure, Limits, Settings, Wanted};
use brunt_net::resend::Resend;
use std::time::Duration;
use tokio::task::JoinSet;

const NO_ERROR: u32 = 0;
const INTERNAL_ERROR: u32 = 2;
const REFUSED_STREAM: u32 = 7;
const ENHANCE_YOUR_CALM: u32 = 11;

#[test]
fn request_ignored_by_a_goaway_is_resent() {
    // Each connection except the last answers two requests and ignores the third, as nginx does after a thousand.
    let server = Server::start(|number, peer| {
        for _ in 0..2 {
            let Some(stream) = peer.request() else { return };
            peer.answer(stream);
        }
        if number == 2 {
            return peer.serve();
        }
        let Some(stream) = peer.request() else { return };
        peer.go_away(stream - 2, NO_ERROR);
        peer.end();
        peer.await_end();
    });
    run(async {
        let worker = Worker::new(plain(1));
        let mut user = worker.user(0);
        for _ in 0..9 {
            user.request.begin("POST");
            user.request.set_target(b"/");
            user.request.body_mut().extend_from_slice(b"once");
            assert_eq!(user.ask(&server.url(), Wanted::default()).await.unwrap(), 200);
        }
        let counts = worker.network.counts();
        assert_eq!(counts, Counts { opened: 3, healed: 2, ..Counts::default() });
    });
}

#[test]
fn goaway_lets_begun_streams_finish() {
    let server = Server::start(|number, peer| {
        let Some(stream) = peer.request() else { return };
        if number == 0 {
            peer.go_away(stream, NO_ERROR);
        }
        peer.say(HEADERS, END_HEADERS, stream, OK);
        peer.say(DATA, END_STREAM, stream, b"ok");
        peer.serve();
    });
    run(async {
        let worker = Worker::new(plain(1));
        let mut user = worker.user(0);
        for _ in 0..3 {
            assert_eq!(user.get(&server.url(), "/").await.unwrap(), 200);
        }
        let counts = worker.network.counts();
        assert_eq!(counts, Counts { opened: 2, lost: 1, ..Counts::default() });
    });
}

/// The failure of one request to a server that runs the script on the first stream of each connection, and the number
/// of connections opened once another request was sent.
fn failed(script: fn(&mut Peer, u32)) -> (Failure, u64) {
    let server = Server::start(move |_, peer| {
        let Some(stream) = peer.request() else { return };
        script(peer, stream);
        peer.serve();
    });
    run(async {
        let limits = Limits { body: 100_000, ..Limits::default() };
        let worker = Worker::new(Settings { limits, ..plain(1) });
        let mut user = worker.user(0);
        let failure = user.get(&server.url(), "/").await.unwrap_err();
        // After any failure, the next request finds a connection.
        user.request.begin("GET");
        user.request.set_target(b"/");
        let _ = user.ask(&server.url(), Wanted::default()).await;
        (failure, worker.network.counts().opened)
    })
}

/// What a server does, and the class, the code, a word and the number of connections that must result.
type Case = (fn(&mut Peer, u32), Class, u32, &'static str, u64);

fn check(cases: &[Case]) {
    for (script, class, code, word, connections) in cases {
        let (failure, opened) = failed(*script);
        let words = failure.to_string();
        assert_eq!((failure.class(), failure.code()), (*class, *code), "{words}");
        assert!(words.contains(word), "{words}");
        assert_eq!(opened, *connections, "{words}");
    }
}

#[test]
fn stream_reset_and_goaway_count_as_closed() {
    check(&[
        // The server resets one stream, and the connection remains usable.
        (
            |peer, stream| {
                peer.say(RST_STREAM, 0, stream, &REFUSED_STREAM.to_be_bytes());
            },
            Class::Closed,
            REFUSED_STREAM,
            "RST_STREAM, REFUSED_STREAM",
            1,
        ),
        (
            |peer, stream| {
                peer.say(HEADERS, END_HEADERS, stream, OK);
                peer.say(DATA, 0, stream, b"half");
                peer.say(RST_STREAM, 0, stream, &INTERNAL_ERROR.to_be_bytes());
            },
            Class::Closed,
            INTERNAL_ERROR,
            "RST_STREAM, INTERNAL_ERROR",
            1,
        ),
        // The server closes the connection.
        (
            |peer, _| {
                peer.go_away(0, ENHANCE_YOUR_CALM);
                peer.end();
            },
            Class::Closed,
            ENHANCE_YOUR_CALM,
            "GOAWAY, ENHANCE_YOUR_CALM",
            2,
        ),
        // A GOAWAY may say why (RFC 9113 section 6.8).
        (
            |peer, _| {
                let code = ENHANCE_YOUR_CALM.to_be_bytes();
                peer.say(GOAWAY, 0, 0, &[&[0; 4][..], &code, b"too_many_pings"].concat());
                peer.end();
            },
            Class::Closed,
            ENHANCE_YOUR_CALM,
            "(GOAWAY, ENHANCE_YOUR_CALM: too_many_pings)",
            2,
        ),
        (|peer, _| peer.end(), Class::Closed, 0, "before any answer", 2),
        (
            |peer, stream| {
                peer.say(HEADERS, END_HEADERS, stream, OK);
                peer.say(DATA, 0, stream, b"half");
                peer.end();
            },
            Class::Closed,
            0,
            "within the body",
            2,
        ),
    ]);
}

#[test]
fn protocol_violations_have_their_own_class() {
    check(&[
        (
            |peer, _| {
                peer.say_bytes(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
            },
            Class::Protocol,
            6,
            "does the server speak it on this port?",
            2,
        ),
        (
            |peer, stream| {
                peer.say(DATA, END_STREAM, stream, b"a body before its head");
            },
            Class::Protocol,
            1,
            "PROTOCOL_ERROR",
            2,
        ),
        (
            |peer, stream| {
                peer.say(HEADERS, END_HEADERS | END_STREAM, stream, &[0xff; 20]);
            },
            Class::Protocol,
            9,
            "COMPRESSION_ERROR: fields that cannot be unpacked",
            2,
        ),
        // More than the client needs.
        (
            |peer, stream| {
                peer.say(HEADERS, END_HEADERS, stream, OK);
                for _ in 0..7 {
                    peer.say(DATA, 0, stream, &[0; 16_000]);
                }
            },
            Class::Check,
            0,
            "longer than 100000",
            1,
        ),
    ]);
}

#[test]
fn head_beyond_the_limit_names_it() {
    // Many fields from an entry that was added to the table once (RFC 7541 section 6.2.1), 83 bytes each.
    fn fields(number: usize) -> Vec<u8> {
        let mut fields = vec![0x88, 0x40, 1, b'x', 50];
        fields.extend_from_slice(&[b'v'; 50]);
        fields.resize(fields.len() + number, 0xbe);
        fields
    }
    let (failure, _) = failed(|peer, stream| {
        peer.say(HEADERS, END_HEADERS | END_STREAM, stream, &fields(1_000));
    });
    assert!(matches!(failure, Failure::HeadTooLong(65_536)), "{failure}");
    // A megabyte of fields in one frame is not kept either.
    let (failure, _) = failed(|peer, stream| {
        peer.say(HEADERS, END_HEADERS | END_STREAM, stream, &fields(10_000));
    });
    assert!(matches!(failure, Failure::HeadTooLong(65_536)), "{failure}");
}

#[test]
fn failed_connection_fails_all_waiting_users() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    run(async {
        let worker = Worker::new(plain(8));
        let mut users = JoinSet::new();
        for number in 0..8 {
            let (mut user, url) = (worker.user(number), url.clone());
            users.spawn_local(async move { user.get(&url, "/").await.unwrap_err() });
        }
        for failure in users.join_all().await {
            assert!(matches!(failure, Failure::Shared(_)), "{failure:?}");
            assert_eq!(failure.class(), Class::Connect);
            assert_eq!(failure.code(), libc_connection_refused(), "{failure}");
        }
    });
}

fn libc_connection_refused() -> u32 {
    rustix::io::Errno::CONNREFUSED.raw_os_error().unsigned_abs()
}

#[test]
fn connecting_user_that_is_dropped_hands_over() {
    // A listener whose backlog is full does not answer until a connection is accepted.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let _in_the_way = std::net::TcpStream::connect(address).unwrap();
    let url = format!("http://{address}");
    run(async {
        let worker = Worker::new(plain(2));
        let (mut first, mut second) = (worker.user(0), worker.user(1));
        let brief = Duration::from_millis(50);
        let both = async { tokio::join!(first.get(&url, "/"), second.get(&url, "/")) };
        tokio::time::timeout(brief, both).await.expect_err("nobody answers");
        // Neither waits for the other without limit.
        let again = tokio::time::timeout(brief, first.get(&url, "/"));
        again.await.expect_err("still trying");
    });
}

#[test]
fn prior_knowledge_to_an_http1_server_is_explained() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 24]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.read(&mut [0; 1024]);
        }
    });
    run(async {
        let mut user = Worker::new(plain(1)).user(0);
        let failure = user.get(&url, "/").await.unwrap_err();
        assert!(
            matches!(failure, Failure::Http2(Http2Failure::Violation(_))),
            "{failure} {failure:?}"
        );
    });
}

/// The result of the second of two requests to a server that runs the script on it.
fn second(method: &'static str, resend: Resend, script: fn(&mut Peer, u32)) -> (bool, Counts) {
    let server = Server::start(move |number, peer| {
        let Some(stream) = peer.request() else { return };
        peer.answer(stream);
        if number == 0 {
            let Some(stream) = peer.request() else { return };
            return script(peer, stream);
        }
        peer.serve();
    });
    run(async {
        let worker = Worker::new(Settings { resend, ..plain(1) });
        let mut user = User { clock: Box::new(Still), ..worker.user(0) };
        let mut ask = async || {
            user.request.begin(method);
            user.request.set_target(b"/");
            user.ask(&server.url(), Wanted::default()).await.is_ok()
        };
        assert!(ask().await);
        (ask().await, worker.network.counts())
    })
}

#[test]
fn connection_closed_silently_follows_the_resend_rules() {
    for (method, resend, again) in [
        ("GET", Resend::Safe, true),
        ("GET", Resend::Never, false),
        ("POST", Resend::Safe, false),
        ("POST", Resend::Always, true),
    ] {
        let (went_well, counts) = second(method, resend, |peer, _| peer.end());
        let (opened, healed) = if again { (2, 1) } else { (1, 0) };
        assert_eq!(went_well, again, "{method} {resend:?}");
        assert_eq!((counts.opened, counts.healed), (opened, healed), "{method} {resend:?}");
    }
}

#[test]
fn refused_stream_on_a_live_connection_is_a_failure() {
    let refuse = |peer: &mut Peer, stream: u32| {
        peer.say(RST_STREAM, 0, stream, &REFUSED_STREAM.to_be_bytes());
        peer.serve();
    };
    let (went_well, counts) = second("GET", Resend::Always, refuse);
    assert_eq!((went_well, counts.opened, counts.healed), (false, 1, 0));
    // If a server that is shutting down refused the request, it may be sent to the next server, whatever its method.
    let leave = |peer: &mut Peer, stream: u32| {
        peer.go_away(stream, NO_ERROR);
        peer.say(RST_STREAM, 0, stream, &REFUSED_STREAM.to_be_bytes());
        peer.end();
        peer.await_end();
    };
    let (went_well, counts) = second("POST", Resend::Safe, leave);
    assert_eq!((went_well, counts.opened, counts.healed), (true, 2, 1));
    assert!(!second("POST", Resend::Never, leave).0);
}
