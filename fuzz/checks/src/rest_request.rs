//! What the embedded identity API reads as requests: the same however the bytes come, and never more kept than allowed.

use std::fmt::Write as _;

use brunt_http_server::{Limits, Progress, Reader};

const LIMITS: Limits = Limits { head: 600, body_kept: 50 };

/// Panics if the decoder treats this input otherwise.
pub fn check(input: (u8, &[u8])) {
    let (piece, bytes) = input;
    let (whole, pieces) = (read(bytes, usize::MAX), read(bytes, usize::from(piece)));
    // Where a head is too long, how much of it came at once decides how it is refused.
    if whole.1 == pieces.1 {
        assert_eq!(whole.0, pieces.0);
    } else {
        assert!(whole.1.is_some() && pieces.1.is_some(), "{whole:?} {pieces:?}");
    }
}

/// What is read of bytes that come in pieces of one size, up to what is no request.
fn read(bytes: &[u8], piece: usize) -> (Vec<String>, Option<String>) {
    let mut reader = Reader::new(LIMITS);
    let mut seen = Vec::new();
    for piece in bytes.chunks(piece.max(1)) {
        reader.feed(piece);
        loop {
            match reader.advance() {
                Ok(Progress::Request) => {}
                Ok(Progress::More { .. }) => break,
                Err(malformed) => {
                    assert!((400..600).contains(&malformed.status()));
                    return (seen, Some(malformed.to_string()));
                }
            }
            let request = reader.request().expect("it is complete");
            assert!(request.body.len() <= LIMITS.body_kept);
            assert!(request.body.len() as u64 <= request.body_bytes);
            assert!(request.path().len() + request.query().len() <= request.target.len());
            let mut text = String::new();
            request.fields.each(|name, value| {
                write!(text, "{name:?}{value:?}").expect("memory has room");
            });
            let host = request.fields.first("host").is_some();
            assert!(host || request.version == brunt_http_server::Version::Http10);
            seen.push(format!(
                "{} {} {:?} {text} {:?} {} {}",
                request.method,
                request.target,
                request.version,
                request.body,
                request.body_bytes,
                request.keep_alive
            ));
            reader.finish();
        }
    }
    (seen, None)
}
