//! Why a request is refused.

use std::borrow::Cow;

use super::reply::Reply;

/// A status and a message for the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) message: Cow<'static, str>,
}

impl Refusal {
    pub(super) fn new(status: u16, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status, message: message.into() }
    }

    /// There is no resource of that name.
    pub(super) fn nothing_there() -> Self {
        Self::new(404, "Not Found")
    }

    /// The method is not supported there.
    pub(super) fn wrong_method() -> Self {
        Self::new(405, "Method Not Allowed")
    }

    /// Writes the refusal as an answer.
    pub(super) fn answer(&self, reply: &mut Reply) {
        reply.error(self.status, &self.message);
        if self.status == 401 {
            reply.field("WWW-Authenticate", "Basic realm=\"brunt\"".to_owned());
        }
    }
}
