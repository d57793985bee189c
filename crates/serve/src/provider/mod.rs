//! [`Provider`]: the requests of the site to the provider at which people sign in.
//!
//! Requests are made by a process of their own, so that no socket is opened here, and their answers are bounded. The
//! provider's metadata and keys are cached for an hour. A key that is not known is looked for at most once a minute, so
//! that tokens with invented keys cause no requests.

mod attempt;
mod check;
mod gate;
mod person;
#[cfg(test)]
pub(crate) mod scripted;

use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use brunt_envelope::{Fetch, Fetched};
use http::header;

pub(crate) use attempt::{Attempt, LASTS as ATTEMPT_LASTS};
pub(crate) use check::confirmed;
pub(crate) use person::{Person, Tokens, client_secret, person_of, sealed};

use crate::child::ChildError;
use crate::oidc::{
    Claims, Expected, Keys, Metadata, ReplyError, TokenError, TokenReply, discovery, read_reply,
    verify, verify_logout,
};
use crate::store::ProviderSettings;
use gate::{Closed, Gate, Turn};

/// How long the provider's metadata and keys are cached, in seconds.
const LASTS: i64 = 3_600;
/// How long a provider that answered is taken to be reachable, in seconds.
const REACHED_LASTS: i64 = 10;
/// How often keys are looked for that are not known, in seconds.
const KEYS_EVERY: i64 = 60;

/// Fetcher a request and returns the answer.
pub(crate) type Fetcher = Box<dyn Fn(Fetch) -> Result<Fetched, ChildError> + Send + Sync>;

/// Why the provider did not authenticate a user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// It does not answer, or its answer cannot be read. Another attempt may succeed.
    #[error("{0}")]
    Down(String),
    /// Other requests to it are active.
    #[error("other requests to it are active; try again")]
    Busy,
    /// It refused, or its answer is not acceptable.
    #[error("{0}")]
    Refused(String),
    /// What was given to it is no longer valid.
    #[error("{0}")]
    Ended(String),
}

/// The conversation with the provider.
pub(crate) struct Provider {
    fetcher: Fetcher,
    gate: Gate,
    known: Mutex<Known>,
}

/// What is remembered, of this issuer.
#[derive(Default)]
struct Known {
    issuer: String,
    metadata: Option<(Metadata, i64)>,
    keys: Option<(Arc<Keys>, i64)>,
}

/// One conversation, in its turn.
pub(crate) struct Conversation<'a> {
    provider: &'a Provider,
    settings: &'a ProviderSettings,
    /// The client secret; empty if the client has none.
    secret: &'a str,
    now: i64,
    turn: Turn<'a>,
}

impl Provider {
    pub(crate) fn new(fetcher: Fetcher) -> Self {
        Self { fetcher, gate: Gate::default(), known: Mutex::default() }
    }

    /// Begins a conversation, after those of others.
    pub(crate) fn begin<'a>(
        &'a self,
        (settings, secret): (&'a ProviderSettings, &'a str),
        now: i64,
    ) -> Result<Conversation<'a>, Failure> {
        let turn = self.gate.enter(now).map_err(Failure::from)?;
        Ok(Conversation { provider: self, settings, secret, now, turn })
    }

    /// Begins a conversation, unless others have one.
    pub(crate) fn try_begin<'a>(
        &'a self,
        (settings, secret): (&'a ProviderSettings, &'a str),
        now: i64,
    ) -> Result<Conversation<'a>, Failure> {
        let turn = self.gate.try_enter(now).map_err(Failure::from)?;
        Ok(Conversation { provider: self, settings, secret, now, turn })
    }

    /// Discards its cached metadata and keys, because its settings were changed.
    pub(crate) fn forget(&self) {
        *self.known() = Known::default();
        self.gate.reopen();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is remembered of this issuer, and nothing of another.
    fn known_of(&self, issuer: &str) -> MutexGuard<'_, Known> {
        let mut known = self.known();
        if known.issuer != issuer {
            *known = Known { issuer: issuer.to_owned(), ..Known::default() };
        }
        known
    }
}

impl From<Closed> for Failure {
    fn from(closed: Closed) -> Self {
        match closed {
            Closed::Busy => Self::Busy,
            Closed::Resting(why) => Self::Down(why),
        }
    }
}

