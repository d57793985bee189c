//! Accounts that lock: what `--abort-on locked` sees, and how many accounts a run with a wrong password costs.

use std::io::Write as _;
use std::process::Stdio;

use brunt_test_program::Plan;
use brunt_testbed::{ADMIN_DN, PASSWORD, Slapd, user_dn};

use crate::brunt::{Brunt, command};
use crate::directory::{Directory as _, slapd};

/// Users under a policy that locks an account after three failures.
const USERS: usize = 40;

fn with_lockout() -> Option<Slapd> {
    let slapd = slapd(USERS)?;
    let mut ldif =
        "dn: cn=century,ou=policies,dc=example,dc=com\nchangetype: modify\nadd: pwdMaxFailure\n\
                    pwdMaxFailure: 3\n-\nreplace: pwdExpireWarning\npwdExpireWarning: 0\n\n"
            .to_owned();
    for dn in (0..USERS).map(user_dn) {
        ldif += "dn: ";
        ldif += &dn;
        ldif += "\nchangetype: modify\nadd: pwdPolicySubentry\n\
                 pwdPolicySubentry: cn=century,ou=policies,dc=example,dc=com\n\n";
    }
    let mut modify = slapd.client("ldapmodify");
    modify.args(["-x", "-e", "relax", "-D", ADMIN_DN, "-w", PASSWORD]);
    let mut modify =
        modify.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("ldapmodify runs");
    let mut input = modify.stdin.take().expect("it has an input");
    input.write_all(ldif.as_bytes()).expect("it reads");
    drop(input);
    assert!(modify.wait().expect("it ends").success());
    Some(slapd)
}

fn binds(slapd: &Slapd, password: &str) -> Brunt {
    let dn = user_dn(0).replacen("user.0", "user.{}", 1);
    let run = command("authrate").args(["-h", "127.0.0.1", "-p", &slapd.port().to_string()]);
    let run = run.args(["-c", "2", "-M", "400", "-f", "-D", &dn, "-w", password]);
    run.args(["-g", &format!("inc(0,{})", USERS - 1)])
}

fn locked(slapd: &Slapd) -> usize {
    let locked = |user: &usize| slapd.value(&user_dn(*user), "pwdAccountLockedTime").is_some();
    (0..USERS).filter(locked).count()
}

#[test]
fn abort_on_locked_ends_the_run_before_accounts_lock() {
    let Some(slapd) = with_lockout() else { return };
    let seen = slapd.saw(|| {
        let run =
            binds(&slapd, "wrong").args(["-d", "30", "--abort-on", "locked"]).run().expect(10);
        assert!(run.stderr.contains("--abort-on locked"), "{run}");
        assert!(run.of_class("locked") > 0, "{run}");
    });
    // Each account once, and then one or two a second time: those that were on their way.
    assert!((USERS as u64 + 1..USERS as u64 + 6).contains(&seen.binds), "{seen:?}");
    assert_eq!(locked(&slapd), 0);
    // The same without the condition.
    binds(&slapd, PASSWORD).args(["-I", "100", "-m", &(4 * USERS).to_string()]).run().expect(1);
    assert_eq!(locked(&slapd), USERS, "the policy locks accounts");
    // They are locked now, and with the right password the server says so.
    let run = binds(&slapd, PASSWORD).args(["-d", "30", "--abort-on", "locked>5"]).run().expect(10);
    assert!(run.of_class("locked") > 5 && run.of_class("locked") <= 8, "{run}");
}

#[test]
fn abort_on_locked_ignores_correct_passwords() {
    let Some(slapd) = with_lockout() else { return };
    let run = binds(&slapd, PASSWORD).args(["-m", "400", "--abort-on", "locked"]).run().went_well();
    assert_eq!(run.results(), [(0, 400)].into(), "{run}");
    assert_eq!(locked(&slapd), 0);
}

/// The same by the steps of a plan: each visit binds as some user, with another wrong password each time.
#[test]
fn abort_on_locked_in_a_plan_ends_it_before_accounts_lock() {
    let Some(slapd) = with_lockout() else { return };
    let dn = user_dn(0).replacen("user.0", "user.${user}", 1);
    let plan = format!(
        "abort-on = ['locked']\n[run]\nusers = 2\nrate = '400/s'\nduration = '30s'\n\
         [ldap]\nserver = 'ldap://127.0.0.1:{}'\n\
         [variables]\nuser = {{ random = '0..{}' }}\nword = {{ chars = '[a-z]', length = 8 }}\n\
         [[scenario]]\nname = 'login'\n[[scenario.steps]]\nname = 'bind'\n\
         ldap = {{ bind = {{ dn = '{dn}', password = '${{word}}' }} }}\n",
        slapd.port(),
        USERS - 1,
    );
    let plan = Plan::from_text(&plan);
    let seen = slapd.saw(|| {
        let run = plan.start(&[]).wait().expect(10);
        assert!(run.stderr.contains("--abort-on locked"), "{run}");
    });
    // The second refusal of any ends it, which comes soon among random users; a few binds were on their way.
    assert!((2..USERS as u64 + 8).contains(&seen.binds), "{seen:?}");
    assert_eq!(locked(&slapd), 0);
}
