//! Logins that go wrong at the OpenID provider of the identity API in memory, as its scripts demand: what a user reads.

use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

/// The login page, its form, and tokens.
const LOGIN: &str = r#"
[[scenario.steps]]
name = "page"
get = "/authorize"
status = 200
[scenario.steps.query]
client_id = "web"
response_type = "code"
scope = "openid"
redirect_uri = "${back}"
code_challenge = "${verifier|sha256|base64url}"
code_challenge_method = "S256"
[[scenario.steps]]
name = "password"
submit = true
form = { username = "user.1", password = "password" }
lands = "/echo"
"#;

const TOKENS: &str = r#"
[[scenario.steps]]
name = "password"
submit = true
form = { username = "user.1", password = "password" }
status = 302
extract = { code = { header = "Location", parameter = "code", missing = "fail" } }
[[scenario.steps]]
name = "token"
post = "/token"
[scenario.steps.form]
grant_type = "authorization_code"
client_id = "web"
code = "${code}"
redirect_uri = "${back}"
code_verifier = "${verifier}"
[scenario.steps.extract]
refresh = { json = "/refresh_token", expires = { json = "/refresh_expires_in" } }
access = { json = "/access_token", expires = { json = "/expires_in" } }
[[scenario.steps]]
name = "user"
get = "/userinfo"
bearer = "${access}"
[[scenario.steps]]
name = "refresh"
post = "/token"
form = { grant_type = "refresh_token", client_id = "web", refresh_token = "${refresh}" }
"#;

/// What one iteration of these steps says at a server with this rule.
fn output(rule: &str, before: &str, steps: &str) -> String {
    let server = RestTarget::scripted(&format!("[[rule]]\n{rule}"));
    let base = &server.base;
    let plan = format!(
        "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"{base}/idp\"\ncookies = true\n\
         redirects = 5\n[variables]\nback = \"{base}/echo\"\n\
         verifier = {{ chars = \"[a-z]\", length = 64 }}\n{before}\n[[scenario]]\nname = \"visit\"\n{steps}"
    );
    let plan = if steps.contains("status = 302") {
        plan.replace("redirects = 5", "redirects = 0")
    } else {
        plan
    };
    let run = Plan::from_text(&plan).run(&["--once"]);
    assert!(server.stats().faults.iter().any(|(_, count)| *count > 0), "nothing went wrong\n{run}");
    run.text()
}

/// The same of the login.
fn of_login(twist: &str) -> String {
    output(&format!("action = {{ idp = \"{twist}\" }}"), "", LOGIN)
}

/// The same, with tokens.
fn of_tokens(rule: &str) -> String {
    let (page, _) = LOGIN.split_once("[[scenario.steps]]\nname = \"password\"").expect("two steps");
    output(rule, "", &format!("{page}{}", TOKENS.trim_start()))
}

#[test]
fn login_page_without_the_form_is_reported() {
    let none = of_login("no-form");
    assert!(none.contains("the page has no form"), "{none}");
    let script = of_login("script-form");
    assert!(script.contains("no form and 3 scripts: see Pages drawn by scripts"), "{script}");
    let two = of_login("two-forms");
    assert!(two.contains("has several forms that fit") && two.contains("give a selector"), "{two}");
    assert!(two.contains("'login-form'") && two.contains("'login-form-again'"), "{two}");
    let json = of_login("json-page");
    assert!(json.contains("the last page is application/json, of step 'page'"), "{json}");
}

#[test]
fn missing_and_rejected_cookies_are_reported() {
    let none = of_login("no-cookie");
    assert!(none.contains("400 Bad Request") && none.contains("Cookie not found."), "{none}");
    let other = of_login("other-host-cookie");
    assert!(other.contains("the cookie 'IDP_LOGIN' is not kept: "), "{other}");
}

