//! What a browser does in addition to sending requests: it follows redirects, keeps cookies, unpacks bodies, and uses
//! proxies.

use crate::User;
use crate::server::{Peer, Server};
use brunt_exchange::{Class, Monotonic, Watch};
use brunt_http_driver::{Failure, Limits, Settings, Wanted};
use std::io::Write;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The head of a redirect.
fn moved(status: u16, location: &str, more: &str) -> String {
    format!("HTTP/1.1 {status} x\r\nLocation: {location}\r\n{more}Content-Length: 0\r\n\r\n")
}

/// Answers according to the requested path.
fn by_path(peer: &mut Peer, answer: impl Fn(&str) -> String) {
    while let Some(requested) = peer.request() {
        let path = requested.head.split(' ').nth(1).unwrap();
        peer.say(answer(path).as_bytes());
    }
}

fn value<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[tokio::test]
async fn redirects_are_followed_up_to_the_limit_and_across_origins() {
    let elsewhere = Server::start(|_, peer| by_path(peer, |_| OK.to_owned()));
    let away = format!("{}/there?x#part", elsewhere.url());
    let server = Server::start(move |_, peer| {
        by_path(peer, |path| match path {
            "/" => moved(302, "second", ""),
            "/second" => moved(307, "/third/", ""),
            "/third/" => moved(308, &away, ""),
            "/loop" => moved(301, "/loop", ""),
            _ => OK.to_owned(),
        });
    });
    let follow = |redirects| Settings { redirects, ..Settings::default() };
    let mut user = User::new(follow(3));
    user.request.begin("POST");
    user.request.set_target(b"/");
    user.request.add("Authorization", b"Bearer x");
    user.request.add("X-Kept", b"1");
    user.request.body_mut().extend_from_slice(b"body");
    let wanted = Wanted { body: true, ..Wanted::default() };
    assert_eq!(user.ask(&server, wanted).await.unwrap(), 200);
    assert_eq!(user.response.body(), b"ok");
    let lines: Vec<_> = server
        .requested()
        .iter()
        .map(|requested| requested.head.lines().next().unwrap().to_owned())
        .collect();
    assert_eq!(lines, ["POST / HTTP/1.1", "GET /second HTTP/1.1", "GET /third/ HTTP/1.1"]);
    let [.., last] = &server.requested()[..] else { panic!("nothing was asked") };
    assert_eq!(value(&last.head, "Authorization"), Some("Bearer x"));
    let [there] = &elsewhere.requested()[..] else { panic!("it was not followed there") };
    assert!(there.head.starts_with("GET /there?x HTTP/1.1\r\n"), "{}", there.head);
    assert_eq!(value(&there.head, "Authorization"), None);
    assert_eq!(value(&there.head, "X-Kept"), None);
    assert_eq!(there.body, b"");
    // The plan's own request is unchanged.
    assert_eq!((user.request.method(), user.request.fields().count()), (&b"POST"[..], 2));
    // One connection to each server, used for everything.
    assert_eq!(user.network.counts().opened, 2);

    let mut user = User::new(follow(0));
    assert_eq!(user.get(&server).await.unwrap(), 302);
    let mut user = User::new(follow(5));
    user.request.begin("GET");
    user.request.set_target(b"/loop");
    let before = server.requested().len();
    let failure = user.ask(&server, Wanted::default()).await.unwrap_err();
    assert!(matches!(failure, Failure::Redirects(5)), "{failure}");
    assert_eq!((failure.class(), server.requested().len() - before), (Class::Check, 6));
}

