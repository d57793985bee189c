//! Changing rates: the number of planned exchanges is the integral of the rate over time, and the server receives them.
//! Other schedules are carried out in virtual time (`tests/in_memory`).

use brunt_testbed::BASE_DN;

use brunt_test_program::{measure, slapd};

#[test]
fn stages_send_the_integral_of_the_rate() {
    let Some(slapd) = slapd(5) else { return };
    let line = ["--stages", "200/s for 1s, ramp 200..100 over 1s", "-c", "5", "-F", "-b", BASE_DN];
    let more = ["-s", "base", "(objectClass=*)"];
    let ended = measure("searchrate", slapd.port(), &[&line[..], &more].concat()).expect(0);
    let counts = ended.record().conservation.counts;
    assert_eq!(slapd.operations().searches, counts.sent, "{ended}");
    assert_eq!(counts.dropped, 0, "{ended}");
    assert!(counts.planned.abs_diff(350) <= 1, "{ended}");
}
