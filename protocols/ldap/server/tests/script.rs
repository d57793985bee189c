//! Every fault, from the client's side.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;

use std::io;
use std::time::{Duration, Instant};

use brunt_ldap_server::{Config, Operation, Running, Script, Server};
use brunt_ldap_wire::control::value::{PasswordPolicy, PolicyWarning};
use brunt_ldap_wire::control::{self, Control};
use brunt_ldap_wire::{op, request, response};
use brunt_testbed::until;

use client::{Client, bind, search};

fn start(script: &str) -> Running {
    let script = Some(Script::parse(script).unwrap());
    let listen_tls = Some(([127, 0, 0, 1], 0).into());
    Server::start(Config { users: 10, script, listen_tls, ..Config::default() }).unwrap()
}

fn rule(rule: &str) -> (Running, Client) {
    let running = start(&format!("[[rule]]\n{rule}"));
    let client = Client::connect(running.address());
    (running, client)
}

#[expect(clippy::disallowed_methods, reason = "a test of time as it passes")]
fn now() -> Instant {
    Instant::now()
}

#[test]
fn result_fault_overrides_without_effect() {
    let (running, mut client) =
        rule("on = ['bind']\nevery = 2\naction = { result = { code = 51, text = 'busy' } }");
    let codes: Vec<_> = (1..=4).map(|id| client.exchange(id, &bind()).code.unwrap()).collect();
    assert_eq!(codes, [0, 51, 0, 51]);
    let whoami = client.exchange(5, &request::who_am_i(&[]));
    let result = response::scan(&whoami.bytes).unwrap().result().unwrap();
    assert_eq!(result.value, Some(&b"dn:uid=user.1,ou=people,dc=example,dc=com"[..]));
    let stats = running.shutdown();
    assert_eq!(
        (stats.answers_of(Operation::Bind, 0), stats.answers_of(Operation::Bind, 51)),
        (2, 2)
    );
}

#[test]
fn delay_fault_affects_only_its_request() {
    let (_running, mut client) =
        rule("on = ['search']\nfilter = 'user.3'\naction = { delay = '1s' }");
    let begin = now();
    // In one piece, so that nothing can hold up the second request after the first.
    let mut both = Vec::new();
    for (id, filter) in [(1, "(uid=user.3)"), (2, "(uid=user.4)")] {
        search(filter).encode(id, &[][..] as &[&str], &mut both);
    }
    io::Write::write_all(&mut client.stream, &both).unwrap();
    let ids: Vec<_> = (0..4).map(|_| client.receive().unwrap().id).collect();
    assert_eq!(ids, [2, 2, 1, 1]);
    assert!(begin.elapsed() >= Duration::from_secs(1));
}

#[test]
fn drop_reorder_duplicate_and_wrong_id_faults_work() {
    let (running, mut client) = rule("on = ['bind']\nlast = 1\naction = 'drop'");
    client.send(1, &bind());
    assert_eq!(client.exchange(2, &bind()).id, 2);
    let stats = running.shutdown();
    assert_eq!((stats.requests_of(Operation::Bind), stats.answers_of(Operation::Bind, 0)), (2, 1));

    let (_running, mut client) = rule("on = ['bind']\nlast = 1\naction = 'reorder'");
    client.send(1, &bind());
    client.send(2, &bind());
    assert_eq!([client.receive().unwrap().id, client.receive().unwrap().id], [2, 1]);

    let (_running, mut client) = rule("on = ['bind']\nlast = 1\naction = 'duplicate'");
    let first = client.exchange(1, &bind());
    assert_eq!(client.receive().unwrap(), first);
    assert_eq!(client.exchange(2, &bind()).id, 2);

    let (_running, mut client) = rule("on = ['bind']\nlast = 1\naction = { wrong-id = 4711 }");
    assert_eq!(client.exchange(1, &bind()).id, 4711);
}

#[test]
fn truncate_and_garbage_faults_work() {
    let (running, mut client) = rule("on = ['bind']\naction = { truncate = 5 }");
    client.send(1, &bind());
    // The beginning of message 1 with a bind response in it.
    let mut rest = Vec::new();
    io::Read::read_to_end(&mut client.stream, &mut rest).unwrap();
    assert_eq!(rest, [0x30, 0x0c, 0x02, 0x01, 0x01]);
    assert_eq!(running.shutdown().answers_of(Operation::Bind, 0), 0);

    let (_running, mut client) = rule("on = ['bind']\naction = { garbage = 40 }");
    client.send(1, &bind());
    assert!(client.receive().is_err());

    let (_running, mut client) = rule("on = ['bind']\naction = 'huge-length'");
    client.send(1, &bind());
    let error = client.receive().unwrap_err().to_string();
    assert!(error.contains("2147483"), "{error}");

    let (_running, mut client) = rule("on = ['bind']\naction = { deep-nesting = 500 }");
    client.send(1, &bind());
    assert!(client.receive().is_err());
}

