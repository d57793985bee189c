//! [`Heads`]: the heads of requests as h2 needs them, and those of answers as a [`Response`] keeps them.
//!
//! A request is rendered for HTTP/1.1 and converted here. Users of a connection often send the same fields repeatedly,
//! so the map that h2 needs is made once and copied until the fields change. Connection-specific fields are not sent
//! (RFC 9113 section 8.2.2).

use crate::failure::Failure;
use crate::request::Request;
use crate::request_spec::RequestSpec;
use crate::response::{Field, Response};
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use http::uri::{Authority, Parts, PathAndQuery, Scheme, Uri};
use http::{Method, Version};

/// The head that was made last, as far as the next can share it.
#[derive(Debug, Default)]
pub(super) struct Heads {
    last: Option<Last>,
}

#[derive(Debug)]
struct Last {
    /// The request without its body.
    request: Request,
    length: Option<usize>,
    extra: Vec<u8>,
    secure: bool,
    authority: Vec<u8>,
    method: Method,
    uri: Uri,
    fields: HeaderMap,
}

impl Heads {
    /// The head of a request.
    pub(super) fn of(&mut self, spec: &RequestSpec<'_>) -> Result<http::Request<()>, Failure> {
        let secure = spec.origin.is_secure();
        let authority = spec.request.value("host").unwrap_or(spec.origin.authority());
        let last = match self.last.take() {
            Some(last) if last.secure == secure && last.authority == authority => {
                last.update(spec)?
            }
            _ => Last::new(spec, secure, authority)?,
        };
        let mut head = http::Request::new(());
        head.method_mut().clone_from(&last.method);
        head.uri_mut().clone_from(&last.uri);
        head.headers_mut().clone_from(&last.fields);
        *head.version_mut() = Version::HTTP_2;
        self.last = Some(last);
        Ok(head)
    }
}

impl Last {
    fn new(spec: &RequestSpec<'_>, secure: bool, authority: &[u8]) -> Result<Self, Failure> {
        let mut request = Request::default();
        request.copy_head(spec.request);
        Ok(Self {
            request,
            length: length(spec.request),
            extra: spec.extra.to_vec(),
            secure,
            authority: authority.to_vec(),
            method: method(spec.request)?,
            uri: uri(spec.request, secure, authority)?,
            fields: fields(spec)?,
        })
    }

    /// Updates the parts that differ from the previous request.
    fn update(mut self, spec: &RequestSpec<'_>) -> Result<Self, Failure> {
        let (request, before) = (spec.request, &mut self.request);
        let length = length(request);
        let same_method = request.method() == before.method();
        let same_target = request.target() == before.target();
        let same_fields =
            request.has_fields_of(before) && length == self.length && spec.extra == self.extra;
        if same_method && same_target && same_fields {
            return Ok(self);
        }
        if !same_method {
            self.method = method(request)?;
        }
        if !same_target {
            self.uri = uri(request, self.secure, &self.authority)?;
        }
        if !same_fields {
            self.fields = fields(spec)?;
            self.length = length;
            self.extra.clear();
            self.extra.extend_from_slice(spec.extra);
        }
        before.copy_head(request);
        Ok(self)
    }
}

/// The value of `Content-Length`. A method that normally has a body sends 0 if there is none (RFC 9110 section 8.6).
fn length(request: &Request) -> Option<usize> {
    match request.body().bytes() {
        None if matches!(request.method(), b"POST" | b"PUT" | b"PATCH") => Some(0),
        body => body.map(<[u8]>::len),
    }
}

fn unsendable() -> Failure {
    Failure::Unsendable("HTTP/2 has no such request")
}

fn method(request: &Request) -> Result<Method, Failure> {
    Method::from_bytes(request.method()).map_err(|_| unsendable())
}

fn uri(request: &Request, secure: bool, authority: &[u8]) -> Result<Uri, Failure> {
    let target = match request.target() {
        [] => Bytes::from_static(b"/"),
        [b'?', ..] => [b"/", request.target()].concat().into(),
        target => Bytes::copy_from_slice(target),
    };
    let mut parts = Parts::default();
    parts.scheme = Some(if secure { Scheme::HTTPS } else { Scheme::HTTP });
    let refused = |_| Failure::Unsendable("its Host is no authority");
    parts.authority = Some(Authority::try_from(authority).map_err(refused)?);
    let refused =
        |_| Failure::Unsendable("its path holds a character that none may; percent-encode it");
    parts.path_and_query = Some(PathAndQuery::from_maybe_shared(target).map_err(refused)?);
    Uri::from_parts(parts).map_err(|_| unsendable())
}

