//! Add and delete (RFC 4511 sections 4.7 and 4.8).

use brunt_ldap_wire::message::{Attribute, Message};
use brunt_ldap_wire::{code, control, dn};

use super::{Done, check_assertion, normalize, read_entry};
use crate::directory::{Entry, Operational, equal, is_password};
use crate::refusal::Refusal;
use crate::session::Session;

/// Adds an entry.
pub(crate) fn add(
    session: &mut Session,
    message: &Message<'_>,
    dn: &[u8],
    attributes: &[Attribute<'_>],
) -> Result<Done, Refusal> {
    normalize(dn, &mut session.normal)?;
    if session.normal.is_empty() {
        return Err(Refusal::new(code::ENTRY_ALREADY_EXISTS, "the root DSE is always there"));
    }
    let mut entry = Entry::new(dn, session.normal.clone());
    for (n, attribute) in attributes.iter().enumerate() {
        check_new(attribute, &attributes[..n])?;
        let shelf = entry.shelf_mut(attribute.name);
        shelf.push(attribute.name, attribute.values.iter().copied());
    }
    if !entry.attributes.iter().any(|attribute| attribute.is(b"objectClass")) {
        return Err(Refusal::new(OBJECT_CLASS_VIOLATION, "the entry has no objectClass"));
    }
    name_by_rdn(&mut entry)?;
    check_assertion(message, &entry)?;
    let mut directory = session.realm.write();
    let root = entry.normal == session.realm.suffix;
    let id = directory.add(entry, root)?;
    let mut done = Done::success();
    if let Some(entry) = directory.entry(id) {
        done.controls.extend(read_entry(message, control::POST_READ, entry)?);
    }
    Ok(done)
}

/// Deletes an entry, and all below it if the tree delete control says so.
pub(crate) fn delete(
    session: &mut Session,
    message: &Message<'_>,
    dn: &[u8],
) -> Result<Done, Refusal> {
    normalize(dn, &mut session.normal)?;
    let mut directory = session.realm.write();
    let id = directory.demand(&session.normal)?;
    let mut done = Done::success();
    if let Some(entry) = directory.entry(id) {
        check_assertion(message, entry)?;
        done.controls.extend(read_entry(message, control::PRE_READ, entry)?);
    }
    if message.control(control::TREE_DELETE).is_some() {
        directory.delete_tree(id)?;
    } else {
        directory.delete(id)?;
    }
    Ok(done)
}

/// objectClassViolation (RFC 4511 appendix A.2).
pub(super) const OBJECT_CLASS_VIOLATION: u32 = 65;
/// constraintViolation.
pub(super) const CONSTRAINT_VIOLATION: u32 = 19;

/// Refuses an attribute that no entry can have, or that is given twice.
fn check_new(attribute: &Attribute<'_>, before: &[Attribute<'_>]) -> Result<(), Refusal> {
    let name = attribute.name;
    check_name(name)?;
    if before.iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
        return Err(Refusal::new(code::ATTRIBUTE_OR_VALUE_EXISTS, "the attribute is there twice"));
    }
    if attribute.values.is_empty() {
        return Err(Refusal::new(code::PROTOCOL_ERROR, "the attribute has no values"));
    }
    check_distinct(name, &attribute.values)
}

/// Refuses a name that is not an attribute description, or that only the server writes.
pub(super) fn check_name(name: &[u8]) -> Result<(), Refusal> {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-;._".contains(byte);
    if name.is_empty() || !name.iter().all(allowed) {
        return Err(Refusal::new(UNDEFINED_ATTRIBUTE_TYPE, "this is not the name of an attribute"));
    }
    if Operational::named(name).is_some() {
        return Err(Refusal::new(CONSTRAINT_VIOLATION, "only the server writes this attribute"));
    }
    Ok(())
}

/// undefinedAttributeType.
const UNDEFINED_ATTRIBUTE_TYPE: u32 = 17;

/// Refuses a value that is given twice.
pub(super) fn check_distinct(name: &[u8], values: &[&[u8]]) -> Result<(), Refusal> {
    let same = |left: &[u8], right: &[u8]| {
        if is_password(name) { left == right } else { equal(left, right) }
    };
    // Comparing each with each is fast for the few values that entries have; thousands are sorted.
    let twice = if values.len() <= 32 {
        values
            .iter()
            .enumerate()
            .any(|(n, value)| values[..n].iter().any(|other| same(other, value)))
    } else {
        let mut folded: Vec<Vec<u8>> = values.iter().map(|value| fold(name, value)).collect();
        folded.sort_unstable();
        folded.windows(2).any(|pair| pair[0] == pair[1])
    };
    if twice {
        return Err(Refusal::new(code::ATTRIBUTE_OR_VALUE_EXISTS, "a value is there twice"));
    }
    Ok(())
}

fn fold(name: &[u8], value: &[u8]) -> Vec<u8> {
    if is_password(name) {
        return value.to_vec();
    }
    let mut folded = Vec::with_capacity(value.len());
    dn::fold(value, &mut folded);
    folded
}

/// Adds the values of its RDN to the entry if they are missing, as directory servers do.
pub(super) fn name_by_rdn(entry: &mut Entry) -> Result<(), Refusal> {
    let name = dn::Dn::parse(&entry.dn)
        .map_err(|error| Refusal::new(code::INVALID_DN_SYNTAX, error.to_string()))?;
    for pair in name.rdns.first().into_iter().flat_map(|rdn| &rdn.pairs) {
        let attribute = pair.attribute.as_bytes();
        if entry.any(attribute, &mut |value| equal(value, &pair.value)) {
            continue;
        }
        let mut values: Vec<Vec<u8>> = Vec::new();
        if let Some(held) = entry.attributes.find(attribute) {
            values.extend(held.values().map(<[u8]>::to_vec));
        }
        values.push(pair.value.clone());
        let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        entry.attributes.replace(attribute, &values);
    }
    Ok(())
}
