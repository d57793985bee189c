//! An identity server used as an application uses it: the example of a login's whole life against Keycloak.

use brunt_testbed::{Keycloak, Seen, Shared, require};

use crate::brunt::{Brunt, Run, planned};

/// The Keycloak of all tests, for one of them at a time: starting it takes longer than any of them.
pub(crate) fn keycloak() -> Option<Shared<Keycloak>> {
    require(&["keycloak", "java"]).then(Keycloak::shared)
}

const PLAN: &str = include_str!("../../examples/plans/keycloak.toml");

/// The example, with another table `[run]`.
fn login(server: &Keycloak, run: &str) -> Brunt {
    let (before, rest) = PLAN.split_once("\n[run]\n").expect("the plan says how it is run");
    let (_, after) = rest.split_once("\n[http]\n").expect("the plan says what is asked");
    let plan = format!("{before}\n[run]\n{run}\ntimeout = \"30s\"\n[http]\n{after}");
    let brunt = planned(&plan).args(["--set", &format!("http.base={}", server.url())]);
    // How fast it is depends on the machine.
    brunt.args(["--set", "objectives=[]"]).env("CLIENT_SECRET", Keycloak::SECRET)
}

/// That the server saw so many whole logins and nothing else.
fn the_server_saw(seen: &Seen, logins: u64, run: &Run) {
    let requested = [
        ("POST", "/token", 200, 2 * logins),
        ("POST", "/introspect", 200, 2 * logins),
        ("GET", "/userinfo", 200, logins),
        ("POST", "/logout", 204, logins),
    ];
    for (method, end, status, count) in requested {
        assert_eq!(seen.requested(method, end, status), count, "{method} {end} {status}\n{run}");
    }
    let updates = seen.requests.iter().filter(|(method, path, status)| {
        method == "PUT" && path.starts_with("/admin/realms/testbed/users/") && *status == 204
    });
    assert_eq!(updates.count() as u64, logins, "{run}");
    assert_eq!(seen.requests.len() as u64, 7 * logins, "{run}");
    let events = [
        ("LOGIN", logins),
        ("INTROSPECT_TOKEN", logins),
        ("USER_INFO_REQUEST", logins),
        ("CLIENT_LOGIN", logins),
        ("UPDATE USER", logins),
        ("LOGOUT", logins),
        // An expired token is reported as an error, and counts as the requested answer.
        ("INTROSPECT_TOKEN_ERROR", logins),
    ];
    for (event, count) in events {
        assert_eq!(seen.happened(event), count, "{event}\n{run}");
    }
}

#[test]
fn keycloak_events_equal_every_step_of_every_login() {
    let Some(server) = keycloak() else { return };
    let mut run = None;
    let seen = server.saw(|| {
        run = Some(login(&server, "users = 4\niterations = { shared = 40 }").run().went_well());
    });
    let run = run.expect("it ran");
    the_server_saw(&seen, 40, &run);
    for step in ["token", "introspect", "userinfo", "manager", "update", "logout", "forgotten"] {
        assert_eq!(run.count_of(step, "ok"), 40, "{step}\n{run}");
    }
    // Pauses are not part of any answer, and neither secret appears anywhere.
    assert_eq!(run.tally("pause pause made"), 40, "{run}");
    let (output, record) = (run.text(), run.json().to_string());
    assert!(!output.contains(Keycloak::SECRET) && !record.contains(Keycloak::SECRET), "{run}");
    assert!(!output.contains("eyJ") && !run.json()["samples"].to_string().contains("eyJ"), "{run}");
}

#[test]
fn keycloak_logins_arrive_at_the_rate() {
    let Some(server) = keycloak() else { return };
    let mut run = None;
    let seen = server.saw(|| {
        run =
            Some(login(&server, "users = 60\nrate = \"8/s\"\nduration = \"3s\"").run().went_well());
    });
    let run = run.expect("it ran");
    the_server_saw(&seen, 24, &run);
    assert_eq!(run.count("ok"), 7 * 24, "{run}");
}

