//! The operations: each decodes a request, executes it, and writes the response.

pub(super) mod bind;
pub(super) mod compare;
pub(super) mod extended;
pub(super) mod modify;
pub(super) mod rename;
pub(super) mod search;
mod selection;
pub(super) mod update;

use brunt_ldap_wire::ber::Reader;
use brunt_ldap_wire::control::{self, RawControl};
use brunt_ldap_wire::filter::Filter;
use brunt_ldap_wire::message::Message;
use brunt_ldap_wire::reply::{self, Answer};
use brunt_ldap_wire::{code, dn};

use super::directory::{Entry, matches};
use super::refusal::Refusal;

use selection::Selection;

/// A response control with an owned value.
#[derive(Debug)]
pub(super) struct ResponseControl {
    pub(super) oid: &'static str,
    pub(super) value: Vec<u8>,
}

/// The result of an operation: its code, and its response controls if it has any.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) code: u32,
    pub(super) controls: Vec<ResponseControl>,
}

impl Done {
    pub(super) const fn success() -> Self {
        Self { code: code::SUCCESS, controls: Vec::new() }
    }
}

/// Writes the result of an operation and returns its code.
pub(super) fn conclude(
    out: &mut Vec<u8>,
    message_id: i32,
    response: u8,
    outcome: Result<Done, Refusal>,
) -> u32 {
    match outcome {
        Ok(done) => {
            let controls = raw(&done.controls);
            reply::result(out, message_id, response, &Answer::code(done.code), &controls);
            done.code
        }
        Err(refusal) => {
            refuse(out, message_id, response, &refusal);
            refusal.code
        }
    }
}

/// Writes a refusal.
pub(super) fn refuse(out: &mut Vec<u8>, message_id: i32, response: u8, refusal: &Refusal) {
    let answer = Answer {
        code: refusal.code,
        matched_dn: &refusal.matched_dn,
        diagnostic: refusal.reason.as_bytes(),
        referrals: &[],
    };
    reply::result(out, message_id, response, &answer, &[]);
}

pub(super) fn raw(controls: &[ResponseControl]) -> Vec<RawControl<'_>> {
    controls
        .iter()
        .map(|control| RawControl {
            oid: control.oid.as_bytes(),
            critical: false,
            value: Some(&control.value),
        })
        .collect()
}

/// Puts the normal form of a name into `normal`.
pub(super) fn normalize(name: &[u8], normal: &mut Vec<u8>) -> Result<(), Refusal> {
    normal.clear();
    dn::normalize(name, normal)
        .map_err(|error| Refusal::new(code::INVALID_DN_SYNTAX, error.to_string()))
}

/// Refuses if the request asserts something that is not true of the entry (RFC 4528).
pub(super) fn check_assertion(message: &Message<'_>, entry: &Entry) -> Result<(), Refusal> {
    let Some(assertion) = message.control(control::ASSERTION) else { return Ok(()) };
    let malformed =
        || Refusal::new(code::PROTOCOL_ERROR, "the value of the assertion control is not a filter");
    let mut reader = Reader::new(assertion.value.ok_or_else(malformed)?);
    let filter = Filter::decode(&mut reader).map_err(|_| malformed())?;
    if matches(entry, &filter) == Some(true) {
        Ok(())
    } else {
        Err(Refusal::new(code::ASSERTION_FAILED, "the assertion is not true of the entry"))
    }
}

/// The entry as a pre-read or post-read control wants it, if the request has that control (RFC 4527).
pub(super) fn read_entry(
    message: &Message<'_>,
    oid: &'static str,
    entry: &Entry,
) -> Result<Option<ResponseControl>, Refusal> {
    let Some(control) = message.control(oid) else { return Ok(None) };
    let malformed = || {
        Refusal::new(
            code::PROTOCOL_ERROR,
            format!("the value of control {oid} lists no attributes"),
        )
    };
    let attributes = control::value::read_attributes(control.value.ok_or_else(malformed)?)
        .map_err(|_| malformed())?;
    let mut value = Vec::new();
    Selection::new(&attributes, false).write_read_entry(entry, &mut value);
    Ok(Some(ResponseControl { oid, value }))
}
