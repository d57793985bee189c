//! [`Request`]: one request, rendered and ready to be sent over either version of HTTP.
//!
//! Fields lie end to end in one buffer, so that a request which is rendered anew for every exchange allocates nothing
//! once its buffers have grown. Where it goes is not in it: that is decided before it is rendered.

use std::sync::Arc;

/// One request. Fields are kept in the order in which they were added, names in the case they were given.
#[derive(Clone, Debug, Default)]
pub struct Request {
    method: Vec<u8>,
    target: Vec<u8>,
    /// Names and values, end to end.
    bytes: Vec<u8>,
    /// Where each name and each value ends.
    fields: Vec<(usize, usize)>,
    body: Body,
}

/// What follows the head.
#[derive(Clone, Debug, Default)]
pub enum Body {
    /// Nothing, and no length either.
    #[default]
    None,
    /// Bytes of this exchange.
    Rendered(Vec<u8>),
    /// Bytes that are the same for all, such as a file's.
    Shared(Arc<[u8]>),
}

impl Body {
    /// The bytes; `None` where there is no body at all, which an empty one is not.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::None => None,
            Self::Rendered(bytes) => Some(bytes),
            Self::Shared(bytes) => Some(bytes),
        }
    }
}

impl Request {
    /// Begins another request: nothing of the one before is left but its buffers.
    pub fn begin(&mut self, method: &str) {
        self.method.clear();
        self.method.extend_from_slice(method.as_bytes());
        self.target.clear();
        self.bytes.clear();
        self.fields.clear();
        match &mut self.body {
            Body::Rendered(bytes) => bytes.clear(),
            other => *other = Body::None,
        }
    }

    /// The method.
    pub fn method(&self) -> &[u8] {
        &self.method
    }

    /// The path and query, as they go over the wire.
    pub fn target(&self) -> &[u8] {
        &self.target
    }

    /// The path and query, to be written.
    pub fn target_mut(&mut self) -> &mut Vec<u8> {
        &mut self.target
    }

    /// Adds a field; `value` appends its bytes to the buffer it is given.
    pub fn field<E>(
        &mut self,
        name: &str,
        value: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
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

    /// The value of the first field of that name, in any case.
    pub fn value(&self, name: &str) -> Option<&[u8]> {
        let named = |field: &&[u8]| field.eq_ignore_ascii_case(name.as_bytes());
        self.fields().find(|(field, _)| named(field)).map(|(_, value)| value)
    }

    /// The body.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// A body that is rendered: an empty buffer to be written.
    pub fn body_mut(&mut self) -> &mut Vec<u8> {
        if !matches!(self.body, Body::Rendered(_)) {
            self.body = Body::Rendered(Vec::new());
        }
        let Body::Rendered(bytes) = &mut self.body else { unreachable!("it was just made so") };
        bytes.clear();
        bytes
    }

    /// A body that is the same for all; or none.
    pub fn set_body(&mut self, body: Body) {
        self.body = body;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_request_before_is_left() {
        let mut request = Request::default();
        for round in 0..3 {
            request.begin("PATCH");
            request.target_mut().extend_from_slice(b"/users/1");
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
        request.set_body(Body::None);
        request.begin("GET");
        assert_eq!((request.fields().count(), request.body().bytes()), (0, None));
    }
}