impl Conversation<'_> {
    /// The provider's metadata, at most an hour old.
    pub(crate) fn metadata(&self) -> Result<Metadata, Failure> {
        let known = self.known_metadata(LASTS);
        if let Some((metadata, true)) = known {
            return Ok(metadata);
        }
        // Without its description, the other endpoints may still answer.
        self.read_metadata().or_else(|failure| known.map(|(metadata, _)| metadata).ok_or(failure))
    }

    /// The same, if the provider answers now: a browser that was sent to one that is down would get no explanation.
    pub(crate) fn reached(&self) -> Result<Metadata, Failure> {
        match self.known_metadata(REACHED_LASTS) {
            Some((metadata, true)) => Ok(metadata),
            _ => self.read_metadata(),
        }
    }

    /// What is cached, and whether it is newer than this.
    fn known_metadata(&self, lasts: i64) -> Option<(Metadata, bool)> {
        let known = self.provider.known_of(&self.settings.issuer).metadata.clone();
        known.map(|(metadata, at)| (metadata, (at..at + lasts).contains(&self.now)))
    }

    fn read_metadata(&self) -> Result<Metadata, Failure> {
        let issuer = &self.settings.issuer;
        let text = self.document(discovery(issuer))?;
        let metadata = Metadata::read(text.as_bytes(), issuer).map_err(|why| self.down(why))?;
        self.provider.known_of(issuer).metadata = Some((metadata.clone(), self.now));
        Ok(metadata)
    }

    /// Its keys; as they are now, if they were not looked at within this time.
    pub(crate) fn keys(&self, lasts: i64) -> Result<Arc<Keys>, Failure> {
        let issuer = &self.settings.issuer;
        let known = self.provider.known_of(issuer).keys.clone();
        if let Some((keys, at)) = &known
            && (*at..at + lasts).contains(&self.now)
        {
            return Ok(Arc::clone(keys));
        }
        let text = self.document(self.metadata()?.keys)?;
        let keys = Arc::new(Keys::read(text.as_bytes()).map_err(|why| self.down(why))?);
        self.provider.known_of(issuer).keys = Some((Arc::clone(&keys), self.now));
        Ok(keys)
    }

    /// Exchanges the code that a browser brought for tokens.
    pub(crate) fn exchange(
        &self,
        code: &str,
        attempt: &Attempt,
        back: &str,
    ) -> Result<TokenReply, Failure> {
        let verifier = attempt.verifier();
        self.tokens(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", back),
            ("code_verifier", &verifier),
        ])
    }

    /// Exchanges a refresh token for new tokens.
    pub(crate) fn renew(&self, refresh: &str) -> Result<TokenReply, Failure> {
        self.tokens(&[("grant_type", "refresh_token"), ("refresh_token", refresh)])
    }

    /// The claims of an ID token that is valid.
    pub(crate) fn claims(
        &self,
        token: &str,
        nonce: Option<&str>,
        access_token: Option<&str>,
    ) -> Result<Claims, Failure> {
        self.verified(|keys| verify(token, keys, &self.expected(nonce, access_token)))
    }

    /// The claims of a logout token that is valid.
    pub(crate) fn logout_claims(&self, token: &str) -> Result<Claims, Failure> {
        self.verified(|keys| verify_logout(token, keys, &self.expected(None, None)))
    }

    /// The claims of the `UserInfo` endpoint, if the provider has one.
    pub(crate) fn userinfo(&self, access: &str) -> Result<Option<Claims>, Failure> {
        let Some(url) = self.metadata()?.userinfo else { return Ok(None) };
        let by = (header::AUTHORIZATION.to_string(), format!("Bearer {access}"));
        let fetched = self.send(Fetch { url, headers: vec![by], form: None })?;
        if fetched.status != 200 {
            let why = format!("it answered the request for more claims with {}", fetched.status);
            return Err(Failure::Refused(why));
        }
        Claims::read(fetched.body.as_bytes())
            .map(Some)
            .map_err(|error| Failure::Refused(error.to_string()))
    }

    fn expected<'b>(
        &'b self,
        nonce: Option<&'b str>,
        access_token: Option<&'b str>,
    ) -> Expected<'b> {
        let ProviderSettings { issuer, client, .. } = self.settings;
        Expected { issuer, client, nonce, access_token, now: self.now }
    }

    fn verified(
        &self,
        check: impl Fn(&Keys) -> Result<Claims, TokenError>,
    ) -> Result<Claims, Failure> {
        let checked = match check(&*self.keys(LASTS)?) {
            Err(TokenError::UnknownKey) => check(&*self.keys(KEYS_EVERY)?),
            checked => checked,
        };
        checked.map_err(|error| {
            let more = match error {
                TokenError::UnknownKey => format!("; keys are looked for every {KEYS_EVERY} s"),
                _ => String::new(),
            };
            Failure::Refused(format!("its token is not valid: {error}{more}"))
        })
    }

    fn tokens(&self, fields: &[(&str, &str)]) -> Result<TokenReply, Failure> {
        let metadata = self.metadata()?;
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let mut headers = Vec::new();
        if self.secret.is_empty() || metadata.secret_in_body {
            form.append_pair("client_id", &self.settings.client);
        }
        if !self.secret.is_empty() {
            if metadata.secret_in_body {
                form.append_pair("client_secret", self.secret);
            } else {
                // RFC 6749 2.3.1: both are encoded like fields of a form before they are joined.
                let coded = |text: &str| {
                    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
                };
                let both = format!("{}:{}", coded(&self.settings.client), coded(self.secret));
                let by = format!("Basic {}", BASE64.encode(both));
                headers.push((header::AUTHORIZATION.to_string(), by));
            }
        }
        let fetch = Fetch { url: metadata.token, headers, form: Some(form.finish()) };
        let Fetched { status, body } = self.send(fetch)?;
        read_reply(status, body.as_bytes()).map_err(|error| match error {
            ReplyError::Ended(why) => Failure::Ended(why),
            error => Failure::Refused(error.to_string()),
        })
    }

    /// A document that anybody may read.
    fn document(&self, url: String) -> Result<String, Failure> {
        let place = url.clone();
        let fetched = self.send(Fetch { url, headers: Vec::new(), form: None })?;
        if fetched.status != 200 {
            return Err(self.down(format!("{place} answered {}", fetched.status)));
        }
        Ok(fetched.body)
    }

    fn send(&self, fetch: Fetch) -> Result<Fetched, Failure> {
        let fetched = (self.provider.fetcher)(fetch).map_err(|why| self.down(why))?;
        if fetched.status >= 500 {
            return Err(self.down(format!("it answered {}", fetched.status)));
        }
        Ok(fetched)
    }

    /// No request is sent to it for a moment.
    fn down(&self, why: impl Display) -> Failure {
        let why = why.to_string();
        self.turn.failed(&why, self.now);
        Failure::Down(why)
    }
}

#[cfg(test)]
mod tests;