#[test]
fn refused_login_is_one_failure_and_skips_its_steps() {
    let Some(server) = keycloak() else { return };
    let mut run = None;
    let seen = server.saw(|| {
        let brunt = login(&server, "users = 2\niterations = { each = 5 }");
        run = Some(brunt.env("CLIENT_SECRET", "wrong").run());
    });
    let run = run.expect("it ran");
    assert_eq!(run.ends_of("token"), [(("result".into(), 401), 10)].into(), "{run}");
    assert_eq!((seen.requests.len(), seen.requested("POST", "/token", 401)), (10, 10), "{run}");
    assert_eq!((run.count("failed"), run.count("skipped")), (10, 60), "{run}");
}

const LOGINS: &str = include_str!("../../examples/identity/keycloak/login.toml");
pub(crate) const PEOPLE: &str = include_str!("../../examples/identity/keycloak/people.csv");
const SECOND_FACTOR: &str = include_str!("../../examples/identity/keycloak/second-factor.csv");

/// The example of logins through pages, with this load and these settings.
fn logins(server: &Keycloak, run: &str, settings: &[&str]) -> Brunt {
    of_realm(server, LOGINS, run, settings)
}

/// A plan for a realm, with this load and these settings.
pub(crate) fn of_realm(server: &Keycloak, plan: &str, run: &str, settings: &[&str]) -> Brunt {
    let (before, rest) = plan.split_once("\n[run]\n").expect("the plan says how it is run");
    let (_, after) = rest.split_once("\n[http]\n").expect("the plan says what is asked");
    let brunt = planned(&format!("{before}\n[run]\n{run}\ntimeout = \"30s\"\n[http]\n{after}"));
    brunt.file("people.csv", PEOPLE);
    brunt.file("second-factor.csv", SECOND_FACTOR);
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let base = format!("http.base={}", server.url());
    let realm = format!("variables.realm={}", Keycloak::REALM);
    let brunt = brunt.args(["--set", &base, "--set", &realm, "--set", "objectives=[]"]);
    brunt.args(settings).env("CLIENT_SECRET", Keycloak::SECRET)
}

#[test]
fn keycloak_counts_logins_failures_refreshes_and_logouts() {
    let Some(server) = keycloak() else { return };
    let mut run = None;
    let seen = server.saw(|| {
        let load = "users = 4\niterations = { shared = 40 }";
        let settings = [
            "variables.wrong=2",
            "variables.mistype=50",
            "variables.refreshes=3",
            "scenario.1.steps.6.steps.1.pause=10ms",
            "variables.logout=50",
            "variables.leave=50",
        ];
        run = Some(logins(&server, load, &settings).run().went_well());
    });
    let run = run.expect("it ran");
    let (wrong, ended) = (run.count_of("wrong password", "ok"), run.count_of("logout", "ok"));
    assert!(wrong % 2 == 0 && (10..=70).contains(&wrong), "{run}");
    assert!((5..=35).contains(&ended), "{run}");
    for (step, count) in [("page", 40), ("password", 40), ("token", 40), ("refresh", 120)] {
        assert_eq!(run.count_of(step, "ok"), count, "{step}\n{run}");
    }
    let events = [
        ("LOGIN", 40),
        ("LOGIN_ERROR", wrong),
        ("CODE_TO_TOKEN", 40),
        ("REFRESH_TOKEN", 120),
        ("LOGOUT", ended),
        ("CODE_TO_TOKEN_ERROR", 0),
    ];
    for (event, count) in events {
        assert_eq!(seen.happened(event), count, "{event}\n{run}");
    }
    let (output, record) = (run.text(), run.json().to_string());
    assert!(!output.contains("session_code=") && !record.contains("session_code="), "{run}");
}

#[test]
fn keycloak_refuses_a_login_without_its_pkce_verifier() {
    let Some(server) = keycloak() else { return };
    let mut run = None;
    let seen = server.saw(|| {
        let load = "users = 1\niterations = { each = 3 }";
        let other = "scenario.1.steps.1.query.code_challenge=${state|sha256|base64url}";
        let settings = ["variables.mistype=0", other];
        run = Some(logins(&server, load, &settings).run());
    });
    let run = run.expect("it ran");
    assert_eq!(run.count_of("password", "ok"), 3, "{run}");
    assert_eq!(run.ends_of("token"), [(("result".into(), 400), 3)].into(), "{run}");
    assert_eq!((seen.happened("LOGIN"), seen.happened("CODE_TO_TOKEN_ERROR")), (3, 3), "{run}");
}
