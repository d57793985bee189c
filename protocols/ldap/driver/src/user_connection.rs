//! [`UserConnection`]: the connection of one user of a flow, which receives each operation when it is due.
//!
//! It is opened, secured, bound and replaced like the connections of the rate tools; only the operations differ.

use super::connection::{Connection, IdentityGuard};
use super::failure::Failed;
use super::ldap_step::LdapStep;
use super::lockout::LockoutGuard;
use super::plan::Plan;
use super::session::is_safe;
use super::slot::Keep;
use super::worker::Worker;
use brunt_exchange::{Class, Clock, Watch};
use brunt_feed::{Unfilled, Values};
use brunt_ldap_wire::code;
use brunt_ldap_wire::control;
use brunt_ldap_wire::message::{Message, Request};
use std::rc::Rc;
use std::sync::Arc;

/// What the connections of one worker's users share.
#[derive(Clone)]
pub struct LdapPool(Rc<Worker>);

impl std::fmt::Debug for LdapPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LdapPool").finish_non_exhaustive()
    }
}

impl LdapPool {
    /// Makes the pool for the users of one worker.
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self(Rc::new(Worker::new(plan)))
    }
}

/// A connection of one user.
pub struct UserConnection {
    connection: Connection,
    /// The result of a search: the values of the first entry, by name.
    found: Vec<(String, Vec<u8>)>,
}

/// The result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationResult {
    /// The result code.
    pub code: u32,
    /// The class of a refusal with this code: a refused request, or a locked account.
    pub class: Class,
    /// How many entries were returned.
    pub entries: u64,
}

impl UserConnection {
    /// The connection of user `number`. It is not open yet.
    pub fn new(pool: &LdapPool, number: u32) -> Self {
        Self { connection: Connection::new(&pool.0, number, 1), found: Vec::new() }
    }

    /// The number of the server that it last went to; `None` if there is only one.
    pub fn server(&self) -> Option<u16> {
        self.connection.server()
    }

    /// Connects and binds if that is needed.
    pub async fn ready(&mut self, watch: &mut Watch<'_>) -> Result<(), Failed> {
        let connection = &self.connection;
        connection.check_idle();
        if connection.unsettled.get() && connection.link.is_up() {
            Box::pin(connection.leave(watch.clock())).await;
        } else if connection.displaced.get() && connection.is_open() {
            Box::pin(connection.come_back(watch)).await;
        }
        if connection.is_open() {
            return Ok(());
        }
        Box::pin(connection.open(0, watch)).await.map_err(|failure| {
            watch.not_ready(failure.as_outcome());
            Failed(failure)
        })
    }

    /// Runs an operation; the result of a search is kept until the next one. If there is an identity for the traces of
    /// the server, the request carries it as a control.
    pub async fn run(
        &mut self,
        step: &LdapStep,
        values: &Values,
        traceparent: Option<&str>,
        watch: &mut Watch<'_>,
    ) -> Result<Result<OperationResult, Failed>, Unfilled> {
        self.found.clear();
        let connection = &self.connection;
        let channel = connection.channel(0);
        let scratch = &channel.buffers.scratch;
        let kept = connection.keep(0, watch).await;
        watch.server(connection.server());
        if let Err(failure) = kept {
            return Ok(Err(Failed(failure)));
        }
        // A bind that opens the connection uses the same memory, so it is filled each time the request is sent.
        step.fill(values, &mut scratch.borrow_mut().arena)?;
        let encode = |id: i32, out: &mut Vec<u8>| {
            let from = out.len();
            step.skeleton.encode(id, &scratch.borrow().arena, out);
            if let Some(traceparent) = traceparent {
                control::add_trace_context(out, from, traceparent);
            }
        };
        let keep = if step.finds { Keep::FirstEntry } else { Keep::Nothing };
        let guard = step.binds.then(|| IdentityGuard(&connection.unsettled));
        let used = connection.link.used.get();
        let mut reply = channel.exchange(step.expected, keep, watch, encode).await.code();
        if let Err(failure) = &reply
            && connection.repeats(failure, (used, is_safe(step.expected)), watch)
        {
            let renewed = Box::pin(connection.renew(0, failure.clone(), watch)).await;
            watch.server(connection.server());
            step.fill(values, &mut scratch.borrow_mut().arena)?;
            reply = match renewed {
                Ok(()) => channel.exchange(step.expected, keep, watch, encode).await.code(),
                Err(failure) => Err(failure),
            };
        }
        // A bind that was answered has settled the identity of the connection, whatever the answer.
        if let (Some(guard), Ok(_)) = (guard, &reply) {
            guard.settle();
        }
        if let (Some(lockout), Ok(code)) = (self.lockout(step), &reply) {
            let reported_locked = channel.class_of_refusal() == Class::Locked;
            let account = || account(|out| step.skeleton.encode(0, &scratch.borrow().arena, out));
            if lockout.answered(*code, reported_locked, account) {
                channel.mark_locked();
            }
        }
        let entries = channel.entries();
        if let Ok(refused) = reply
            && refused != code::SUCCESS
            && watch.wants_text()
        {
            watch.explain(format_args!("{}", values.shown(&channel.refusal(refused))));
        }
        if entries > 0 {
            channel.kept(|kept| read_entry(kept, &mut self.found));
        }
        let class = channel.class_of_refusal();
        Ok(reply.map(|code| OperationResult { code, class, entries }).map_err(Failed))
    }

    /// Whether this operation is a bind that is withheld because accounts lock.
    pub fn withholds(&self, step: &LdapStep) -> bool {
        self.lockout(step).is_some_and(|lockout| !lockout.lets_through())
    }

    fn lockout(&self, step: &LdapStep) -> Option<&LockoutGuard> {
        self.connection.worker.plan.lockout.as_ref().filter(|_| step.binds)
    }

    /// The values of the first entry that was found, by name; its DN is called `dn`.
    pub fn found(&self) -> &[(String, Vec<u8>)] {
        &self.found
    }

    /// Closes the connection.
    pub async fn close(&mut self, clock: &dyn Clock) {
        self.connection.leave(clock).await;
    }
}

/// The account of a bind request, read back from its bytes: the password may differ between attempts, but the account
/// is the same.
fn account(encode: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut request = Vec::new();
    encode(&mut request);
    match Message::decode(&request).map(|message| message.request) {
        Ok(Request::Bind { name, .. }) => String::from_utf8_lossy(name).to_lowercase(),
        _ => String::new(),
    }
}

/// Reads alternating names and values, each preceded by its length.
fn read_entry(mut kept: &[u8], found: &mut Vec<(String, Vec<u8>)>) {
    let mut next = || {
        let (length, rest) = kept.split_first_chunk::<4>()?;
        let (value, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        kept = rest;
        Some(value)
    };
    while let (Some(name), Some(value)) = (next(), next()) {
        found.push((String::from_utf8_lossy(name).into_owned(), value.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_entry_is_read_as_far_as_complete() {
        let mut kept = Vec::new();
        for text in ["dn", "uid=a", "mail", "a@x"] {
            kept.extend_from_slice(&(text.len() as u32).to_be_bytes());
            kept.extend_from_slice(text.as_bytes());
        }
        let mut found = Vec::new();
        read_entry(&kept, &mut found);
        let expected = [("dn", "uid=a"), ("mail", "a@x")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
        assert_eq!(found, expected);
        for cut in 0..kept.len() {
            found.clear();
            read_entry(&kept[..cut], &mut found);
            assert!(found.len() < 2);
        }
    }
}