fn fields(spec: &RequestSpec<'_>) -> Result<HeaderMap, Failure> {
    let request = spec.request;
    let mut map = HeaderMap::with_capacity(request.fields().count() + 2);
    for (name, value) in request.fields().chain(lines(spec.extra)) {
        if !is_of_connection(name, value) {
            let name = HeaderName::from_bytes(name).map_err(|_| unsendable())?;
            let value = HeaderValue::from_bytes(value.trim_ascii()).map_err(|_| unsendable())?;
            map.append(name, value);
        }
    }
    if let Some(length) = length(request) {
        map.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    Ok(map)
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

/// Keeps the fields of an answer.
pub(super) fn keep(fields: &HeaderMap, response: &mut Response) {
    let head = &mut response.head;
    for (name, value) in fields {
        let start = head.len();
        head.extend_from_slice(name.as_str().as_bytes());
        let middle = head.len();
        head.extend_from_slice(value.as_bytes());
        response.fields.push(Field { name: start..middle, value: middle..head.len() });
    }
}

/// The size of the fields of an answer as RFC 9113 section 6.5.2 counts it.
pub(super) fn size(fields: &HeaderMap) -> usize {
    const OVERHEAD: usize = 32;
    fields.iter().map(|(name, value)| name.as_str().len() + value.len() + OVERHEAD).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request_flags::RequestFlags;
    use crate::request_spec::RequestSpec;
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

    fn shown(heads: &mut Heads, origin: &Origin, request: &Request, extra: &[u8]) -> String {
        let limits = Limits::default();
        let flags = RequestFlags::new(request).unwrap();
        let wanted = Wanted::default();
        let spec =
            RequestSpec { request, origin, flags, extra, last: false, wanted, limits: &limits };
        let head = heads.of(&spec).unwrap();
        let mut text = format!("{} {}", head.method(), head.uri());
        for (name, value) in head.headers() {
            text.extend([" ", name.as_str(), "=", value.to_str().unwrap()]);
        }
        text
    }

    #[test]
    fn head_of_a_request_is_independent_of_earlier_ones() {
        let (plain, secured) = (origin("http://127.0.0.1:8080"), origin("https://127.0.0.1"));
        let bare = request("GET", "/a", &[], None);
        let query = request("GET", "?q", &[], None);
        let named = request("GET", "/a", &[("HOST", "other:1"), ("X-A", "1"), ("x-a", "2")], None);
        let other = request("GET", "/a", &[("X-A", "3")], None);
        let put = request("PUT", "/a", &[("X-A", "3")], Some("12345"));
        let empty = request("PUT", "/a", &[("X-A", "3")], None);
        let cases = [
            (&plain, &bare, "", "GET http://127.0.0.1:8080/a"),
            (&plain, &query, "", "GET http://127.0.0.1:8080/?q"),
            (&secured, &bare, "", "GET https://127.0.0.1/a"),
            (&plain, &named, "", "GET http://other:1/a x-a=1 x-a=2"),
            (&plain, &other, "", "GET http://127.0.0.1:8080/a x-a=3"),
            (&plain, &put, "", "PUT http://127.0.0.1:8080/a x-a=3 content-length=5"),
            (&plain, &empty, "", "PUT http://127.0.0.1:8080/a x-a=3 content-length=0"),
            (&plain, &bare, "Cookie: a=b; c=d\r\n", "GET http://127.0.0.1:8080/a cookie=a=b; c=d"),
        ];
        let mut heads = Heads::default();
        for (before, first, extra, _) in cases {
            for (origin, request, after, expected) in cases {
                shown(&mut heads, before, first, extra.as_bytes());
                let text = shown(&mut heads, origin, request, after.as_bytes());
                assert_eq!(text, expected);
            }
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
        let text = shown(
            &mut Heads::default(),
            &origin("http://127.0.0.1"),
            &request("POST", "/", &fields, Some("abc")),
            b"",
        );
        assert_eq!(text, "POST http://127.0.0.1/ te=trailers x=padded content-length=3");
    }

    #[test]
    fn answer_keeps_every_value_of_a_header() {
        let mut map = HeaderMap::new();
        map.append("set-cookie", HeaderValue::from_static("a=1"));
        map.append("x", HeaderValue::from_static("y"));
        map.append("set-cookie", HeaderValue::from_static("b=2"));
        let mut response = Response::default();
        keep(&map, &mut response);
        let cookies: Vec<_> = response.values("Set-Cookie").collect();
        assert_eq!((cookies, response.fields().count()), (vec![&b"a=1"[..], b"b=2"], 3));
    }
}
