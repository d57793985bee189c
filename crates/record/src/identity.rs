//! What identifies a run, and what shows that two runs did the same: a run id and a fingerprint.
//!
//! A *run id* is drawn at random for every run, never from its seed: two runs with the same seed
//! are two runs. A *fingerprint* follows only from the requested load, so the nodes of one run have
//! the same one, wherever they run and whatever files they write. Merging relies on it.

use crate::{Basis, Catalogue, Plan, Tool};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// An id for a new run: 128 random bits in hexadecimal.
pub fn run_id() -> String {
    // The operating system seeds the keys of these states; each state has its own keys.
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

/// The fingerprint of the requested run: 128 bits in hexadecimal.
///
/// It covers the tool and its version, the model, the seed, the target, the latency that is shown, the names of the
/// operations, and `load`: everything else that decides which exchanges the whole run makes and when, such as the words
/// of the command line about this, or the text of a plan file. It covers neither the node nor a node's share (its rate,
/// its sessions), nor where results go. The hash is FNV-1a, each text with its length before it; it stays the same
/// between versions of the format.
pub fn fingerprint<'a>(
    tool: &Tool,
    plan: &Plan,
    catalogue: &Catalogue,
    load: impl IntoIterator<Item = &'a str>,
) -> String {
    let mut hash = Fnv::default();
    hash.text("brunt-fingerprint/1");
    hash.text(&tool.name);
    hash.text(&tool.version);
    hash.text(plan.mode.word());
    hash.text(if plan.constant { "constant" } else { "varying" });
    hash.text(&plan.seed.to_string());
    if plan.first_exchange > 0 {
        hash.text(&plan.first_exchange.to_string());
    }
    hash.text(plan.target.as_deref().unwrap_or_default());
    hash.text(match plan.latency_basis {
        Basis::Response => "response",
        Basis::Service => "service",
    });
    hash.texts(catalogue.operations.iter().map(String::as_str));
    hash.texts(load);
    format!("{:032x}", hash.0)
}

/// FNV-1a of 128 bits.
struct Fnv(u128);

impl Default for Fnv {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(&(text.len() as u64).to_be_bytes());
        self.bytes(text.as_bytes());
    }

    fn texts<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        let mut count = 0_u64;
        for text in texts {
            self.text(text);
            count += 1;
        }
        self.bytes(&count.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity_of(change: impl Fn(&mut Tool, &mut Plan, &mut Catalogue), load: &[&str]) -> String {
        let mut tool = Tool { name: "brunt".into(), version: "0.1.0".into() };
        let mut plan = Plan::open(100.0, 10, 7);
        let mut catalogue = Catalogue::new(["bind", "search"], ["connect"]);
        change(&mut tool, &mut plan, &mut catalogue);
        fingerprint(&tool, &plan, &catalogue, load.iter().copied())
    }

    #[test]
    fn fnv_hash_has_its_published_value() {
        let mut hash = Fnv::default();
        hash.bytes(b"a");
        assert_eq!(hash.0, 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    #[test]
    fn fingerprint_depends_on_the_load_and_not_on_the_share() {
        let load = ["-M", "100"];
        let plain = identity_of(|_, _, _| {}, &load);
        assert_eq!(plain.len(), 32);
        assert_eq!(plain, identity_of(|_, plan, _| plan.sessions = 5, &load));
        assert_eq!(plain, identity_of(|_, plan, _| plan.target_rate = Some(50.0), &load));
        assert_eq!(plain, identity_of(|_, _, catalogue| catalogue.tallies.push("x".into()), &load));
        let others = [
            identity_of(|_, plan, _| plan.seed = 8, &load),
            identity_of(|_, plan, _| plan.target = Some("x".into()), &load),
            identity_of(|_, plan, _| plan.mode = crate::Mode::Closed, &load),
            identity_of(|tool, _, _| tool.version = "0.2.0".into(), &load),
            identity_of(|_, _, catalogue| catalogue.operations.reverse(), &load),
            identity_of(|_, _, _| {}, &["-M", "10", "0"]),
            identity_of(|_, _, _| {}, &["-M100"]),
            identity_of(|_, _, _| {}, &[]),
        ];
        assert!(others.iter().all(|other| *other != plain));
    }

    #[test]
    fn run_ids_are_unique() {
        let ids: std::collections::BTreeSet<String> = (0..1_000).map(|_| run_id()).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())));
    }
}
