//! Modify (RFC 4511 section 4.6), with increments (RFC 4525), assertions and read entries.
//!
//! The changes are made on a copy of the attributes, which replaces the old ones once all changes succeeded.

use brunt_ldap_wire::message::{Change, Message};
use brunt_ldap_wire::request::ModifyOp;
use brunt_ldap_wire::{code, control, dn};

use super::update::{CONSTRAINT_VIOLATION, OBJECT_CLASS_VIOLATION, check_distinct, check_name};
use super::{Done, check_assertion, normalize, read_entry};
use crate::directory::{Attributes, Entry, equal, integer, is_indexed, is_password};
use crate::refusal::Refusal;
use crate::session::Session;

/// Changes an entry.
pub(crate) fn modify(
    session: &mut Session,
    message: &Message<'_>,
    dn: &[u8],
    changes: &[Change<'_>],
) -> Result<Done, Refusal> {
    normalize(dn, &mut session.normal)?;
    let permissive = message.control(control::PERMISSIVE_MODIFY).is_some();
    let indexed = changes.iter().any(|change| is_indexed(change.attribute.name));
    let mut directory = session.realm.write();
    let id = directory.demand(&session.normal)?;
    let mut done = Done::success();
    if let Some(entry) = directory.entry(id) {
        check_assertion(message, entry)?;
        done.controls.extend(read_entry(message, control::PRE_READ, entry)?);
    }
    let entry = directory.modify(id, indexed, |entry| apply(entry, changes, permissive))?;
    done.controls.extend(read_entry(message, control::POST_READ, entry)?);
    Ok(done)
}

fn apply(entry: &mut Entry, changes: &[Change<'_>], permissive: bool) -> Result<(), Refusal> {
    let mut attributes = entry.attributes.clone();
    let mut secret = None;
    for change in changes {
        check_name(change.attribute.name)?;
        let shelf = if is_password(change.attribute.name) {
            secret.get_or_insert_with(|| entry.secret.clone())
        } else {
            &mut attributes
        };
        make(shelf, change, permissive)?;
    }
    check_result(entry, &attributes, changes)?;
    entry.attributes = attributes;
    if let Some(secret) = secret {
        entry.secret = secret;
    }
    Ok(())
}

fn make(shelf: &mut Attributes, change: &Change<'_>, permissive: bool) -> Result<(), Refusal> {
    let (name, given) = (change.attribute.name, &change.attribute.values);
    let same = |left: &[u8], right: &[u8]| {
        if is_password(name) { left == right } else { equal(left, right) }
    };
    if change.op == ModifyOp::Replace {
        check_distinct(name, given)?;
        shelf.replace(name, given);
        return Ok(());
    }
    let copy = shelf
        .find(name)
        .map(|attribute| attribute.values().map(<[u8]>::to_vec).collect::<Vec<_>>());
    let mut values: Vec<&[u8]> = copy.iter().flatten().map(Vec::as_slice).collect();
    match change.op {
        ModifyOp::Add => {
            if given.is_empty() {
                return Err(Refusal::new(code::PROTOCOL_ERROR, "there are no values to add"));
            }
            check_distinct(name, given)?;
            for value in given {
                if !values.iter().any(|other| same(other, value)) {
                    values.push(value);
                } else if !permissive {
                    return Err(Refusal::new(
                        code::ATTRIBUTE_OR_VALUE_EXISTS,
                        "the value is there already",
                    ));
                }
            }
        }
        ModifyOp::Delete => {
            if copy.is_none() && !permissive {
                return Err(Refusal::new(
                    code::NO_SUCH_ATTRIBUTE,
                    "the entry does not have the attribute",
                ));
            }
            if given.is_empty() {
                values.clear();
            }
            for value in given {
                let before = values.len();
                values.retain(|other| !same(other, value));
                if values.len() == before && !permissive {
                    return Err(Refusal::new(
                        code::NO_SUCH_ATTRIBUTE,
                        "the entry does not have the value",
                    ));
                }
            }
        }
        _ => return increment(shelf, name, given, &values),
    }
    shelf.replace(name, &values);
    Ok(())
}

fn increment(
    shelf: &mut Attributes,
    name: &[u8],
    given: &[&[u8]],
    values: &[&[u8]],
) -> Result<(), Refusal> {
    let [step] = given else {
        return Err(Refusal::new(code::PROTOCOL_ERROR, "an increment has exactly one value"));
    };
    if values.is_empty() {
        return Err(Refusal::new(code::NO_SUCH_ATTRIBUTE, "there is no value to increment"));
    }
    let number = |value: &[u8]| {
        integer(value)
            .ok_or_else(|| Refusal::new(CONSTRAINT_VIOLATION, "only integers can be incremented"))
    };
    let step = number(step)?;
    let mut sums = Vec::with_capacity(values.len());
    for value in values {
        let sum = number(value)?.checked_add(step);
        let sum = sum.ok_or_else(|| Refusal::new(CONSTRAINT_VIOLATION, "the sum is too large"))?;
        sums.push(sum.to_string());
    }
    let sums: Vec<&[u8]> = sums.iter().map(String::as_bytes).collect();
    shelf.replace(name, &sums);
    Ok(())
}

/// Refuses changes that would leave an entry without its classes or without its own name.
fn check_result(
    entry: &Entry,
    attributes: &Attributes,
    changes: &[Change<'_>],
) -> Result<(), Refusal> {
    let touches =
        |name: &[u8]| changes.iter().any(|change| change.attribute.name.eq_ignore_ascii_case(name));
    if touches(b"objectClass") && attributes.find(b"objectClass").is_none() {
        return Err(Refusal::new(OBJECT_CLASS_VIOLATION, "an entry must have an objectClass"));
    }
    let rdn_name = entry.normal.split(|byte| *byte == b',').next().unwrap_or_default();
    let renames = rdn_name.split(|byte| *byte == b'+').any(|pair| {
        let name = pair.split(|byte| *byte == b'=').next().unwrap_or_default();
        touches(name)
    });
    if !renames {
        return Ok(());
    }
    let name = dn::Dn::parse(&entry.dn).unwrap_or_default();
    for pair in name.rdns.first().into_iter().flat_map(|rdn| &rdn.pairs) {
        let held = attributes.iter().filter(|attribute| attribute.is(pair.attribute.as_bytes()));
        if !held.flat_map(|attribute| attribute.values()).any(|value| equal(value, &pair.value)) {
            return Err(Refusal::new(
                NOT_ALLOWED_ON_RDN,
                "the entry is named by this value; use modify DN",
            ));
        }
    }
    Ok(())
}

/// notAllowedOnRDN.
const NOT_ALLOWED_ON_RDN: u32 = 67;
