//! Connections that several users share.

use crate::frames::{DATA, END_HEADERS, END_STREAM, HEADERS, OK, Server};
use crate::{Worker, plain, run};
use brunt_http_driver::{Body, CONNECT, FIRST_BYTE, Keep, Settings, Wanted};
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::Notify;
use tokio::task::JoinSet;

#[test]
fn users_share_a_connection_concurrently() {
    // Each connection answers only when as many requests are waiting as there are users sharing it.
    let server = Server::start(|number, peer| {
        let users = if number == 2 { 2 } else { 3 };
        loop {
            let streams: Option<Vec<u32>> = (0..users).map(|_| peer.request()).collect();
            let Some(streams) = streams else { return };
            assert!(streams.into_iter().rev().all(|stream| peer.answer(stream)));
        }
    });
    run(async {
        let worker = Worker::new(plain(3));
        let mut users = JoinSet::new();
        for number in 0..8 {
            let (mut user, url) = (worker.user(number), server.url());
            users.spawn_local(async move {
                for _ in 0..5 {
                    assert_eq!(user.get(&url, "/").await.unwrap(), 200);
                }
                user
            });
        }
        let users = users.join_all().await;
        let counts = worker.network.counts();
        assert_eq!((counts.opened, counts.lost, counts.healed), (3, 0, 0));
        for mut user in users {
            user.client.close(&*user.clock).await;
        }
    });
    let requests = server.heard().iter().filter(|(_, frame)| frame.kind == HEADERS).count();
    assert_eq!(requests, 40);
}

#[test]
fn connecting_is_reported_by_the_opening_user_only() {
    let server = Server::start(|_, peer| peer.serve());
    run(async {
        let worker = Worker::new(plain(2));
        let (mut first, mut second) = (worker.user(0), worker.user(1));
        assert_eq!(first.get(&server.url(), "/").await.unwrap(), 200);
        assert_eq!(second.get(&server.url(), "/").await.unwrap(), 200);
        assert_eq!(
            (first.parts, second.parts),
            (vec![CONNECT.0, FIRST_BYTE.0], vec![FIRST_BYTE.0])
        );
    });
}

#[test]
fn large_body_respects_flow_control() {
    // Windows have their initial size of RFC 9113, 65,535 bytes, so the client waits for window updates several times.
    let server = echo();
    run(async {
        let worker = Worker::new(plain(1));
        let mut user = worker.user(0);
        for size in [0, 1, 16_384, 65_536, 3_000_000] {
            let body: Arc<[u8]> = (0..size).map(|at: u32| (at % 251) as u8).collect();
            for shared in [true, false] {
                user.request.begin("POST");
                user.request.set_target(b"/echo?x");
                if shared {
                    user.request.set_body(Body::Shared(Arc::clone(&body)));
                } else {
                    user.request.body_mut().extend_from_slice(&body);
                }
                let wanted = Wanted { fields: true, body: true, ..Wanted::default() };
                assert_eq!(user.ask(&server, wanted).await.unwrap(), 200);
                assert_eq!(user.response.received(), u64::from(size));
                let kept = (size as usize).min(1 << 20);
                assert!(user.response.body() == &body[..kept], "{size}");
                assert_eq!(user.response.is_truncated(), size > 1 << 20);
                let length = size.to_string();
                let lengths: Vec<_> = user.response.values("X-Length").collect();
                assert_eq!(lengths, [length.as_bytes()], "{size}");
                assert_eq!(user.ask(&server, Wanted::default()).await.unwrap(), 200);
                assert_eq!(user.response.received(), u64::from(size));
                assert_eq!((user.response.fields().count(), user.response.body().len()), (0, 0));
            }
        }
        // The window of the whole connection, 4 MiB, is also restored for answers of one frame.
        user.request.begin("POST");
        user.request.set_target(b"/echo?x");
        user.request.body_mut().resize(16_000, b'x');
        for _ in 0..400 {
            assert_eq!(user.ask(&server, Wanted::default()).await.unwrap(), 200);
        }
        assert_eq!(worker.network.counts().opened, 1);
        user.client.close(&*user.clock).await;
    });
}

/// A server of the h2 crate that returns the bodies it receives.
fn echo() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let mut connection = h2::server::handshake(stream).await.unwrap();
                while let Some(Ok((request, reply))) = connection.accept().await {
                    tokio::spawn(repeat(request, reply));
                }
            }
        });
    });
    format!("http://127.0.0.1:{port}")
}

