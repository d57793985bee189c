//! Adding entries and deleting them again, compiled: addrate measures it, and a purge removes what is left.

use super::entries::{Entry, EntrySource};
use super::live::LiveEntries;
use brunt_ldap_wire::control::{self, Control};
use brunt_ldap_wire::{Skeleton, request};
use std::sync::Arc;

/// The compiled operation.
#[derive(Debug)]
pub(super) struct Churn {
    entries: Arc<dyn EntrySource>,
    pub(super) live: LiveEntries,
    /// Encoded controls, as the requests around them are built for every exchange.
    controls: Vec<u8>,
}

impl Churn {
    pub(super) fn new(
        entries: Arc<dyn EntrySource>,
        live: LiveEntries,
        controls: &[Control],
    ) -> Self {
        let mut encoded = Vec::new();
        if let Some(node) = control::node(controls) {
            Skeleton::fragment(&node).encode(0, &(), &mut encoded);
        }
        Self { entries, live, controls: encoded }
    }

    pub(super) fn live_entries(&self) -> u64 {
        self.live.size()
    }

    /// Whether there is an entry of this number.
    pub(super) fn has(&self, number: u64) -> bool {
        self.entries.has(number)
    }

    pub(super) fn encode_add(&self, number: u64, entry: &mut Entry, id: i32, out: &mut Vec<u8>) {
        entry.clear();
        self.entries.fill(number, entry);
        request::encode_add(out, id, entry.dn(), entry.attributes(), &self.controls);
    }

    pub(super) fn encode_delete(&self, number: u64, dn: &mut Vec<u8>, id: i32, out: &mut Vec<u8>) {
        dn.clear();
        self.entries.dn(number, dn);
        request::encode_delete(out, id, dn, &self.controls);
    }

    pub(super) fn dn(&self, number: u64) -> String {
        let mut dn = Vec::new();
        self.entries.dn(number, &mut dn);
        String::from_utf8_lossy(&dn).into_owned()
    }
}
