//! [`Response`]: an answer, as far as it was requested.
//!
//! A body that the request does not want is counted and discarded, whatever its length. Fields are stored as positions
//! in the bytes of the head.

use super::limits::Limits;
use brunt_exchange::Moment;

/// Which parts of its answer an exchange needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is wanted for a reason of its own")]
pub struct Wanted {
    /// The fields of the head. The status is always known.
    pub fields: bool,
    /// The body, decoded, up to the limit of the client's settings.
    pub body: bool,
    /// The fields and the beginning of the body of a refusal, which is an answer with a status of 400 or more, so that
    /// the reason can be printed. Other answers cost nothing more.
    pub refusal: bool,
    /// The fields of any answer and the beginning of its body, to be shown.
    pub shown: bool,
    /// The URL that the answer came from, after redirects.
    pub url: bool,
}

impl Wanted {
    /// Whether the fields of an answer with this status must be kept.
    pub(super) fn fields_of(self, status: u16) -> bool {
        self.fields || self.shown || self.refusal && status >= REFUSED
    }

    /// How many bytes of the body of an answer with this status must be kept.
    pub(super) fn kept_of(self, status: u16, limits: &Limits) -> usize {
        match self {
            Self { body: true, .. } => limits.body_kept,
            Self { shown: true, .. } => SHOWN_KEPT.min(limits.body_kept),
            Self { refusal: true, .. } if status >= REFUSED => REFUSAL_KEPT.min(limits.body_kept),
            _ => 0,
        }
    }
}

/// The lowest status of a refusal.
const REFUSED: u16 = 400;
/// How many bytes of the body of a refusal are kept where the body itself is not wanted.
const REFUSAL_KEPT: usize = 1024;
/// The same for an answer that is shown.
const SHOWN_KEPT: usize = 16 * 1024;

/// Buffers that grew beyond this size for one answer are released.
const ROOM_KEPT: usize = 8 * 1024;

/// One answer.
#[derive(Clone, Debug, Default)]
pub struct Response {
    pub(super) status: u16,
    /// The bytes of the head, which contain the fields.
    pub(super) head: Vec<u8>,
    /// The position of each field's name and value in the head.
    pub(super) fields: Vec<Field>,
    /// The body, without transfer and content encodings.
    pub(super) body: Vec<u8>,
    /// How many bytes of the body were received.
    pub(super) received: u64,
    /// Whether the body was longer than the part that is kept.
    pub(super) truncated: bool,
    /// When its first byte arrived.
    pub(super) first: Option<Moment>,
    /// The URL that it came from, if that was wanted.
    pub(super) url: Option<Box<[u8]>>,
}

/// A field of a head, as positions in its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: std::ops::Range<usize>,
    pub(super) value: std::ops::Range<usize>,
}

impl Response {
    /// A response with these parts, for use without a server.
    pub fn sample(status: u16, fields: &[(&str, &str)], body: &[u8]) -> Self {
        let mut response = Self { status, body: body.to_vec(), ..Self::default() };
        for (name, value) in fields {
            let start = response.head.len();
            response.head.extend_from_slice(name.as_bytes());
            let middle = response.head.len();
            response.head.extend_from_slice(value.as_bytes());
            response.fields.push(Field { name: start..middle, value: middle..response.head.len() });
        }
        response.received = body.len() as u64;
        response
    }

    /// Records where a sample came from.
    #[must_use]
    pub fn from_url(self, url: &str) -> Self {
        Self { url: Some(url.as_bytes().into()), ..self }
    }

    /// Marks a sample as one whose body was longer than the part that is kept.
    pub fn cut_off(&mut self) {
        self.truncated = true;
    }

    /// Clears the previous answer and keeps its buffers.
    pub fn clear(&mut self) {
        self.status = 0;
        self.head.clear();
        self.fields.clear();
        self.body.clear();
        self.received = 0;
        self.truncated = false;
        self.first = None;
        self.url = None;
    }

    /// Keeps a head whose fields are known, each value in one line.
    pub(super) fn keep_head(&mut self, head: &[u8]) {
        self.head.extend_from_slice(head);
        for field in &self.fields {
            if let Some(value) = self.head.get_mut(field.value.clone()) {
                brunt_http_wire::unfold(value);
            }
        }
    }

    /// Processes a part of the body.
    pub(super) fn receive(&mut self, data: &[u8], wanted: Wanted, limits: &Limits) {
        self.received += data.len() as u64;
        let kept_max = wanted.kept_of(self.status, limits);
        if kept_max > 0 || wanted.body {
            let room = kept_max.saturating_sub(self.body.len());
            self.truncated |= wanted.body && data.len() > room;
            self.body.extend_from_slice(&data[..data.len().min(room)]);
        }
    }

    /// Releases the memory of a long answer once it is no longer needed: thousands of users may have had one.
    pub fn trim(&mut self) {
        if self.body.capacity() > ROOM_KEPT {
            self.body = Vec::new();
        }
        if self.head.capacity() > ROOM_KEPT {
            (self.head, self.fields) = (Vec::new(), Vec::new());
        }
    }

    /// The status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// When its first byte arrived.
    pub fn began(&self) -> Option<Moment> {
        self.first
    }

    /// The URL that it came from, after redirects, without a fragment, if that was wanted.
    pub fn url(&self) -> Option<&[u8]> {
        self.url.as_deref()
    }

    /// The fields, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.fields.iter().filter_map(|field| {
            Some((self.head.get(field.name.clone())?, self.head.get(field.value.clone())?))
        })
    }

    /// The values of every field of this name, case-insensitive.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let named = move |field: &[u8]| field.eq_ignore_ascii_case(name.as_bytes());
        self.fields().filter(move |(field, _)| named(field)).map(|(_, value)| value)
    }

    /// The body, as far as it was wanted.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// How many bytes of the body were received.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Whether the body was longer than the part that is kept.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_case_insensitively_in_order() {
        let fields = [("Set-Cookie", "a=1"), ("Location", "/x"), ("set-cookie", "b=2")];
        let mut response = Response::sample(302, &fields, b"moved");
        let cookies: Vec<_> = response.values("SET-COOKIE").collect();
        assert_eq!(cookies, [b"a=1", b"b=2"]);
        assert_eq!(
            (response.status(), response.body(), response.received()),
            (302, &b"moved"[..], 5)
        );
        response.clear();
        assert_eq!((response.status(), response.fields().count()), (0, 0));
    }

    #[test]
    fn response_trim_releases_long_answers() {
        let mut response = Response::sample(200, &[("A", "b")], b"short");
        response.trim();
        assert_eq!((response.body(), response.fields().count()), (&b"short"[..], 1));
        response.body.resize(ROOM_KEPT + 1, b'x');
        response.trim();
        assert_eq!((response.body.capacity(), response.fields().count()), (0, 1));
    }
}
