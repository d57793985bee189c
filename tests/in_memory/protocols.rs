//! One plan over LDAP, HTTP and DHCP: the steps of a visit use each of them, and a value received from one is sent to
//! another.
//!
//! Compared with the three servers' own counts.

use std::fmt::Write as _;
use std::fs;

use brunt_dhcp_server::{Answer, Family, RequestKind};
use brunt_ldap_server::Operation;
use brunt_test_program::Ended;
use ldap3_proto::proto::LdapOp;

use crate::machine::own;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;
use crate::targets::Targets;

const USERS: u64 = 6;
const VISITS: u64 = 20;

fn plan(targets: &Targets) -> String {
    let mut plan = format!(
        r#"
[run]
users = {USERS}
iterations = {{ each = {VISITS} }}

[http]
base = "{}"

[ldap]
server = "ldap://10.0.0.2:389"

[dhcp]
server = "10.0.3.1:67"
local = "10.0.3.9:67"

[variables]
number = {{ random = "0..1999" }}
person = "user.${{number}}"
password = {{ env = "THE_PASSWORD" }}
"#,
        targets.rest.base
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
    own(|machine| machine.set("THE_PASSWORD", password));
    Plan::from_text(text).run(&["--quiet", "--seed", "5"])
}

#[test]
fn plan_over_three_protocols_agrees_with_all_servers() {
    let targets = Targets::start();
    let ended = run(&plan(&targets), "password").expect(0);
    let record = ended.record();
    let visits = USERS * VISITS;
    let steps = ["bind", "token", "lease", "userinfo", "find", "renew", "release"];
    let names: Vec<&str> = record.operations.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, steps);
    for step in &record.operations {
        assert_eq!(step.counts.ok, visits, "{}\n{ended}", step.name);
    }
    let codes = |at: usize| record.operations[at].codes.iter().map(|code| code.name.as_str());
    let outcomes: Vec<Vec<&str>> = (0..steps.len()).map(|at| codes(at).collect()).collect();
    let expected = ["success", "OK", "DHCPACK", "OK", "success", "DHCPACK", "sent"];
    assert_eq!(outcomes, expected.map(|name| vec![name]));
    let asked = [Operation::Bind, Operation::Search].map(|of| targets.ldap.answered(of));
    assert_eq!(asked, [visits; 2], "{ended}");
    let unbound = targets.ldap.requested().into_iter().filter(|it| *it == LdapOp::UnbindRequest);
    assert_eq!(unbound.count() as u64, USERS, "{ended}");
    let leases = targets.dhcp.server.stats().of(Family::V4).clone();
    let [offers, acks] = [Answer::Offer, Answer::Ack].map(|answer| leases.sent_of(answer));
    assert_eq!((offers, acks), (visits, 2 * visits), "{ended}");
    let [renewals, releases] =
        [RequestKind::Renew, RequestKind::Release].map(|kind| leases.received_of(kind));
    assert_eq!((renewals, releases), (visits, visits), "{ended}");
    let seen = targets.rest.stop();
    let of = |path: &str| seen.iter().filter(|seen| seen.target.starts_with(path)).count() as u64;
    assert_eq!((of("/oauth2/access_token"), of("/oauth2/userinfo")), (visits, visits), "{ended}");
}

#[test]
fn failed_check_message_contains_no_secret() {
    let identity = RestTarget::start();
    let text = format!(
        r#"
[run]
users = 1
iterations = {{ each = 1 }}

[http]
base = "{}"

[variables]
password = {{ env = "THE_PASSWORD" }}

[[scenario]]
name = "echo"

[[scenario.steps]]
name = "user"
get = "/sleep?ms=1"
checks = [{{ body = true, contains = "${{password}}" }}]
"#,
        identity.base
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
}
