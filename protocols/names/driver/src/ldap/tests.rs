//! Searches against a listener in the test that reads and writes messages with the server's half of the codec.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use brunt_exchange::{Class, Outcome};
use brunt_ldap_wire::message::Message;
use brunt_ldap_wire::reply::{self, Answer as LdapAnswer};
use brunt_ldap_wire::response;

use super::*;
use crate::question::Expected;

/// The answer of a directory to one request, given the bytes of the request.
type Turn = fn(&[u8], &mut Vec<u8>);

fn serve(turns: Vec<Vec<Turn>>) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("ldap://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        for connection in turns {
            let (mut stream, _) = listener.accept().unwrap();
            for turn in connection {
                let request = message(&mut stream);
                let mut answer = Vec::new();
                turn(&request, &mut answer);
                stream.write_all(&answer).unwrap();
            }
        }
    });
    (url, server)
}

fn message(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        if let Ok(Some(length)) = response::frame(&bytes)
            && length == bytes.len()
        {
            return bytes;
        }
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        bytes.push(byte[0]);
    }
}

fn id(request: &[u8]) -> i32 {
    Message::decode(request).unwrap().message_id
}

fn has(request: &[u8], text: &str) -> bool {
    request.windows(text.len()).any(|window| window == text.as_bytes())
}

fn entry(request: &[u8], out: &mut Vec<u8>, dn: &str, attributes: &[(&str, &[&str])]) {
    let attributes = attributes.iter().map(|(name, values)| (name, values.iter()));
    reply::entry(out, id(request), dn.as_bytes(), attributes, &[]);
}

fn done(request: &[u8], out: &mut Vec<u8>, code: u32) {
    reply::result(out, id(request), op::SEARCH_DONE, &LdapAnswer::code(code), &[]);
}

fn path(url: &str, bind: Option<(String, Secret)>) -> LdapPath {
    let search = |base: &str, filter: &str| Search {
        base: base.to_owned(),
        scope: Scope::One,
        filter: filter.to_owned(),
    };
    let directory = Directory::new(
        &Network::private(),
        url,
        bind,
        &search("ou=people,dc=bench", "(objectClass=posixAccount)"),
        &search("ou=groups,dc=bench", "(objectClass=posixGroup)"),
        || panic!("no TLS is asked for"),
    );
    LdapPath::new(Arc::new(directory.unwrap()), Some(Duration::from_secs(5)), Resend::Safe)
}

fn question(by: By, id: u32, name: &std::ffi::CStr) -> Question<'_> {
    Question { by, id: Some(id), name, expected: Expected::Found }
}

#[test]
fn ldap_users_and_groups_are_read_from_entries() {
    let (url, server) = serve(vec![vec![
        |request, out| {
            // In BER: the attribute and the value of the assertion.
            assert!(has(request, "\u{4}\u{9}uidNumber\u{4}\u{1}7") && has(request, "posixAccount"));
            let attributes: &[(&str, &[&str])] =
                &[("uid", &["alias", "u7"]), ("uidNumber", &["7"])];
            entry(request, out, "uid=u7", attributes);
            done(request, out, 0);
        },
        |request, out| {
            assert!(has(request, "\u{4}\u{2}cn\u{4}\u{2}g9") && has(request, "posixGroup"));
            entry(request, out, "cn=g9", &[("cn", &["g9"]), ("gidNumber", &["9"])]);
            done(request, out, 0);
        },
        |request, out| done(request, out, 0),
        |request, out| done(request, out, code::NO_SUCH_OBJECT),
    ]]);
    let mut path = path(&url, None);
    assert!(!path.is_ready());
    path.ready().unwrap();
    let seven = Answer::Account { id: 7, name: b"u7" };
    assert_eq!(path.look_up(&question(By::Uid, 7, c"u7")).unwrap(), seven);
    let nine = Answer::Account { id: 9, name: b"g9" };
    assert_eq!(path.look_up(&question(By::Group, 9, c"g9")).unwrap(), nine);
    assert_eq!(path.look_up(&question(By::Gid, 9, c"g9")).unwrap(), Answer::Absent);
    assert_eq!(path.look_up(&question(By::User, 9, c"u9")).unwrap(), Answer::Absent);
    assert!(path.is_ready());
    server.join().unwrap();
}

