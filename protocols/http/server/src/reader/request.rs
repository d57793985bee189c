//! A request as it was received, for every version of HTTP.
//!
//! It borrows everything: for HTTP/1, from the input buffer; for HTTP/2, from the decoded fields.

/// A range of the bytes of a head.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    begin: u32,
    end: u32,
}

impl Span {
    /// The position of a part in the whole.
    pub(super) fn of(part: &[u8], whole: &[u8]) -> Self {
        let begin = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
        let (begin, end) = (begin as u32, (begin + part.len()) as u32);
        Self { begin, end }
    }

    fn cut(self, whole: &[u8]) -> &[u8] {
        whole.get(self.begin as usize..self.end as usize).unwrap_or_default()
    }
}

/// The request line, and the properties of the request as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    method: Span,
    target: Span,
    /// The second number of the version.
    pub(super) minor: u8,
    /// How long the head is.
    pub(super) length: u32,
    pub(super) keep_alive: bool,
}

impl Line {
    pub(super) fn new(request: &httparse::Request<'_, '_>, input: &[u8], length: usize) -> Self {
        let span = |text: Option<&str>| Span::of(text.unwrap_or_default().as_bytes(), input);
        Self {
            method: span(request.method),
            target: span(request.path),
            minor: request.version.unwrap_or(1),
            length: length as u32,
            keep_alive: false,
        }
    }
}

/// The version of HTTP of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2.
    Http2,
}

impl Version {
    /// The name of the version.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http10 => "HTTP/1.0",
            Self::Http11 => "HTTP/1.1",
            Self::Http2 => "HTTP/2.0",
        }
    }
}

/// The fields of a request, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(Source<'a>);

#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    Bytes { head: &'a [u8], spans: &'a [[Span; 2]] },
    Map(&'a http::HeaderMap),
}

impl<'a> Fields<'a> {
    /// Fields that were decoded.
    pub(crate) const fn of(map: &'a http::HeaderMap) -> Self {
        Self(Source::Map(map))
    }

    /// The first value under a name, ignoring case.
    pub fn first(&self, name: &str) -> Option<&'a [u8]> {
        match self.0 {
            Source::Bytes { head, spans } => spans
                .iter()
                .find(|[field, _]| field.cut(head).eq_ignore_ascii_case(name.as_bytes()))
                .map(|[_, value]| value.cut(head)),
            Source::Map(map) => map.get(name).map(http::HeaderValue::as_bytes),
        }
    }

    /// The first value under a name, if it is text.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        std::str::from_utf8(self.first(name)?).ok()
    }

    /// Every name and value.
    pub fn each(&self, mut take: impl FnMut(&'a [u8], &'a [u8])) {
        match self.0 {
            Source::Bytes { head, spans } => {
                for [name, value] in spans {
                    take(name.cut(head), value.cut(head));
                }
            }
            Source::Map(map) => {
                for (name, value) in map {
                    take(name.as_str().as_bytes(), value.as_bytes());
                }
            }
        }
    }
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The method, in the case it was sent in.
    pub method: &'a str,
    /// The target, not decoded.
    pub target: &'a str,
    /// Its version.
    pub version: Version,
    /// The fields.
    pub fields: Fields<'a>,
    /// The part of the body that was kept, without its transfer coding.
    pub body: &'a [u8],
    /// How long the body was.
    pub body_bytes: u64,
    /// Whether the connection stays open afterwards.
    pub keep_alive: bool,
}

impl<'a> Request<'a> {
    pub(super) fn new(
        line: &Line,
        head: &'a [u8],
        spans: &'a [[Span; 2]],
        body: (&'a [u8], u64),
    ) -> Self {
        // The parser accepts only text.
        let text = |span: Span| std::str::from_utf8(span.cut(head)).unwrap_or_default();
        Self {
            method: text(line.method),
            target: text(line.target),
            version: if line.minor == 0 { Version::Http10 } else { Version::Http11 },
            fields: Fields(Source::Bytes { head, spans }),
            body: body.0,
            body_bytes: body.1,
            keep_alive: line.keep_alive,
        }
    }

    /// The target up to the question mark, without scheme and authority.
    pub fn path(&self) -> &'a str {
        let target = self.target.split('#').next().unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default();
        match path.split_once("://") {
            Some((_, rest)) if !path.starts_with('/') => {
                rest.find('/').map_or("/", |slash| &rest[slash..])
            }
            _ => path,
        }
    }

    /// The target after the question mark.
    pub fn query(&self) -> &'a str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }
}
