//! The state that all connections share, and the authentication of clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use brunt_embedded::tcp::accepted::ConnectionStats;

use super::config::Config;
use super::crest::{Collection, Product};
use super::idp::provider::Provider;
use super::log::Log;
use super::scim::directory::Directory;
use super::script::Rules;
use super::stats::{Counters, Stats};
use super::tokens::Tokens;

/// The administrators, who are not in the collections.
const ADMINISTRATORS: [&str; 3] = ["amadmin", "openidm-admin", "admin"];

/// What all connections share.
#[derive(Debug)]
pub(super) struct Realm {
    pub(super) config: Config,
    /// The rules of the fault script.
    pub(super) rules: Option<Rules>,
    pub(super) log: Option<Log>,
    pub(super) tokens: Tokens,
    pub(super) provider: Provider,
    pub(super) directory: Directory,
    pub(super) openam: Collection,
    pub(super) opendj: Collection,
    pub(super) openidm: Collection,
    /// The time at which the server started, in seconds since 1970.
    pub(super) started: u64,
    /// The number of requests.
    pub(super) requests: AtomicU64,
    /// The counters of the threads, and those of the listener.
    pub(super) counters: Vec<Arc<Counters>>,
    pub(super) listener_stats: Arc<ConnectionStats>,
}

/// An authenticated client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Principal {
    Administrator,
    User(Arc<str>),
}

impl Realm {
    /// Fails if the system has no random bytes.
    pub(super) fn new(
        config: Config,
        log: Option<Log>,
        secret: u64,
        threads: usize,
    ) -> Result<Self, ring::error::Unspecified> {
        let users = |product| Collection::new(product, config.users, &config.password);
        Ok(Self {
            rules: config.script.clone().map(|script| Rules::new(script.0)),
            log,
            tokens: Tokens::new(secret),
            provider: Provider::new(secret)?,
            directory: Directory::new(),
            openam: users(Product::Am),
            opendj: users(Product::Ds),
            openidm: users(Product::Idm),
            started: seconds_since_1970(),
            requests: AtomicU64::new(0),
            counters: (0..threads).map(|_| Arc::default()).collect(),
            listener_stats: Arc::default(),
            config,
        })
    }

    /// Authenticates by name and password, among the users of a product and the administrators.
    pub(super) fn identify(
        &self,
        users: &Collection,
        name: &str,
        password: &str,
    ) -> Option<Principal> {
        if ADMINISTRATORS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return (password == self.config.admin_password).then_some(Principal::Administrator);
        }
        users.check(name, password).then(|| Principal::User(name.into()))
    }

    /// The number of the next request, counted from 1.
    pub(super) fn number(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// What was received and answered so far.
    pub(super) fn stats(&self) -> Stats {
        let faults = self.rules.as_ref().map(Rules::done).unwrap_or_default();
        Stats {
            faults,
            events: self.provider.events(),
            ..Stats::gather(&self.listener_stats, &self.counters)
        }
    }
}

impl Principal {
    /// The principal of a token's subject.
    pub(super) fn new(subject: &Arc<str>) -> Self {
        match &**subject {
            "amadmin" => Self::Administrator,
            _ => Self::User(Arc::clone(subject)),
        }
    }

    /// The subject for a token.
    pub(super) fn subject(&self) -> Arc<str> {
        match self {
            Self::Administrator => "amadmin".into(),
            Self::User(id) => Arc::clone(id),
        }
    }

    /// Whether it is the user of this name.
    pub(super) fn is(&self, id: &str) -> bool {
        matches!(self, Self::User(own) if **own == *id)
    }
}

#[expect(clippy::disallowed_methods, reason = "tokens say when they end, by the calendar")]
fn seconds_since_1970() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}
