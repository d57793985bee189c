//! A directory on a Unix socket of this machine (`ldapi`), from the rate tools, the steps of a plan and a search for
//! the highest rate: what slapd counted on it, as whom it knew the client, and what is said where there is none.

use std::os::unix::net::UnixListener;

use brunt_test_program::{Plan, brunt};
use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD};

use crate::brunt::{Brunt, command};
use crate::directory::{Directory, slapd};

const EXTERNAL: &str = "-o mech=EXTERNAL";

fn url(path: &std::path::Path) -> String {
    format!("ldapi://{}", path.display().to_string().replace('/', "%2F"))
}

fn search(brunt: Brunt, options: &str) -> Brunt {
    brunt.typed(options).args(["-b", BASE_DN, "-g", "inc(0,9)", "(uid=user.{})"])
}

#[test]
fn ldapi_external_bind_identifies_the_process_user() {
    let Some(slapd) = slapd(10) else { return };
    for to in [url(&slapd.socket()), format!("unix:{}", slapd.socket().display())] {
        let skip = slapd.log_text().len();
        let mut run = None;
        let seen = slapd.saw(|| {
            let brunt = command("searchrate").args(["-h", &to]).typed(EXTERNAL);
            run = Some(search(brunt, "-F -c 3 -m 300").run().went_well());
        });
        let run = run.expect("it ran");
        // Three connections, and one that tried the parameters out.
        assert_eq!((seen.searches, seen.binds, seen.connections), (300, 4, 4), "{run}");
        let log = slapd.log_text();
        assert_eq!(log[skip..].matches("ACCEPT from PATH=").count(), 4, "{run}");
        assert_eq!(
            log[skip..].matches("cn=peercred,cn=external,cn=auth\" mech=EXTERNAL").count(),
            4,
            "{log}"
        );
        let target = run.json()["plan"]["target"].as_str().unwrap_or_default().to_owned();
        assert!(target.starts_with(&url(&slapd.socket())), "{target}");
        assert!(run.json()["generator"]["ports"].is_null(), "no port is needed");
    }
    let seen = slapd.saw(|| {
        let brunt = command("authrate").args(["-h", &url(&slapd.socket())]).typed(EXTERNAL);
        brunt.typed("-f -c 2 -m 50").run().went_well();
    });
    assert_eq!((seen.binds, seen.with_result(0)), (50, 50), "{seen:?}");
}

#[test]
fn ldapi_is_used_by_plans_and_find_max() {
    let Some(slapd) = slapd(10) else { return };
    let plan = Plan::from_text(&format!(
        "[run]\nusers = 2\niterations = {{ each = 20 }}\n[ldap]\nserver = '{}'\n\
         bind = {{ dn = '{ADMIN_DN}', password = '{PASSWORD}' }}\n\
         [variables]\nuser = {{ random = '0..9' }}\n[[scenario]]\nname = 'find'\n[[scenario.steps]]\nname = 'find'\n\
         ldap = {{ search = {{ base = '{BASE_DN}', filter = '(uid=user.${{user}})' }} }}\n",
        url(&slapd.socket())
    ));
    let seen = slapd.saw(|| assert_eq!(plan.start(&[]).wait().went_well().count("ok"), 40));
    assert_eq!((seen.searches, seen.binds, seen.connections), (40, 2, 2), "{seen:?}");
    let search = brunt("find-max --second 100ms --quiet --confirm 2s --seed 7").recorded();
    let search = search.typed("--slo p99<2s --slo achieved>=50% --from 100/s --to 200/s --");
    let search = search.typed("searchrate --no-prompt -h").arg(url(&slapd.socket()));
    let skip = slapd.log_text().len();
    let ended = search.typed("-F -c 2 -s base").args(["-b", "", "(cn=*)"]).run();
    assert!(ended.any_json().is_some(), "{ended}");
    let log = slapd.log_text();
    assert!(log[skip..].contains("ACCEPT from PATH=") && !log[skip..].contains("ACCEPT from IP="));
}

#[test]
fn ldapi_socket_without_a_server_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    drop(UnixListener::bind(at("left")).expect("a socket"));
    for (socket, code, message) in [
        (at("none"), 91, "No such file or directory"),
        (at("left"), 91, "Connection refused"),
        (at(&"long".repeat(30)), 89, "the system takes at most 107"),
    ] {
        let run = search(command("searchrate").args(["-h", &url(&socket)]), "-m 1").run();
        let run = run.expect(code);
        assert!(run.stderr.contains(message), "{run}");
        assert!(code == 89 || run.stderr.contains(&socket.display().to_string()), "{run}");
    }
}
