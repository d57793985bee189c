//! A request that is being answered, and the data that its answer may use.

use std::borrow::Cow;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};

use super::query::Parameters;
use super::realm::Realm;
use super::request::Request;
use super::script::{LoginFault, ScimFault};

/// A request that is being answered.
pub(super) struct Call<'a> {
    pub(super) realm: &'a Realm,
    pub(super) request: Request<'a>,
    /// The number of the request, counted from 1.
    pub(super) number: u64,
    /// When it was complete.
    pub(super) now: Duration,
    /// Whether it came over TLS.
    pub(super) secured: bool,
    /// What a script makes of a login, or of a request to `/scim`.
    pub(super) login_fault: Option<LoginFault>,
    pub(super) scim_fault: Option<ScimFault>,
}

impl<'a> Call<'a> {
    /// The parameters of the query.
    pub(super) fn query(&self) -> Parameters<'a> {
        Parameters::new(self.request.query().as_bytes())
    }

    /// The parameters of a body that is a form.
    pub(super) fn form(&self) -> Parameters<'a> {
        Parameters::new(self.request.body)
    }

    /// The scheme, the host and the port that the client uses.
    pub(super) fn origin(&self) -> String {
        let scheme = if self.secured { "https" } else { "http" };
        format!("{scheme}://{}", self.request.fields.text("host").unwrap_or("localhost"))
    }

    /// The name of the OpenID provider.
    pub(super) fn issuer(&self) -> String {
        self.origin() + "/idp"
    }

    /// The time of the calendar.
    pub(super) fn seconds_since_1970(&self) -> u64 {
        self.realm.started + self.now.as_secs()
    }

    /// A lifetime in seconds, as the answer has it.
    pub(super) fn lifetime(&self, lasts: Duration) -> u64 {
        let huge = self.login_fault == Some(LoginFault::HugeLifetime);
        if huge { 1_000_000_000_000_000_000 } else { lasts.as_secs() }
    }

    /// The value of a cookie.
    pub(super) fn cookie(&self, name: &str) -> Option<&'a str> {
        self.cookies().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The cookies of the request.
    pub(super) fn cookies(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let pairs = self.request.fields.text("cookie").unwrap_or_default().split(';');
        let pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
        pairs.map(|(name, value)| (name, value.trim_matches('"')))
    }

    /// The name and password of Basic authentication (RFC 7617).
    pub(super) fn basic(&self) -> Option<(String, String)> {
        let value = self.request.fields.text("authorization")?;
        let (scheme, credentials) = value.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let text = String::from_utf8(BASE64_STANDARD.decode(credentials.trim()).ok()?).ok()?;
        let (name, password) = text.split_once(':')?;
        Some((name.to_owned(), password.to_owned()))
    }

    /// The token of Bearer authentication (RFC 6750 section 2.1).
    pub(super) fn bearer(&self) -> Option<&'a str> {
        let (scheme, token) = self.request.fields.text("authorization")?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    }

    /// The first of the named fields that the request has, as text.
    pub(super) fn field(&self, name: &str) -> Option<Cow<'a, str>> {
        self.request.fields.first(name).map(String::from_utf8_lossy)
    }
}