async fn repeat(
    request: http::Request<h2::RecvStream>,
    mut reply: h2::server::SendResponse<bytes::Bytes>,
) {
    let length = request.headers()["content-length"].clone();
    assert_eq!(request.uri().path_and_query().unwrap(), "/echo?x");
    let mut received = Vec::new();
    let mut body = request.into_body();
    while let Some(bytes) = body.data().await {
        let bytes = bytes.unwrap();
        received.extend_from_slice(&bytes);
        body.flow_control().release_capacity(bytes.len()).unwrap();
    }
    let head = http::Response::builder().header("x-length", length).body(()).unwrap();
    let mut outgoing = reply.send_response(head, false).unwrap();
    outgoing.send_data(received.into(), true).unwrap();
}

#[test]
fn stream_limit_of_the_server_makes_users_take_turns() {
    const MAX_CONCURRENT_STREAMS: u16 = 3;
    let server = Server::with_settings(&[(MAX_CONCURRENT_STREAMS, 1)], |_, peer| {
        let mut settled = false;
        while let Some(stream) = peer.request() {
            // With one stream at a time, no second head arrives before the first is answered.
            assert!(!settled || peer.is_quiet(), "stream {stream} was not alone");
            peer.answer(stream);
            settled = true;
        }
    });
    run(async {
        let worker = Worker::new(plain(4));
        // The first request ensures that the settings have arrived.
        let mut users: Vec<_> = (0..4).map(|number| worker.user(number)).collect();
        assert_eq!(users[0].get(&server.url(), "/").await.unwrap(), 200);
        let mut running = JoinSet::new();
        for mut user in users {
            let url = server.url();
            running.spawn_local(async move {
                for _ in 0..5 {
                    assert_eq!(user.get(&url, "/").await.unwrap(), 200);
                }
            });
        }
        running.join_all().await;
        assert_eq!(worker.network.counts().opened, 1);
    });
}

#[test]
fn requests_per_connection_is_kept() {
    let server = Server::start(|_, peer| peer.serve());
    run(async {
        for (requests, connections) in [(1, 6), (2, 3), (4, 2)] {
            let settings = Settings { keep: Keep::Requests(requests), ..plain(2) };
            let worker = Worker::new(settings);
            let mut users = [worker.user(0), worker.user(1)];
            for turn in 0..6 {
                assert_eq!(users[turn % 2].get(&server.url(), "/").await.unwrap(), 200);
            }
            let counts = worker.network.counts();
            assert_eq!((counts.opened, counts.lost), (connections, 0), "{requests} each");
        }
    });
}

#[test]
fn cancelled_user_resets_only_its_stream() {
    // The first stream is never answered; all others are.
    let received = Arc::new(Notify::new());
    let receiving = Arc::clone(&received);
    let server = Server::start(move |_, peer| {
        while let Some(stream) = peer.request() {
            if stream == 1 {
                receiving.notify_one();
            } else {
                peer.say(HEADERS, END_HEADERS, stream, OK);
                peer.say(DATA, END_STREAM, stream, b"ok");
            }
        }
    });
    run(async {
        let worker = Worker::new(plain(2));
        let (mut patient, mut hasty) = (worker.user(0), worker.user(1));
        let url = server.url();
        tokio::select! {
            answer = hasty.get(&url, "/") => panic!("nothing was answered: {answer:?}"),
            () = received.notified() => {}
        }
        for _ in 0..3 {
            assert_eq!(patient.get(&url, "/").await.unwrap(), 200);
            assert_eq!(hasty.get(&url, "/").await.unwrap(), 200);
            assert_eq!((patient.response.body(), hasty.response.received()), (&b"ok"[..], 2));
        }
        assert_eq!(worker.network.counts().opened, 1);
        let group = Rc::clone(&worker.group);
        drop((patient, hasty, group));
    });
    let cancelled: Vec<_> = server
        .heard()
        .into_iter()
        .filter(|(_, frame)| frame.kind == crate::frames::RST_STREAM)
        .map(|(_, frame)| (frame.stream, frame.payload))
        .collect();
    assert_eq!(cancelled, [(1, 8_u32.to_be_bytes().to_vec())], "CANCEL of RFC 9113 section 7");
}
