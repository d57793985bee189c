//! One plan over LDAP, HTTP and DHCP: the steps of a visit use each of them, and a value received from one is sent to
//! another.
//!
//! Compared with the three servers' own counts.

use std::fmt::Write as _;
use std::fs;

use brunt_test_program::{Ended, Program, Target, binary, command, scratch};

const USERS: u32 = 6;
const VISITS: u32 = 20;

/// The number in a line of a server's account: the last word, or the first behind the words.
fn counted(account: &Ended, words: &str) -> u32 {
    let mut lines = account.stdout.lines().chain(account.stderr.lines());
    let line = lines.find_map(|line| line.trim().strip_prefix(words));
    let line = line.unwrap_or_else(|| panic!("nothing is said of '{words}'\n{account}"));
    let mut numbers = line.split_whitespace().rev().filter_map(|word| word.parse().ok());
    numbers.next().unwrap_or_else(|| panic!("{words}: no number in '{line}'"))
}

fn plan(directory: &Target, identity: &Target, leases: &Target) -> String {
    let mut plan = format!(
        r#"
[run]
users = {USERS}
iterations = {{ each = {VISITS} }}

[http]
base = "http://{}"

[ldap]
server = "ldap://{}"

[dhcp]
server = "{}"
local = "127.0.0.1:0"

[variables]
number = {{ random = "0..1999" }}
person = "user.${{number}}"
password = {{ env = "THE_PASSWORD" }}
"#,
        identity.address(),
        directory.address(),
        leases.address()
    );
    let steps = [
        r#"name = "bind"
ldap.bind = { dn = "uid=${person},ou=people,dc=example,dc=com", password = "${password}" }"#,
        r#"name = "token"
post = "/oauth2/access_token"
form = { grant_type = "password", client_id = "brunt", username = "${person}", password = "${password}" }
extract = { access = { json = "/access_token", missing = "fail" } }"#,
        r#"name = "lease"
dhcp = "acquire"
extract = { address = { attribute = "address", missing = "fail" } }"#,
        r#"name = "userinfo"
get = "/oauth2/userinfo?from=${address}"
bearer = "${access}"
extract = { subject = { json = "/sub", missing = "fail" } }
checks = [{ json = "$.sub", equals = "${person}" }]"#,
        r#"name = "find"
ldap.search = { base = "ou=people,dc=example,dc=com", filter = "(uid=${subject})", attributes = ["cn"] }
checks = [{ attribute = "dn", equals = "uid=${person},ou=people,dc=example,dc=com" }]"#,
        r#"name = "renew"
dhcp = "renew"
checks = [{ attribute = "address", equals = "${address}" }, { attribute = "lease-time", between = "1..3600" }]"#,
        r#"name = "release"
dhcp = "release""#,
    ];
    plan.push_str("[[scenario]]\nname = \"sign in\"\n");
    for step in steps {
        let _ = write!(plan, "\n[[scenario.steps]]\n{step}\n");
    }
    plan
}

fn run(text: &str, password: &str) -> Ended {
    let directory = scratch();
    let (plan, record) = (directory.path().join("plan.toml"), directory.path().join("record.json"));
    fs::write(&plan, text).expect("the plan can be written");
    let mut brunt = command(binary());
    brunt.env("THE_PASSWORD", password).args(["run", "--quiet", "--seed", "5", "--record"]);
    brunt.arg(&record).arg(&plan);
    Program::start(&mut brunt).keeping(directory, record).wait()
}

#[test]
fn plan_over_three_protocols_agrees_with_all_servers() {
    let identity = Target::start("rest");
    let directory = Target::start("ldap");
    let leases = Target::start("dhcp");
    let ended = run(&plan(&directory, &identity, &leases), "password").expect(0);
    let record = ended.record();
    let visits = USERS * VISITS;
    let steps = ["bind", "token", "lease", "userinfo", "find", "renew", "release"];
    let names: Vec<&str> = record.operations.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, steps);
    for step in &record.operations {
        assert_eq!(step.counts.ok, u64::from(visits), "{}\n{ended}", step.name);
    }
    let codes = |at: usize| record.operations[at].codes.iter().map(|code| code.name.as_str());
    let outcomes: Vec<Vec<&str>> = (0..steps.len()).map(|at| codes(at).collect()).collect();
    let expected = ["success", "OK", "DHCPACK", "OK", "success", "DHCPACK", "sent"];
    assert_eq!(outcomes, expected.map(|name| vec![name]));
    let (directory, identity, leases) = (directory.account(), identity.account(), leases.account());
    for (account, words, count) in [
        (&directory, "bind", visits),
        (&directory, "search", visits),
        (&directory, "unbind", USERS),
        (&identity, "POST     /oauth2/access_token", visits),
        (&identity, "GET      /oauth2/userinfo", visits),
        (&leases, "OFFER", visits),
        (&leases, "ACK", 2 * visits),
        (&leases, "REQUEST (renew)", visits),
        (&leases, "RELEASE", visits),
    ] {
        assert_eq!(counted(account, words), count, "{words}\n{account}");
    }
}

#[test]
fn failed_check_message_contains_no_secret() {
    let identity = Target::start("rest");
    let text = format!(
        r#"
[run]
users = 1
iterations = {{ each = 1 }}

[http]
base = "http://{}"

[variables]
password = {{ env = "THE_PASSWORD" }}

[[scenario]]
name = "echo"

[[scenario.steps]]
name = "user"
get = "/sleep?ms=1"
checks = [{{ body = true, contains = "${{password}}" }}]
"#,
        identity.address()
    );
    let secret = "correct-horse-battery";
    let ended = run(&text, secret);
    let written = fs::read_to_string(ended.record_path()).unwrap();
    for shown in [&written, &ended.stdout, &ended.stderr] {
        assert!(!shown.contains(secret), "{ended}");
    }
    let samples = ended.record().samples;
    assert!(
        samples.iter().any(|sample| sample.text.contains("should contain '***'")),
        "{samples:?}"
    );
    identity.stop();
}
