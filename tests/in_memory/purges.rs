//! What addrate leaves behind.

use std::fs;

use brunt_ldap_server::Operation;
use brunt_test_program::scratch;
use brunt_testbed::PASSWORD;

use crate::directory::{Directory, measure};

const TEMPLATE: &str = "branch: ou=people,dc=example,dc=com\nsubordinateTemplate: person:1000\n\n\
     template: person\nrdnAttr: uid\nobjectClass: person\nuid: added.<sequential:0>\ncn: Added\nsn: Added\n";

#[test]
fn no_purge_keeps_the_added_entries() {
    let directory = scratch();
    let template = directory.path().join("person.template");
    fs::write(&template, TEMPLATE).unwrap();
    let template = template.to_str().unwrap();
    for (purge, deleted) in [(&[][..], 40), (&["--noPurge"], 0)] {
        let (machine, directory) = Directory::with(5);
        let admin = ["-D", "uid=admin,dc=example,dc=com", "-w", PASSWORD];
        let line = ["-F", "-c", "4", "-m", "40", "-C", "off"];
        let ended = measure(&machine, "addrate", &[&admin[..], purge, &line, &[template]].concat());
        let ended = ended.expect(0);
        assert_eq!(ended.record().counts.ok, 40, "{ended}");
        let seen = [Operation::Add, Operation::Delete].map(|of| directory.answered(of));
        assert_eq!(seen, [40, deleted], "{ended}");
        let output =
            if deleted == 0 { "40 entries were added and kept" } else { "40 entries have been" };
        assert!(ended.to_string().contains(output), "{ended}");
    }
}

/// A second of adds, then an add and a delete by turns.
#[test]
fn age_threshold_deletes_entries_of_that_age() {
    let files = scratch();
    let template = files.path().join("person.template");
    fs::write(&template, TEMPLATE).unwrap();
    let (machine, directory) = Directory::with(5);
    let admin = ["-D", "uid=admin,dc=example,dc=com", "-w", PASSWORD];
    let line = ["-F", "-c", "2", "-M", "100", "-d", "4", "-a", "1", template.to_str().unwrap()];
    let ended = measure(&machine, "addrate", &[&admin[..], &line].concat()).expect(0);
    let [adds, deletes] = ["add", "delete"].map(|name| ended.count_of(name, "ok"));
    assert_eq!(adds + deletes, 400, "{ended}");
    assert!(adds.abs_diff(250) <= 2, "{adds} added\n{ended}");
    // What is left is deleted after the run.
    let seen = [Operation::Add, Operation::Delete].map(|of| directory.answered(of));
    assert_eq!(seen, [adds, adds], "{ended}");
}
