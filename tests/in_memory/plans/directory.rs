//! Every operation of LDAP as a step, steps that are asked again, and connections of their own: the directory counts.

use brunt_ldap_server::Operation;
use brunt_testbed::{BASE_DN, user_dn};

use crate::directory::Directory;
use crate::planned::{InMemory as _, Plan};
use brunt_test_program::Ended;

const PLAN: &str = r#"
[run]
users = 3
iterations = { each = 5 }

[ldap]
server = "ldap://10.0.0.2:389"
bind = { dn = "uid=admin,dc=example,dc=com", password = "password" }

[variables]
name = "Smith, ${run.iteration} (Jr)"
dn = "cn=${name|dn},ou=people,dc=example,dc=com"

[[scenario]]
name = "life"

[[scenario.steps]]
ldap.add = { dn = "${dn}", attributes = { objectClass = ["top", "person"], cn = "${name}", sn = "Smith" } }

[[scenario.steps]]
ldap.modify = { dn = "${dn}", changes = [{ op = "replace", attribute = "description", values = "seen ${run.user}" }] }

[[scenario.steps]]
name = "same"
ldap.compare = { dn = "${dn}", attribute = "description", value = "seen ${run.user}" }
status = 6

[[scenario.steps]]
name = "other"
ldap.compare = { dn = "${dn}", attribute = "sn", value = "Miller" }
status = 5

[[scenario.steps]]
ldap.search.base = "ou=people,dc=example,dc=com"
ldap.search.scope = "one"
ldap.search.filter = "(cn=${name})"
ldap.search.attributes = ["description"]
checks = [{ attribute = "description", equals = "seen ${run.user}" }]
extract = { found = { attribute = "dn", missing = "fail" } }

[[scenario.steps]]
ldap.delete = { dn = "${found}" }

[[scenario.steps]]
name = "gone"
ldap.search = { base = "${found}", scope = "base", filter = "(objectClass=*)" }
status = 32

[[scenario.steps]]
ldap.bind = { dn = "uid=user.${run.user},ou=people,dc=example,dc=com", password = "password" }

[[scenario.steps]]
name = "stranger"
ldap.bind = { dn = "uid=user.${run.user},ou=people,dc=example,dc=com", password = "wrong" }
status = 49

[[scenario.steps]]
name = "admin"
ldap.bind = { dn = "uid=admin,dc=example,dc=com", password = "password" }
"#;

/// Names hold what means something in a DN and in a filter.
#[test]
fn ldap_steps_add_modify_compare_search_and_delete() {
    Directory::start(5);
    let ended = Plan::from_text(PLAN).run(&[]).expect(0);
    let counts = ended.record().counts;
    assert_eq!((counts.ok, counts.failed), (3 * 5 * 10, 0), "{ended}");
}

/// Carries out scenarios of these steps, by users who bind first.
fn carried_out(run: &str, scenarios: &[String]) -> Ended {
    let scenarios = scenarios.iter().enumerate();
    let scenarios = scenarios
        .map(|(number, steps)| format!("[[scenario]]\nname = \"s{number}\"\nsteps = [{steps}]\n"));
    Plan::from_text(&format!(
        "[run]\n{run}\n[ldap]\nserver = \"ldap://10.0.0.2:389\"\n\
         bind = {{ dn = \"uid=admin,{BASE_DN}\", password = \"password\" }}\n{}",
        scenarios.collect::<String>()
    ))
    .run(&[])
}

/// Reads the entry of a user until it has the licence that it lacks.
fn poll(within: &str) -> String {
    let entry = user_dn(1);
    format!(
        "{{ name = \"poll\", ldap = {{ search = {{ base = \"{entry}\", scope = \"base\", \
         filter = \"(objectClass=*)\" }} }}, pending = [{{ attribute = \"carLicense\", exists = false }}], \
         every = \"100ms\", within = \"{within}\" }}"
    )
}

#[test]
fn poll_reads_an_entry_until_it_matches() {
    let directory = Directory::start(5);
    let entry = user_dn(1);
    let change = format!(
        "{{ pause = \"300ms\" }}, {{ name = \"change\", ldap = {{ modify = {{ dn = \"{entry}\", changes = \
         [{{ op = \"replace\", attribute = \"carLicense\", values = \"done\" }}] }} }} }}"
    );
    // The first user waits for what the second changes.
    let run = carried_out("users = 2\niterations = { each = 1 }", &[poll("5m"), change]);
    let run = run.went_well();
    assert_eq!((run.count_of("poll", "ok"), run.count_of("change", "ok")), (1, 1), "{run}");
    let pending = run.count_of("poll pending", "ok");
    assert!((3..=4).contains(&pending), "{run}");
    assert_eq!(directory.answered(Operation::Search), pending + 1, "{run}");
    assert_eq!(run.span("poll wait"), (1, 0, 0), "{run}");
}

#[test]
fn poll_without_a_match_is_pending() {
    let directory = Directory::start(5);
    let run = carried_out("users = 1\niterations = { each = 2 }", &[poll("250ms")]);
    assert_eq!((run.count_of("poll", "failed"), run.of_class("pending")), (2, 2), "{run}");
    // Of the three answers within that time, the last is the failure.
    assert_eq!(run.count_of("poll pending", "ok"), 2 * 2, "{run}");
    assert_eq!(directory.answered(Operation::Search), 2 * 3, "{run}");
    assert_eq!(run.span("poll wait"), (0, 2, 0), "{run}");
    let output = run.json()["samples"].to_string();
    assert!(output.contains("pending after 250ms ("), "{output}");
}

#[test]
fn new_connection_is_opened_and_bound_for_each_ldap_step() {
    let directory = Directory::start(5);
    let search = |name: &str, key: &str| {
        format!(
            "{{ name = \"{name}\", ldap = {{ search = {{ base = \"{BASE_DN}\", filter = \"(uid=user.1)\" }} \
             }}{key} }}"
        )
    };
    let steps = [search("a", ", connection = \"new\""), search("b", "")].join(", ");
    let run = carried_out("users = 2\niterations = { each = 10 }", &[steps]).went_well();
    assert_eq!((run.count_of("a", "ok"), run.count_of("b", "ok")), (20, 20), "{run}");
    assert_eq!(directory.stats().connections_accepted, 20, "{run}");
    assert_eq!(directory.answered(Operation::Bind), 20, "{run}");
    assert_eq!(directory.answered(Operation::Search), 40, "{run}");
}
