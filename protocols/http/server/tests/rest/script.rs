//! Each fault, from the client's side.

use std::time::{Duration, Instant};

use brunt_http_server::Running;
use brunt_testbed::until;

use super::client::{Answer, Client, End};
use super::{connect, scripted};

/// A server that applies this action to every request for `/bytes`.
fn doing(action: &str) -> Running {
    scripted(&format!("[[rule]]\npath = '/bytes/*'\naction = {action}"))
}

fn send(client: &mut Client) {
    client.send(b"GET /bytes/100 HTTP/1.1\r\nHost: t\r\n\r\n");
}

/// How the connection ends after a request that the action was applied to, and the bytes before that.
fn met(server: &Running) -> (End, Vec<u8>) {
    let mut client = connect(server);
    send(&mut client);
    client.end()
}

/// The answer to a request after which the connection is still usable.
fn answered(server: &Running) -> Answer {
    let mut client = connect(server);
    send(&mut client);
    let answer = client.receive("GET").unwrap();
    assert_eq!(client.get("/").status, 200, "{answer:?}");
    answer
}

#[test]
fn drop_reset_and_silence_faults_give_no_answer() {
    assert_eq!(met(&doing("'drop'")), (End::Closed, Vec::new()));
    assert_eq!(met(&doing("'reset'")), (End::Reset, Vec::new()));
    let server = doing("'silence'");
    let mut client = connect(&server);
    send(&mut client);
    assert!(client.is_silent(Duration::from_millis(100)));
    // An answer that was withheld is counted as well.
    assert_eq!(server.stats().answers_of("GET", "/bytes/{bytes}", 200), 1);
    assert!(server.stats().faults.contains(&("silence", 1)));
}

#[test]
fn hang_up_and_truncation_faults_end_early() {
    let whole = met(&doing("'hang-up'"));
    let text = String::from_utf8(whole.1.clone()).unwrap();
    assert_eq!(whole.0, End::Closed);
    assert!(text.contains("Content-Length: 100\r\n") && !text.contains("Connection:"), "{text}");
    assert_eq!(text.split("\r\n\r\n").nth(1).unwrap().len(), 100);
    let half = met(&doing("'half'"));
    assert_eq!(half, (End::Closed, whole.1[..whole.1.len() / 2].to_vec()));
    assert_eq!(met(&doing("{ truncate = 20 }")), (End::Closed, whole.1[..20].to_vec()));
    let (end, bytes) = met(&doing("{ wrong-length = 7 }"));
    let text = String::from_utf8(bytes).unwrap();
    assert!(end == End::Closed && text.contains("Content-Length: 107\r\n"), "{text}");
    assert_eq!(text.split("\r\n\r\n").nth(1).unwrap().len(), 100);
}

#[test]
fn garbage_and_endless_faults_give_no_answer() {
    let (end, garbage) = met(&doing("{ garbage = 64 }"));
    assert_eq!((end, garbage.len()), (End::Closed, 64));
    assert!(!garbage.starts_with(b"H"));
    // The same seed, the same bytes.
    assert_eq!(met(&doing("{ garbage = 64 }")).1, garbage);

    let server = doing("'endless-headers'");
    let mut client = connect(&server);
    send(&mut client);
    let mut read = 0;
    let mut bytes = vec![0; 1 << 20];
    while read < 5 << 20 {
        let count = std::io::Read::read(&mut client.stream, &mut bytes).unwrap();
        assert!(count > 0 && !bytes[..count].windows(4).any(|four| four == b"\r\n\r\n"));
        read += count;
    }
}

