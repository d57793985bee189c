//! Dispatches requests: checks each, executes its operation, and writes the result.
//!
//! A request is executed within one call, and its replies are appended to a buffer.

use brunt_ldap_wire::message::{Message, Request};
use brunt_ldap_wire::{code, control, op};

use super::operation::{self, bind, compare, extended, modify, rename, search, update};
use super::refusal::Refusal;
use super::session::{Identity, Next, SUPPORTED_CONTROLS, Session};
use super::stats::Operation;

/// Executes a request and appends its replies with this `message_id`. Returns the result code, if the request is
/// answered at all.
pub(super) fn answer(
    session: &mut Session,
    message: &Message<'_>,
    message_id: i32,
    out: &mut Vec<u8>,
) -> (Option<u32>, Next) {
    session.entries = 0;
    if let Err(refusal) = check(session, message)
        && let Some(response) = response_to(&message.request)
    {
        operation::refuse(out, message_id, response, &refusal);
        return (Some(refusal.code), Next::Continue);
    }
    match &message.request {
        Request::Bind { version, name, authentication } => {
            let code =
                bind::answer(session, message, (*version, name, authentication), message_id, out);
            (Some(code), Next::Continue)
        }
        Request::Unbind => (None, Next::Close),
        Request::Abandon { target } => (None, Next::Abandon(*target)),
        Request::Search(search) => {
            (Some(search::answer(session, message, search, message_id, out)), Next::Continue)
        }
        Request::Extended { name, value } => {
            let (code, next) = extended::answer(session, (name, *value), message_id, out);
            (Some(code), next)
        }
        Request::Compare { dn, attribute, value } => {
            let outcome = compare::compare(session, message, dn, attribute, value);
            (
                Some(operation::conclude(out, message_id, op::COMPARE_RESPONSE, outcome)),
                Next::Continue,
            )
        }
        request => {
            let (response, outcome) = match request {
                Request::Modify { dn, changes } => {
                    (op::MODIFY_RESPONSE, modify::modify(session, message, dn, changes))
                }
                Request::Add { dn, attributes } => {
                    (op::ADD_RESPONSE, update::add(session, message, dn, attributes))
                }
                Request::ModifyDn { dn, new_rdn, delete_old_rdn, new_superior } => {
                    let to = rename::Target {
                        rdn: new_rdn,
                        superior: *new_superior,
                        delete_old: *delete_old_rdn,
                    };
                    (op::MODIFY_DN_RESPONSE, rename::rename(session, message, dn, &to))
                }
                Request::Delete { dn } => {
                    (op::DELETE_RESPONSE, update::delete(session, message, dn))
                }
                _ => return (None, Next::Continue),
            };
            (Some(operation::conclude(out, message_id, response, outcome)), Next::Continue)
        }
    }
}

/// Checks every request: its controls, and that changes are made after a bind.
fn check(session: &Session, message: &Message<'_>) -> Result<(), Refusal> {
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
        bind::check_proxied(session, proxied)?;
    }
    let writes = matches!(
        message.request,
        Request::Modify { .. }
            | Request::Add { .. }
            | Request::Delete { .. }
            | Request::ModifyDn { .. }
    );
    if writes && session.identity == Identity::Anonymous {
        return Err(Refusal::new(
            code::INSUFFICIENT_ACCESS_RIGHTS,
            "bind before you change anything",
        ));
    }
    Ok(())
}

/// The operation that a request is counted as.
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
