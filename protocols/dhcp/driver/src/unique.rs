//! [`Addresses`]: which client has which address, to detect an address that a server gives to two
//! clients.
//!
//! The workers of a run share it behind one lock for each stage, which is taken only in runs that
//! request the check. If a client is given its own address again, this counts once; a release
//! removes it. It must not depend on the contents of a lease.

use super::Stage;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maximum number of addresses that a stage remembers; any further address counts as unique.
const ADDRESSES_MAX: usize = 8_000_000;

/// The addresses offered and the addresses given, with the clients they were for.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    stages: [Mutex<HashMap<IpAddr, u64>>; 2],
}

impl Addresses {
    /// Records that a client was offered or given an address. Returns whether another client has
    /// it. Only the first two stages give addresses.
    pub(super) fn note(&self, stage: Stage, address: IpAddr, client: u64) -> bool {
        let Some(seen) = self.stages.get(stage as usize) else { return false };
        let mut seen = lock(seen);
        if seen.len() >= ADDRESSES_MAX && !seen.contains_key(&address) {
            return false;
        }
        *seen.entry(address).or_insert(client) != client
    }

    /// Records that no client has the address any more.
    pub(super) fn free(&self, address: IpAddr) {
        for seen in &self.stages {
            lock(seen).remove(&address);
        }
    }
}

fn lock(seen: &Mutex<HashMap<IpAddr, u64>>) -> MutexGuard<'_, HashMap<IpAddr, u64>> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn address_belongs_to_one_client_until_released() {
        let addresses = Addresses::default();
        let address = IpAddr::from(Ipv4Addr::new(192, 0, 2, 7));
        assert!(!addresses.note(Stage::First, address, 1));
        assert!(!addresses.note(Stage::First, address, 1), "the same client again");
        assert!(addresses.note(Stage::First, address, 2));
        assert!(!addresses.note(Stage::Second, address, 2), "each stage by itself");
        assert!(addresses.note(Stage::Second, address, 1));
        assert!(!addresses.note(Stage::Renew, address, 9));
        addresses.free(address);
        assert!(!addresses.note(Stage::First, address, 2));
        assert!(!addresses.note(Stage::Second, address, 1));
    }
}
