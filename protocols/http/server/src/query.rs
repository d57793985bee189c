//! Parameters of a query or of a form, and segments of a path, decoded.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// Parameters in their encoded form: of a query, or of a form (application/x-www-form-urlencoded).
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters<'a>(&'a [u8]);

impl<'a> Parameters<'a> {
    pub(super) const fn new(text: &'a [u8]) -> Self {
        Self(text)
    }

    /// The first value under a name.
    pub(super) fn first(self, name: &str) -> Option<Cow<'a, str>> {
        self.pairs().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Names and values in their order.
    pub(super) fn pairs(self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> + use<'a> {
        form_urlencoded::parse(self.0)
    }
}

/// A segment of a path, decoded. A plus sign represents itself.
pub(super) fn segment(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}
