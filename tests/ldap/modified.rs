//! Modifications: their results in the entries, and lost updates between them.

use brunt_testbed::{ADMIN_DN, PASSWORD, user_dn};

use crate::brunt::{Brunt, Run, To, command};
use crate::directory::{Directory, Transport, opendj, slapd};

fn modify(server: &impl Directory, target: &str, options: &str) -> Brunt {
    let run = command("modrate").to(server, Transport::Plain).typed("-F -D");
    run.args([ADMIN_DN, "-w", PASSWORD, "-b", target]).typed(options)
}

#[test]
fn modrate_replaces_values_with_generated_ones() {
    let Some(slapd) = slapd(10) else { return };
    let target = "uid=user.{1},ou=people,dc=example,dc=com";
    let run = modify(&slapd, target, "-m 10 -g inc(0,9) -g inc(100,199)");
    run.args(["description:number {2} of {1}", "givenName:G"]).run().went_well();
    for number in 0..10 {
        let value = slapd.value(&user_dn(number), "description").expect("it has one");
        assert_eq!(value, format!("number {} of {number}", 100 + number));
        assert_eq!(slapd.value(&user_dn(number), "givenName").as_deref(), Some("G"));
    }
}

#[test]
fn modifications_overlap_on_one_connection() {
    let Some(slapd) = slapd(100) else { return };
    multiplexed(&slapd);
}

#[test]
fn modifications_overlap_on_one_connection_to_opendj() {
    let Some(opendj) = opendj() else { return };
    multiplexed(&*opendj);
}

/// Every other target is not there, so an answer that was given to the wrong request would show in the sums.
fn multiplexed(server: &impl Directory) {
    let target = "uid=user.{1}{2},ou=people,dc=example,dc=com";
    let suffixes = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(suffixes.path(), "\n-not-there\n").expect("the file can be written");
    let suffix = format!("inc({})", suffixes.path().display());
    let mut results = None;
    let seen = server.saw(|| {
        let run = modify(server, target, "-c 2 -t 8 -m 400 -g inc(0,99)");
        let run = run.args(["-g", &suffix, "-g", "randstr(10)", "description:{3}"]).run();
        results = Some(run.expect(0).results());
    });
    assert_eq!(results, Some([(0, 200), (32, 200)].into()), "{seen:?}");
    assert_eq!((seen.modifies, seen.connections, seen.with_result(32)), (400, 3, 200), "{seen:?}");
}

#[test]
fn value_count_sets_the_number_of_distinct_values() {
    let Some(slapd) = slapd(10) else { return };
    let run = modify(&slapd, &user_dn(1), "-m 7 --valueCount 5 -g randstr(8)");
    run.arg("description:{}").run().went_well();
    let entry = slapd.entry(&user_dn(1));
    let values: std::collections::BTreeSet<&str> =
        entry.lines().filter_map(|line| line.strip_prefix("description: ")).collect();
    assert_eq!(values.len(), 5, "{entry}");
    assert!(values.iter().all(|value| value.len() == 8), "{entry}");
    modify(&slapd, &user_dn(1), "-m 1 --valueCount 0 description:").run().went_well();
    assert_eq!(slapd.value(&user_dn(1), "description"), None);
}

#[test]
fn increment_adds_up() {
    let Some(slapd) = slapd(10) else { return };
    let run = modify(&slapd, &user_dn(4), "-c 4 -m 250 --increment employeeNumber:3").run();
    // employeeNumber is a string to slapd, whose schema says what can be incremented.
    assert_eq!(run.expect(1).results().len(), 1);
    let template = "dn: uid=counter,ou=people,dc=example,dc=com\nobjectClass: account\nobjectClass: posixAccount\n\
                    uid: counter\ncn: c\nuidNumber: 1000\ngidNumber: 7\nhomeDirectory: /\n";
    let directory = tempfile::tempdir().expect("a temporary directory");
    let ldif = directory.path().join("counter.ldif");
    std::fs::write(&ldif, template).expect("the file can be written");
    let mut add = slapd.client("ldapadd");
    let added = add.args(["-x", "-D", ADMIN_DN, "-w", PASSWORD, "-f"]).arg(&ldif).output();
    assert!(added.expect("ldapadd starts").status.success());
    let counter = "uid=counter,ou=people,dc=example,dc=com";
    modify(&slapd, counter, "-c 4 -m 250 --increment uidNumber:3").run().went_well();
    assert_eq!(slapd.value(counter, "uidNumber").as_deref(), Some("1750"));
}

#[test]
fn assertion_control_filters_modifications() {
    let Some(slapd) = slapd(10) else { return };
    asserted(&slapd);
    assert_eq!(slapd.value(&user_dn(4), "description").as_deref(), Some("odd"));
    assert_eq!(slapd.value(&user_dn(5), "description").as_deref(), Some("as made"));
}

