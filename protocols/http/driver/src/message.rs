//! A request in the form of HTTP/1.1: which of its fields matter to the connection, and the head that is sent.
//!
//! The client itself sets the length of the body, as a wrong one would break the connection; the plan sets everything
//! else.

use super::failure::Failure;
use super::origin::Origin;
use super::request::Request;
use super::request_flags::{CHUNKED, CLOSE, CONNECTION, EXPECTS, HEAD, HOST, RequestFlags};
use brunt_http_wire as wire;

/// A body up to this size is sent in one write with its head.
const INLINE: usize = 16 * 1024;
/// The end of a body that is sent as one chunk.
const LAST_CHUNK: &[u8] = b"\r\n0\r\n\r\n";

/// The bytes to be sent after those that are sent together with the head.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trailing<'a> {
    pub(super) body: &'a [u8],
    pub(super) last: &'static [u8],
}

impl Trailing<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.body.is_empty() && self.last.is_empty()
    }

    /// The bytes to be sent next.
    pub(super) fn next(&self) -> &[u8] {
        if self.body.is_empty() { self.last } else { self.body }
    }

    /// Records that `count` bytes of it were sent.
    pub(super) fn advance(&mut self, count: usize) {
        if self.body.is_empty() {
            self.last = self.last.get(count..).unwrap_or_default();
        } else {
            self.body = self.body.get(count..).unwrap_or_default();
        }
    }
}

impl Request {
    /// How it is sent, if it can be.
    pub(super) fn flags(&self) -> Result<RequestFlags, Failure> {
        let known = self.cache().borrow().flags();
        if let Some(flags) = known {
            return Ok(flags);
        }
        let flags = RequestFlags::new(self)?;
        self.cache().borrow_mut().examined(flags);
        Ok(flags)
    }
}

impl RequestFlags {
    /// Checks every part of a request: whether it can be sent, and how.
    pub(super) fn new(request: &Request) -> Result<Self, Failure> {
        if !wire::is_method(request.method()) {
            return Err(Failure::Unsendable("its method is not one word of letters"));
        }
        if let Some(byte) = wire::illegal_in_target(request.target()) {
            let path = brunt_redact::url(&String::from_utf8_lossy(request.target()));
            return Err(super::UrlError::Byte { path, byte }.into());
        }
        let mut flags = Self(if request.method() == b"HEAD" { HEAD } else { 0 });
        for (name, value) in request.fields() {
            if !wire::is_field_name(name) {
                return Err(Failure::Unsendable(
                    "the name of a field holds a character that none may",
                ));
            }
            if !wire::is_field_value(value) {
                return Err(Failure::Unsendable(
                    "the value of a field holds a control character, such as the end of a line",
                ));
            }
            flags.read(name, value)?;
        }
        if request.body().bytes().is_none_or(<[u8]>::is_empty) {
            flags.0 &= !EXPECTS;
        }
        Ok(flags)
    }

    fn read(&mut self, name: &[u8], value: &[u8]) -> Result<(), Failure> {
        let value = value.trim_ascii();
        match name.len() {
            4 if name.eq_ignore_ascii_case(b"host") => self.0 |= HOST,
            6 if name.eq_ignore_ascii_case(b"expect")
                && value.eq_ignore_ascii_case(b"100-continue") =>
            {
                self.0 |= EXPECTS;
            }
            10 if name.eq_ignore_ascii_case(b"connection") => {
                self.0 |= CONNECTION;
                let mut options = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
                if options.any(|option| option.eq_ignore_ascii_case(b"close")) {
                    self.0 |= CLOSE;
                }
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                if !value.eq_ignore_ascii_case(b"chunked") {
                    return Err(Failure::Unsendable("its Transfer-Encoding is not chunked"));
                }
                self.0 |= CHUNKED;
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes the head, and the body as well if it is small; returns what is left. `extra` consists of complete lines
    /// of fields that the client adds.
    pub(super) fn write<'a>(
        self,
        out: &mut Vec<u8>,
        request: &'a Request,
        origin: &Origin,
        close: bool,
        extra: &[u8],
    ) -> Trailing<'a> {
        match origin.relay() {
            None => wire::request_line(out, request.method(), b"", request.target()),
            Some(gateway) => {
                // The absolute URL, which has no path for `*` (RFC 9112 section 3.2.4).
                let target = if request.target() == b"*" { b"" } else { request.target() };
                wire::request_line(out, request.method(), origin.prefix().as_bytes(), target);
                if let Some(authorization) = gateway.authorization() {
                    wire::field(out, b"Proxy-Authorization", authorization);
                }
            }
        }
        if !self.has(HOST) {
            wire::field(out, b"Host", origin.authority());
        }
        for (name, value) in request.fields() {
            let is_length = name.len() == 14 && name.eq_ignore_ascii_case(b"content-length");
            if !is_length {
                wire::field(out, name, value);
            }
        }
        if close && !self.has(CONNECTION) {
            out.extend_from_slice(b"Connection: close\r\n");
        }
        out.extend_from_slice(extra);
        let body = request.body().bytes();
        let mut last: &[u8] = b"";
        match body {
            _ if self.has(CHUNKED) => last = LAST_CHUNK,
            Some(body) => wire::length(out, body.len() as u64),
            // A method that normally has a body sends a length of 0 if there is none (RFC 9110 section 8.6).
            None if matches!(request.method(), b"POST" | b"PUT" | b"PATCH") => wire::length(out, 0),
            None => {}
        }
        wire::finish(out);
        let body = body.unwrap_or_default();
        if self.has(CHUNKED) && body.is_empty() {
            last = b"0\r\n\r\n";
        } else if self.has(CHUNKED) {
            wire::chunk_size(out, body.len() as u64);
        }
        if body.len() > INLINE || self.expects() {
            return Trailing { body, last };
        }
        out.extend_from_slice(body);
        out.extend_from_slice(last);
        Trailing::default()
    }
}

/// Whether a request may be sent again automatically (RFC 9110 section 9.2.2).
pub(super) fn is_idempotent(method: &[u8]) -> bool {
    matches!(method, b"GET" | b"HEAD" | b"PUT" | b"DELETE" | b"OPTIONS" | b"TRACE")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Network, Settings};

