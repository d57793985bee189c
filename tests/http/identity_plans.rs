//! The other plans for an identity server against Keycloak: what they count is what its events count.

use brunt_http_server::{Config, Server};
use brunt_testbed::{Keycloak, Seen};

use crate::brunt::Run;
use crate::identity::{keycloak, of_realm};

/// Carries a plan out; what the server saw of it.
fn carried_out(server: &Keycloak, plan: &str, iterations: u64, settings: &[&str]) -> (Run, Seen) {
    under(server, plan, &format!("users = 3\niterations = {{ shared = {iterations} }}"), settings)
}

/// The same with this load.
fn under(server: &Keycloak, plan: &str, load: &str, settings: &[&str]) -> (Run, Seen) {
    let mut run = None;
    let seen = server.saw(|| run = Some(of_realm(server, plan, load, settings).run().went_well()));
    (run.expect("it ran"), seen)
}

/// Thirty iterations of so many users, who need one token each.
fn with_tokens(server: &Keycloak, plan: &str, users: u64, settings: &[&str]) -> (Run, Seen) {
    let load = format!("users = {users}\niterations = {{ each = {} }}", 30 / users);
    let (run, seen) = under(server, plan, &load, settings);
    happened(&seen, &run, &[("CLIENT_LOGIN", users)]);
    assert_eq!(run.count_of("token", "ok"), users, "{run}");
    assert_eq!(run.tally("branch step 'token' taken"), users, "{run}");
    assert_eq!(run.tally("branch step 'token' passed over"), 30 - users, "{run}");
    (run, seen)
}

/// That the server counted these events.
fn happened(seen: &Seen, run: &Run, events: &[(&str, u64)]) {
    for (event, count) in events {
        assert_eq!(seen.happened(event), *count, "{event}\n{run}");
    }
}

#[test]
fn keycloak_counts_registrations_and_taken_names() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/registration.toml");
    let (run, seen) = carried_out(&server, plan, 24, &["scenario.2.weight=50"]);
    let taken = run.count_of("taken name", "ok");
    assert!((3..=21).contains(&taken), "{run}");
    for step in ["page", "form", "register", "token"] {
        assert_eq!(run.count_of(step, "ok"), 24, "{step}\n{run}");
    }
    let ended = 24 - taken;
    let counts = [("REGISTER", 24), ("REGISTER_ERROR", taken), ("LOGIN", 24)];
    happened(&seen, &run, &counts);
    happened(&seen, &run, &[("CODE_TO_TOKEN", 24), ("LOGOUT", ended)]);
    assert_eq!(run.count_of("logout", "ok"), ended, "{run}");
}

#[test]
fn keycloak_counts_users_created_and_deleted_by_admins() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/admin.toml");
    // Of several administrators without a pause Keycloak sometimes refuses one, with 500.
    let (run, seen) = with_tokens(&server, plan, 1, &[]);
    for (kind, step) in [
        ("USER", "user"),
        ("REALM_ROLE", "role"),
        ("GROUP", "group"),
        ("CLIENT", "client"),
        ("CLIENT_SCOPE", "client scope"),
    ] {
        let created = run.count_of(&format!("create {step}"), "ok");
        assert!(created > 0, "{step}\n{run}");
        assert_eq!(run.count_of(&format!("delete {step}"), "ok"), created, "{step}\n{run}");
        let counts = [(format!("CREATE {kind}"), created), (format!("DELETE {kind}"), created)];
        for (event, count) in counts {
            assert_eq!(seen.happened(&event), count, "{event}\n{run}");
        }
    }
    let joined = run.count_of("join group", "ok");
    assert_eq!(run.count_of("list members", "ok"), joined, "{run}");
    happened(&seen, &run, &[("CREATE GROUP_MEMBERSHIP", joined)]);
}

#[test]
fn crawl_reads_pages_and_users() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/crawl.toml");
    let settings = ["variables.pages=5", "variables.page=10", "variables.first.step=10"];
    let (run, seen) = with_tokens(&server, plan, 3, &settings);
    assert_eq!(run.count_of("page", "ok"), 150, "{run}");
    assert_eq!(run.count_of("user", "ok"), 300, "{run}");
    assert_eq!(seen.requested("GET", "/users", 200), 150, "{run}");
    assert_eq!(seen.requested("GET", "/users/count", 200), 30, "{run}");
}

