//! An entry: its name, its attributes, its place in the tree.
//!
//! User attributes, operational attributes and passwords, which are never returned, are stored separately, so that each
//! kind can be found without searching the others.

use std::fmt::Write as _;

use super::attributes::{Attribute, Attributes, write};

/// The attribute that is stored separately and never returned.
pub(crate) const PASSWORD: &[u8] = b"userPassword";

/// The number of an entry. The number of a deleted entry may be used again.
pub(crate) type Id = u32;

/// An entry.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The DN as it was given.
    pub(crate) dn: Vec<u8>,
    /// The normalized DN.
    pub(crate) normal: Vec<u8>,
    pub(crate) attributes: Attributes,
    /// Only passwords.
    pub(crate) secret: Attributes,
    /// Never changes.
    pub(crate) uuid: u128,
    /// Changes with every modification.
    pub(crate) etag: u64,
    pub(crate) parent: Option<Id>,
    /// The position of this entry in the parent's list of children.
    pub(super) place: usize,
    pub(crate) children: Vec<Id>,
}

impl Entry {
    /// An entry that is not in the tree yet.
    pub(crate) fn new(dn: &[u8], normal: Vec<u8>) -> Self {
        Self {
            dn: dn.to_vec(),
            normal,
            attributes: Attributes::default(),
            secret: Attributes::default(),
            uuid: 0,
            etag: 0,
            parent: None,
            place: 0,
            children: Vec::new(),
        }
    }

    /// The attributes among which an attribute of this name is stored, for changes.
    pub(crate) fn shelf_mut(&mut self, name: &[u8]) -> &mut Attributes {
        if is_password(name) { &mut self.secret } else { &mut self.attributes }
    }

    /// Whether a value of the attribute, or of a subtype of it, passes the test. Passwords are not tested.
    pub(crate) fn any(&self, description: &[u8], test: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        let passes = |candidate: Attribute<'_>| {
            candidate.is(description) && candidate.values().any(&mut *test)
        };
        if self.attributes.iter().any(passes) {
            return true;
        }
        Operational::named(description)
            .is_some_and(|operational| test(operational.value(self).as_bytes()))
    }

    /// Whether the entry has the attribute.
    pub(crate) fn has(&self, description: &[u8]) -> bool {
        self.attributes.iter().any(|attribute| attribute.is(description))
            || Operational::named(description).is_some()
    }

    /// Whether this is the password.
    pub(crate) fn accepts(&self, password: &[u8]) -> bool {
        self.secret.iter().any(|attribute| attribute.values().any(|value| value == password))
    }
}

/// Whether an attribute is one that is never returned.
pub(crate) fn is_password(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(PASSWORD)
}

/// An attribute that the server maintains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operational {
    EntryUuid,
    Etag,
    EntryDn,
    HasSubordinates,
}

impl Operational {
    pub(crate) const ALL: [Self; 4] =
        [Self::EntryUuid, Self::Etag, Self::EntryDn, Self::HasSubordinates];

    /// The operational attribute of this name.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operational| operational.name().as_bytes().eq_ignore_ascii_case(name))
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::EntryUuid => "entryUUID",
            Self::Etag => "etag",
            Self::EntryDn => "entryDN",
            Self::HasSubordinates => "hasSubordinates",
        }
    }

    pub(crate) fn value(self, entry: &Entry) -> String {
        match self {
            Self::EntryUuid => uuid_text(entry.uuid),
            Self::Etag => {
                let mut text = String::with_capacity(16);
                // Writing to a string does not fail.
                let _ = write!(text, "{:016x}", entry.etag);
                text
            }
            Self::EntryDn => String::from_utf8_lossy(&entry.dn).into_owned(),
            Self::HasSubordinates => {
                if entry.children.is_empty() { "FALSE" } else { "TRUE" }.to_owned()
            }
        }
    }

    /// Appends it as it is encoded in messages.
    pub(crate) fn write(self, entry: &Entry, types_only: bool, out: &mut Vec<u8>) {
        let value = self.value(entry);
        let values = (!types_only).then_some(value.as_bytes());
        write(out, self.name().as_bytes(), values);
    }
}

/// A UUID as RFC 4122 writes it.
fn uuid_text(uuid: u128) -> String {
    let digits = format!("{uuid:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuid_is_formatted_with_hyphens() {
        assert_eq!(
            uuid_text(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef),
            "01234567-89ab-cdef-0123-456789abcdef"
        );
    }
}
