//! What `-B` excludes from the figures. Which rows the table then has is seen in virtual time (`tests/in_memory`).

use brunt_testbed::BASE_DN;

use brunt_test_program::{measure, slapd};

#[test]
fn warm_up_is_excluded_from_the_iteration_count() {
    let Some(slapd) = slapd(20) else { return };
    let line = ["-B", "1", "-m", "157", "-M", "200", "-c", "3", "-F", "-b", BASE_DN, "-s", "base"];
    let ended =
        measure("searchrate", slapd.port(), &[&line[..], &["(objectClass=*)"]].concat()).expect(0);
    let record = ended.record();
    assert_eq!((record.counts.planned, record.counts.ok), (157, 157), "{ended}");
    assert_eq!(slapd.operations().searches, 200 + 157, "{ended}");
}
