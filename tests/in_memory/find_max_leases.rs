//! `brunt find-max` over a mix of leases.

use brunt_record::Collection;
use brunt_test_program::{Ended, scratch, without_a_limit};

use crate::machine::Machine;

/// A tenth of a second counts as one; rates and objectives that any store can sustain, so that a lower bound is found.
const EASY: [&str; 8] =
    ["find-max", "--second", "100ms", "--quiet", "--slo", "p90<2s", "--slo", "achieved>=50%"];

fn searched(words: &[&str]) -> Ended {
    Machine::real().run(&[&EASY[..], words].concat())
}

/// Each step finds the store as the first did, and what the store answers is checked.
#[test]
fn find_max_searches_a_mix_of_leases_on_one_store() {
    let directory = scratch();
    let file = directory.path().join("found.json");
    let store = format!("redb:{}", directory.path().join("leases.redb").display());
    let mix = "allocate=1,renew=2,release=1,search=1";
    let words = ["--confirm", "40s", "--from", "50/s", "--to", "100/s", "--record"];
    let words = [&words[..], &[file.to_str().unwrap(), "--"]].concat();
    let leases = ["leases", &store, "--durability", "async", "--preload", "500", "--mix", mix];
    without_a_limit(&searched(&[&words[..], &leases[..]].concat()));
    let found = Collection::read(&file).expect("a record");
    let floor = found.figures.get("floor");
    assert!(floor.is_none_or(|floor| (1.0..=100.0).contains(floor)), "{:?}", found.figures);
    let mut steps = 0;
    for record in found.cells.iter().filter_map(|cell| cell.record.as_ref()) {
        let ok: u64 = record.operations.iter().map(|operation| operation.counts.ok).sum();
        assert_eq!((record.counts.failed, record.counts.ok), (0, ok), "{:?}", record.plan);
        steps += 1;
    }
    assert!(steps >= 5, "{steps}");
    assert!(!directory.path().join("leases.redb").exists(), "the store is cleared away");
    for (words, output) in [
        (&["leases", "redb"][..], "--mix"),
        (&["leases", "--mix", mix, "--durability", "sync"], "name it"),
        (&["leases", "redb", "--mix", mix], "--durability sync"),
    ] {
        let ended = searched(&[&["--"], words].concat()).expect(2);
        assert!(ended.output().contains(output), "{output}: {ended}");
    }
    // There is nothing to renew, and that is not the store's fault.
    let ended =
        searched(&["--", "leases", "redb", "--durability", "async", "--mix", "renew=1"]).expect(1);
    assert!(ended.output().contains("nothing to work on"), "{ended}");
}
