//! What a server remembers of a connection between two requests, and how it answers one.
//!
//! A request is carried out to its end within one call and its replies are appended to a buffer.
//! Nothing here waits, and nothing here knows a socket.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use brunt_wire::ldap::control::value::PasswordPolicy;
use brunt_wire::ldap::message::{Message, Request};
use brunt_wire::ldap::{code, control, op};

use super::config::Config;
use super::directory::{Directory, Id};
use super::operation::sasl::Steps;
use super::operation::{self, bind, compare, extended, modify, rename, search, update};
use super::refusal::Refusal;
use super::script::Rules;
use super::stats::Operation;

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
        let rules = config.script.clone().map(Rules::new);
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

    /// Carries out a request and appends its replies under `message_id`. Says how it went, if the
    /// request is one that is answered.
    pub(super) fn answer(
        &mut self,
        message: &Message<'_>,
        message_id: i32,
        out: &mut Vec<u8>,
    ) -> (Option<u32>, Next) {
        self.entries = 0;
        if let Err(refusal) = self.check(message)
            && let Some(response) = response_to(&message.request)
        {
            operation::refuse(out, message_id, response, &refusal);
            return (Some(refusal.code), Next::Continue);
        }
        match &message.request {
            Request::Bind { version, name, authentication } => {
                let code =
                    bind::answer(self, message, (*version, name, authentication), message_id, out);
                (Some(code), Next::Continue)
            }
            Request::Unbind => (None, Next::Close),
            Request::Abandon { target } => (None, Next::Abandon(*target)),
            Request::Search(search) => {
                (Some(search::answer(self, message, search, message_id, out)), Next::Continue)
            }
            Request::Extended { name, value } => {
                let (code, next) = extended::answer(self, (name, *value), message_id, out);
                (Some(code), next)
            }
            Request::Compare { dn, attribute, value } => {
                let outcome = compare::compare(self, message, dn, attribute, value);
                (
                    Some(operation::conclude(out, message_id, op::COMPARE_RESPONSE, outcome)),
                    Next::Continue,
                )
            }
            request => {
                let (response, outcome) = match request {
                    Request::Modify { dn, changes } => {
                        (op::MODIFY_RESPONSE, modify::modify(self, message, dn, changes))
                    }
                    Request::Add { dn, attributes } => {
                        (op::ADD_RESPONSE, update::add(self, message, dn, attributes))
                    }
                    Request::ModifyDn { dn, new_rdn, delete_old_rdn, new_superior } => {
                        let to = rename::Target {
                            rdn: new_rdn,
                            superior: *new_superior,
                            delete_old: *delete_old_rdn,
                        };
                        (op::MODIFY_DN_RESPONSE, rename::rename(self, message, dn, &to))
                    }
                    Request::Delete { dn } => {
                        (op::DELETE_RESPONSE, update::delete(self, message, dn))
                    }
                    _ => return (None, Next::Continue),
                };
                (Some(operation::conclude(out, message_id, response, outcome)), Next::Continue)
            }
        }
    }

    /// What holds for every request: the controls, and whether whoever writes has bound.
    fn check(&self, message: &Message<'_>) -> Result<(), Refusal> {
        for control in message.controls.iter().filter(|control| control.critical) {
            let known = SUPPORTED_CONTROLS.iter().any(|oid| control.is(oid));
            if !known {
                let oid = String::from_utf8_lossy(control.oid);
                return Err(Refusal::new(
                    code::UNAVAILABLE_CRITICAL_EXTENSION,
                    format!("the critical control {oid} is not known"),
                ));
            }
        }
        if let Some(proxied) = message.control(control::PROXIED_AUTHORIZATION) {
            bind::check_proxied(self, proxied)?;
        }
        let writes = matches!(
            message.request,
            Request::Modify { .. }
                | Request::Add { .. }
                | Request::Delete { .. }
                | Request::ModifyDn { .. }
        );
        if writes && self.identity == Identity::Anonymous {
            return Err(Refusal::new(
                code::INSUFFICIENT_ACCESS_RIGHTS,
                "bind before you change anything",
            ));
        }
        Ok(())
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

/// What is asked, as it is counted.
pub(super) const fn kind(request: &Request<'_>) -> Operation {
    match request {
        Request::Bind { .. } => Operation::Bind,
        Request::Unbind => Operation::Unbind,
        Request::Search(_) => Operation::Search,
        Request::Modify { .. } => Operation::Modify,
        Request::Add { .. } => Operation::Add,
        Request::Delete { .. } => Operation::Delete,
        Request::ModifyDn { .. } => Operation::ModifyDn,
        Request::Compare { .. } => Operation::Compare,
        Request::Abandon { .. } => Operation::Abandon,
        Request::Extended { .. } => Operation::Extended,
    }
}

/// The tag of the response to a request, if there is one.
pub(super) const fn response_to(request: &Request<'_>) -> Option<u8> {
    match request {
        Request::Bind { .. } => Some(op::BIND_RESPONSE),
        Request::Search(_) => Some(op::SEARCH_DONE),
        Request::Modify { .. } => Some(op::MODIFY_RESPONSE),
        Request::Add { .. } => Some(op::ADD_RESPONSE),
        Request::Delete { .. } => Some(op::DELETE_RESPONSE),
        Request::ModifyDn { .. } => Some(op::MODIFY_DN_RESPONSE),
        Request::Compare { .. } => Some(op::COMPARE_RESPONSE),
        Request::Extended { .. } => Some(op::EXTENDED_RESPONSE),
        Request::Unbind | Request::Abandon { .. } => None,
    }
}
