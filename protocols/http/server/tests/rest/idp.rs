//! The OpenID provider, as a browser and a client see it.

use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::{connect, scripted, server};

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
const BACK: &str = "http%3A%2F%2F127.0.0.1%2Fback";
/// The challenge of RFC 7636 appendix B, and its verifier.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// A browser with its cookies.
struct Browser {
    client: Client,
    cookies: Vec<(String, String)>,
}

impl Browser {
    fn new(server: &brunt_http_server::Running) -> Self {
        Self { client: connect(server), cookies: Vec::new() }
    }

    fn exchange(&mut self, method: &str, target: &str, form: &str) -> Answer {
        let cookies: Vec<_> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = cookies.join("; ");
        let answer = self.client.exchange(method, target, &[("Cookie", &cookies), FORM], form);
        for (_, value) in
            answer.fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"))
        {
            let (name, value) = value.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            if !value.is_empty() {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
        answer
    }

    /// Asks for the login page of a request with these additional parameters.
    fn open(&mut self, more: &str) -> Answer {
        let target = format!(
            "/idp/authorize?client_id=web&response_type=code&scope=openid&redirect_uri={BACK}&state=s&nonce=n\
             &code_challenge={CHALLENGE}&code_challenge_method=S256{more}"
        );
        self.exchange("GET", &target, "")
    }

    /// Sends the form of a page with its hidden fields.
    fn submit(&mut self, page: &Answer, fields: &str) -> Answer {
        let text = String::from_utf8(page.body.clone()).unwrap();
        let action = between(&text, "action=\"", "\"").replace("&amp;", "&");
        let mut form = String::new();
        for part in text.split("type=\"hidden\" name=\"").skip(1) {
            let (name, rest) = part.split_once('"').unwrap();
            form.extend([name, "=", between(rest, "value=\"", "\""), "&"]);
        }
        self.exchange("POST", &action, &(form + fields))
    }

    fn sign_in(&mut self, user: &str) -> Answer {
        let page = self.open("");
        self.submit(&page, &format!("username={user}&password=password"))
    }

    fn token(&mut self, form: &str) -> (u16, Value) {
        let answer = self.client.exchange("POST", "/idp/token", &[FORM], form);
        (answer.status, answer.json())
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}

/// A parameter of the place that an answer leads to.
fn parameter(answer: &Answer, name: &str) -> String {
    let place = answer.field("location").unwrap_or_else(|| panic!("{answer:?}"));
    let query = place.split_once('?').unwrap().1;
    let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    value.unwrap_or_else(|| panic!("no {name} in {place}")).to_owned()
}

fn exchange(code: &str) -> String {
    format!(
        "grant_type=authorization_code&client_id=web&code={code}&redirect_uri={BACK}&code_verifier={VERIFIER}"
    )
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}"))
}

#[test]
fn login_gives_a_code_once_and_tokens_until_logout() {
    let server = server();
    let mut browser = Browser::new(&server);
    let back = browser.sign_in("user.3");
    assert_eq!((back.status, &*parameter(&back, "state")), (302, "s"));
    let code = parameter(&back, "code");
    let wrong = exchange(&code).replace(VERIFIER, "x");
    assert_eq!(browser.token(&wrong).1["error"], "invalid_grant");
    // A code is of no use after an attempt.
    assert_eq!(browser.token(&exchange(&code)).1["error_description"], "Code not valid");
    // The session is still there, so no page is shown.
    let back = browser.open("");
    let (status, tokens) = browser.token(&exchange(&parameter(&back, "code")));
    assert_eq!((status, &tokens["token_type"]), (200, &json!("Bearer")), "{tokens}");
    let bearer = format!("Bearer {}", text(&tokens, "access_token"));
    let info = browser.client.exchange("GET", "/idp/userinfo", &[("Authorization", &bearer)], "");
    assert_eq!(info.json()["preferred_username"], "user.3");
    let renew = format!(
        "grant_type=refresh_token&client_id=web&refresh_token={}",
        text(&tokens, "refresh_token")
    );
    let (status, renewed) = browser.token(&renew);
    assert_eq!((status, renewed["id_token"].is_string()), (200, true), "{renewed}");
    assert_eq!(browser.token(&renew).1["error"], "invalid_grant");
    let end = format!("client_id=web&refresh_token={}", text(&renewed, "refresh_token"));
    assert_eq!(browser.client.exchange("POST", "/idp/logout", &[FORM], &end).status, 204);
    let info = browser.client.exchange("GET", "/idp/userinfo", &[("Authorization", &bearer)], "");
    assert_eq!((info.status, &info.json()["error"]), (401, &json!("invalid_token")));
    let seen = server.shutdown();
    for (event, count) in [
        ("LOGIN", 2),
        ("CODE_TO_TOKEN", 1),
        ("CODE_TO_TOKEN_ERROR", 2),
        ("REFRESH_TOKEN", 1),
        ("REFRESH_TOKEN_ERROR", 1),
        ("USER_INFO_REQUEST", 1),
        ("USER_INFO_REQUEST_ERROR", 1),
        ("LOGOUT", 1),
        ("LOGIN_ERROR", 0),
    ] {
        assert_eq!(seen.happened(event), count, "{event}: {:?}", seen.events);
    }
}

#[test]
fn wrong_password_shows_the_page_and_an_old_form_fails() {
    let server = server();
    let mut browser = Browser::new(&server);
    let first = browser.open("");
    let second = browser.submit(&first, "username=user.1&password=wrong");
    assert_eq!(second.status, 200);
    assert!(String::from_utf8_lossy(&second.body).contains("Invalid username or password."));
    // The form of the first page was used.
    let stale = browser.submit(&first, "username=user.1&password=password");
    assert!(stale.field("location").unwrap().starts_with("/idp/login?login="), "{stale:?}");
    let place = stale.field("location").unwrap().to_owned();
    let third = browser.exchange("GET", &place, "");
    assert!(String::from_utf8_lossy(&third.body).contains("You took too long"));
    assert_eq!(browser.submit(&third, "username=user.1&password=password").status, 302);
    // A browser without the cookie.
    let page = browser.open("&prompt=login");
    browser.cookies.clear();
    let refused = browser.submit(&page, "username=user.1&password=password");
    assert_eq!(refused.status, 400);
    assert!(String::from_utf8_lossy(&refused.body).contains("Cookie not found."));
    assert_eq!(server.stats().happened("LOGIN_ERROR"), 3);
}

#[test]
fn authorization_errors_go_to_the_client_or_the_person() {
    let server = server();
    let mut browser = Browser::new(&server);
    for (target, error) in [
        ("response_type=token", "unsupported_response_type"),
        ("response_type=code&code_challenge=x", "invalid_request"),
        ("response_type=code&response_mode=fragment", "invalid_request"),
        ("response_type=code&prompt=none", "login_required"),
    ] {
        let target = format!("/idp/authorize?client_id=a&redirect_uri={BACK}&state=s&{target}");
        let answer = browser.exchange("GET", &target, "");
        assert_eq!(
            (parameter(&answer, "error"), parameter(&answer, "state")),
            (error.into(), "s".into())
        );
    }
    for target in ["", "client_id=a", "client_id=a&redirect_uri=javascript:x", "request_uri=urn:x"]
    {
        assert_eq!(
            browser.exchange("GET", &format!("/idp/authorize?{target}"), "").status,
            400,
            "{target}"
        );
    }
    assert_eq!(browser.client.exchange("DELETE", "/idp/authorize", &[], "").status, 405);
    assert_eq!(browser.client.get("/idp/elsewhere").status, 404);
    assert_eq!(browser.client.get("/idp/token").status, 405);
}

#[test]
fn pushed_request_is_used_once_and_form_post_works() {
    let server = server();
    let mut browser = Browser::new(&server);
    let form = format!(
        "client_id=web&response_type=code&response_mode=form_post&redirect_uri={BACK}&state=%3C%22&code_challenge=\
         {CHALLENGE}&code_challenge_method=S256"
    );
    let pushed = browser.client.exchange("POST", "/idp/par", &[FORM], &form);
    assert_eq!(pushed.status, 201);
    let target =
        format!("/idp/authorize?client_id=web&request_uri={}", text(&pushed.json(), "request_uri"));
    let page = browser.exchange("GET", &target, "");
    assert_eq!(browser.exchange("GET", &target, "").status, 400);
    // The second page has replaced nothing: its cookie is that of the first.
    let posted = browser.submit(&page, "username=user.1&password=password");
    let html = String::from_utf8(posted.body).unwrap();
    assert!(html.contains("action=\"http://127.0.0.1/back\""), "{html}");
    assert!(html.contains("name=\"state\" value=\"&lt;&#34;\""), "{html}");
    let code = between(&html, "name=\"code\" value=\"", "\"").to_owned();
    assert_eq!(browser.token(&exchange(&code)).0, 200);
}

#[test]
fn id_token_names_its_key_and_ends_the_session() {
    let server = server();
    let mut browser = Browser::new(&server);
    let back = browser.sign_in("user.5");
    let (_, tokens) = browser.token(&exchange(&parameter(&back, "code")));
    let keys = browser.client.get("/idp/jwks").json();
    let about = browser.client.get("/idp/.well-known/openid-configuration").json();
    assert_eq!(
        (&about["issuer"], text(&keys["keys"][0], "crv")),
        (&json!("http://test/idp"), "P-256")
    );
    let hint = text(&tokens, "id_token").to_owned();
    let to = format!("/idp/logout?id_token_hint={hint}&post_logout_redirect_uri=http://a/&state=x");
    let gone = browser.exchange("GET", &to, "");
    assert_eq!(gone.field("location"), Some("http://a/?state=x"));
    // It ended; the browser has to sign in again, and nobody is led elsewhere without the token.
    assert_eq!(browser.open("").status, 200);
    let nowhere = browser.exchange("GET", "/idp/logout?post_logout_redirect_uri=http://a/", "");
    assert_eq!((nowhere.status, nowhere.field("location")), (400, None));
}

#[test]
fn device_waits_for_approval_or_denial() {
    let server = server();
    for (button, expected) in [("accept=Yes", 200), ("cancel=No", 400)] {
        let mut browser = Browser::new(&server);
        let device = browser
            .client
            .exchange("POST", "/idp/device", &[FORM], "client_id=tv&scope=openid")
            .json();
        let poll = format!(
            "grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=tv&device_code={}",
            text(&device, "device_code")
        );
        assert_eq!(browser.token(&poll).1["error"], "authorization_pending");
        assert_eq!(browser.token(&poll).1["error"], "slow_down");
        assert_eq!(browser.token(&poll.replace("=tv", "=other")).1["error"], "invalid_grant");
        let page = browser.exchange("GET", "/idp/verify", "");
        let wrong = browser.submit(&page, "user_code=AAAA-AAAA");
        assert!(String::from_utf8_lossy(&wrong.body).contains("Invalid code"));
        let typed = browser.submit(&page, &format!("user_code={}", text(&device, "user_code")));
        let page = browser.exchange("GET", typed.field("location").unwrap(), "");
        let back = browser.submit(&page, "username=user.2&password=password");
        let consent = browser.exchange("GET", back.field("location").unwrap(), "");
        assert_eq!(browser.submit(&consent, button).status, 200);
        assert_eq!(browser.submit(&consent, button).status, 400);
        let (status, answer) = browser.token(&poll);
        assert_eq!(status, expected, "{answer}");
        assert_eq!(browser.token(&poll).0, 400);
    }
    let seen = server.shutdown();
    for (event, count) in [
        ("OAUTH2_DEVICE_AUTH", 2),
        ("OAUTH2_DEVICE_VERIFY_USER_CODE", 1),
        ("OAUTH2_DEVICE_CODE_TO_TOKEN", 1),
        ("LOGIN", 2),
    ] {
        assert_eq!(seen.happened(event), count, "{event}: {:?}", seen.events);
    }
}

#[test]
fn saml_response_is_posted_to_the_service_provider() {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    use std::io::Write as _;
    let server = server();
    let mut browser = Browser::new(&server);
    let request = "<samlp:AuthnRequest ID=\"_7\" AssertionConsumerServiceURL=\"http://test/acs\"/>";
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    deflate.write_all(request.as_bytes()).unwrap();
    let packed = BASE64_STANDARD.encode(deflate.finish().unwrap());
    let packed = packed.replace('+', "%2B").replace('=', "%3D");
    let page = browser.exchange("GET", &format!("/idp/saml?SAMLRequest={packed}&RelayState=r"), "");
    let post = browser.submit(&page, "username=user.4&password=password");
    let html = String::from_utf8(post.body).unwrap();
    let value = |name: &str| between(&html, &format!("name=\"{name}\" value=\""), "\"").to_owned();
    let form = format!(
        "SAMLResponse={}&RelayState={}",
        value("SAMLResponse").replace('+', "%2B"),
        value("RelayState")
    );
    let received = browser.exchange("POST", "/acs", &form).json();
    assert_eq!(
        (
            &received["name"],
            &received["in_response_to"],
            &received["relay_state"],
            &received["signed"]
        ),
        (&json!("user.4"), &json!("_7"), &json!("r"), &json!(false))
    );
    for wrong in ["", "SAMLRequest=%20", "SAMLRequest=AAAA"] {
        assert_eq!(browser.exchange("GET", &format!("/idp/saml?{wrong}"), "").status, 400);
    }
    assert_eq!(browser.exchange("POST", "/acs", "SAMLResponse=AAAA").status, 400);
}

/// The login page, and what became of its form, of a server with this rule.
fn twisted(login_fault: &str) -> (Answer, Option<Answer>) {
    let server = scripted(&format!("[[rule]]\naction = {{ idp = '{login_fault}' }}"));
    let mut browser = Browser::new(&server);
    let page = browser.open("");
    let html = String::from_utf8_lossy(&page.body).into_owned();
    let sent =
        html.contains("<form").then(|| browser.submit(&page, "username=user.1&password=password"));
    assert!(server.stats().faults.iter().any(|(name, count)| *name == login_fault && *count > 0));
    (page, sent)
}

#[test]
fn login_faults_each_take_effect() {
    let html = |answer: &Answer| String::from_utf8_lossy(&answer.body).into_owned();
    let (page, _) = twisted("no-form");
    assert!(html(&page).contains("being maintained") && !html(&page).contains("<form"));
    let (page, _) = twisted("script-form");
    assert!(
        html(&page).contains("\"loginAction\":\"/idp/login?login=")
            && !html(&page).contains("<form")
    );
    assert_eq!(html(&twisted("two-forms").0).matches("<form").count(), 2);
    assert!(twisted("json-page").0.json()["action"].is_string());
    let (page, sent) = twisted("no-cookie");
    assert_eq!((page.field("set-cookie"), sent.unwrap().status), (None, 400));
    assert!(twisted("other-host-cookie").0.field("set-cookie").unwrap().contains("Domain=other"));
    let stale = twisted("expired-form").1.unwrap();
    assert!(stale.field("location").unwrap().starts_with("/idp/login"));
    assert!(html(&twisted("wrong-password").1.unwrap()).contains("Invalid username or password."));
    assert_eq!(parameter(&twisted("access-denied").1.unwrap(), "error"), "access_denied");
    assert_eq!(parameter(&twisted("wrong-state").1.unwrap(), "state"), "another-state");
}

#[test]
fn token_faults_each_take_effect() {
    let with = |login_fault: &str, target: &str, form: &str| {
        let server = scripted(&format!("[[rule]]\naction = {{ idp = '{login_fault}' }}"));
        let answer =
            connect(&server).exchange("POST", target, &[FORM, ("Authorization", "Bearer x")], form);
        assert_eq!(server.stats().faults.len(), 1);
        answer
    };
    let device = "grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=tv";
    for (login_fault, error) in [("pending", "authorization_pending"), ("slow-down", "slow_down")] {
        assert_eq!(with(login_fault, "/idp/token", device).json()["error"], error);
    }
    let renew = "grant_type=refresh_token&client_id=web&refresh_token=x";
    let answer = with("expired-grant", "/idp/token", renew);
    assert_eq!(answer.json()["error_description"], "Session not active");
    let answer = with("expired-token", "/idp/userinfo", "");
    assert!(answer.field("www-authenticate").unwrap().contains("error=\"invalid_token\""));
    let answer = with("refused-client", "/idp/token", renew);
    assert_eq!((answer.status, answer.json()["error"].as_str()), (401, Some("invalid_client")));
    assert!(answer.field("date").unwrap().ends_with(" GMT"));
    let form = "grant_type=client_credentials&client_id=a&client_secret=password";
    let answer = with("huge-lifetime", "/idp/token", form);
    assert_eq!(answer.json()["expires_in"], 1_000_000_000_000_000_000_u64);
}
