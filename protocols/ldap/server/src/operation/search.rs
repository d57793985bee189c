//! Search (RFC 4511 section 4.5), with pages (RFC 2696).
//!
//! An entry is copied directly from its storage into the reply. The number of entries of one search is bounded, so that
//! no request can make the server copy the whole directory.

use std::collections::VecDeque;

use brunt_ldap_wire::control::value::Page;
use brunt_ldap_wire::message::{Message, Search};
use brunt_ldap_wire::reply::{self, Answer};
use brunt_ldap_wire::request::{CANCEL, START_TLS, Scope, WHO_AM_I};
use brunt_ldap_wire::{code, control, op};

use super::selection::Selection;
use super::{ResponseControl, check_assertion, normalize, raw, refuse};
use crate::directory::{Directory, Entry, Id, matches};
use crate::refusal::Refusal;
use crate::session::{Cursor, SUPPORTED_CONTROLS, Session};

/// How many searches of one connection may have pages left.
const CURSORS_MAX: usize = 8;

/// Searches, writes the entries and the result, and returns its code.
pub(crate) fn answer(
    session: &mut Session,
    message: &Message<'_>,
    search: &Search<'_>,
    message_id: i32,
    out: &mut Vec<u8>,
) -> u32 {
    match run(session, message, search, message_id, out) {
        Ok((code, page)) => {
            let answer = Answer::code(code);
            reply::result(out, message_id, op::SEARCH_DONE, &answer, &raw(page.as_slice()));
            code
        }
        Err(refusal) => {
            refuse(out, message_id, op::SEARCH_DONE, &refusal);
            refusal.code
        }
    }
}

fn run(
    session: &mut Session,
    message: &Message<'_>,
    search: &Search<'_>,
    message_id: i32,
    out: &mut Vec<u8>,
) -> Result<(u32, Option<ResponseControl>), Refusal> {
    let selection = Selection::new(&search.attributes, search.types_only);
    if search.base.is_empty() && search.scope == Scope::Base {
        let entry = root_dse(session);
        if matches(&entry, &search.filter) == Some(true) {
            selection.write_entry(&entry, message_id, out);
            session.entries = 1;
        }
        return Ok((code::SUCCESS, None));
    }
    normalize(search.base, &mut session.normal)?;
    let realm = std::sync::Arc::clone(&session.realm);
    let directory = realm.read();
    let base = if session.normal.is_empty() { realm.suffix.as_slice() } else { &session.normal };
    let base = directory.demand(base)?;
    if let Some(entry) = directory.entry(base) {
        check_assertion(message, entry)?;
    }
    let requested = usize::try_from(search.size_limit).unwrap_or(0);
    let limit =
        realm.config.search_entries_max.min(if requested == 0 { usize::MAX } else { requested });
    if let Some(paged) = message.control(control::PAGED_RESULTS) {
        let malformed = || {
            Refusal::new(
                code::PROTOCOL_ERROR,
                "the value of the paged results control is malformed",
            )
        };
        let page = Page::decode(paged.value.unwrap_or_default()).map_err(|_| malformed())?;
        let mut emit = |entry: &Entry| selection.write_entry(entry, message_id, out);
        return paged_results(session, &directory, base, search, &page, limit, &mut emit);
    }
    let (mut found, mut more) = (0, false);
    directory.search(base, search.scope, &search.filter, &mut |_, entry| {
        if matches(entry, &search.filter) != Some(true) {
            return true;
        }
        if found == limit {
            more = true;
            return false;
        }
        found += 1;
        selection.write_entry(entry, message_id, out);
        true
    });
    session.entries = found as u64;
    Ok((if more { code::SIZE_LIMIT_EXCEEDED } else { code::SUCCESS }, None))
}

/// Returns the next page. The entries are chosen by the first request; entries deleted in the meantime are left out.
fn paged_results(
    session: &mut Session,
    directory: &Directory,
    base: Id,
    search: &Search<'_>,
    page: &Page<'_>,
    limit: usize,
    emit: &mut dyn FnMut(&Entry),
) -> Result<(u32, Option<ResponseControl>), Refusal> {
    let size = usize::try_from(page.size).unwrap_or(0).min(limit);
    let mut rest = if page.cookie.is_empty() {
        let mut all = VecDeque::new();
        directory.search(base, search.scope, &search.filter, &mut |id, entry| {
            if matches(entry, &search.filter) == Some(true) {
                all.push_back(id);
            }
            true
        });
        all
    } else {
        let place =
            session.cursors.iter().position(|cursor| cursor.number.to_be_bytes() == page.cookie);
        let cursor = place.and_then(|place| session.cursors.remove(place));
        let unknown =
            || Refusal::new(code::UNWILLING_TO_PERFORM, "this search has no such page left");
        cursor.ok_or_else(unknown)?.rest
    };
    let total = i32::try_from(rest.len()).unwrap_or(i32::MAX);
    if size == 0 {
        // RFC 2696 section 3: a page of nothing ends the search.
        rest.clear();
    }
    for id in rest.drain(..size.min(rest.len())) {
        if let Some(entry) =
            directory.entry(id).filter(|entry| matches(entry, &search.filter) == Some(true))
        {
            emit(entry);
            session.entries += 1;
        }
    }
    let mut cookie = Vec::new();
    if !rest.is_empty() {
        let number = session.cursors.back().map_or(1, |last| last.number + 1);
        cookie.extend(number.to_be_bytes());
        if session.cursors.len() == CURSORS_MAX {
            session.cursors.pop_front();
        }
        session.cursors.push_back(Cursor { number, rest });
    }
    let value = Page { size: total, cookie: &cookie }.encode();
    Ok((code::SUCCESS, Some(ResponseControl { oid: control::PAGED_RESULTS, value })))
}

/// The root DSE (RFC 4512 section 5.1).
fn root_dse(session: &Session) -> Entry {
    let mut entry = Entry::new(b"", Vec::new());
    let attributes = &mut entry.attributes;
    attributes.push(b"objectClass", [&b"top"[..]]);
    attributes.push(b"namingContexts", [session.realm.config.suffix.as_bytes()]);
    attributes.push(b"supportedLDAPVersion", [&b"3"[..]]);
    attributes.push(b"supportedControl", SUPPORTED_CONTROLS.map(str::as_bytes));
    attributes.push(b"supportedExtension", [START_TLS, WHO_AM_I, CANCEL].map(str::as_bytes));
    attributes.push(b"supportedFeatures", [&b"1.3.6.1.1.14"[..], b"1.3.6.1.4.1.4203.1.5.1"]);
    attributes.push(b"supportedSASLMechanisms", super::bind::MECHANISMS.map(str::as_bytes));
    attributes.push(b"vendorName", [&b"brunt embedded directory"[..]]);
    entry
}
