//! Tests of the server as tabs see it: over sockets.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use brunt_exchange::{Clock as _, Moment, Monotonic};

use super::*;

const SPAWN: Spawn<'static> = &|act| Ok(std::thread::spawn(act));
const PAGE: &str = "<!doctype html><title>A page</title>";

fn server() -> Server {
    Server::start("".parse().unwrap(), PAGE.to_owned(), SPAWN).unwrap()
}

/// The address of a server, and the path of its page.
fn split(server: &Server) -> (SocketAddr, &str) {
    let rest = server.address().strip_prefix("http://").unwrap();
    let (at, _) = rest.split_once('/').unwrap();
    (at.parse().unwrap(), &rest[at.len()..])
}

fn send(at: SocketAddr, path: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n\r\n").unwrap();
    stream
}

/// The whole answer.
fn ask(at: SocketAddr, path: &str, headers: &str) -> String {
    let mut answer = String::new();
    send(at, path, headers).read_to_string(&mut answer).unwrap();
    answer
}

/// A tab that reads.
struct Reader(BufReader<TcpStream>);

impl Reader {
    fn open(server: &Server, last: &str) -> Self {
        let (at, page) = split(server);
        let headers = format!("Host: {at}\r\nLast-Event-ID: {last}");
        let mut reader = Self(BufReader::new(send(at, &format!("{page}events"), &headers)));
        let status = reader.line();
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        reader
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The events until that of this name, as `name data`.
    fn until(&mut self, name: &str) -> Vec<String> {
        let mut events = Vec::new();
        let mut event = String::new();
        loop {
            let line = self.line();
            if let Some(name) = line.strip_prefix("event: ") {
                name.clone_into(&mut event);
            } else if let Some(data) = line.strip_prefix("data:") {
                // Rows arrive together, as many as there were.
                match data.trim().strip_prefix('[').and_then(|rows| rows.strip_suffix(']')) {
                    Some(rows) if event == "rows" => {
                        events.extend(rows.split(',').map(|row| format!("row {row}")));
                    }
                    _ => events.push(format!("{event}{data}")),
                }
                if event == name {
                    return events;
                }
            }
        }
    }
}

#[test]
fn page_requires_its_secret_address() {
    let server = server();
    let (at, page) = split(&server);
    let own = format!("Host: {at}");
    let seen = ask(at, page, &own);
    assert!(seen.starts_with("HTTP/1.1 200") && seen.ends_with(PAGE), "{seen}");
    for header in [
        "content-security-policy: default-src 'none';",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "content-type: text/html; charset=utf-8",
    ] {
        assert!(seen.contains(header), "{header}: {seen}");
    }
    let bare = ask(at, page.trim_end_matches('/'), &own);
    assert!(
        bare.starts_with("HTTP/1.1 308") && bare.contains(&format!("location: {page}")),
        "{bare}"
    );
    assert!(ask(at, "/favicon.ico", &own).starts_with("HTTP/1.1 204"));
    let long = "a".repeat(5_000);
    for path in
        ["/", "/events", "/0123456789abcdef0123456789abcdef/", "//", &format!("/{long}/events")]
    {
        let refused = ask(at, path, &own);
        assert!(
            refused.starts_with("HTTP/1.1 403") && refused.contains("needs the whole address"),
            "{refused}"
        );
        assert!(!refused.contains(page.trim_matches('/')), "the token is given away: {refused}");
    }
    for host in ["Host: evil.example", "Host: evil.example:80", "Host:", "Accept: */*"] {
        let refused = ask(at, page, host);
        assert!(refused.starts_with("HTTP/1.1 40") && !refused.contains(PAGE), "{host}: {refused}");
    }
    let other = ask(at, page, &format!("{own}\r\nOrigin: http://evil.example"));
    assert!(!other.to_lowercase().contains("access-control"), "{other}");
    assert!(ask(at, &format!("{page}secret"), &own).starts_with("HTTP/1.1 404"));
}

#[test]
fn tabs_receive_the_whole_run_whenever_they_connect() {
    let server = server();
    server.show("\"v1\"");
    let mut early = Reader::open(&server, "");
    assert_eq!(early.until("view"), ["view \"v1\""]);
    server.append("1");
    server.append("2");
    server.report("{}");
    let received = early.until("sections");
    assert_eq!(received, ["row 1", "row 2", "sections {}"]);
    let mut late = Reader::open(&server, "");
    assert_eq!(late.until("sections"), ["view \"v1\"", "row 1", "row 2", "sections {}"]);
    drop(early);
    // A tab that was away, and has received the first row.
    let mut back = Reader::open(&server, "1.2");
    assert_eq!(back.until("sections"), ["row 2", "sections {}"]);
    server.show("\"whole\"");
    let end = std::thread::spawn(move || drop(server));
    for tab in [&mut late, &mut back] {
        assert_eq!(tab.until("end"), ["view \"whole\"", "end"]);
    }
    end.join().unwrap();
    let mut rest = String::new();
    late.0.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("event"), "{rest}");
}

