//! Cookies and packed bodies as any server may send them: what is kept is bounded, and breaks no later request.

use brunt_http_driver::cookies::{COOKIES_MAX, Jar, RequestScope};
use brunt_http_driver::encoding::{Unpacked, decode};

/// The most bytes that a body may unpack to here.
const LIMIT: usize = 100_000;

/// Panics if the decoder treats this input otherwise.
pub fn check(input: (bool, &[u8], Vec<&[u8]>, u8, &[u8])) {
    let (secure, target, cookies, coding, body) = input;
    let place = RequestScope { host: "a.example", secure, target };
    let mut jar = Jar::default();
    // The scan of a head lets none of these pass.
    let legal = |value: &&&[u8]| !value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
    for cookie in cookies.iter().filter(legal) {
        let _ = jar.absorb(place, cookie);
    }
    assert!(jar.len() <= COOKIES_MAX);
    let mut sent = Vec::new();
    let some = jar.fill(place, &mut sent);
    assert_eq!(some, !sent.is_empty());
    assert!(!sent.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)));

    let codings = [&b"gzip"[..], b"deflate", b"br", b"zstd"];
    // One coding, or one upon another.
    let (outer, inner) = (codings[usize::from(coding % 4)], codings[usize::from(coding / 4 % 4)]);
    let applied = if coding < 128 { vec![outer] } else { vec![inner, outer] };
    let mut out = Vec::new();
    for whole in [true, false] {
        let made = decode(applied.iter().copied(), body, whole, LIMIT, &mut out);
        assert!(out.len() <= LIMIT);
        assert!(whole || !matches!(made, Ok(Unpacked::Whole)));
    }
}
