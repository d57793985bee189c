//! What a provider remembers.

use std::sync::Arc;
use std::time::Duration;

use brunt_embedded::script::mix;

use super::event::{Event, Events};
use super::jose::{PublicKey, SigningKey};
use super::kept::{Device, Login, Request};
use super::shelf::Shelf;
use super::used::Used;

const MINUTE: Duration = Duration::from_secs(60);

/// A provider's memory.
#[derive(Debug)]
pub(crate) struct Provider {
    pub(super) key: SigningKey,
    pub(super) used: Used,
    events: Events,
    /// Requests that were pushed (RFC 9126).
    pub(super) pushed: Shelf<Arc<Request>>,
    /// Logins in progress.
    pub(super) logins: Shelf<Login>,
    pub(super) codes: Shelf<Code>,
    pub(super) sessions: Shelf<Session>,
    pub(super) access: Shelf<Access>,
    pub(super) refresh: Shelf<Access>,
    pub(super) devices: Shelf<Device>,
    /// The keys of clients that sign.
    pub(super) clients: Shelf<Arc<[PublicKey]>>,
    /// Turns numbers of devices into codes for people.
    pub(super) shift: u64,
}

/// A code that was not exchanged yet.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) request: Arc<Request>,
    pub(super) session: u64,
    pub(super) user: Arc<str>,
}

/// A person who is signed in.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) user: Arc<str>,
    pub(super) since: Duration,
    pub(super) second_factor: bool,
}

/// What a token permits.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// A user, or the client itself.
    pub(super) subject: Arc<str>,
    pub(super) client: Arc<str>,
    pub(super) scope: Arc<str>,
    /// The session, with whose end the token ends; a client that acts for itself has none.
    pub(super) session: Option<u64>,
    /// The thumbprint of the key that it is bound to (RFC 9449).
    pub(super) bound: Option<Arc<str>>,
    pub(super) since: Duration,
}

impl Provider {
    /// Fails if the system has no random bytes.
    pub(crate) fn new(secret: u64) -> Result<Self, ring::error::Unspecified> {
        let of = |number: u64| mix(secret ^ mix(number));
        Ok(Self {
            key: SigningKey::generate()?,
            used: Used::default(),
            events: Events::default(),
            pushed: Shelf::new(of(1), 20_000, MINUTE),
            logins: Shelf::new(of(2), 100_000, MINUTE * 5),
            codes: Shelf::new(of(3), 100_000, MINUTE),
            sessions: Shelf::new(of(4), 500_000, MINUTE * 30),
            access: Shelf::new(of(5), 500_000, MINUTE * 5),
            refresh: Shelf::new(of(6), 500_000, MINUTE * 30),
            devices: Shelf::new(of(7), 100_000, MINUTE * 10),
            clients: Shelf::new(of(8), 20_000, Duration::MAX),
            shift: of(9),
        })
    }

    /// Counts what was attempted and succeeded or not.
    pub(super) fn count(&self, event: Event, succeeded: bool) {
        self.events.count(event, succeeded);
    }

    /// What happened so far, by name.
    pub(crate) fn events(&self) -> Vec<(&'static str, u64)> {
        self.events.list()
    }

    /// What a token permits, if it and its session are still there.
    pub(super) fn permitted(
        &self,
        tokens: &Shelf<Access>,
        token: &str,
        now: Duration,
    ) -> Option<Access> {
        let access = tokens.with(tokens.number(token)?, now, |access| access.clone())?;
        let session = access.session.is_none_or(|session| self.is_open(session, now));
        session.then_some(access)
    }

    /// Whether it is an access token that is not bound to a key.
    pub(crate) fn accepts(&self, token: &str, now: Duration) -> bool {
        self.permitted(&self.access, token, now).is_some_and(|access| access.bound.is_none())
    }

    /// Whether a session has not ended.
    pub(super) fn is_open(&self, session: u64, now: Duration) -> bool {
        self.sessions.with(session, now, |_| ()).is_some()
    }
}