#[test]
fn chunked_and_length_faults_reshape_answers() {
    let answer = answered(&doing("{ chunked = 7 }"));
    assert_eq!((answer.field("transfer-encoding"), answer.body.len()), (Some("chunked"), 100));
    let answer = answered(&doing("{ status = 503 }"));
    assert_eq!((answer.status, &answer.json()["message"]), (503, &"as the script has it".into()));
    for (chunked, length) in [("false", Some("3000000")), ("true", None)] {
        let server = doing(&format!("{{ body = {{ bytes = 3000000, chunked = {chunked} }} }}"));
        let answer = answered(&server);
        assert_eq!((answer.field("content-length"), answer.body.len()), (length, 3_000_000));
    }
    let server = doing("'until-close'");
    let mut client = connect(&server);
    send(&mut client);
    let answer = client.receive("GET").unwrap();
    assert_eq!((answer.body.len(), answer.field("content-length")), (100, None));

    let server = doing("{ interim = 103 }");
    let mut client = connect(&server);
    send(&mut client);
    assert_eq!(client.receive("GET").unwrap().status, 103);
    assert_eq!(client.receive("GET").unwrap().status, 200);

    // Bytes beyond the announced length look like the beginning of the next answer.
    let server = doing("{ wrong-length = -10 }");
    let mut client = connect(&server);
    send(&mut client);
    assert_eq!(client.receive("GET").unwrap().body.len(), 90);
    client.send(b"GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
    let (_, rest) = client.end();
    assert!(rest[10..].starts_with(b"HTTP/1.1 200 OK\r\n"), "{}", String::from_utf8_lossy(&rest));
}

/// The time that the work takes.
#[expect(clippy::disallowed_methods, reason = "delays are measured from outside")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let done = work();
    (done, begun.elapsed())
}

#[test]
fn delay_and_drip_faults_slow_answers() {
    let server = doing("{ delay = '30ms' }");
    assert!(timed(|| answered(&server)).1 >= Duration::from_millis(30));
    let mut client = connect(&server);
    assert!((0..5).any(|_| timed(|| client.get("/")).1 < Duration::from_millis(30)));
    let server = doing("{ drip = '200us' }");
    let (answer, took) = timed(|| answered(&server));
    assert_eq!(answer.body.len(), 100);
    // The head has more than 70 bytes.
    assert!(took >= Duration::from_millis(34), "{took:?}");
    assert!(timed(|| answered(&doing("{ drip = '1us' }"))).1 < Duration::from_secs(5));
}

#[test]
fn stall_and_refuse_faults_affect_all() {
    // This clock starts before the server's.
    let ((_server, answer), took) = timed(|| {
        let server = scripted("[[stall]]\nat = '0ms'\nlasts = '500ms'");
        let answer = connect(&server).get("/");
        (server, answer)
    });
    assert_eq!(answer.status, 200);
    assert!(took >= Duration::from_millis(500), "{took:?}");

    let server = scripted("[[refuse]]\nat = '2s'\nlasts = '3s'");
    let mut client = connect(&server);
    assert_eq!(client.get("/").status, 200);
    let attempt = || std::net::TcpStream::connect(server.address()).map_err(|error| error.kind());
    let refused = || attempt().err() == Some(std::io::ErrorKind::ConnectionRefused);
    let patience = Duration::from_secs(20);
    assert!(until(patience, refused), "somebody always listens");
    // The open connection stays open and is served.
    assert_eq!(client.get("/").status, 200);
    assert!(until(patience, || attempt().is_ok()), "nobody listens any more");
    assert_eq!(client.get("/").status, 200);
    assert_eq!(connect(&server).get("/").status, 200);
}

#[test]
fn rules_select_requests_and_connections() {
    let server = scripted(
        "[[rule]]\nmethod = ['GET']\npath = '/status/*'\nevery = 3\naction = { status = 500 }\n\
         [[rule]]\nconnection = [2]\naction = 'drop'",
    );
    let mut client = connect(&server);
    let statuses: Vec<_> = (0..6).map(|_| client.get("/status/200").status).collect();
    assert_eq!(statuses, [200, 200, 500, 200, 200, 500]);
    assert_eq!(client.exchange("PUT", "/status/201", &[], "").status, 201);
    let mut second = connect(&server);
    send(&mut second);
    assert_eq!(second.end(), (End::Closed, Vec::new()));
    assert_eq!(server.stats().answers_of("GET", "(script)", 500), 2);
}
