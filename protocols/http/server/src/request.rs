//! A request as it was received, for every version of HTTP.

use std::borrow::Cow;

use http::request::Parts;
use http::{HeaderMap, HeaderValue, header};

/// The most fields that are shown of a head; hyper refuses more.
const FIELDS: usize = 128;

/// The version of HTTP of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2.
    Http2,
}

impl Version {
    pub(super) const fn from_http(version: http::Version) -> Self {
        match version {
            http::Version::HTTP_2 => Self::Http2,
            http::Version::HTTP_10 => Self::Http10,
            _ => Self::Http11,
        }
    }

    /// The name of the version.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Http10 => "HTTP/1.0",
            Self::Http11 => "HTTP/1.1",
            Self::Http2 => "HTTP/2.0",
        }
    }
}

/// Why a request that hyper accepts is not valid here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Malformed {
    /// A coding other than chunked.
    #[error("no transfer coding but chunked is known")]
    Coding,
    /// The host is missing, which HTTP/1.1 requires.
    #[error("the request has no Host, or several")]
    Host,
    /// The body ends early or is not in valid chunks.
    #[error("the body is malformed")]
    Body,
}

impl Malformed {
    /// Fails if the fields of a request contradict RFC 9112.
    pub(super) fn check(parts: &Parts) -> Result<(), Self> {
        let mut codings = parts.headers.get_all(header::TRANSFER_ENCODING).iter();
        if !codings.all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked")) {
            return Err(Self::Coding);
        }
        let hosts = parts.headers.get_all(header::HOST).iter().count();
        if parts.version == http::Version::HTTP_11 && hosts != 1 {
            return Err(Self::Host);
        }
        Ok(())
    }

    /// The status of the answer.
    pub(super) const fn status(self) -> u16 {
        if matches!(self, Self::Coding) { 501 } else { 400 }
    }
}

/// The fields of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    map: &'a HeaderMap,
    /// The request line and the fields as they arrived, where they are shown.
    head: Option<&'a [u8]>,
}

impl<'a> Fields<'a> {
    pub(super) const fn new(map: &'a HeaderMap, head: Option<&'a [u8]>) -> Self {
        Self { map, head }
    }

    /// The first value under a name, ignoring case.
    pub(super) fn first(&self, name: &str) -> Option<&'a [u8]> {
        self.map.get(name).map(HeaderValue::as_bytes)
    }

    /// The first value under a name, if it is text.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        std::str::from_utf8(self.first(name)?).ok()
    }

    /// Every name and value: in the order and the case in which they arrived if these are known.
    pub(super) fn each(&self, mut take: impl FnMut(&[u8], &[u8])) {
        let mut fields = [httparse::EMPTY_HEADER; FIELDS];
        let mut request = httparse::Request::new(&mut fields);
        if self.head.is_some_and(|head| request.parse(head).is_ok_and(|it| it.is_complete())) {
            request.headers.iter().for_each(|field| take(field.name.as_bytes(), field.value));
        } else {
            self.map.iter().for_each(|(name, value)| take(name.as_ref(), value.as_bytes()));
        }
    }
}

/// The target of a request, not decoded.
pub(super) fn target(parts: &Parts) -> Cow<'_, str> {
    let path = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    // In HTTP/2 every target has a scheme.
    if parts.version == http::Version::HTTP_2 || parts.uri.scheme().is_none() {
        return Cow::Borrowed(path);
    }
    Cow::Owned(parts.uri.to_string())
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    /// The method, in the case it was sent in.
    pub(super) method: &'a str,
    /// The target, not decoded.
    pub(super) target: &'a str,
    /// Its version.
    pub(super) version: Version,
    /// The fields.
    pub(super) fields: Fields<'a>,
    /// The part of the body that was kept, without its transfer coding.
    pub(super) body: &'a [u8],
    /// How long the body was.
    pub(super) body_bytes: u64,
}

impl<'a> Request<'a> {
    /// The target up to the question mark, without scheme and authority.
    pub(super) fn path(&self) -> &'a str {
        let path = self.target.split('?').next().unwrap_or_default();
        match path.split_once("://") {
            Some((_, rest)) if !path.starts_with('/') => {
                rest.find('/').map_or("/", |slash| &rest[slash..])
            }
            _ => path,
        }
    }

    /// The target after the question mark.
    pub(super) fn query(&self) -> &'a str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_target_has_path_and_query() {
        let none = HeaderMap::new();
        for (uri, path, query) in [
            ("/", "/", ""),
            ("/a/b?c=/d?e", "/a/b", "c=/d?e"),
            ("http://host:1/a?b", "/a", "b"),
            ("http://host", "/", ""),
            ("/x?u=http://y", "/x", "u=http://y"),
            ("/http://y", "/http://y", ""),
            ("*", "*", ""),
        ] {
            let (parts, ()) = http::Request::builder().uri(uri).body(()).unwrap().into_parts();
            let request = Request {
                method: "GET",
                target: &target(&parts),
                version: Version::Http11,
                fields: Fields::new(&none, None),
                body: b"",
                body_bytes: 0,
            };
            assert_eq!((request.path(), request.query()), (path, query), "{uri}");
        }
    }

    #[test]
    fn headers_are_shown_as_received_if_known() {
        let mut map = HeaderMap::new();
        map.append("x-a", HeaderValue::from_static("1"));
        let shown = |head: Option<&[u8]>| {
            let mut shown = Vec::new();
            Fields::new(&map, head)
                .each(|name, value| shown.extend([name.to_vec(), value.to_vec()]));
            shown
        };
        assert_eq!(shown(None), [b"x-a", &b"1"[..]]);
        let head = b"GET / HTTP/1.1\r\nX-A: 1\r\nb:2\r\n\r\n";
        assert_eq!(shown(Some(head)), [b"X-A", &b"1"[..], b"b", b"2"]);
    }
}
