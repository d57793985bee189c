//! Modify DN (RFC 4511 section 4.9): another name, another place, or both.

use brunt_ldap_wire::message::Message;
use brunt_ldap_wire::{code, dn};

use super::update::name_by_rdn;
use super::{Done, check_assertion, normalize};
use crate::directory::{equal, parent_name};
use crate::refusal::Refusal;
use crate::session::Session;

/// The new name and place of an entry.
pub(crate) struct Target<'a> {
    pub(crate) rdn: &'a [u8],
    pub(crate) superior: Option<&'a [u8]>,
    /// Whether the values of the old name are removed.
    pub(crate) delete_old: bool,
}

/// Renames an entry and all below it.
pub(crate) fn rename(
    session: &mut Session,
    message: &Message<'_>,
    dn: &[u8],
    to: &Target<'_>,
) -> Result<Done, Refusal> {
    normalize(dn, &mut session.normal)?;
    let old = parsed(dn)?;
    if parsed(to.rdn)?.rdns.len() != 1 {
        return Err(Refusal::new(code::INVALID_DN_SYNTAX, "the new name must be one RDN"));
    }
    let mut directory = session.realm.write();
    let id = directory.demand(&session.normal)?;
    let Some(entry) = directory.entry(id) else { return Err(Refusal::no_such_object(b"")) };
    check_assertion(message, entry)?;
    let superior = match to.superior {
        Some(superior) => {
            let mut normal = Vec::new();
            normalize(superior, &mut normal)?;
            directory.demand(&normal)?;
            superior.to_vec()
        }
        None => parent_name(&session.normal)
            .and_then(|name| directory.find(name))
            .and_then(|id| directory.entry(id))
            .map(|entry| entry.dn.clone())
            .unwrap_or_default(),
    };
    let name =
        if superior.is_empty() { to.rdn.to_vec() } else { [to.rdn, b",", &superior].concat() };
    let mut normal = Vec::new();
    normalize(&name, &mut normal)?;
    if normal != session.normal && directory.find(&normal).is_some() {
        return Err(Refusal::new(code::ENTRY_ALREADY_EXISTS, "the new name is taken"));
    }
    if normal.len() > session.normal.len()
        && normal.ends_with(&[b",", session.normal.as_slice()].concat())
    {
        return Err(Refusal::new(code::UNWILLING_TO_PERFORM, "an entry cannot stand below itself"));
    }
    directory.rename(id, &name, &normal)?;
    directory.modify(id, true, |entry| {
        if to.delete_old {
            for pair in old.rdns.first().into_iter().flat_map(|rdn| &rdn.pairs) {
                let attribute = pair.attribute.as_bytes();
                let Some(held) = entry.attributes.find(attribute) else { continue };
                let kept: Vec<Vec<u8>> = held
                    .values()
                    .filter(|value| !equal(value, &pair.value))
                    .map(<[u8]>::to_vec)
                    .collect();
                let kept: Vec<&[u8]> = kept.iter().map(Vec::as_slice).collect();
                entry.attributes.replace(attribute, &kept);
            }
        }
        name_by_rdn(entry)
    })?;
    Ok(Done::success())
}

fn parsed(name: &[u8]) -> Result<dn::Dn, Refusal> {
    dn::Dn::parse(name).map_err(|error| Refusal::new(code::INVALID_DN_SYNTAX, error.to_string()))
}
