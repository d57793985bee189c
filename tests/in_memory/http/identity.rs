//! The plans for the identity API in memory: what each counts is what the server's events and answers count.

use brunt_http_server::Stats;
use brunt_test_program::Ended;

use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

/// Carries out an example, with this load and these settings, at a server below this path.
fn example(server: &RestTarget, (plan, path): (&str, &str), run: &str, settings: &[&str]) -> Ended {
    let (before, rest) = plan.split_once("\n[run]\n").expect("the plan says how it is run");
    let (_, after) = rest.split_once("\n[http]\n").expect("the plan says what is asked");
    let plan =
        Plan::from_text(&format!("{before}\n[run]\n{run}\ntimeout = \"30s\"\n[http]\n{after}"));
    let base = format!("http.base={}{path}", server.base);
    let settings = [&[&*base, "objectives=[]"], settings].concat();
    plan.run(&settings.iter().flat_map(|setting| ["--set", setting]).collect::<Vec<_>>())
}

/// Carries an example out, without a failure.
fn carried_out(plan: (&str, &str), run: &str, settings: &[&str]) -> (Ended, Stats) {
    let server = RestTarget::start();
    let run = example(&server, plan, run, settings).went_well();
    (run, server.stats())
}

/// That the server counted these events and no others.
fn happened(seen: &Stats, run: &Ended, events: &[(&str, u64)]) {
    let mut expected: Vec<_> = events.iter().filter(|(_, count)| *count > 0).copied().collect();
    let mut counted = seen.events.clone();
    expected.sort_unstable();
    counted.sort_unstable();
    assert_eq!(counted, expected, "{run}");
}

#[test]
fn oidc_provider_counts_logins_failures_refreshes_and_logouts() {
    let plan = include_str!("../../../examples/identity/idp/login.toml");
    let settings = ["variables.mistype=50", "variables.remember=50", "variables.refreshes=3"];
    let load = "users = 4\niterations = { shared = 200 }";
    let (run, seen) = carried_out((plan, "/idp"), load, &settings);
    let (wrong, ended) = (run.count_of("wrong password", "ok"), run.count_of("logout", "ok"));
    assert!((60..=140).contains(&wrong) && (105..=175).contains(&ended), "{run}");
    let events = [
        ("LOGIN", 200),
        ("LOGIN_ERROR", wrong),
        ("CODE_TO_TOKEN", 200),
        ("REFRESH_TOKEN", 600),
        ("LOGOUT", ended),
    ];
    happened(&seen, &run, &events);
    let (output, record) = (run.text(), run.json().to_string());
    for secret in ["login=", "code_verifier=", "eyJ"] {
        assert!(!output.contains(secret) && !record.contains(secret), "{secret}\n{run}");
    }
}

#[test]
fn oidc_provider_verifies_assertions_and_dpop_proofs() {
    let plan = include_str!("../../../examples/identity/idp/machines.toml");
    let load = "users = 3\niterations = { each = 20 }";
    let (run, seen) = carried_out((plan, "/idp"), load, &[]);
    let (keys, secrets) = (run.count_of("on behalf", "ok"), run.count_of("secret", "ok"));
    assert!(keys > 20 && secrets > 3 && keys + secrets == 60, "{run}");
    let events = [
        ("CLIENT_REGISTER", 3),
        ("CLIENT_LOGIN", keys + secrets),
        ("CLIENT_LOGIN_ERROR", secrets),
        ("USER_INFO_REQUEST", keys),
        ("USER_INFO_REQUEST_ERROR", keys),
        ("INTROSPECT_TOKEN", keys),
        ("REVOKE_GRANT", keys),
        ("JWT_AUTHORIZATION_GRANT", keys),
    ];
    happened(&seen, &run, &events);
}

