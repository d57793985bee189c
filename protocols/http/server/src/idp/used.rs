//! What may be used once: identifiers of assertions and proofs, and one-time passwords.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hashbrown::HashSet;
use ring::digest::{SHA256, digest};

/// How many are remembered; the oldest is forgotten.
const MOST: usize = 500_000;
/// How long one is remembered: longer than anything is accepted that has one.
const LASTS: Duration = Duration::from_secs(360);

/// What was used in the last minutes.
#[derive(Debug, Default)]
pub(super) struct Used {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    hashes: HashSet<u64, foldhash::fast::FixedState>,
    order: VecDeque<(Duration, u64)>,
}

impl Used {
    /// Uses it. False if it was used before.
    pub(super) fn first(&self, now: Duration, parts: &[&str]) -> bool {
        let hash = digest(&SHA256, parts.join("\n").as_bytes());
        let hash = hash.as_ref()[..8].try_into().map(u64::from_le_bytes).unwrap_or_default();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.order.front().is_some_and(|(until, _)| *until <= now) || kept.order.len() >= MOST
        {
            if let Some((_, oldest)) = kept.order.pop_front() {
                kept.hashes.remove(&oldest);
            }
        }
        let first = kept.hashes.insert(hash);
        if first {
            kept.order.push_back((now + LASTS, hash));
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_identifier_is_accepted_once() {
        let used = Used::default();
        let now = Duration::from_secs(9);
        assert!(used.first(now, &["jti", "a"]) && !used.first(now, &["jti", "a"]));
        assert!(used.first(now, &["jti", "b"]) && used.first(now + LASTS, &["jti", "a"]));
    }
}