#[test]
fn ldap_groups_of_a_user_are_searched_by_name_and_dn() {
    let (url, server) = serve(vec![vec![
        |request, out| {
            entry(request, out, "uid=u7,ou=people,dc=bench", &[("uid", &["u7"])]);
            done(request, out, 0);
        },
        |request, out| {
            assert!(has(request, "memberUid\u{4}\u{2}u7"));
            assert!(has(request, "member\u{4}\u{19}uid=u7,ou=people,dc=bench"));
            entry(request, out, "cn=a", &[("gidNumber", &["20"])]);
            entry(request, out, "cn=b", &[("gidNumber", &["21"])]);
            done(request, out, 0);
        },
        |request, out| done(request, out, 0),
        |request, out| {
            assert!(has(request, "memberUid\u{4}\u{2}u8") && !has(request, "uid=u7"));
            done(request, out, 0);
        },
    ]]);
    let mut path = path(&url, None);
    path.ready().unwrap();
    let answer = path.look_up(&question(By::Memberships, 20, c"u7")).unwrap();
    assert_eq!(answer, Answer::Groups(&[20, 21]));
    assert_eq!(path.look_up(&question(By::Memberships, 20, c"u8")).unwrap(), Answer::Absent);
    server.join().unwrap();
}

#[test]
fn ldap_refusal_keeps_the_connection_and_garbage_ends_it() {
    let (url, server) = serve(vec![
        vec![|request, out| done(request, out, 11), |_, out| {
            out.extend_from_slice(b"HTTP/1.1 400 Bad Request\r\n");
        }],
        vec![|request, out| {
            reply::result(out, id(request) + 1, op::SEARCH_DONE, &LdapAnswer::code(0), &[]);
        }],
        vec![|request, out| {
            entry(request, out, "uid=u7", &[("uid", &["u7"]), ("uidNumber", &["seven"])]);
            done(request, out, 0);
        }],
        vec![|_, out| reply::notice_of_disconnection(out, &LdapAnswer::code(52))],
        vec![],
    ]);
    let mut path = path(&url, None);
    let question = question(By::Uid, 7, c"u7");
    path.ready().unwrap();
    let refused = path.look_up(&question).unwrap_err();
    assert_eq!(refused.outcome(), Outcome::Failed(Class::Result, 11));
    assert!(path.is_ready());
    for class in [Class::Protocol, Class::Protocol, Class::Protocol, Class::Closed, Class::Closed] {
        if !path.is_ready() {
            path.ready().unwrap();
        }
        let error = path.look_up(&question).unwrap_err();
        assert!(matches!(error.outcome(), Outcome::Failed(found, _) if found == class), "{error}");
        assert!(!path.is_ready());
    }
    server.join().unwrap();
}

#[test]
fn ldap_refused_bind_is_a_failed_login() {
    let (url, server) = serve(vec![
        vec![|request, out| {
            assert!(has(request, "cn=admin") && has(request, "wrong"));
            reply::result(out, id(request), op::BIND_RESPONSE, &LdapAnswer::code(49), &[]);
        }],
        vec![|request, out| {
            reply::result(out, id(request), op::BIND_RESPONSE, &LdapAnswer::code(0), &[]);
        }],
    ]);
    let mut path = path(&url, Some(("cn=admin".to_owned(), Secret::from("wrong"))));
    let error = path.ready().unwrap_err();
    assert_eq!(error.outcome(), Outcome::Failed(Class::Login, 49));
    assert!(
        error.to_string().contains("invalidCredentials") && !error.to_string().contains("wrong")
    );
    assert!(!path.is_ready());
    path.ready().unwrap();
    server.join().unwrap();
}