#[test]
fn reset_close_and_disconnect_faults_work() {
    let (_running, mut client) = rule("on = ['bind']\naction = 'reset'");
    client.send(1, &bind());
    assert_eq!(client.receive().unwrap_err().kind(), io::ErrorKind::ConnectionReset);

    let (_running, mut client) = rule("on = ['bind']\naction = 'close'");
    assert_eq!(client.exchange(1, &bind()).code, Some(0));
    assert_eq!(client.receive().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);

    let (_running, mut client) =
        rule("on = ['bind']\naction = { disconnect = { code = 52, text = 'maintenance' } }");
    let notice = client.exchange(1, &bind());
    assert!(response::scan(&notice.bytes).unwrap().is_notice_of_disconnection());
    assert_eq!(notice.code, Some(52));
    assert_eq!(client.receive().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);

    let (_running, mut client) = rule("on = ['connect']\naction = 'reset'");
    assert!(client.receive().is_err());
    let (_running, mut client) = rule("on = ['connect']\naction = { disconnect = { code = 51 } }");
    assert_eq!(client.receive().unwrap().code, Some(51));
    let (running, mut client) = rule("on = ['handshake']\naction = 'drop'");
    // StartTLS is granted, and the handshake that follows is never answered.
    assert_eq!(client.exchange(1, &request::start_tls()).code, Some(0));
    client.stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    client.send(2, &bind());
    assert_eq!(client.receive().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    drop(client);
    assert_eq!(running.shutdown().handshakes, 0);

    let (_running, mut client) = rule("on = ['start-tls']\naction = { result = { code = 52 } }");
    assert_eq!(client.exchange(1, &request::start_tls()).code, Some(52));
    assert_eq!(client.exchange(2, &bind()).code, Some(0));
}

#[test]
fn unsolicited_and_extra_responses_are_sent() {
    let (_running, mut client) = rule("on = ['search']\naction = { unsolicited = '1.2.3' }");
    let unsolicited = client.exchange(1, &search("(uid=user.1)"));
    assert_eq!((unsolicited.id, unsolicited.op), (0, op::EXTENDED_RESPONSE));
    assert_eq!(client.receive().unwrap().op, op::SEARCH_ENTRY);
    assert_eq!(client.receive().unwrap().code, Some(0));

    let (_running, mut client) = rule("on = ['search']\naction = { intermediate = '1.2.3' }");
    assert_eq!(client.exchange(1, &search("(uid=user.1)")).op, op::INTERMEDIATE_RESPONSE);

    let (_running, mut client) =
        rule("on = ['search']\naction = { reference = 'ldap://elsewhere' }");
    let reference = client.exchange(1, &search("(uid=user.1)"));
    let urls: Vec<_> = response::scan(&reference.bytes).unwrap().reference().unwrap().collect();
    assert_eq!(urls, [Ok(&b"ldap://elsewhere"[..])]);

    let (_running, mut client) = rule("on = ['bind']\naction = { policy = { expires-in = 3600 } }");
    let name = "uid=user.1,ou=people,dc=example,dc=com".into();
    let request = request::bind_simple(&name, &"password".into(), &[Control::password_policy()]);
    let bound = client.exchange(1, &request);
    let controls = response::scan(&bound.bytes).unwrap().controls().unwrap();
    let output = controls.find(control::PASSWORD_POLICY).unwrap().unwrap().value.unwrap();
    let expected = PasswordPolicy { warning: Some(PolicyWarning::ExpiresIn(3600)), error: None };
    assert_eq!(PasswordPolicy::decode(output), Ok(expected));
}

#[test]
fn probability_fault_is_counted() {
    let (running, mut client) =
        rule("on = ['bind']\nprobability = 0.5\naction = { result = { code = 51 } }");
    let busy = (1..=200).filter(|id| client.exchange(*id, &bind()).code == Some(51)).count() as u64;
    // A binomial of 200 at a half has a standard deviation of 7.
    assert!((65..135).contains(&busy), "{busy}");
    let stats = running.shutdown();
    assert_eq!(stats.faults, [("result", busy)]);
    assert_eq!(stats.answers_of(Operation::Bind, 51), busy);
}

#[test]
fn trickle_fault_sends_single_bytes() {
    let (_running, mut client) = rule("on = ['bind']\naction = { trickle = '5ms' }");
    let begin = now();
    // A bind response with a message id of one byte has 14 bytes (RFC 4511 section 4.2.2).
    let bound = client.exchange(1, &bind());
    assert_eq!(bound.bytes.len(), 14);
    assert!(begin.elapsed() >= Duration::from_millis(14 * 5));
}

#[test]
fn delayed_replies_can_be_cancelled_and_abandoned() {
    let (running, mut client) = rule("on = ['search']\naction = { delay = '60s' }");
    client.send(1, &search("(uid=user.1)"));
    client.send(2, &search("(uid=user.2)"));
    let mut out = Vec::new();
    request::encode_abandon(&mut out, 3, 1);
    request::encode_cancel(&mut out, 4, 2);
    request::encode_cancel(&mut out, 5, 1);
    io::Write::write_all(&mut client.stream, &out).unwrap();
    let answers: Vec<_> =
        (0..3).map(|_| client.receive().map(|got| (got.id, got.code)).unwrap()).collect();
    assert_eq!(answers, [(2, Some(118)), (4, Some(0)), (5, Some(119))]);
    let stats = running.shutdown();
    assert_eq!(
        (stats.answers_of(Operation::Search, 0), stats.answers_of(Operation::Search, 118)),
        (0, 1)
    );
}

#[test]
fn stall_and_refuse_faults_work() {
    // This clock starts before the server's.
    let begin = now();
    let running =
        start("[[stall]]\nat = '0s'\nlasts = '500ms'\n[[refuse]]\nat = '3s'\nlasts = '3s'");
    let mut client = Client::connect(running.address());
    assert_eq!(client.exchange(1, &bind()).code, Some(0));
    let stalled = begin.elapsed();
    assert!(stalled >= Duration::from_millis(500), "{stalled:?}");
    let mut listens = |wanted: bool| {
        until(Duration::from_secs(90), || {
            let connected = std::net::TcpStream::connect(running.address()).is_ok();
            // Open connections stay open and are served.
            assert_eq!(client.exchange(2, &bind()).code, Some(0));
            connected == wanted
        })
    };
    assert!(listens(false), "somebody always listens");
    assert!(listens(true), "nobody listens any more");
    Client::connect(running.address()).exchange(1, &bind());
}
