//! What a provider keeps during a login: the request, how far a login is, and the devices that wait.

use std::sync::Arc;
use std::time::Duration;

/// The authorization request of a client.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) client: Arc<str>,
    /// Where the answer goes.
    pub(super) redirect: Box<str>,
    pub(super) state: Option<Box<str>>,
    pub(super) nonce: Option<Box<str>>,
    pub(super) scope: Arc<str>,
    /// The hash of the code's verifier (RFC 7636).
    pub(super) challenge: Option<Box<str>>,
    /// Whether the answer is posted by a form.
    pub(super) form_post: bool,
    /// Whether a one-time password is required.
    pub(super) second_factor: bool,
}

/// A login in progress.
#[derive(Clone, Debug)]
pub(super) struct Login {
    pub(super) purpose: Purpose,
    /// The number of the last page: an older one is not accepted any more.
    pub(super) page: u64,
    /// The user, once the password was right.
    pub(super) user: Option<Arc<str>>,
}

/// What happens after a login.
#[derive(Clone, Debug)]
pub(super) enum Purpose {
    /// A client receives a code.
    Code(Arc<Request>),
    /// The person decides about a device, whose code this is.
    Device(Box<str>),
    /// A service provider receives a response of SAML.
    Saml(Arc<SamlRequest>),
}

/// The request of a service provider.
#[derive(Debug)]
pub(super) struct SamlRequest {
    pub(super) id: Box<str>,
    /// Where the response is posted.
    pub(super) place: Box<str>,
    pub(super) relay_state: Option<Box<str>>,
}

/// A device that waits.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) client: Arc<str>,
    pub(super) scope: Arc<str>,
    /// When it polled last.
    pub(super) requested: Option<Duration>,
    pub(super) decision: Decision,
}

/// What a person decided.
#[derive(Clone, Debug)]
pub(super) enum Decision {
    Open,
    Denied,
    /// By this user, in this session.
    Accepted(Arc<str>, u64),
}
