//! The server's own figures beside a run's: the counts of slapd and the kernel are compared with what the run did.

use brunt_testbed::{ADMIN_DN, PASSWORD, Slapd};

use crate::brunt::{Run, To, command};
use crate::directory::{Transport, slapd};

fn search(slapd: &Slapd, monitor: &[&str]) -> Run {
    let run =
        command("searchrate").to(slapd, Transport::Plain).args(["-D", ADMIN_DN, "-w", PASSWORD]);
    let run = run.typed("-F -c 2 -M 200 -d 3 -b dc=example,dc=com -g inc(0,9)");
    let monitor = monitor.iter().flat_map(|source| ["--monitor", source]);
    run.args(monitor).args(["--details", "(uid=user.{})"]).run()
}

/// How a reading of a source began and ended.
fn reading(run: &Run, source: &str, name: &str) -> (f64, f64) {
    let monitors = run.json()["monitors"].as_array().expect("the record has monitors");
    let monitor = monitors.iter().find(|monitor| monitor["source"] == source).expect("it is there");
    assert!(monitor["samples"].as_u64() >= Some(4) && monitor["failed"] == 0, "{monitor}");
    let readings = monitor["readings"].as_array().expect("it has readings");
    let found = readings.iter().find(|reading| reading["name"] == name);
    let found = found.unwrap_or_else(|| panic!("{name}: {monitor}"));
    (found["first"].as_f64().expect("a number"), found["last"].as_f64().expect("a number"))
}

#[test]
fn monitor_figures_of_slapd_and_kernel_are_in_the_record() {
    let Some(slapd) = slapd(10) else { return };
    let pid = format!("pid:{}", slapd.id());
    let run = search(&slapd, &["ldap", &pid]).went_well();
    let searches = run.count("ok") as f64;
    let (first, last) = reading(&run, "ldap", "operations completed");
    // Beside the searches of the run: its binds, and eight searches for each of some five readings.
    assert!((searches..searches + 80.0).contains(&(last - first)), "{first} {last}\n{run}");
    let (first, last) = reading(&run, "ldap", "entries returned");
    assert!((searches..searches + 80.0).contains(&(last - first)), "{first} {last}\n{run}");
    let (first, last) = reading(&run, &pid, "processor seconds");
    assert!(first <= last && last - first < 8.0, "{first} {last}");
    let (_, files) = reading(&run, &pid, "open files");
    assert!(files >= 3.0, "{files}");
    assert!(run.stderr.contains("Target's own figures (ldap)"), "{run}");
    assert!(run.stderr.contains("operations completed"), "{run}");
}

#[test]
fn monitor_source_that_cannot_be_read_stops_the_run() {
    let Some(slapd) = slapd(10) else { return };
    for (source, output) in [
        ("pid:4194305", "failed to read --monitor pid:4194305: read /proc/4194305/stat"),
        ("kea:/nowhere", "failed to read --monitor kea:/nowhere: query /nowhere"),
        ("snmp", "kea:SOCKET"),
    ] {
        let before = slapd.operations().searches;
        let run = search(&slapd, &[source]);
        assert!(run.code() != 0 && run.stderr.contains(output), "{source}\n{run}");
        assert_eq!(slapd.operations().searches, before, "{source}");
    }
}
