//! What a server remembers of a connection between two requests, and what all connections share.
//!
//! Nothing here waits, and nothing here knows a socket or how a request is answered.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use brunt_wire::ldap::control;
use brunt_wire::ldap::control::value::PasswordPolicy;

use super::config::Config;
use super::directory::{Directory, Id};
use super::sasl::Steps;
use super::script::Rules;

/// What all connections share.
#[derive(Debug)]
pub(super) struct Realm {
    pub(super) config: Config,
    /// The name of the suffix as it compares.
    pub(super) suffix: Vec<u8>,
    /// What goes wrong on purpose.
    pub(super) rules: Option<Rules>,
    directory: RwLock<Directory>,
}

impl Realm {
    pub(super) fn new(config: Config, suffix: Vec<u8>, directory: Directory) -> Self {
        let rules = config.script.clone().map(|script| Rules::new(script.0));
        Self { config, suffix, rules, directory: RwLock::new(directory) }
    }

    /// The entries, to look at. A thread that died while changing them left them whole: an entry is
    /// changed in a copy.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Directory> {
        self.directory.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entries, to change.
    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Directory> {
        self.directory.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who is at the other end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Identity {
    /// Nobody in particular.
    #[default]
    Anonymous,
    /// `cn=Directory Manager`, which has no entry.
    Manager,
    /// Somebody with an entry of this DN.
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

/// What is to be done with the connection after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Read on.
    Continue,
    /// Write what there is, then shake hands.
    StartTls,
    /// Write what there is, then close.
    Close,
    /// Write what there is, then reset.
    Reset,
    /// Nobody waits for this request any more.
    Abandon(i32),
    /// The request of this message id is to be cancelled.
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
    /// What the password policy says next, instead of nothing.
    pub(super) policy: Option<PasswordPolicy>,
    /// How many entries the last request returned.
    pub(super) entries: u64,
    /// Room for a name as it compares.
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
