//! Keys and what is signed with them: Keycloak checks assertions and proofs.

use crate::brunt::Run;
use crate::identity::{keycloak, of_realm};

#[test]
fn keycloak_accepts_assertions_and_proofs_of_generated_keys() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/keys.toml");
    let mut run = None;
    let load = "users = 3\niterations = { each = 6 }";
    let seen = server.saw(|| run = Some(of_realm(&server, plan, load, &[]).run().went_well()));
    let run: Run = run.expect("it ran");
    for (step, count) in [("create client", 3), ("token", 18), ("userinfo", 18)] {
        assert_eq!(run.count_of(step, "ok"), count, "{step}\n{run}");
    }
    for (event, count) in [
        ("CREATE CLIENT", 3),
        ("CLIENT_LOGIN", 21),
        ("USER_INFO_REQUEST", 18),
        ("CLIENT_LOGIN_ERROR", 0),
    ] {
        assert_eq!(seen.happened(event), count, "{event}\n{run}");
    }
    let (output, record) = (run.text(), run.json().to_string());
    assert!(!output.contains("eyJ") && !record.contains("eyJ"), "{run}");
}

#[test]
fn keycloak_refuses_wrong_audience_and_missing_proof() {
    let Some(server) = keycloak() else { return };
    let plan = include_str!("../../examples/identity/keycloak/keys.toml");
    let load = "users = 1\niterations = { each = 1 }";
    let wrong = plan.replace("aud = \"${issuer}\"", "aud = \"https://elsewhere.example.com\"");
    let run = of_realm(&server, &wrong, load, &[]).run();
    assert_eq!(run.ends_of("token"), [(("result".into(), 400), 1)].into(), "{run}");
    let (before, last) = plan.rsplit_once("dpop = \"proof\"").expect("the last step has a proof");
    let run = of_realm(&server, &format!("{before}{last}"), load, &[]).run();
    assert_eq!(run.ends_of("userinfo"), [(("result".into(), 401), 1)].into(), "{run}");
}