#[test]
fn ldap_url_is_parsed_or_refused() {
    let name = |url: &str| {
        let search = Search { base: String::new(), scope: Scope::Base, filter: "(a=b)".to_owned() };
        let client = || {
            tls::Client::new(
                &tls::Options { trust: tls::Trust::Anything, ..tls::Options::default() },
                Network::private().files(),
            )
        };
        Directory::new(&Network::private(), url, None, &search, &search, client)
            .map(|directory| directory.name.to_string())
    };
    for (url, expected) in [
        ("ldap://host", "host:389"),
        ("LDAP://host:1389/", "host:1389"),
        ("ldaps://[::1]", "::1:636"),
        ("ldapi://%2Frun%2Fldapi", "unix:/run/ldapi"),
    ] {
        assert_eq!(name(url).unwrap(), expected);
    }
    for url in ["host", "http://host", "ldap://", "ldap://host:x", "ldap://host/dc=x"] {
        assert!(matches!(name(url), Err(DirectoryError::Url(_))), "{url}");
    }
    assert!(matches!(name("ldapi://run"), Err(DirectoryError::Socket(_))));
}

/// A path that has looked up one name, at a server that then handles the connection by `after`.
fn used_once(after: fn(TcpStream)) -> LdapPath {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("ldap://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = message(&mut stream);
        let mut answer = Vec::new();
        done(&request, &mut answer, 0);
        stream.write_all(&answer).unwrap();
        after(stream);
    });
    let mut path = path(&url, None);
    path.ready().unwrap();
    assert_eq!(path.look_up(&question(By::Uid, 7, c"u7")).unwrap(), Answer::Absent);
    server.join().unwrap();
    path
}

#[test]
fn ldap_connection_closed_or_closing_has_lapsed() {
    let goodbye = |mut stream: TcpStream| {
        let mut bytes = Vec::new();
        reply::notice_of_disconnection(&mut bytes, &LdapAnswer::code(52));
        stream.write_all(&bytes).unwrap();
        std::mem::forget(stream);
    };
    for after in [drop::<TcpStream>, goodbye] {
        let mut path = used_once(after);
        // The last bytes sent may still be in transit.
        let moment = Duration::from_millis(1);
        let lapsed = (0..2_000).any(|_| {
            path.has_lapsed() || {
                pause(moment);
                false
            }
        });
        assert!(lapsed && !path.is_ready());
    }
    let mut path = used_once(std::mem::forget);
    assert!(!path.has_lapsed() && path.is_ready(), "it is there");
}

#[expect(clippy::disallowed_methods, reason = "another thread has to be waited for")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

#[test]
fn ldap_question_may_be_repeated_before_any_answer() {
    let ends: [(fn(TcpStream), bool); 2] = [
        (|mut stream| drop(message(&mut stream)), true),
        (
            |mut stream| {
                drop(message(&mut stream));
                stream.write_all(&[0x30]).unwrap();
            },
            false,
        ),
    ];
    for (end, again) in ends {
        // The second question arrives, and its connection ends.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("ldap://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let request = message(&mut stream);
            let mut answer = Vec::new();
            done(&request, &mut answer, 0);
            stream.write_all(&answer).unwrap();
            end(stream);
        });
        let mut path = path(&url, None);
        path.ready().unwrap();
        path.look_up(&question(By::Uid, 7, c"u7")).unwrap();
        assert_eq!(path.unanswered(), None);
        let outcome = path.look_up(&question(By::Uid, 7, c"u7")).unwrap_err().outcome();
        assert!(matches!(outcome, Outcome::Failed(Class::Closed, _)), "{outcome:?}");
        assert_eq!(path.unanswered(), again.then_some(Resend::Safe));
        path.resend = Resend::Never;
        assert_eq!(path.unanswered(), again.then_some(Resend::Never));
        server.join().unwrap();
    }
    // A connection without any answer has not been closed because it was idle.
    let (url, server) = serve(vec![vec![|_, _| {}]]);
    let mut fresh = self::path(&url, None);
    fresh.ready().unwrap();
    fresh.look_up(&question(By::Uid, 7, c"u7")).unwrap_err();
    assert_eq!(fresh.unanswered(), None);
    server.join().unwrap();
}