#[test]
fn address_in_use_is_reported() {
    let first = server();
    let (at, _) = split(&first);
    let why = Server::start(WebAddress(at), String::new(), SPAWN).err().unwrap().to_string();
    assert!(why.contains(&at.to_string()) && why.contains("--web=ADDR"), "{why}");
}

/// Memory of this process that is its own, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

#[test]
fn tabs_that_never_read_block_nothing() {
    const ROWS: usize = 20_000;
    let server = server();
    let (at, page) = split(&server);
    server.show("[]");
    let path = format!("{page}events");
    let stuck: Vec<TcpStream> = (0..25).map(|_| send(at, &path, &format!("Host: {at}"))).collect();
    let readers: Vec<Reader> = (0..25).map(|_| Reader::open(&server, "")).collect();
    let readers: Vec<_> = readers
        .into_iter()
        .map(|mut reader| {
            std::thread::spawn(move || {
                // Nothing is kept, since memory is measured.
                std::iter::repeat_with(|| reader.line()).position(|line| line == "event: end")
            })
        })
        .collect();
    let (before, clock) = (resident(), Monotonic::new());
    let mut slowest = Duration::ZERO;
    let row = format!("\"{}\"", "x".repeat(1_000));
    let began = clock.now();
    for number in 0..ROWS {
        let requested = clock.now();
        // As a run does before there are too many rows.
        if number % 1_000 == 999 {
            server.show(&row);
        } else {
            server.append(&row);
        }
        slowest = slowest.max(clock.now() - requested);
    }
    let (lasted, grown) = (clock.now() - began, resident().saturating_sub(before));
    // Twenty million bytes went by every tab; kept for those that read nothing, they would be 500 million.
    assert!(grown < 256 << 20, "{grown} bytes");
    // Waiting for one of the tabs that read nothing would take minutes.
    assert!(lasted < Duration::from_secs(30), "{lasted:?} for {ROWS} rows");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    let requested: Moment = clock.now();
    drop(server);
    let waited = clock.now() - requested;
    assert!(waited < serve::GOODBYE_MAX + Duration::from_secs(1), "{waited:?}");
    for reader in readers {
        assert!(reader.join().unwrap().is_some_and(|lines| lines > 0));
    }
    drop(stuck);
}

#[test]
fn tabs_above_the_limit_get_503() {
    let server = server();
    let (at, page) = split(&server);
    let tabs: Vec<Reader> = (0..tabs::TABS_MAX).map(|_| Reader::open(&server, "")).collect();
    let refused = ask(at, &format!("{page}events"), &format!("Host: {at}"));
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("Too many tabs"), "{refused}");
    drop(tabs);
}

#[test]
fn token_must_match_entirely() {
    let (token, other) = (Token::new().unwrap(), Token::new().unwrap());
    let text = token.to_string();
    assert!(token.is(&text) && text.len() == 32 && text.bytes().all(|it| it.is_ascii_hexdigit()));
    for wrong in
        ["", &text[1..], &format!("{text}0"), &other.to_string(), &text.to_uppercase()[..31]]
    {
        assert!(!token.is(wrong), "{wrong}");
    }
}
