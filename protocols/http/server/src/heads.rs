//! [`Heads`]: the request lines and fields of a connection as they arrived, which hyper does not keep.
//!
//! hyper gives names in lower case, and equal names together. The log and `/headers` show what a client sent, so the
//! bytes of heads are kept beside it until their request is answered. A head that was sent together with the end of a
//! chunked body is not found; its fields are then shown as hyper has them.

use http::header;
use http::request::Parts;

/// The first bytes of a client that uses HTTP/2 with prior knowledge (RFC 9113 section 3.4).
const PREFACE: &[u8] = b"PRI ";
/// What passes to the end of the connection, or of a body with no announced length.
const ALL: u64 = u64::MAX;

/// The bytes of heads that were not taken yet.
pub(super) struct Heads {
    bytes: Vec<u8>,
    /// How many bytes of a body come before the next head.
    skip: u64,
    /// Whether the connection is one of HTTP/2, where no bytes are kept.
    http2: bool,
    /// The most bytes that are kept.
    most: usize,
}

impl Heads {
    pub(super) const fn new(http2: bool, most: usize) -> Self {
        Self { bytes: Vec::new(), skip: 0, http2, most }
    }

    /// Adds bytes that were received. Returns whether they are of HTTP/1.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> bool {
        if self.http2 || (self.bytes.is_empty() && bytes.starts_with(PREFACE)) {
            self.http2 = true;
            return false;
        }
        let skipped = bytes.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
        if self.skip != ALL {
            self.skip -= skipped as u64;
        }
        // Of what is more than a head can have, nothing is shown.
        let room = self.most - self.bytes.len();
        let bytes = &bytes[skipped..];
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        true
    }

    /// Whether the connection is one of HTTP/1.
    pub(super) const fn are_kept(&self) -> bool {
        !self.http2
    }

    /// Removes the head of this request, and returns it if it is shown.
    pub(super) fn take(&mut self, parts: &Parts, shown: bool) -> Option<Vec<u8>> {
        let begins = self.bytes.starts_with(parts.method.as_str().as_bytes());
        let end = self.bytes.windows(4).position(|four| four == b"\r\n\r\n").filter(|_| begins);
        let end = end.map(|at| at + 4);
        let head = end.filter(|_| shown).map(|end| self.bytes[..end].to_vec());
        let length = parts.headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(0);
        let chunked = parts.headers.contains_key(header::TRANSFER_ENCODING);
        let body = if chunked { ALL } else { length };
        let after = self.bytes.len() - end.unwrap_or(self.bytes.len());
        let here = after.min(usize::try_from(body).unwrap_or(usize::MAX));
        self.skip = if chunked { ALL } else { body - here as u64 };
        // Where a head was not found, nothing that follows it can be.
        self.bytes.drain(..self.bytes.len() - (after - here));
        head
    }

    /// The body of the request whose head was taken has ended.
    pub(super) const fn body_ended(&mut self) {
        self.skip = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(method: &str, fields: &[(&str, &str)]) -> Parts {
        let mut request = http::Request::builder().method(method);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn heads_are_kept_verbatim_without_bodies() {
        let (post, get) =
            ("POST / HTTP/1.1\r\nX-A: b\r\n\r\n", "GET / HTTP/1.1\r\nHOST: c\r\n\r\n");
        let bytes = format!("{post}GET 7{get}{get}");
        for piece in [1, 3, 29, 31, 200] {
            let mut heads = Heads::new(false, 1000);
            let (mut taken, mut fed) = (Vec::new(), 0);
            let expected = [
                (post, parts("POST", &[("content-length", "5")])),
                (get, parts("GET", &[])),
                (get, parts("GET", &[])),
            ];
            // hyper reads until it has a head, and asks for it then.
            let ends = [post.len(), post.len() + 5 + get.len(), bytes.len()];
            for ((_, parts), end) in expected.iter().zip(ends) {
                while fed < end {
                    let next = bytes.len().min(fed + piece);
                    assert!(heads.feed(&bytes.as_bytes()[fed..next]));
                    fed = next;
                }
                taken.push(heads.take(parts, true).map(|head| String::from_utf8(head).unwrap()));
            }
            let expected = expected.map(|(head, _)| Some(head.to_owned()));
            assert_eq!(taken, expected, "in pieces of {piece}");
            assert!(heads.bytes.is_empty());
        }
    }

    #[test]
    fn heads_skip_chunked_bodies() {
        let mut heads = Heads::new(false, 1000);
        heads.feed(b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
        let chunked = parts("PUT", &[("transfer-encoding", "chunked")]);
        assert!(heads.take(&chunked, true).is_some_and(|head| head.ends_with(b"chunked\r\n\r\n")));
        heads.feed(b"0\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        heads.body_ended();
        assert_eq!(heads.take(&parts("GET", &[]), true), None);
        heads.feed(b"GET /2 HTTP/1.1\r\n\r\n");
        assert_eq!(heads.take(&parts("GET", &[]), true).unwrap(), b"GET /2 HTTP/1.1\r\n\r\n");
    }

    #[test]
    fn heads_are_limited_in_size() {
        let mut heads = Heads::new(false, 100);
        (0..50).for_each(|_| assert!(heads.feed(&[b'x'; 30])));
        assert_eq!(heads.bytes.len(), 100);
        assert_eq!(heads.take(&parts("GET", &[]), true), None);
        assert!(heads.bytes.is_empty());
        assert!(!Heads::new(false, 100).feed(b"PRI * HTTP/2.0\r\n"));
    }
}