#[tokio::test]
async fn cookies_are_per_user_and_follow_redirects() {
    let server = Server::start(|_, peer| {
        by_path(peer, |path| match path {
            "/" => moved(302, "/in/", "Set-Cookie: a=1; Path=/\r\nset-cookie: b=2; Path=/in\r\n"),
            "/out" => moved(302, "/in/", "Set-Cookie: a=; Max-Age=0; Path=/\r\n"),
            _ => OK.to_owned(),
        });
    });
    let settings = Settings { cookies: true, redirects: 1, ..Settings::default() };
    let (mut user, mut other) = (User::new(settings.clone()), User::new(settings));
    let requested = |path: &str| {
        let all = server.requested();
        let last =
            all.iter().rfind(|requested| requested.head.starts_with(&format!("GET {path} ")));
        value(&last.unwrap().head, "Cookie").map(str::to_owned)
    };
    user.count(&server).await.unwrap();
    assert_eq!((requested("/"), requested("/in/")), (None, Some("b=2; a=1".to_owned())));
    other.request.begin("GET");
    other.request.set_target(b"/in/");
    other.ask(&server, Wanted::default()).await.unwrap();
    assert_eq!(requested("/in/"), None);
    user.request.begin("GET");
    user.request.set_target(b"/out");
    user.ask(&server, Wanted::default()).await.unwrap();
    assert_eq!(
        (requested("/out"), requested("/in/")),
        (Some("a=1".to_owned()), Some("b=2".to_owned()))
    );
    assert_eq!((user.client.jar().value("a"), user.client.jar().value("b")), (None, Some("2")));
    // A field set by the plan is not changed.
    user.request.begin("GET");
    user.request.set_target(b"/in/");
    user.request.add("cookie", b"mine=1");
    user.ask(&server, Wanted::default()).await.unwrap();
    let last = server.requested().pop().unwrap();
    assert_eq!((value(&last.head, "cookie"), value(&last.head, "Cookie")), (Some("mine=1"), None));
    user.client.forget();
    user.count(&server).await.unwrap();
    assert_eq!(requested("/"), None);
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

#[tokio::test]
async fn compressed_body_is_requested_and_decoded() {
    let text = vec![b'x'; 300_000];
    let packed = gzip(&text);
    let length = packed.len() as u64;
    let server = Server::start(move |_, peer| {
        while let Some(requested) = peer.request() {
            let (coding, body) = match requested.head.split(' ').nth(1).unwrap() {
                "/wrong" => ("br", &b"no brotli"[..]),
                "/odd" => ("compress", &packed[..]),
                _ => ("gzip", &packed[..]),
            };
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            peer.say(&[head.as_bytes(), body].concat());
        }
    });
    let limits = Limits { body_kept: 250_000, ..Limits::default() };
    for (limits, kept, truncated) in [(Limits::default(), 300_000, false), (limits, 250_000, true)]
    {
        let mut user = User::new(Settings { decompress: true, limits, ..Settings::default() });
        assert_eq!(user.get(&server).await.unwrap(), 200);
        assert!(user.response.body() == &text[..kept]);
        assert_eq!((user.response.received(), user.response.is_truncated()), (length, truncated));
        let last = server.requested().pop().unwrap();
        assert_eq!(value(&last.head, "Accept-Encoding"), Some("gzip, deflate, br, zstd"));
        // The request is the same if the body is not needed, so that the server's load is realistic, and the body is
        // not unpacked.
        user.count(&server).await.unwrap();
        let last = server.requested().pop().unwrap();
        assert_eq!(value(&last.head, "Accept-Encoding"), Some("gzip, deflate, br, zstd"));
        for (path, word) in [("/wrong", "not the br"), ("/odd", "'compress' is none of")] {
            user.request.begin("GET");
            user.request.set_target(path.as_bytes());
            let wanted = Wanted { body: true, ..Wanted::default() };
            let failure = user.ask(&server, wanted).await.unwrap_err();
            assert_eq!(failure.class(), Class::Protocol);
            assert!(failure.to_string().contains(word), "{failure}");
        }
        assert_eq!(user.network.counts().opened, 1);
    }
}

#[tokio::test]
async fn proxy_gets_absolute_urls_and_connect() {
    let proxy = Server::start(|_, peer| {
        while let Some(requested) = peer.request() {
            if requested.head.starts_with("CONNECT ") {
                peer.say(b"HTTP/1.1 403 Forbidden\r\n\r\n");
                return;
            }
            peer.say(OK.as_bytes());
        }
    });
    let url = format!("http://me:secret@{}", proxy.address());
    let mut through: brunt_http_driver::Proxy = url.parse().unwrap();
    through.except = "127.0.0.0/8".parse().unwrap();
    let settings = Settings { proxy: Some(through), ..Settings::default() };
    let mut user = User::new(settings);
    // Only the proxy's resolver knows that name.
    for url in ["http://far.invalid/a?b", "http://far.invalid:81/c"] {
        assert_eq!(ask_url(&mut user, url).await.unwrap(), 200);
    }
    let heads: Vec<_> = proxy.requested().into_iter().map(|requested| requested.head).collect();
    assert!(heads[0].starts_with("GET http://far.invalid/a?b HTTP/1.1\r\n"), "{}", heads[0]);
    assert!(heads[1].starts_with("GET http://far.invalid:81/c HTTP/1.1\r\n"), "{}", heads[1]);
    assert_eq!(value(&heads[0], "Host"), Some("far.invalid"));
    assert_eq!(value(&heads[0], "Proxy-Authorization"), Some("Basic bWU6c2VjcmV0"));
    let failure = ask_url(&mut user, "https://far.invalid/a").await.unwrap_err();
    assert_eq!((failure.class(), failure.code()), (Class::Connect, 403), "{failure}");
    let requested = proxy.requested().pop().unwrap().head;
    assert!(requested.starts_with("CONNECT far.invalid:443 HTTP/1.1\r\n"), "{requested}");
    // A server that is excepted from the proxy is reached directly, and does not receive the password.
    let near = Server::answering(OK.as_bytes());
    assert_eq!(user.get(&near).await.unwrap(), 200);
    let head = near.requested().pop().unwrap().head;
    assert!(head.starts_with("GET / HTTP/1.1\r\n") && !head.contains("Proxy-"), "{head}");
}

/// Prepares and sends a request for a whole URL.
async fn ask_url(user: &mut User, url: &str) -> Result<u16, Failure> {
    let clock = Monotonic::new();
    let mut watch = Watch::new(&clock, None);
    let (origin, path) = user.client.aim(url.as_bytes(), &mut watch).await?;
    user.request.begin("GET");
    user.request.set_target(&url.as_bytes()[path..]);
    user.client.ready(&origin, &mut watch).await?;
    let (wanted, response) = (Wanted::default(), &mut user.response);
    user.client.exchange(&origin, &mut user.request, wanted, response, &mut watch).await?;
    Ok(user.response.status())
}

#[tokio::test]
async fn unix_socket_replaces_every_address() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        use std::io::{BufRead, BufReader};
        let (stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let mut writer = stream;
        while let Some(Ok(line)) = lines.next() {
            if line.is_empty() {
                writer.write_all(OK.as_bytes()).unwrap();
            }
        }
    });
    let mut user = User::new(Settings { unix: Some(path), ..Settings::default() });
    for _ in 0..3 {
        assert_eq!(ask_url(&mut user, "http://whatever.invalid/x").await.unwrap(), 200);
    }
    assert_eq!(user.network.counts().opened, 1);
    let unix = Some(folder.path().join("missing"));
    let mut user = User::new(Settings { unix, ..Settings::default() });
    let failure = ask_url(&mut user, "http://whatever.invalid/x").await.unwrap_err();
    assert_eq!((failure.class(), failure.code()), (Class::Connect, 2), "{failure}");
}
