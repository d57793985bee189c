//! LDIF that makeldif writes: slapd imports it, and it equals what addrate adds.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use brunt_testbed::{ADMIN_DN, PASSWORD};

use crate::added::TEMPLATE;
use crate::brunt::{To, command};
use crate::directory::{Transport, slapd};

fn makeldif(template: &str, arguments: &[&str]) -> (i32, String, String) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("people.template");
    std::fs::write(&path, template).expect("the file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_brunt"));
    let output = command.arg("makeldif").args(arguments).arg(&path).stdin(Stdio::null()).output();
    let output = output.expect("brunt can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
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
    let (code, ldif, message) = makeldif(&fifty, &["--no-branches", "-s", "7", "-t", "40"]);
    assert_eq!(code, 0, "{message}");
    assert!(message.contains("50 entries written"), "{message}");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("people.ldif");
    std::fs::write(&path, &ldif).expect("the file can be written");
    let mut add = slapd.client("ldapadd");
    let added = add.args(["-x", "-D", ADMIN_DN, "-w", PASSWORD, "-f"]).arg(&path).output();
    let added = added.expect("ldapadd can be run");
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    assert_eq!(slapd.entries_below("ou=people,dc=example,dc=com"), before + 50);
    // Every name is taken: addrate makes the same.
    let run = command("addrate").to(&slapd, Transport::Plain).typed("-F -C off --noPurge");
    let run = run.args(["-D", ADMIN_DN, "-w", PASSWORD]);
    let template = run.file("template", &fifty);
    assert_eq!(run.arg(template).run().ended_with(1).results(), [(68, 50)].into());
}

#[test]
fn makeldif_writes_branches_first_and_accepts_a_count() {
    let (code, ldif, message) = makeldif(TEMPLATE, &["-m", "3", "-c", "suffix=o=other"]);
    assert_eq!(code, 0, "{message}");
    let expected = (0..3).map(|number| format!("uid=added.0.{number},ou=people,o=other"));
    let expected: BTreeSet<String> = expected.chain(["ou=people,o=other".to_owned()]).collect();
    assert_eq!(dns(&ldif), expected.iter().map(String::as_str).collect());
    assert!(ldif.starts_with("dn: ou=people,o=other\n"), "{ldif}");
    let endless = TEMPLATE.replace("person:100000", "person");
    let (code, ldif, message) = makeldif(&endless, &[]);
    assert_eq!((code, ldif.as_str()), (2, ""), "{message}");
    assert!(message.contains("--entries"), "{message}");
    let (code, _, message) = makeldif(&TEMPLATE.replace("person:100000", "person:5"), &["-m", "6"]);
    assert!(code == 2 && message.contains("makes only 5"), "{message}");
    assert_eq!(makeldif(TEMPLATE, &["-m", "50"]).1, makeldif(TEMPLATE, &["-m", "50"]).1);
}