#[test]
fn oidc_provider_refuses_wrong_audience_and_missing_proof() {
    let plan = include_str!("../../../examples/identity/idp/machines.toml");
    let load = "users = 1\niterations = { each = 1 }";
    let settings = ["scenario.2.weight=0"];
    let server = RestTarget::start();
    let wrong = plan.replace("aud = \"${issuer}\"", "aud = \"https://elsewhere.example.com\"");
    let run = example(&server, (&wrong, "/idp"), load, &settings);
    assert_eq!(run.ends_of("token"), [(("result".into(), 401), 1)].into(), "{run}");
    let (before, rest) =
        plan.split_once("bearer = \"${token}\"\ndpop = \"proof\"").expect("it has one");
    let without = format!("{before}bearer = \"${{token}}\"{rest}");
    let run = example(&server, (&without, "/idp"), load, &settings);
    assert_eq!(run.ends_of("userinfo"), [(("result".into(), 401), 1)].into(), "{run}");
}

#[test]
fn dpop_nonce_demanded_by_the_provider_is_in_the_next_proof() {
    let plan = include_str!("../../../examples/identity/idp/machines.toml");
    let rule = "[[rule]]\npath = '/idp/token'\naction = { idp = 'demand-nonce' }";
    let server = RestTarget::scripted(rule);
    let load = "users = 1\niterations = { each = 2 }";
    let run = example(&server, (plan, "/idp"), load, &["scenario.2.weight=0"]).went_well();
    assert_eq!((run.count_of("token", "ok"), run.count_of("token nonce", "ok")), (2, 1), "{run}");
}

#[test]
fn oidc_provider_counts_one_time_passwords() {
    let plan = include_str!("../../../examples/identity/idp/second-factor.toml");
    let load = "users = 3\niterations = { shared = 60 }";
    let settings = ["variables.mistype=50", "variables.remember=50"];
    let (run, seen) = carried_out((plan, "/idp"), load, &settings);
    let wrong = run.count_of("wrong one-time password", "ok");
    assert!((12..=48).contains(&wrong), "{run}");
    happened(&seen, &run, &[("LOGIN", 60), ("LOGIN_ERROR", wrong), ("CODE_TO_TOKEN", 60)]);
}

#[test]
fn oidc_provider_counts_device_approvals_and_denials() {
    let plan = include_str!("../../../examples/identity/idp/device.toml");
    let load = "users = 8\niterations = { shared = 60 }";
    let (run, seen) =
        carried_out((plan, "/idp"), load, &["scenario.2.weight=4", "scenario.3.weight=4"]);
    let (agreed, refused) = (run.count_of("tokens", "ok"), run.count_of("no tokens", "ok"));
    let nobody = run.count_of("only poll", "ok");
    assert!(agreed + refused + nobody == 60 && agreed > 10 && refused > 2 && nobody > 2, "{run}");
    let events = [
        ("OAUTH2_DEVICE_AUTH", 60),
        ("LOGIN", agreed + refused),
        ("OAUTH2_DEVICE_VERIFY_USER_CODE", agreed),
        ("OAUTH2_DEVICE_VERIFY_USER_CODE_ERROR", refused),
        ("OAUTH2_DEVICE_CODE_TO_TOKEN", agreed),
        ("OAUTH2_DEVICE_CODE_TO_TOKEN_ERROR", agreed + refused + nobody),
    ];
    happened(&seen, &run, &events);
}

#[test]
fn saml_response_is_posted_to_the_service() {
    let plan = include_str!("../../../examples/identity/idp/saml-post.toml");
    let server = RestTarget::start();
    let service = format!("variables.service={}/acs", server.base);
    let load = "users = 3\niterations = { shared = 30 }";
    let run = example(&server, (plan, ""), load, &[&service]).went_well();
    let seen = server.stats();
    happened(&seen, &run, &[("LOGIN", 30), ("SAML_RESPONSE", 30)]);
    assert_eq!(seen.answers_of("POST", "/acs", 200), 30, "{run}");
}

