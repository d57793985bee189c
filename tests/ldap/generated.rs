//! LDIF that makeldif writes: slapd imports it, and it equals what addrate adds.

use brunt_test_program::brunt;
use brunt_testbed::{ADMIN_DN, PASSWORD};
use std::collections::BTreeSet;

use crate::added::TEMPLATE;
use crate::brunt::{Brunt, Run, To, command};
use crate::directory::{Transport, slapd};

fn makeldif(template: &str, arguments: &str) -> Run {
    let run = brunt("makeldif").typed(arguments);
    let path = run.file("people.template", template);
    run.arg(path).run()
}

/// The DNs of a text of LDIF.
fn dns(ldif: &str) -> BTreeSet<&str> {
    ldif.lines().filter_map(|line| line.strip_prefix("dn: ")).collect()
}

#[test]
fn makeldif_output_is_imported_and_equals_addrate() {
    let Some(slapd) = slapd(10) else { return };
    let before = slapd.entries_below("ou=people,dc=example,dc=com");
    let fifty = TEMPLATE.replace("person:100000", "person:50");
    let made = makeldif(&fifty, "--no-branches -s 7 -t 40").expect(0);
    assert!(made.stderr.contains("50 entries written"), "{made}");
    let add =
        Brunt::new(slapd.client("ldapadd")).args(["-x", "-D", ADMIN_DN, "-w", PASSWORD, "-f"]);
    let path = add.file("people.ldif", &made.stdout);
    add.arg(path).run().expect(0);
    assert_eq!(slapd.entries_below("ou=people,dc=example,dc=com"), before + 50);
    // Every name is taken: addrate makes the same.
    let run = command("addrate").to(&slapd, Transport::Plain).typed("-F -C off --noPurge");
    let run = run.args(["-D", ADMIN_DN, "-w", PASSWORD]);
    let template = run.file("template", &fifty);
    assert_eq!(run.arg(template).run().expect(1).results(), [(68, 50)].into());
}

#[test]
fn makeldif_writes_branches_first_and_accepts_a_count() {
    let ldif = makeldif(TEMPLATE, "-m 3 -c suffix=o=other").expect(0).stdout;
    let expected = (0..3).map(|number| format!("uid=added.0.{number},ou=people,o=other"));
    let expected: BTreeSet<String> = expected.chain(["ou=people,o=other".to_owned()]).collect();
    assert_eq!(dns(&ldif), expected.iter().map(String::as_str).collect());
    assert!(ldif.starts_with("dn: ou=people,o=other\n"), "{ldif}");
    let endless = TEMPLATE.replace("person:100000", "person");
    let refused = makeldif(&endless, "").expect(2);
    assert!(refused.stdout.is_empty() && refused.stderr.contains("--entries"), "{refused}");
    let few = makeldif(&TEMPLATE.replace("person:100000", "person:5"), "-m 6").expect(2);
    assert!(few.stderr.contains("makes only 5"), "{few}");
    assert_eq!(makeldif(TEMPLATE, "-m 50").stdout, makeldif(TEMPLATE, "-m 50").stdout);
}
