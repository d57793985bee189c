//! Which attributes of an entry a client receives, and the entry written with those.

use brunt_ldap_wire::ber::{Writer, tag};
use brunt_ldap_wire::op;

use crate::directory::{Entry, Operational, write};

/// Which attributes are returned (RFC 4511 section 4.5.1.8).
pub(super) struct Selection<'a> {
    names: &'a [&'a [u8]],
    /// Every attribute except the operational ones.
    user: bool,
    /// Every operational attribute (RFC 3673).
    operational: bool,
    types_only: bool,
}

impl<'a> Selection<'a> {
    pub(super) fn new(names: &'a [&'a [u8]], types_only: bool) -> Self {
        let user = names.is_empty() || names.contains(&&b"*"[..]);
        let operational = names.contains(&&b"+"[..]);
        Self { names, user, operational, types_only }
    }

    /// Appends the entry as a `SearchResultEntry`.
    pub(super) fn write_entry(&self, entry: &Entry, message_id: i32, out: &mut Vec<u8>) {
        Writer::new(out).constructed(tag::SEQUENCE, |w| {
            w.integer(tag::INTEGER, message_id);
            self.write_content(entry, w);
        });
    }

    /// Appends the entry in the form of pre-read and post-read controls.
    pub(super) fn write_read_entry(&self, entry: &Entry, out: &mut Vec<u8>) {
        self.write_content(entry, &mut Writer::new(out));
    }

    fn write_content(&self, entry: &Entry, w: &mut Writer<'_>) {
        w.constructed(op::SEARCH_ENTRY, |w| {
            w.octets(&entry.dn);
            w.constructed(tag::SEQUENCE, |w| self.write_attributes(entry, w));
        });
    }

    fn write_attributes(&self, entry: &Entry, w: &mut Writer<'_>) {
        if self.user && !self.types_only {
            w.raw(entry.attributes.bytes());
        } else {
            for attribute in entry.attributes.iter() {
                if !self.user && !self.names.iter().any(|name| attribute.is(name)) {
                    continue;
                }
                if self.types_only {
                    let mut bare = Vec::new();
                    write(&mut bare, attribute.name, None);
                    w.raw(&bare);
                } else {
                    w.raw(attribute.raw);
                }
            }
        }
        if !self.operational && self.names.is_empty() {
            return;
        }
        for operational in Operational::ALL {
            let name = operational.name().as_bytes();
            if self.operational
                || self.names.iter().any(|requested| requested.eq_ignore_ascii_case(name))
            {
                let mut bytes = Vec::new();
                operational.write(entry, self.types_only, &mut bytes);
                w.raw(&bytes);
            }
        }
    }
}
