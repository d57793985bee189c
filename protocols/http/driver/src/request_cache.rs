//! [`RequestCache`]: a request as it was sent, kept to be sent again unchanged.
//!
//! Many plans send the same request repeatedly. This request is examined once and encoded twice; from then on its bytes
//! are kept. A request that changes each time is never copied.

use super::origin::Origin;
use super::request_flags::RequestFlags;

/// What is known about a request since its last change.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestCache {
    state: State,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing.
    #[default]
    Changed,
    /// That it can be sent, and how.
    Examined(RequestFlags),
    /// Also, that it was sent to this destination.
    Sent(RequestFlags, Destination),
    /// Also, as which bytes it was sent.
    Kept(RequestFlags, Destination),
}

/// Where a request was sent, and in which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Destination {
    /// The number of the origin.
    origin: u64,
    /// Over HTTP/2 the bytes are those of the head alone.
    http2: bool,
}

impl RequestCache {
    /// Records that the request was changed.
    pub(super) fn change(&mut self) {
        self.state = State::Changed;
    }

    /// How it is sent, if it was examined since its last change.
    pub(super) fn flags(&self) -> Option<RequestFlags> {
        match self.state {
            State::Changed => None,
            State::Examined(flags) | State::Sent(flags, _) | State::Kept(flags, _) => Some(flags),
        }
    }

    /// Records how it is sent.
    pub(super) fn examined(&mut self, flags: RequestFlags) {
        self.state = State::Examined(flags);
    }

    /// The bytes that were sent to this origin before, in this form.
    pub(super) fn of(&self, origin: &Origin, http2: bool) -> Option<&[u8]> {
        let here = Destination { origin: origin.number(), http2 };
        match self.state {
            State::Kept(_, destination) if destination == here => Some(&self.bytes),
            _ => None,
        }
    }

    /// Records that it was sent to this origin as these bytes, and nothing after them. The bytes are kept the second
    /// time.
    pub(super) fn sent(&mut self, origin: &Origin, http2: bool, bytes: &[u8]) {
        let here = Destination { origin: origin.number(), http2 };
        self.state = match self.state {
            State::Changed => return,
            State::Sent(flags, last) if last == here => {
                self.bytes.clear();
                self.bytes.extend_from_slice(bytes);
                State::Kept(flags, here)
            }
            State::Examined(flags) | State::Sent(flags, _) | State::Kept(flags, _) => {
                State::Sent(flags, here)
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Network, Request, Settings};

    #[test]
    fn cache_keeps_only_unchanged_requests() {
        let network = Network::new(Settings::default(), &brunt_net::Network::private()).unwrap();
        let one = network.origin("http://127.0.0.1:1").unwrap();
        let two = network.origin("http://127.0.0.1:2").unwrap();
        let mut request = Request::default();
        request.begin("GET");
        request.set_target(b"/");
        let flags = RequestFlags::new(&request).unwrap();
        let mut cache = RequestCache::default();
        cache.sent(&one, false, b"a");
        assert_eq!((cache.flags(), cache.of(&one, false)), (None, None), "never looked at");
        cache.examined(flags);
        cache.sent(&one, false, b"b");
        assert_eq!((cache.flags(), cache.of(&one, false)), (Some(flags), None), "sent once");
        cache.sent(&one, false, b"b");
        assert_eq!((cache.of(&one, false), cache.of(&two, false)), (Some(&b"b"[..]), None));
        cache.sent(&two, false, b"c");
        assert_eq!((cache.of(&one, false), cache.of(&two, false)), (None, None));
        cache.sent(&two, false, b"c");
        assert_eq!((cache.flags(), cache.of(&two, false)), (Some(flags), Some(&b"c"[..])));
        // The same origin may be reached over HTTP/2, where the bytes are others.
        assert_eq!(cache.of(&two, true), None);
        cache.sent(&two, true, b"d");
        cache.sent(&two, true, b"d");
        assert_eq!((cache.of(&two, false), cache.of(&two, true)), (None, Some(&b"d"[..])));
        cache.change();
        assert_eq!((cache.flags(), cache.of(&two, false)), (None, None));
    }

    #[test]
    fn cache_notices_every_change() {
        let mut request = Request::default();
        let changes: [fn(&mut Request); 8] = [
            |request| request.begin("PUT"),
            |request| request.set_target(b"/b"),
            |request| request.add("X", b"y"),
            |request| request.field("Z", |_| Ok::<(), ()>(())).unwrap(),
            |request| request.body_mut().push(b'd'),
            |request| request.set_body(crate::Body::None),
            |request| request.set_method(b"GET"),
            |request| request.retain(|_, _| false),
        ];
        for (number, change) in changes.iter().enumerate() {
            request.begin("GET");
            request.set_target(b"/a");
            let before = request.flags().unwrap();
            assert_eq!(request.cache().borrow().flags(), Some(before));
            change(&mut request);
            assert_eq!(request.cache().borrow().flags(), None, "change {number}");
        }
    }
}
