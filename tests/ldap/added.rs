//! What addrate adds, deletes and leaves behind.

use std::time::Duration;

use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, user_dn};

use crate::brunt::{Brunt, To, command};
use crate::directory::{Directory, Transport, opendj, slapd};

/// People beside those of the testbed.
pub(crate) const TEMPLATE: &str = "define suffix=dc=example,dc=com
define round=0

branch: ou=people,[suffix]
subordinateTemplate: person:100000

template: person
rdnAttr: uid
objectClass: top
objectClass: person
objectClass: organizationalPerson
objectClass: inetOrgPerson
uid: added.[round].<sequential:0>
cn: Added {uid}
sn: <random:alpha:8>
description: made to be deleted
";

fn add(server: &impl Directory, options: &str) -> Brunt {
    add_from(server, options, TEMPLATE)
}

fn add_from(server: &impl Directory, options: &str, template: &str) -> Brunt {
    let run = command("addrate").to(server, Transport::Plain);
    let run = run.args(["-D", ADMIN_DN, "-w", PASSWORD]).typed(options);
    let template = run.file("template", template);
    run.arg(template)
}

#[test]
fn template_end_ends_the_run_or_starts_again() {
    let Some(slapd) = slapd(10) else { return };
    let fifty = TEMPLATE.replace("person:100000", "person:50");
    // Fewer than may be live at once: added once each, warm-up or not, and that is all.
    for options in ["-F -c 4", "-F -c 4 -C off", "-F -c 4 -m 500", "-F -c 4 -s 50"] {
        let seen = slapd.saw(|| {
            add_from(&slapd, options, &fifty).run().went_well();
        });
        assert_eq!((seen.adds, seen.deletes), (50, 50), "{options}");
    }
    // More than may be live at once: the names are used again, and no add meets an entry that is still there.
    let run = add_from(&slapd, "-F -c 4 -s 20 -m 400", &fifty).run().went_well();
    assert!(run.count_of("add", "ok") > 150, "{run}");
    assert_eq!(run.count("failed"), 0, "{run}");
}

#[test]
fn purge_leaves_nothing_behind() {
    let Some(slapd) = slapd(10) else { return };
    let before = slapd.entries_below(BASE_DN);
    // No entry becomes an hour old while the run lasts, so all of them are left to the purge.
    for mode in ["-C fifo -s 30", "-C random -s 30", "-C off", "-a 3600"] {
        let mut run = None;
        let seen = slapd.saw(|| {
            run = Some(add(&slapd, &format!("-F -c 4 -m 200 {mode}")).run().went_well());
        });
        let run = run.expect("it ran");
        assert_eq!(slapd.entries_below(BASE_DN), before, "{mode}\n{run}");
        // Whatever was added was deleted: by the run as counted, and by the purge as said.
        let (adds, deletes) = (run.count_of("add", "ok"), run.count_of("delete", "ok"));
        assert_eq!((seen.adds, seen.deletes), (adds, adds), "{mode} {seen:?}\n{run}");
        let purged = format!("{} entries have been successfully purged", adds - deletes);
        assert!(run.stderr.contains(&purged), "{purged}\n{run}");
        let expected = if mode.contains("-s 30") { 200 - (200 - 30) / 2 } else { 200 };
        assert!(adds.abs_diff(expected) <= 4, "{mode}: {adds} added\n{run}");
    }
}

#[test]
fn purge_leaves_nothing_behind_in_opendj() {
    let Some(opendj) = opendj() else { return };
    let mut run = None;
    let seen = opendj.saw(|| {
        run = Some(add(&*opendj, "-F -c 4 -t 2 -m 200 -s 30 -g round=opendj").run().went_well());
    });
    let run = run.expect("it ran");
    assert_eq!(seen.adds, seen.deletes, "{run}");
    assert_eq!(seen.adds, run.count_of("add", "ok"), "{run}");
}

#[test]
fn size_threshold_deletes_the_oldest_entries_first() {
    let Some(slapd) = slapd(10) else { return };
    add(&slapd, "-F -c 1 -m 100 -s 20 -n").run().went_well();
    // Twenty adds, then by turns: entry 60 is the last to be added, and what is left is the youngest.
    let left =
        |number: u32| !slapd.entry(&format!("uid=added.0.{number},ou=people,{BASE_DN}")).is_empty();
    let numbers: Vec<u32> = (0..100).filter(|&number| left(number)).collect();
    let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
    assert!((20..=21).contains(&numbers.len()), "{numbers:?}");
    assert_eq!(last + 1 - first, numbers.len() as u32, "a gap means not the oldest: {numbers:?}");
    assert_eq!(100 - (last + 1), first, "adds and deletes: {numbers:?}");
}

#[test]
fn age_threshold_deletes_old_entries() {
    let Some(slapd) = slapd(10) else { return };
    let run = add(&slapd, "-F -c 2 -M 100 -d 4 -a 1").run().went_well();
    let (adds, deletes) = (run.count_of("add", "ok"), run.count_of("delete", "ok"));
    assert_eq!(adds + deletes, 400, "{run}");
    // How many these are follows from how soon each was answered; in virtual time (`tests/in_memory`) it is exact.
    assert!(deletes > 0 && adds > deletes, "{adds} added\n{run}");
    assert_eq!(slapd.operations().deletes, adds);
}

/// Existing entries belong to other users: they are neither replaced nor deleted.
#[test]
fn existing_entries_are_neither_replaced_nor_deleted() {
    let Some(slapd) = slapd(40) else { return };
    let run = command("addrate").to(&slapd, Transport::Plain).typed("-F -c 2 -m 60 -C off");
    let theirs = TEMPLATE.replace("added.[round].", "user.");
    let template = run.file("template", &theirs);
    let run = run.args(["-D", ADMIN_DN, "-w", PASSWORD]).arg(template).run().expect(0);
    assert_eq!(run.results(), [(0, 20), (68, 40)].into(), "{run}");
    assert_eq!(slapd.value(&user_dn(39), "description").as_deref(), Some("as made"));
    assert!(slapd.entry(&user_dn(40)).is_empty(), "what was added is gone again");
    assert_eq!(slapd.operations().deletes, 20);
}

#[test]
fn purge_follows_a_signal() {
    let Some(slapd) = slapd(10) else { return };
    let before = slapd.entries_below(BASE_DN);
    let running = add(&slapd, "-F -c 2 -M 200").start();
    let begun =
        brunt_testbed::until(Duration::from_secs(90), || slapd.log_text().contains(" ADD dn="));
    assert!(begun, "nothing was added");
    running.interrupt();
    let run = running.wait().expect(130);
    assert!(run.stderr.contains("successfully purged"), "{run}");
    assert_eq!(slapd.entries_below(BASE_DN), before, "{run}");
}

#[test]
fn template_file_missing_exits_80() {
    let run = command("addrate").args(["-h", "127.0.0.1", "/nowhere/template"]).run();
    let run = run.expect(80);
    assert!(run.stderr.contains("/nowhere/template"), "{run}");
}
