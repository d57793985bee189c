//! Comparisons, deletions, renamings: what the server saw of them, and their results in the directory.

use brunt_testbed::{ADMIN_DN, PASSWORD, Slapd, user_dn};

use crate::brunt::{Brunt, To, command};
use crate::directory::{Directory as _, Transport, slapd};

const TARGET: &str = "uid=user.{1},ou=people,dc=example,dc=com";

fn load(slapd: &Slapd, tool: &str, options: &str) -> Brunt {
    let run = command(tool).to(slapd, Transport::Plain).args(["-D", ADMIN_DN, "-w", PASSWORD]);
    run.args(["-b", TARGET]).typed(options)
}

/// How many renamings the log has.
fn renamings(slapd: &Slapd) -> usize {
    slapd.log_text().matches(" MODRDN dn=").count()
}

fn names(slapd: &Slapd, entries: usize) -> Vec<Option<String>> {
    (0..entries).map(|number| slapd.value(&user_dn(number), "uid")).collect()
}

#[test]
fn comparerate_counts_true_and_false_as_successes() {
    let Some(slapd) = slapd(20) else { return };
    let mut run = None;
    let seen = slapd.saw(|| {
        let load = load(&slapd, "comparerate", "-F -c 2 -t 4 -m 200 -g inc(0,19) -g inc(0,9)");
        run = Some(load.arg("mail:user.{2}@example.com").run().went_well());
    });
    let run = run.expect("it ran");
    assert_eq!((seen.compares, run.count("ok")), (200, 200), "{seen:?}\n{run}");
    // The first ten of each twenty are compared with their own address.
    assert_eq!(run.results(), [(6, 100), (5, 100)].into(), "{run}");
    assert_eq!((seen.with_result(6), seen.with_result(5)), (100, 100), "{seen:?}");
    let run = load(&slapd, "comparerate", "-F -m 5 -g inc(90,99)").arg("mail:x").run();
    assert_eq!(run.expect(1).results(), [(32, 5)].into());
}

#[test]
fn deleterate_deletes_one_entry_per_operation() {
    let Some(slapd) = slapd(20) else { return };
    let mut run = None;
    let seen = slapd.saw(|| {
        run = Some(load(&slapd, "deleterate", "-F -c 3 -m 15 -g inc(5,19)").run().went_well());
    });
    assert_eq!((seen.deletes, seen.with_result(32)), (15, 0), "{seen:?}");
    assert_eq!(run.map(|run| run.count("ok")), Some(15));
    let left = names(&slapd, 20).into_iter().flatten().count();
    assert_eq!(left, 5);
    let again = load(&slapd, "deleterate", "-F -m 10 -g inc(0,9)").run().expect(0);
    assert_eq!(again.results(), [(0, 5), (32, 5)].into(), "{again}");
}

#[test]
fn moddnrate_renames_back_and_counts_both() {
    let Some(slapd) = slapd(40) else { return };
    // As many entries as the longest run has exchanges: a server that keeps one session waiting never meets a
    // second renaming of an entry before the first was undone.
    let before = names(&slapd, 40);
    for (options, count) in [
        ("-F -c 2 -m 40 -g inc(0,39)", 40),
        // With an odd number, an entry has its new name when the run is over: it gets the old one back, uncounted.
        ("-F -c 1 -m 7 -g inc(0,39)", 7),
        ("-f -c 2 -m 40 -g inc(0,39)", 40),
        ("-F -c 2 -t 4 -m 37 -g inc(0,39)", 37),
    ] {
        let log = renamings(&slapd);
        let run = load(&slapd, "moddnrate", options).arg("uid=renamed.{1}").run().went_well();
        assert_eq!(
            (run.count("ok"), names(&slapd, 40)),
            (count, before.clone()),
            "{options}\n{run}"
        );
        let seen = (renamings(&slapd) - log) as u64;
        assert!(
            seen >= count && seen <= count + 8 && seen.is_multiple_of(2),
            "{options}: {seen}\n{run}"
        );
        assert_eq!(run.tally("entries left renamed"), 0, "{run}");
    }
    let options = "-F -c 1 -m 10 -g inc(0,39) --newSuperior dc=example,dc=com";
    load(&slapd, "moddnrate", options).arg("uid=moved.{1}").run().went_well();
    assert_eq!(names(&slapd, 40), before);
}

#[test]
fn moddnrate_one_way_is_permanent() {
    let Some(slapd) = slapd(20) else { return };
    let options =
        "-F -c 2 -m 20 -g inc(0,19) --oneWay --keepOldRdn --newSuperior dc=example,dc=com";
    let run = load(&slapd, "moddnrate", options).arg("uid=moved.{1}").run().went_well();
    assert_eq!((run.count("ok"), names(&slapd, 20)), (20, vec![None; 20]), "{run}");
    let entry = slapd.entry("uid=moved.7,dc=example,dc=com");
    assert!(entry.contains("uid: user.7") && entry.contains("uid: moved.7"), "{entry}");
}

#[test]
fn diagnostics_of_servers_are_in_the_record() {
    let Some(slapd) = slapd(20) else { return };
    let run = load(&slapd, "comparerate", "-f -c 2 -m 10 -g inc(0,19)").arg("mail:x").run();
    let run = run.went_well();
    // The connection before the run is one of them.
    assert_eq!(run.tally("binds beside the operations"), 13, "{run}");
    assert_eq!((run.tally("connections opened"), run.tally("connections lost")), (3, 0), "{run}");
    assert_eq!(run.tally("references not followed"), 0, "{run}");
}