#[test]
fn secure_cookie_over_http_explains_the_refusal() {
    let server = RestTarget::start();
    let address = server.base.trim_start_matches("http://");
    let plan = format!(
        "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"http://id.example.com/idp\"\n\
         cookies = true\nredirects = 5\n[http.resolve]\n\"id.example.com:80\" = \"{address}\"\n\
         [variables]\nback = \"http://id.example.com/echo\"\n\
         verifier = {{ chars = \"[a-z]\", length = 64 }}\n[[scenario]]\nname = \"visit\"\n{LOGIN}"
    );
    let why = "the cookie 'IDP_LOGIN' was not kept, and not sent: it is Secure, and came over http from another host \
               than localhost";
    let once = Plan::from_text(&plan).run(&["--once"]);
    let kept = "the cookie 'IDP_LOGIN' is not kept: it is Secure";
    assert!(once.stdout.contains(kept) && once.stdout.contains(why), "{once}");
    let run = Plan::from_text(&plan).run(&[]);
    let record = run.json().to_string();
    assert!(record.contains("Cookie not found.") && record.contains(why), "{run}");
}

#[test]
fn login_that_lands_elsewhere_quotes_the_page() {
    for (twist, words) in [
        ("expired-form", "You took too long to sign in."),
        ("wrong-password", "Invalid username or password."),
    ] {
        let output = of_login(twist);
        let place = format!("landed on /idp/login (200); the page says \"{words}\"");
        assert!(output.contains(&place), "{output}");
    }
    let denied = of_tokens("action = { idp = \"access-denied\" }");
    assert!(denied.contains("code"), "{denied}");
    assert!(denied.contains("FAILED"), "{denied}");
}

#[test]
fn refused_token_is_reported_with_its_age() {
    let code = of_tokens("path = \"/idp/token\"\nlast = 1\naction = { idp = \"expired-grant\" }");
    assert!(code.contains("invalid_grant") && code.contains("Code not valid"), "{code}");
    assert!(code.contains("code is "), "{code}");
    let refresh =
        of_tokens("path = \"/idp/token\"\nfirst = 2\naction = { idp = \"expired-grant\" }");
    assert!(refresh.contains("Session not active"), "{refresh}");
    assert!(
        refresh.contains("refresh is ") && refresh.contains("was valid for 1800 s"),
        "{refresh}"
    );
    let access = of_tokens("action = { idp = \"expired-token\" }");
    assert!(access.contains("invalid_token") && access.contains("was valid for 300 s"), "{access}");
    // A lifetime beyond all measure is no reason to stop.
    let huge = of_tokens("path = \"/idp/token\"\naction = { idp = \"huge-lifetime\" }");
    assert!(!huge.contains("FAILED"), "{huge}");
}

#[test]
fn refused_assertion_is_reported_with_the_clock_difference() {
    let keys = "[variables.assertion]\njwt = { iss = \"m\", sub = \"m\", aud = \"x\" }\nkey = \"machine\"\n\
                [keys]\nmachine = { generate = \"ES256\" }";
    let steps = "[[scenario.steps]]\nname = \"token\"\npost = \"/token\"\n[scenario.steps.form]\n\
                 grant_type = \"client_credentials\"\nclient_assertion = \"${assertion}\"\n\
                 client_assertion_type = \"urn:ietf:params:oauth:client-assertion-type:jwt-bearer\"\n";
    let output = output("action = { idp = \"refused-client\" }", keys, steps);
    assert!(output.contains("invalid_client"), "{output}");
    assert!(
        output.contains("the server's clock is 30") && output.contains("s behind that of"),
        "{output}"
    );
}

#[test]
fn device_without_approval_is_reported() {
    let steps = |more: &str| {
        format!(
            "[[scenario.steps]]\nname = \"device\"\npost = \"/device\"\nform = {{ client_id = \"tv\" }}\n\
             extract = {{ device = \"/device_code\" }}\n[[scenario.steps]]\nname = \"poll\"\npost = \"/token\"\n\
             pending = [{{ json = \"/error\", matches = \"^(authorization_pending|slow_down)$\" }}]\n\
             every = \"100ms\"\nwithin = \"250ms\"\n{more}[scenario.steps.form]\n\
             grant_type = \"urn:ietf:params:oauth:grant-type:device_code\"\nclient_id = \"tv\"\n\
             device_code = \"${{device}}\"\n"
        )
    };
    let pending = output("action = { idp = \"pending\" }", "", &steps(""));
    assert!(pending.contains("pending after 250ms ("), "{pending}");
    assert!(pending.contains("the last: authorization_pending)"), "{pending}");
    let slower =
        "slower = { by = \"100ms\", when = [{ json = \"/error\", equals = \"slow_down\" }] }\n";
    let slow = output("action = { idp = \"slow-down\" }", "", &steps(slower));
    assert!(slow.contains("the last: slow_down)"), "{slow}");
}
