//! Every operation of LDAP as a step, against the directory in memory.

use crate::directory::Directory;
use crate::planned::Plan;

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