#[test]
fn crawl_signs_in_once_per_token_lifetime() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/crawl.toml");
    // Tokens live for 300 s: each user thinks for longer than is left, and an iteration takes less.
    let plan = plan.replace("early = \"5s\"", "early = \"290s\"");
    let load = "users = 3\niterations = { each = 2 }\nthink = \"11s\"";
    let (run, seen) = under(&server, &plan, load, &["variables.pages=1"]);
    happened(&seen, &run, &[("CLIENT_LOGIN", 6)]);
    assert_eq!((run.count_of("token", "ok"), run.count_of("page", "ok")), (6, 6), "{run}");
}

#[test]
fn keycloak_counts_sessions_that_begin_and_end() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/sessions.toml");
    let (run, seen) = with_tokens(&server, plan, 3, &[]);
    happened(&seen, &run, &[("LOGIN", 30), ("DELETE USER_SESSION", 30)]);
    assert_eq!(seen.requested("GET", "/user-sessions", 200), 30, "{run}");
    assert_eq!(seen.requested("GET", "/sessions", 200), 30, "{run}");
}

#[test]
fn keycloak_counts_client_tokens_and_rotated_secrets() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/machines.toml");
    let (run, seen) = carried_out(&server, plan, 24, &["scenario.2.weight=50"]);
    let old = run.count_of("wrong secret", "ok");
    assert!((3..=21).contains(&old), "{run}");
    let whole = 24 - old;
    let counts = [("CLIENT_LOGIN", 24), ("CLIENT_LOGIN_ERROR", old), ("REVOKE_GRANT", whole)];
    happened(&seen, &run, &counts);
    // A revoked token is reported as an error, and counts as the answer that was expected.
    happened(&seen, &run, &[("INTROSPECT_TOKEN", whole), ("INTROSPECT_TOKEN_ERROR", whole)]);
}

#[test]
fn keycloak_counts_device_approvals_and_denials() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/device.toml");
    // Of several browsers without a pause Keycloak sometimes refuses one, with 500.
    let load = "users = 1\niterations = { each = 12 }";
    let (run, seen) = under(&server, plan, load, &["scenario.2.weight=9"]);
    let (agreed, refused) = (run.count_of("tokens", "ok"), run.count_of("no tokens", "ok"));
    assert!(agreed + refused == 12 && agreed > 1 && refused > 1, "{run}");
    happened(
        &seen,
        &run,
        &[
            ("LOGIN_ERROR", refused),
            ("OAUTH2_DEVICE_VERIFY_USER_CODE", 12),
            ("LOGIN", agreed),
            ("OAUTH2_DEVICE_CODE_TO_TOKEN", agreed),
        ],
    );
    assert_eq!(seen.requested("POST", "/auth/device", 200), 12, "{run}");
}

#[test]
fn keycloak_counts_one_time_passwords() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/second-factor.toml");
    let (run, seen) =
        carried_out(&server, plan, 3, &["variables.mistype=100", "variables.remember=0"]);
    assert_eq!(run.count_of("wrong one-time password", "ok"), 3, "{run}");
    happened(&seen, &run, &[("LOGIN", 3), ("LOGIN_ERROR", 3), ("CODE_TO_TOKEN", 3)]);
    assert!(!run.json().to_string().contains("MJZHK3TU"), "no seed is told\n{run}");
}

#[test]
fn keycloak_signs_saml_responses_that_browsers_post() {
    let Some(server) = keycloak() else { return };
    let service = Server::start(Config::default()).expect("it starts");
    let plan = include_str!("../../examples/identity/keycloak/saml-post.toml");
    let origin = format!("http://{}", service.address());
    let plan = plan.replace("http://127.0.0.1:8081", &origin);
    let (run, seen) = carried_out(&server, &plan, 12, &[]);
    happened(&seen, &run, &[("LOGIN", 12), ("LOGIN_ERROR", 0)]);
    assert_eq!(run.count_of("response", "ok"), 12, "{run}");
    assert_eq!(service.shutdown().answers_of("POST", "/acs", 200), 12, "{run}");
}