#[test]
fn scim_provisioning_agrees_with_the_server() {
    let plan = include_str!("../../../examples/identity/scim/users.toml");
    let server = RestTarget::start();
    let token = format!("variables.token_url={}/idp/token", server.base);
    let load = "users = 3\niterations = { each = 20 }";
    let run = example(&server, (plan, "/scim/v2"), load, &[&token]).went_well();
    let seen = server.stats();
    let lives = run.count_of("delete", "ok");
    let users = "/scim/v2/Users/{id}";
    for (method, path, status, count) in [
        ("POST", "/scim/v2/Users", 201, lives),
        ("POST", "/scim/v2/Users", 409, lives),
        ("PATCH", users, 200, lives),
        ("PATCH", users, 412, lives),
        ("DELETE", users, 204, lives),
        ("POST", "/scim/v2/Groups", 201, lives),
        ("DELETE", "/scim/v2/Groups/{id}", 204, lives),
        ("POST", "/scim/v2/Bulk", 200, run.count_of("bulk", "ok")),
    ] {
        assert_eq!(seen.answers_of(method, path, status), count, "{method} {path} {status}\n{run}");
    }
    assert!(lives > 20, "{run}");
    happened(&seen, &run, &[("CLIENT_LOGIN", 3)]);
}

#[test]
fn rest_to_ldap_users_agree_with_the_server() {
    let plan = include_str!("../../../examples/identity/pingds/rest.toml");
    let load = "users = 3\niterations = { each = 10 }";
    let (run, seen) = carried_out((plan, "/api"), load, &[]);
    for (method, status) in
        [("PUT", 201), ("GET", 200), ("PATCH", 200), ("PATCH", 412), ("DELETE", 200)]
    {
        let count = seen.answers_of(method, "/api/users/{id}", status);
        assert_eq!(count, 30, "{method} {status}\n{run}");
    }
    assert_eq!(seen.answers_of("GET", "/api/users", 200), 30, "{run}");
}

#[test]
fn scim_users_are_sorted_across_pages() {
    let server = RestTarget::start();
    let origin = &server.base;
    let created = ["carol", "Alice", "bob"].map(|name| {
        format!(
            "{{ name = \"create\", post = \"/Users\", bearer = \"${{token}}\", status = 201, \
             json = {{ userName = \"{name}\" }} }}"
        )
    });
    let page = |name: &str, query: &str, names: &[&str]| {
        let each = names.iter().enumerate();
        let checks: Vec<String> = each
            .map(|(at, user)| {
                format!("{{ json = \"/Resources/{at}/userName\", equals = \"{user}\" }}")
            })
            .collect();
        format!(
            "{{ name = \"{name}\", get = \"/Users?sortBy=userName&{query}\", bearer = \"${{token}}\", \
             checks = [{}, {{ json = \"/totalResults\", equals = 3 }}], extract = {{ cursor = \"/nextCursor\" }} }}",
            checks.join(", ")
        )
    };
    let pages = [
        page("all", "", &["Alice", "bob", "carol"]),
        page("down", "sortOrder=descending&startIndex=2", &["bob", "Alice"]),
        page("first", "count=2&cursor=", &["Alice", "bob"]),
        page("second", "count=2&cursor=${cursor}", &["carol"]),
    ];
    let run = Plan::from_text(&format!(
        "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"{origin}/scim/v2\"\n\
         [[scenario]]\nsteps = [\n\
         {{ name = \"token\", post = \"{origin}/idp/token\", basic = {{ user = \"hr\", password = \"password\" }}, \
         form = {{ grant_type = \"client_credentials\", scope = \"scim\" }}, \
         extract = {{ token = \"/access_token\" }} }},\n\
         {},\n{},\n\
         {{ name = \"wrong\", get = \"/Users?sortBy=id&sortOrder=up\", bearer = \"${{token}}\", status = 400 }},\n\
         {{ name = \"says so\", get = \"/ServiceProviderConfig\", \
         checks = [{{ json = \"/sort/supported\", equals = true }}] }}\n]\n",
        created.join(",\n"),
        pages.join(",\n")
    ));
    let run = run.run(&[]).went_well();
    assert_eq!(run.count_of("second", "ok"), 1, "{run}");
    assert_eq!(server.stats().answers_of("GET", "/scim/v2/Users", 200), 4, "{run}");
}
