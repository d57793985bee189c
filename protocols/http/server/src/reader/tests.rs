//! Requests whole, in pieces, and invalid ones.

use super::*;

const LIMITS: Limits = Limits { head: 1000, body_kept: 20 };

/// The requests that are read from a connection's bytes, fed in pieces of one size.
fn read(bytes: &[u8], piece: usize) -> Result<Vec<String>, Malformed> {
    let mut reader = Reader::new(LIMITS);
    let mut seen = Vec::new();
    for piece in bytes.chunks(piece) {
        reader.feed(piece);
        while reader.advance()? == Progress::Request {
            let request = reader.request().expect("it is complete");
            let mut fields = String::new();
            request.fields.each(|name, value| {
                fields.extend([
                    " ",
                    &String::from_utf8_lossy(name),
                    "=",
                    &String::from_utf8_lossy(value),
                ]);
            });
            seen.push(format!(
                "{} {} {}{fields} [{}]{}{}",
                request.method,
                request.target,
                request.version.name(),
                String::from_utf8_lossy(request.body),
                request.body_bytes,
                if request.keep_alive { "" } else { " close" }
            ));
            reader.finish();
        }
    }
    assert!(reader.rest().is_empty() || seen.is_empty(), "{:?}", reader.rest());
    Ok(seen)
}

#[test]
fn requests_are_read_however_they_come() {
    let bytes = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n\
        POST /x?y=1 HTTP/1.1\r\nhost: b\r\nContent-Length: 5\r\n\r\nhello\
        PUT /c HTTP/1.1\r\nHost: c\r\nTransfer-Encoding: chunked\r\n\r\n\
        4;a=b\r\nwiki\r\n00C\r\npedia in chu\r\nA\r\n1234567890\r\n0\r\nX: y\r\nZ: \r\n\r\n\
        PATCH * HTTP/1.0\r\nConnection: keep-alive\r\n\r\n\
        HEAD http://h/p HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n";
    let whole = read(bytes, usize::MAX).unwrap();
    assert_eq!(
        whole,
        [
            "GET / HTTP/1.1 Host=a []0",
            "POST /x?y=1 HTTP/1.1 host=b Content-Length=5 [hello]5",
            "PUT /c HTTP/1.1 Host=c Transfer-Encoding=chunked [wikipedia in chu1234]26",
            "PATCH * HTTP/1.0 Connection=keep-alive []0",
            "HEAD http://h/p HTTP/1.1 Host=d Connection=close []0 close",
        ]
    );
    for piece in [1, 2, 3, 7, 50] {
        assert_eq!(read(bytes, piece).unwrap(), whole, "in pieces of {piece}");
    }
}

#[test]
fn who_waits_to_be_told_to_go_on_is_told_once() {
    let mut reader = Reader::new(LIMITS);
    reader.feed(b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    assert_eq!(reader.advance(), Ok(Progress::More { go_on: true }));
    assert_eq!(reader.advance(), Ok(Progress::More { go_on: false }));
    assert!(reader.request().is_none());
    reader.feed(b"body");
    assert_eq!(reader.advance(), Ok(Progress::Request));
    assert_eq!(reader.request().unwrap().body, b"body");
    reader.finish();
    // A client that sends the body without waiting need not receive the interim response.
    reader.feed(
        b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody",
    );
    assert_eq!(reader.advance(), Ok(Progress::Request));
}

#[test]
fn what_is_no_request_is_refused_with_its_status() {
    let long = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", "a".repeat(1000));
    let endless = format!("GET / HTTP/1.1\r\nHost: {}", "a".repeat(1000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(129));
    let extension = format!(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;{}",
        "x".repeat(1001)
    );
    for (bytes, status, words) in [
        ("nonsense\r\n\r\n", 400, "malformed"),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400, "malformed"),
        ("GET / HTTP/1.1\r\n\r\n", 400, "no Host"),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "or several"),
        ("GET / HTTP/3.1\r\nHost: a\r\n\r\n", 505, "version"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400, "no number"),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
            400,
            "twice",
        ),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            400,
            "chunked where it cannot be",
        ),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "cannot be"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "chunked"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400, "no size"),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\nx",
            400,
            "end as it should",
        ),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy",
            400,
            "longer than it says",
        ),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n12345678123456780\r\n",
            400,
            "too large",
        ),
        (&long, 431, "longer than the server takes"),
        (&endless, 431, "longer than the server takes"),
        (&many, 431, "more fields"),
        (&extension, 400, "too long"),
    ] {
        let error = read(bytes.as_bytes(), usize::MAX).unwrap_err();
        assert_eq!(error.status(), status, "{bytes}: {error}");
        assert!(error.to_string().contains(words), "{bytes}: {error}");
    }
}

#[test]
fn an_upload_costs_what_is_kept_of_it() {
    let mut reader = Reader::new(LIMITS);
    reader.feed(b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n");
    for _ in 0..1000 {
        assert_eq!(reader.advance(), Ok(Progress::More { go_on: false }));
        reader.feed(&[b'x'; 10_000]);
        assert!(reader.input.capacity() < 100_000 && reader.body.capacity() < 1000);
    }
    assert_eq!(reader.advance(), Ok(Progress::Request));
    let request = reader.request().unwrap();
    assert_eq!((request.body, request.body_bytes), (&[b'x'; 20][..], 10_000_000));
}

#[test]
fn the_target_has_a_path_and_a_query() {
    for (target, path, query) in [
        ("/", "/", ""),
        ("/a/b?c=/d?e", "/a/b", "c=/d?e"),
        ("http://host:1/a?b", "/a", "b"),
        ("http://host", "/", ""),
        ("/x?u=http://y", "/x", "u=http://y"),
        ("/http://y", "/http://y", ""),
        ("*", "*", ""),
    ] {
        let mut reader = Reader::new(LIMITS);
        reader.feed(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        assert_eq!(reader.advance(), Ok(Progress::Request));
        let request = reader.request().unwrap();
        assert_eq!((request.path(), request.query()), (path, query), "{target}");
    }
}