#[test]
fn assertion_control_filters_modifications_in_opendj() {
    let Some(opendj) = opendj() else { return };
    asserted(&*opendj);
}

fn asserted(server: &impl Directory) {
    let target = "uid=user.{1},ou=people,dc=example,dc=com";
    let run = modify(server, target, "-m 10 -g inc(0,9) --assertionFilter (|(sn=2)(sn=4))");
    let run = run.arg("description:odd").run().expect(0);
    assert_eq!(run.results(), [(0, 2), (122, 8)].into(), "{run}");
}

#[test]
fn pre_and_post_read_need_no_further_operation() {
    let Some(slapd) = slapd(10) else { return };
    read_around(&slapd);
}

#[test]
fn pre_and_post_read_need_no_further_operation_in_opendj() {
    let Some(opendj) = opendj() else { return };
    read_around(&*opendj);
}

fn read_around(server: &impl Directory) {
    let options = "-c 2 -m 50 -g randstr(6) --preReadAttribute description --postReadAttribute description \
                   --postReadAttribute cn --permissiveModify";
    let seen = server.saw(|| {
        modify(server, &user_dn(6), options).arg("description:{}").run().went_well();
    });
    assert_eq!((seen.modifies, seen.searches), (50, 0), "{seen:?}");
}

#[test]
fn mvcc_lost_race_is_assertion_failed_on_slapd() {
    let Some(slapd) = slapd(10) else { return };
    race(&slapd, "entryCSN");
}

#[test]
fn mvcc_lost_race_is_assertion_failed_on_opendj() {
    let Some(opendj) = opendj() else { return };
    race(&*opendj, "etag");
}

/// Two tools modify one entry; each reads a version and asserts it.
fn race(server: &impl Directory, version: &str) {
    let options = format!("-c 4 -m 300 --strategy read_modify --mvcc {version} -g randstr(9)");
    let mut runs = None;
    let seen = server.saw(|| {
        let start = || modify(server, &user_dn(8), &options).arg("description:{}").start();
        runs = Some([start(), start()].map(|running| running.wait().expect(0)));
    });
    let runs = runs.expect("they ran");
    let of =
        |code: u32| runs.iter().filter_map(|run| run.results().get(&code).copied()).sum::<u64>();
    let (won, lost) = (of(0), of(122));
    assert_eq!(won + lost, 600, "{} {}", runs[0], runs[1]);
    assert!(won > 0 && lost > 0, "{won} won, {lost} lost");
    // Both of one operation's requests were seen, and the server refused what the tools counted as lost.
    assert_eq!((seen.searches, seen.modifies), (600, 600), "{seen:?}");
    assert_eq!(seen.with_result(122), lost, "{seen:?}");
}

#[test]
fn mvcc_without_contention_never_fails() {
    let Some(slapd) = slapd(100) else { return };
    let target = "uid=user.{1},ou=people,dc=example,dc=com";
    let options = "-c 4 -m 100 --strategy read_modify --mvcc entryCSN -g inc(0,99) -g randstr(9)";
    let run: Run = modify(&slapd, target, options).arg("description:{2}").run().went_well();
    assert_eq!(run.count("ok"), 100);
    // What has no such attribute cannot be asserted, and must not be modified unasserted.
    let seen = slapd.saw(|| {
        let options = "-m 10 --strategy read_modify --mvcc etag -g randstr(9)";
        let run = modify(&slapd, &user_dn(1), options).arg("description:{}").run().expect(1);
        assert_eq!(run.count("failed"), 10, "{run}");
    });
    assert_eq!(seen.modifies, 0, "{seen:?}");
}

#[test]
fn search_and_mod_rate_modifies_the_found_entries() {
    let Some(slapd) = slapd(100) else { return };
    let mut counted = None;
    let seen = slapd.saw(|| {
        let run = command("search-and-mod-rate").to(&slapd, Transport::Plain);
        let run = run.args(["-D", ADMIN_DN, "-w", PASSWORD, "-b", "dc=example,dc=com"]);
        let run = run.typed("-F -c 2 -m 80 -g randstr(9) (uid=user.1*) description:{}").run();
        let run = run.went_well();
        counted = Some(["search", "modify"].map(|operation| run.count_of(operation, "ok")));
    });
    // Eleven entries are found each time, and one after the other is modified.
    assert_eq!(counted, Some([seen.searches, seen.modifies]), "{seen:?}");
    assert!(seen.searches >= 80 / 12 && seen.modifies > 5 * seen.searches, "{seen:?}");
}
