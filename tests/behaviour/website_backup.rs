//! A backup of a site that is served, checked, and restored as another directory: its runs, its people and its audit
//! trail are there, and its secrets once their key is.

use std::fs;
use std::time::Duration;

use brunt_test_program::{run, scratch};
use brunt_testbed::until;

use crate::website::{api, between, end, site};

const PATIENCE: Duration = Duration::from_secs(90);

#[test]
fn backup_of_a_served_site_is_restored_elsewhere() {
    let directory = scratch();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (_api, target) = api();
    let (program, visitor) = site(&directory.path().join("site"));
    let address = target.trim_start_matches("http://").trim_end_matches('/');
    let fields = format!(
        "name=api&allow={address}&settings=BASE=http://{address}&users=10&seconds=60&days=1"
    );
    visitor.send("/targets", "/targets", &fields);
    visitor.send("/secrets", "/secrets", "target=1&name=PASSWORD&value=s3cret");
    visitor.send("/plans", "/plans", "name=visit&template=0");
    let (head, body) = visitor.send("/plans/1", "/plans/1/run", "target=1&duration=1s");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let page = format!("/runs/{}", between(&head, "location: /live/", "\r\n"));
    let is_over = || {
        visitor.ask("GET", "/", "", "");
        visitor.ask("GET", &page, "", "").0.starts_with("HTTP/1.1 200")
    };
    assert!(until(PATIENCE, is_over));
    // While the site goes on.
    let made = run(["serve", "--dir", &path("site"), "--backup", &path("backups")]);
    assert_eq!(made.code(), 0, "{made}");
    let backup = made.stdout.lines().next().expect("a path").to_owned();
    let (_, shown) = visitor.ask("GET", "/site", "", "");
    assert!(shown.contains("The last one was made") && shown.contains(&backup), "{shown}");
    end(program);
    let checked = run(["serve", "--verify-backup", &backup]);
    assert!(checked.code() == 0 && checked.stdout.contains("unchanged"), "{checked}");
    let restored = run(["serve", "--dir", &path("new"), "--restore", &backup]);
    assert_eq!(restored.code(), 0, "{restored}");
    // Without the key of its secrets it does not start, and says which file is missing.
    let without = run(["serve", "--listen", "127.0.0.1:0", "--dir", &path("new")]);
    assert!(without.code() != 0 && without.stderr.contains("secrets.key"), "{without}");
    fs::copy(path("site/secrets.key"), path("new/secrets.key")).expect("a copy");
    let audit = run(["serve", "--dir", &path("new"), "--verify-audit"]);
    assert_eq!(audit.code(), 0, "{audit}");
    let (program, mut next) = site(&directory.path().join("new"));
    next.cookie.clone_from(&visitor.cookie);
    let (head, shown) = next.ask("GET", &page, "", "");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{shown}");
    let (head, body) = next.send("/plans/1", "/plans/1/run", "target=1&duration=1s");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    end(program);
    // One byte is enough to be found.
    let record = format!("{backup}{page}/record.json.gz");
    let mut bytes = fs::read(&record).expect("a record");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::write(&record, bytes).expect("a record");
    let checked = run(["serve", "--verify-backup", &backup]);
    assert!(
        checked.code() != 0 && checked.stderr.contains("record.json.gz was changed"),
        "{checked}"
    );
    let again = run(["serve", "--dir", &path("other"), "--restore", &backup]);
    assert!(again.code() != 0 && !directory.path().join("other").exists(), "{again}");
}
