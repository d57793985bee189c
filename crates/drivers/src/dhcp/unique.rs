//! [`Addresses`]: who has which address, to notice one that a server gives to two clients.
//!
//! Shared by the workers of a run behind a lock for each stage, since only a run that asks for it
//! pays. A client that is given its own address again has it once; a release gives it up. It must
//! not know what a lease is.

use super::Stage;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many addresses a stage remembers; beyond them, new ones are taken for unique.
const ADDRESSES_MAX: usize = 8_000_000;

/// The addresses offered and the addresses given, with the clients they were for.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    stages: [Mutex<HashMap<IpAddr, u64>>; 2],
}

impl Addresses {
    /// Notes that a client was offered or given an address; says whether another has it. Only the
    /// first two stages hand out addresses.
    pub(super) fn note(&self, stage: Stage, address: IpAddr, client: u64) -> bool {
        let Some(seen) = self.stages.get(stage as usize) else { return false };
        let mut seen = lock(seen);
        if seen.len() >= ADDRESSES_MAX && !seen.contains_key(&address) {
            return false;
        }
        *seen.entry(address).or_insert(client) != client
    }

    /// No client has the address any more.
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
    fn an_address_is_one_clients_until_it_is_free() {
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
