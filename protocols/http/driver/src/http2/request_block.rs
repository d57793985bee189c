//! The head of a request as the fields of HTTP/2.
//!
//! A request is rendered for HTTP/1.1 and converted here. Connection-specific fields are not sent (RFC 9113 section
//! 8.2.2). The result depends only on the request and its origin, so a request that is sent again unchanged is not
//! converted again.

use crate::failure::Failure;
use crate::request::Request;
use crate::request_spec::RequestSpec;
use brunt_http_wire::http2::{self as wire, RequestLine};

/// Appends the fields of a request.
pub(super) fn write(out: &mut Vec<u8>, spec: &RequestSpec<'_>) -> Result<(), Failure> {
    let request = spec.request;
    let authority = request.value("host").unwrap_or(spec.origin.authority());
    if !is_authority(authority) {
        return Err(Failure::Unsendable("its Host is no authority"));
    }
    let path = match request.target() {
        [] => &b"/"[..],
        target => target,
    };
    let secure = spec.origin.is_secure();
    wire::request_line(out, RequestLine { method: request.method(), secure, authority, path });
    for (name, value) in request.fields().chain(lines(spec.extra)) {
        if !is_of_connection(name, value) {
            wire::field(out, name, value.trim_ascii());
        }
    }
    if let Some(length) = length(request) {
        wire::length(out, length as u64);
    }
    Ok(())
}

/// Whether it is a host with or without a port (RFC 3986 section 3.2), without the name of a user.
fn is_authority(bytes: &[u8]) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:[]".contains(byte);
    !bytes.is_empty() && bytes.iter().all(allowed)
}

/// The value of `Content-Length`. A method that normally has a body sends 0 if there is none (RFC 9110 section 8.6).
fn length(request: &Request) -> Option<usize> {
    match request.body().bytes() {
        None if matches!(request.method(), b"POST" | b"PUT" | b"PATCH") => Some(0),
        body => body.map(<[u8]>::len),
    }
}

/// Whether a field is connection-specific, or is set by the client itself.
fn is_of_connection(name: &[u8], value: &[u8]) -> bool {
    const NAMES: [&str; 7] = [
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "proxy-connection",
        "transfer-encoding",
        "upgrade",
    ];
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        || name.eq_ignore_ascii_case(b"te") && !value.trim_ascii().eq_ignore_ascii_case(b"trailers")
}

/// The fields in lines of the HTTP/1.1 form.
fn lines(lines: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    lines.split(|byte| *byte == b'\n').filter_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        Some((&line[..colon], &line[colon + 1..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request_flags::RequestFlags;
    use crate::{Limits, Network, Origin, Settings, Wanted};
    use std::sync::Arc;

    fn origin(url: &str) -> Arc<Origin> {
        Network::new(Settings::default(), &brunt_net::Network::private())
            .unwrap()
            .origin(url)
            .unwrap()
    }

    fn request(method: &str, target: &str, fields: &[(&str, &str)], body: Option<&str>) -> Request {
        let mut request = Request::default();
        request.begin(method);
        request.set_target(target.as_bytes());
        for (name, value) in fields {
            request.add(name, value.as_bytes());
        }
        if let Some(body) = body {
            request.body_mut().extend_from_slice(body.as_bytes());
        }
        request
    }

    fn shown(url: &str, request: &Request, extra: &str) -> Result<String, Failure> {
        let (origin, limits) = (origin(url), Limits::default());
        let flags = RequestFlags::new(request).unwrap();
        let (origin, extra, wanted) = (&*origin, extra.as_bytes(), Wanted::default());
        let spec =
            RequestSpec { request, origin, flags, extra, last: false, wanted, limits: &limits };
        let mut block = Vec::new();
        write(&mut block, &spec)?;
        let mut text = Vec::new();
        let mut decoder = wire::FieldDecoder::default();
        decoder
            .decode(&block, &mut |name: &[u8], value: &[u8]| {
                text.extend_from_slice(&[name, b"=", value, b" "].concat());
            })
            .unwrap();
        Ok(String::from_utf8(text).unwrap().trim_end().to_owned())
    }

    #[test]
    fn request_head_is_converted() {
        let plain = "http://127.0.0.1:8080";
        let named = [("HOST", "other:1"), ("X-A", "1"), ("x-a", "2")];
        let cases = [
            (plain, request("GET", "/a", &[], None), "", "GET http 127.0.0.1:8080 /a"),
            (plain, request("GET", "?q", &[], None), "", "GET http 127.0.0.1:8080 /?q"),
            ("https://[::1]", request("GET", "/", &[], None), "", "GET https [::1] /"),
            (plain, request("OPTIONS", "*", &[], None), "", "OPTIONS http 127.0.0.1:8080 *"),
            (plain, request("GET", "/a", &named, None), "", "GET http other:1 /a x-a=1 x-a=2"),
            (
                plain,
                request("PUT", "/a", &[("X-A", "3")], Some("12345")),
                "",
                "PUT http 127.0.0.1:8080 /a x-a=3 content-length=5",
            ),
            (
                plain,
                request("PUT", "/a", &[], None),
                "",
                "PUT http 127.0.0.1:8080 /a content-length=0",
            ),
            (
                plain,
                request("GET", "/a", &[], None),
                "Cookie: a=b; c=d\r\n",
                "GET http 127.0.0.1:8080 /a cookie=a=b; c=d",
            ),
        ];
        for (url, request, extra, expected) in cases {
            let text = shown(url, &request, extra).unwrap();
            let line = [":method=", ":scheme=", ":authority=", ":path="];
            let text = line.iter().fold(text, |text, name| text.replacen(name, "", 1));
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn host_that_is_no_authority_is_never_sent() {
        for host in ["", "a b", "a/b", "me@a", "a\u{e9}"] {
            let request = request("GET", "/", &[("Host", host)], None);
            let failure = shown("http://127.0.0.1", &request, "").unwrap_err();
            assert!(failure.to_string().contains("no authority"), "{host}: {failure}");
        }
    }

    #[test]
    fn hop_by_hop_headers_are_removed() {
        let fields = [
            ("Connection", "keep-alive"),
            ("Keep-Alive", "1"),
            ("Transfer-Encoding", "chunked"),
            ("Upgrade", "h2c"),
            ("Content-Length", "99"),
            ("Proxy-Connection", "x"),
            ("TE", "gzip"),
            ("te", "trailers"),
            ("X", " padded "),
        ];
        let request = request("POST", "/", &fields, Some("abc"));
        let text = shown("http://127.0.0.1", &request, "").unwrap();
        let (_, fields) = text.split_once(":path=/ ").unwrap();
        assert_eq!(fields, "te=trailers x=padded content-length=3");
    }
}
