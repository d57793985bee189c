//! The state of a connection between two requests, and the state that all connections share.
//!
//! It must not know a socket, nor how a request is answered.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use brunt_ldap_wire::control;
use brunt_ldap_wire::control::value::PasswordPolicy;

use super::config::Config;
use super::directory::{Directory, Id};
use super::sasl::Steps;
use super::script::Rules;

/// What all connections share.
#[derive(Debug)]
pub(super) struct Realm {
    pub(super) config: Config,
    /// The normalized name of the suffix.
    pub(super) suffix: Vec<u8>,
    /// The rules of the fault script.
    pub(super) rules: Option<Rules>,
    directory: RwLock<Directory>,
}

impl Realm {
    pub(super) fn new(config: Config, suffix: Vec<u8>, directory: Directory) -> Self {
        let rules = config.script.clone().map(|script| Rules::new(script.0));
        Self { config, suffix, rules, directory: RwLock::new(directory) }
    }

    /// The entries, for reading. They are consistent even if a thread panicked while changing them: an entry is changed
    /// in a copy.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Directory> {
        self.directory.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entries, for writing.
    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Directory> {
        self.directory.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The identity of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Identity {
    /// Anonymous.
    #[default]
    Anonymous,
    /// `cn=Directory Manager`, which has no entry.
    Manager,
    /// The entry of this DN.
    Entry(Vec<u8>),
}

/// The name of the identity that has no entry.
pub(super) const MANAGER: &str = "cn=Directory Manager";

impl Identity {
    /// The identity as an authorization identity (RFC 4513 section 5.2.1.8).
    pub(super) fn authorization(&self) -> Vec<u8> {
        let dn = match self {
            Self::Anonymous => return Vec::new(),
            Self::Manager => MANAGER.as_bytes(),
            Self::Entry(dn) => dn,
        };
        [b"dn:", dn].concat()
    }
}

/// What to do with the connection after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Continue reading.
    Continue,
    /// Write the replies, then begin the TLS handshake.
    StartTls,
    /// Write the replies, then close.
    Close,
    /// Write the replies, then reset.
    Reset,
    /// The request of this message id was abandoned.
    Abandon(i32),
    /// The request of this message id must be cancelled.
    Cancel(i32),
}

/// A search whose pages are not all fetched yet.
#[derive(Debug)]
pub(super) struct Cursor {
    pub(super) number: u64,
    pub(super) rest: VecDeque<Id>,
}

/// The state of one connection.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) realm: Arc<Realm>,
    pub(super) identity: Identity,
    pub(super) secure: bool,
    pub(super) cursors: VecDeque<Cursor>,
    /// The SASL bind that waits for its next step.
    pub(super) sasl: Option<Steps>,
    /// The response of the password policy to the next bind, if there is one.
    pub(super) policy: Option<PasswordPolicy>,
    /// How many entries the last request returned.
    pub(super) entries: u64,
    /// A buffer for a normalized name.
    pub(super) normal: Vec<u8>,
}

impl Session {
    pub(super) fn new(realm: Arc<Realm>, secure: bool) -> Self {
        Self {
            realm,
            identity: Identity::Anonymous,
            secure,
            cursors: VecDeque::new(),
            sasl: None,
            policy: None,
            entries: 0,
            normal: Vec::new(),
        }
    }
}

/// The controls that may be critical.
pub(super) const SUPPORTED_CONTROLS: [&str; 10] = [
    control::ASSERTION,
    control::AUTHORIZATION_IDENTITY,
    control::MANAGE_DSA_IT,
    control::PAGED_RESULTS,
    control::PASSWORD_POLICY,
    control::PERMISSIVE_MODIFY,
    control::POST_READ,
    control::PRE_READ,
    control::PROXIED_AUTHORIZATION,
    control::TREE_DELETE,
];
