//! Fills a jar and sends what is in it: the first line is the place of the requests, each other one a cookie.

use brunt_http_driver::cookies::{COOKIE_MAX, COOKIES_MAX, Jar, RequestScope};

/// Panics if the jar treats this input otherwise.
pub fn check(input: &[u8]) {
    let mut lines = input.split(|byte| *byte == b'\n');
    let place = lines.next().unwrap_or_default();
    let at = place.iter().position(|byte| *byte == b'/').unwrap_or(place.len());
    let (host, target) = (String::from_utf8_lossy(&place[..at]).to_lowercase(), &place[at..]);
    let mut jar = Jar::default();
    for (number, line) in lines.enumerate() {
        let from = RequestScope { host: &host, secure: number % 2 == 0, target };
        let before = jar.len();
        if jar.absorb(from, line).is_err() {
            assert_eq!(jar.len(), before, "what is refused changes nothing");
        }
        assert!(jar.len() <= COOKIES_MAX);
    }
    for secure in [false, true] {
        for target in [target, b"/", b"/a/b?c", b""] {
            let mut out = Vec::new();
            let some = jar.fill(RequestScope { host: &host, secure, target }, &mut out);
            assert_eq!(some, !out.is_empty());
            assert!(out.len() <= COOKIES_MAX * (COOKIE_MAX + 2));
            // A server cannot have a client send a field of its own.
            assert!(!out.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)), "{out:?}");
        }
    }
    // A cookie for a host goes to no other.
    let mut out = Vec::new();
    let other = RequestScope { host: "other.invalid", secure: true, target: b"/" };
    assert!(host.ends_with("invalid") || !jar.fill(other, &mut out), "{out:?}");
}