    fn request(
        method: &str,
        target: &str,
        fields: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Request {
        let mut request = Request::default();
        request.begin(method);
        request.set_target(target.as_bytes());
        for (name, value) in fields {
            request.add(name, value.as_bytes());
        }
        if let Some(body) = body {
            request.body_mut().extend_from_slice(body);
        }
        request
    }

    fn written(request: &Request, close: bool) -> String {
        let network = Network::new(Settings::default(), &brunt_net::Network::private()).unwrap();
        let origin = network.origin("http://127.0.0.1:8080").unwrap();
        let mut out = Vec::new();
        let trailing =
            RequestFlags::new(request).unwrap().write(&mut out, request, &origin, close, b"");
        out.extend_from_slice(trailing.body);
        out.extend_from_slice(trailing.last);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn missing_headers_are_added() {
        let bare = written(&request("GET", "/a", &[], None), false);
        assert_eq!(bare, "GET /a HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n");
        let own = [("host", "other"), ("Content-Length", "99"), ("Connection", "x")];
        let own = written(&request("POST", "/a", &own, Some(b"abc")), true);
        assert_eq!(
            own,
            "POST /a HTTP/1.1\r\nhost: other\r\nConnection: x\r\nContent-Length: 3\r\n\r\nabc"
        );
        assert!(
            written(&request("GET", "/", &[], None), true).contains("\r\nConnection: close\r\n")
        );
        for (method, has_length) in
            [("POST", true), ("PATCH", true), ("GET", false), ("DELETE", false)]
        {
            let text = written(&request(method, "/", &[], None), false);
            assert_eq!(text.contains("Content-Length: 0\r\n"), has_length, "{method}");
        }
    }

    #[test]
    fn chunked_body_is_one_chunk() {
        let chunked = [("Transfer-Encoding", "chunked")];
        for size in [0, 1, 10, INLINE, INLINE + 1, 100_000] {
            let body = vec![b'x'; size];
            let text = written(&request("PUT", "/", &chunked, Some(&body)), false);
            let (head, rest) = text.split_once("\r\n\r\n").unwrap();
            assert!(!head.contains("Content-Length"), "{head}");
            let answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            let answer = wire::scan(answer, wire::RequestKind::Any, 9, |_, _| {}).unwrap().unwrap();
            let mut framing = answer.framing;
            let mut found = 0;
            let taken = framing.take(rest.as_bytes(), |data| found += data.len()).unwrap();
            assert_eq!((found, taken.used, taken.ended), (size, rest.len(), true));
        }
    }

    #[test]
    fn invalid_characters_are_never_sent() {
        for (wrong, word) in [
            (request("GET ", "/", &[], None), "method"),
            (request("GET", "/a b", &[], None), "0x20"),
            (request("GET", "/ä", &[], None), "0xc3"),
            (request("GET", "/\r\nX: y", &[], None), "0x0d"),
            (request("GET", "/", &[("X", "a\r\nY: b")], None), "end of a line"),
            (request("GET", "/", &[("X:", "a")], None), "name of a field"),
            (request("GET", "/", &[("Transfer-Encoding", "gzip")], None), "chunked"),
        ] {
            let words = RequestFlags::new(&wrong).unwrap_err().to_string();
            assert!(words.contains(word), "{words}");
        }
    }

    #[test]
    fn headers_are_case_insensitive() {
        let fields = [("EXPECT", "100-Continue"), ("connection", "TE, Close")];
        let flags = RequestFlags::new(&request("PUT", "/", &fields, Some(b"x"))).unwrap();
        assert!(flags.closes() && flags.expects());
        let flags = RequestFlags::new(&request("PUT", "/", &fields, None)).unwrap();
        assert!(!flags.expects(), "there is nothing to wait with");
        assert!(is_idempotent(b"PUT") && !is_idempotent(b"POST") && !is_idempotent(b"PATCH"));
    }
}
