//! [`Request`]: one request, rendered and ready to be sent over either version of HTTP.
//!
//! Fields are stored end to end in one buffer, so that a request that is rendered again for every exchange allocates
//! nothing once its buffers have grown. It does not contain its destination, which is decided before it is rendered.

use super::request_cache::RequestCache;
use std::cell::RefCell;
use std::sync::Arc;

/// The longest buffer of a body that is kept from one request to the next.
const KEPT_MAX: usize = 1 << 20;

/// One request. Fields are kept in the order in which they were added, names in their original case.
#[derive(Clone, Debug, Default)]
pub struct Request {
    method: Vec<u8>,
    target: Vec<u8>,
    /// Names and values, end to end.
    bytes: Vec<u8>,
    /// Where each name and each value ends.
    fields: Vec<(usize, usize)>,
    body: Body,
    /// The buffer of a rendered body, kept while there is no body.
    spare: Vec<u8>,
    cache: RefCell<RequestCache>,
}

/// What follows the head.
#[derive(Clone, Debug, Default)]
pub enum Body {
    /// Nothing.
    #[default]
    None,
    /// Bytes rendered for this exchange.
    Rendered(Vec<u8>),
    /// Bytes that are the same for all exchanges, such as the content of a file.
    Shared(Arc<[u8]>),
}

impl Body {
    /// The bytes; `None` if there is no body; an empty body is still a body.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::None => None,
            Self::Rendered(bytes) => Some(bytes),
            Self::Shared(bytes) => Some(bytes),
        }
    }
}

impl Request {
    /// Begins another request: only the buffers of the previous one are kept.
    pub fn begin(&mut self, method: &str) {
        self.method.clear();
        self.method.extend_from_slice(method.as_bytes());
        self.target.clear();
        self.bytes.clear();
        self.fields.clear();
        self.set_body(Body::None);
    }

    /// The method.
    pub fn method(&self) -> &[u8] {
        &self.method
    }

    /// The path and query, as they are sent.
    pub fn target(&self) -> &[u8] {
        &self.target
    }

    /// Sets the path and query of a rendered URL, from the beginning of its path; without a path it is `/`. A fragment
    /// is not sent (RFC 9110 section 4.2.5).
    pub fn set_target(&mut self, rest: &[u8]) {
        let end = rest.iter().position(|byte| *byte == b'#').unwrap_or(rest.len());
        let rest = &rest[..end];
        self.cache.get_mut().change();
        self.target.clear();
        if !rest.starts_with(b"/") && rest != b"*" {
            self.target.push(b'/');
        }
        self.target.extend_from_slice(rest);
    }

    /// Adds a field.
    pub fn add(&mut self, name: &str, value: &[u8]) {
        self.cache.get_mut().change();
        self.bytes.extend_from_slice(name.as_bytes());
        let name_end = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.fields.push((name_end, self.bytes.len()));
    }

    /// Adds a field; `value` appends its bytes to the buffer that it receives.
    pub fn field<E>(
        &mut self,
        name: &str,
        value: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.cache.get_mut().change();
        self.bytes.extend_from_slice(name.as_bytes());
        let name_end = self.bytes.len();
        value(&mut self.bytes)?;
        self.fields.push((name_end, self.bytes.len()));
        Ok(())
    }

    /// The fields, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let starts = std::iter::once(0).chain(self.fields.iter().map(|(_, end)| *end));
        starts
            .zip(&self.fields)
            .map(|(start, (name, end))| (&self.bytes[start..*name], &self.bytes[*name..*end]))
    }

    /// The value of the first field of this name, case-insensitive.
    pub fn value(&self, name: &str) -> Option<&[u8]> {
        let named = |field: &&[u8]| field.eq_ignore_ascii_case(name.as_bytes());
        self.fields().find(|(field, _)| named(field)).map(|(_, value)| value)
    }

    /// Changes the method and nothing else.
    pub(super) fn set_method(&mut self, method: &[u8]) {
        self.cache.get_mut().change();
        self.method.clear();
        self.method.extend_from_slice(method);
    }

    /// Keeps the fields for which `keep` returns true.
    pub(super) fn retain(&mut self, keep: impl Fn(&[u8], &[u8]) -> bool) {
        let before = self.clone();
        self.cache.get_mut().change();
        self.bytes.clear();
        self.fields.clear();
        for (name, value) in before.fields().filter(|(name, value)| keep(name, value)) {
            self.bytes.extend_from_slice(name);
            let name_end = self.bytes.len();
            self.bytes.extend_from_slice(value);
            self.fields.push((name_end, self.bytes.len()));
        }
    }

    /// The bytes it was sent as before; must be borrowed only within a poll.
    pub(super) fn cache(&self) -> &RefCell<RequestCache> {
        &self.cache
    }

    /// The body.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// A body that is rendered: an empty buffer to be written.
    pub fn body_mut(&mut self) -> &mut Vec<u8> {
        self.set_body(Body::None);
        self.body = Body::Rendered(std::mem::take(&mut self.spare));
        match &mut self.body {
            Body::Rendered(bytes) => bytes,
            Body::None | Body::Shared(_) => &mut self.spare,
        }
    }

    /// Releases the buffer of a long body, which is no longer needed.
    pub fn trim(&mut self) {
        let long = match &self.body {
            Body::Rendered(bytes) => bytes.capacity() > KEPT_MAX,
            Body::None | Body::Shared(_) => false,
        };
        if long {
            self.set_body(Body::None);
        }
        if self.spare.capacity() > KEPT_MAX {
            self.spare = Vec::new();
        }
    }

    /// Sets a body that is the same for all exchanges, or none.
    pub fn set_body(&mut self, body: Body) {
        self.cache.get_mut().change();
        if let Body::Rendered(mut bytes) = std::mem::replace(&mut self.body, body) {
            bytes.clear();
            self.spare = bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_reuse_leaves_nothing_behind() {
        let mut request = Request::default();
        for round in 0..3 {
            request.begin("PATCH");
            request.set_target(b"/users/1");
            let write = |out: &mut Vec<u8>| {
                out.extend_from_slice(format!("v{round}").as_bytes());
                Ok::<(), ()>(())
            };
            request.field("X-One", write).unwrap();
            request.field("x-two", write).unwrap();
            request.body_mut().extend_from_slice(b"[]");
            let value = format!("v{round}");
            let fields: Vec<_> = request.fields().collect();
            assert_eq!(
                fields,
                [(&b"X-One"[..], value.as_bytes()), (&b"x-two"[..], value.as_bytes())]
            );
            assert_eq!(request.value("X-TWO"), Some(value.as_bytes()));
            assert_eq!(request.body().bytes(), Some(&b"[]"[..]));
        }
        request.begin("GET");
        assert_eq!((request.fields().count(), request.body().bytes()), (0, None));
        request.set_body(Body::Shared(Arc::from(*b"same")));
        assert_eq!(request.body().bytes(), Some(&b"same"[..]));
        assert_eq!(request.body_mut(), b"");
        assert_eq!(request.body().bytes(), Some(&b""[..]));
    }

    #[test]
    fn request_target_is_the_part_after_the_origin() {
        let mut request = Request::default();
        let cases = [("", "/"), ("/a?b#c", "/a?b"), ("?q", "/?q"), ("#f", "/"), ("*", "*")];
        for (rest, target) in cases {
            request.set_target(rest.as_bytes());
            assert_eq!(request.target(), target.as_bytes());
        }
    }
}
