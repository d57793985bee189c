//! A provider of OpenID Connect that is slow: its token endpoint takes a request and never answers, or answers one byte
//! after another. The site says so, and goes on for everybody else.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use brunt_test_program::scratch;

use crate::website::{Visitor, between, end, site};

/// More than the site has threads for.
const PEOPLE: usize = 16;
/// The key of RFC 7517, appendix A.1. No token is ever signed with it.
const KEYS: &str = r#"{"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "kid": "1", "alg": "ES256",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}"#;

/// A provider whose answers about itself come at once. It tells of each request for tokens.
fn provider(requested: Sender<()>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let at = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let requested = requested.clone();
            thread::spawn(move || answer(stream, at, &requested));
        }
    });
    at
}

/// Answers the one request of a connection. The first part of its path says how the token endpoint behaves.
fn answer(mut stream: TcpStream, at: SocketAddr, requested: &Sender<()>) {
    let mut lines =
        BufReader::new(stream.try_clone().expect("a handle")).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let kind = path.split('/').nth(1).unwrap_or_default();
    let body = match path.rsplit('/').next() {
        Some("openid-configuration") => {
            let issuer = format!("http://{at}/{kind}");
            format!(
                r#"{{"issuer": "{issuer}", "authorization_endpoint": "{issuer}/auth",
                    "token_endpoint": "{issuer}/token", "jwks_uri": "{issuer}/keys"}}"#
            )
        }
        Some("keys") => KEYS.to_owned(),
        _ => {
            let _ = requested.send(());
            return delay(stream, kind, lines);
        }
    };
    // Only after the whole head, so that the connection is not reset.
    lines.find(String::is_empty);
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
    );
    let _ = write!(stream, "{head}Connection: close\r\n\r\n{body}");
}

/// Keeps whoever asks waiting until they leave.
fn delay(mut stream: TcpStream, kind: &str, lines: impl Iterator<Item = String>) {
    if kind == "silent" {
        // The body has no last line, so this ends with the connection.
        return lines.for_each(drop);
    }
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n"
    );
    while stream.write_all(b" ").is_ok() {
        thread::park_timeout(Duration::from_millis(50));
    }
}

/// A browser that was sent to the provider, and the address at which it comes back.
fn sent(visitor: &Visitor) -> (Visitor, String) {
    let nobody = Visitor { at: visitor.at.clone(), cookie: String::new() };
    let (head, body) = nobody.ask("GET", "/sign-in/provider?next=/runs", "", "");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let cookie = between(&head, "set-cookie: ", ";").to_owned();
    let state = between(&head, "&state=", "&");
    (Visitor { cookie, ..nobody }, format!("/sign-in/callback?code=c&state={state}"))
}

#[test]
fn oidc_provider_that_hangs_is_named_and_others_continue() {
    let directory = scratch();
    let (program, visitor) = site(&directory.path().join("site"));
    let (sender, requested) = channel();
    let at = provider(sender);
    for kind in ["silent", "trickling"] {
        let fields = format!(
            "name=SSO&issuer=http://{at}/{kind}&client=brunt&public=1&scopes=openid&claim=groups&groups=\
             &others=viewer&minutes=5"
        );
        let (_, set) = visitor.send("/provider", "/provider", &fields);
        assert!(set.contains("The provider answers. Keys that can sign: 1."), "{set}");
        let people: Vec<_> = (0..PEOPLE).map(|_| sent(&visitor)).collect();
        let back = |(person, path): (Visitor, String)| {
            thread::spawn(move || person.ask("GET", &path, "", ""))
        };
        let waiting: Vec<_> = people.into_iter().map(back).collect();
        requested.recv_timeout(Duration::from_secs(60)).expect("the site asks for tokens");
        let (head, _) = visitor.ask("GET", "/", "", "");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let local = "name=admin&password=correct-horse-battery";
        let nobody = Visitor { at: visitor.at.clone(), cookie: String::new() };
        let (head, body) = nobody.ask("POST", "/sign-in", "", local);
        assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
        let (mut down, mut busy) = (0, 0);
        for person in waiting {
            let (head, body) = person.join().expect("an answer");
            assert!(head.starts_with("HTTP/1.1 503"), "{head}\n{body}");
            // Whoever has a password here can use it on the same page, and comes to the page that was asked for.
            assert!(body.contains("id=\"password\"") && body.contains("value=\"/runs\""), "{body}");
            down += usize::from(body.contains("SSO does not answer"));
            busy += usize::from(body.contains("Too many people sign in at SSO"));
        }
        assert!(down > 0 && down + busy == PEOPLE, "{down} and {busy}");
        // After one attempt the provider is left alone for a while.
        assert!(requested.try_iter().count() < PEOPLE);
    }
    end(program);
}
