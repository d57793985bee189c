//! [`Shares`]: how many connections one address may have at a time, so that it cannot have all.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// The most connections of one address.
const CONNECTIONS_MAX: usize = 256;

/// How many connections each address has.
#[derive(Debug, Default)]
pub(super) struct Shares(Mutex<HashMap<IpAddr, usize>>);

/// One connection of an address, until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    shares: Arc<Shares>,
    from: IpAddr,
}

impl Shares {
    /// Counts a connection of this address; none if it has as many as it may have.
    pub(super) fn enter(self: &Arc<Self>, from: IpAddr) -> Option<Share> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(from).or_default();
        (*count < CONNECTIONS_MAX).then(|| {
            *count += 1;
            Share { shares: Arc::clone(self), from }
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut open = self.shares.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.from) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_per_address_are_limited() {
        let shares = Arc::new(Shares::default());
        let [one, other] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]));
        let mut open: Vec<Share> =
            (0..CONNECTIONS_MAX).map(|_| shares.enter(one).unwrap()).collect();
        assert!(shares.enter(one).is_none());
        assert!(shares.enter(other).is_some());
        open.pop();
        assert!(shares.enter(one).is_some());
        drop(open);
        assert!(shares.0.lock().unwrap().is_empty());
    }
}
