//! [`Attempt`]: one attempt to sign in at the provider, which a browser remembers in a cookie.
//!
//! The site stores nothing of it. The values that bind the provider's answer to the browser are computed from the
//! secret in its cookie: `state` and `nonce` (OpenID Connect Core 1.0, sections 3.1.2.1 and 15.5.2), and the verifier
//! of PKCE (RFC 7636). `state` depends on the page to return to and on the time as well, so that neither can be
//! changed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::digest::{SHA256, digest};
use ring::hmac;

use crate::auth::{RandomError, Secret, is_equal};

/// How long a user may take to sign in at the provider, in seconds.
pub(crate) const LASTS: i64 = 15 * 60;

/// One attempt to sign in.
pub(crate) struct Attempt {
    secret: Secret,
    at: i64,
    /// The page that is opened afterwards.
    pub(crate) next: String,
}

impl Attempt {
    /// Begins an attempt.
    pub(crate) fn new(next: &str, now: i64) -> Result<Self, RandomError> {
        Ok(Self { secret: Secret::new()?, at: now, next: next.to_owned() })
    }

    /// The value of its cookie.
    pub(crate) fn shown(&self) -> String {
        format!("{}.{}.{}", self.secret.shown(), self.at, BASE64.encode(&self.next))
    }

    /// The attempt of a cookie to which the provider's answer belongs, if it did not take too long.
    pub(crate) fn read(cookie: &str, state: &str, now: i64) -> Option<Self> {
        let mut parts = cookie.split('.');
        let (secret, at, next) = (parts.next()?, parts.next()?, parts.next()?);
        let next = String::from_utf8(BASE64.decode(next).ok()?).ok()?;
        let attempt = Self { secret: Secret::read(secret)?, at: at.parse().ok()?, next };
        let lasts = attempt.at..attempt.at.checked_add(LASTS)?;
        (lasts.contains(&now) && is_equal(&attempt.state(), state)).then_some(attempt)
    }

    /// What the provider's answer to the browser repeats.
    pub(crate) fn state(&self) -> String {
        self.derived(&format!("state {} {}", self.at, self.next))
    }

    /// What its ID token repeats.
    pub(crate) fn nonce(&self) -> String {
        self.derived("nonce")
    }

    /// What shows that this site requested the code.
    pub(crate) fn verifier(&self) -> String {
        self.derived("verifier")
    }

    /// The hash of the verifier, which the browser carries.
    pub(crate) fn challenge(&self) -> String {
        BASE64.encode(digest(&SHA256, self.verifier().as_bytes()))
    }

    fn derived(&self, what: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.secret.bytes());
        BASE64.encode(hmac::sign(&key, what.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_attempt_is_bound_to_its_cookie_and_expires() {
        let attempt = Attempt::new("/runs/x?a=b", 100).unwrap();
        let (cookie, state) = (attempt.shown(), attempt.state());
        let read = |cookie: &str, state: &str, now| Attempt::read(cookie, state, now);
        let found = read(&cookie, &state, 100 + LASTS - 1).unwrap();
        assert_eq!((found.next.as_str(), found.nonce()), ("/runs/x?a=b", attempt.nonce()));
        assert_eq!(found.verifier().len(), 43, "RFC 7636 asks for 43 characters or more");
        let all = [attempt.state(), attempt.nonce(), attempt.verifier(), attempt.challenge()];
        assert!(all.iter().enumerate().all(|(at, one)| !all[..at].contains(one)));
        assert!(
            read(&cookie, &state, 100 + LASTS).is_none() && read(&cookie, &state, 99).is_none()
        );
        let other = Attempt::new("/", 100).unwrap();
        assert!(read(&cookie, &other.state(), 100).is_none());
        let (start, _) = cookie.rsplit_once('.').unwrap();
        let elsewhere = format!("{start}.{}", BASE64.encode("//evil.example"));
        let later = cookie.replace(".100.", ".200.");
        for wrong in ["", "a.b.c", &elsewhere, &later, &cookie[1..]] {
            assert!(read(wrong, &state, 200).is_none(), "{wrong}");
        }
    }
}
