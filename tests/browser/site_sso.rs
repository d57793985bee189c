//! Signing in at a real Keycloak: the first time, with a group that changes, signing out here and there, and while
//! Keycloak cannot be reached.
//!
//! Keycloak is shared with other tests, so a relay in front of it is stopped in its place.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use brunt_testbed::{Keycloak, require};
use fantoccini::key::Key;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::relay::Relay;
use crate::site::{PASSWORD, Site, fill, looked_at, sign_in, sound};

/// The groups of the test at Keycloak.
const GROUPS: [&str; 2] = ["brunt-admins", "brunt-viewers"];
/// The client of the site, and its secret.
const CLIENT: &str = "brunt-site";
const SECRET: &str = "client-secret-of-the-site";
/// The user who signs in.
const USER: usize = 7;
const SIGN_IN: &str = "a[href^='/sign-in/provider']";

/// An answer of Keycloak: its status, its header `Location`, and its body.
struct Reply {
    status: u16,
    location: String,
    body: Value,
}

/// Keycloak as its administrator uses it.
struct Administered<'a> {
    server: &'a Keycloak,
    token: String,
}

impl<'a> Administered<'a> {
    fn new(server: &'a Keycloak) -> Self {
        let mut this = Self { server, token: String::new() };
        let (client, secret) = (Keycloak::CLIENT, Keycloak::SECRET);
        let form =
            format!("grant_type=client_credentials&client_id={client}&client_secret={secret}");
        let kind = "application/x-www-form-urlencoded";
        let reply = this.ask("POST", &server.path("/protocol/openid-connect/token"), (kind, &form));
        reply.body["access_token"].as_str().expect("a token").clone_into(&mut this.token);
        this
    }

    /// Makes the client of the site and the groups. Returns the identifiers of the groups.
    fn furnish(&self, origin: &str) -> Vec<String> {
        self.clear();
        let mapper = json!({
            "name": "groups", "protocol": "openid-connect", "protocolMapper": "oidc-group-membership-mapper",
            "config": { "claim.name": "groups", "full.path": "false", "id.token.claim": "true" },
        });
        self.made("/clients", &json!({
            "clientId": CLIENT, "secret": SECRET, "redirectUris": [format!("{origin}/sign-in/callback")],
            "protocolMappers": [mapper],
            "attributes": {
                "pkce.code.challenge.method": "S256",
                "post.logout.redirect.uris": format!("{origin}/sign-in"),
                "backchannel.logout.url": format!("{origin}/sign-in/logout"),
            },
        }));
        GROUPS.iter().map(|name| self.made("/groups", &json!({ "name": name }))).collect()
    }

    /// Removes what an earlier test left.
    fn clear(&self) {
        let all = self.read(&format!("/clients?clientId={CLIENT}"));
        let clients =
            all.as_array().into_iter().flatten().map(|one| format!("/clients/{}", id(one)));
        let groups = self.read("/groups");
        let ours = |one: &&Value| GROUPS.iter().any(|name| one["name"] == *name);
        let groups = groups.as_array().into_iter().flatten().filter(ours);
        for path in clients.chain(groups.map(|one| format!("/groups/{}", id(one)))) {
            self.administer("DELETE", &path, "");
        }
    }

    fn put_into(&self, group: &str) {
        self.administer("PUT", &membership(group), "{}");
    }

    fn take_from(&self, group: &str) {
        self.administer("DELETE", &membership(group), "");
    }

    /// Ends all sessions of the user.
    fn sign_out(&self) {
        self.administer("POST", &format!("/users/{}/logout", Keycloak::user_id(USER)), "");
    }

    fn read(&self, path: &str) -> Value {
        self.administer("GET", path, "").body
    }

    fn made(&self, path: &str, what: &Value) -> String {
        let location = self.administer("POST", path, &what.to_string()).location;
        location.rsplit('/').next().expect("an identifier").to_owned()
    }

    fn administer(&self, method: &str, path: &str, body: &str) -> Reply {
        let path = format!("/admin/realms/{}{path}", Keycloak::REALM);
        let reply = self.ask(method, &path, ("application/json", body));
        assert!(
            (200..300).contains(&reply.status),
            "{method} {path}: {} {}",
            reply.status,
            reply.body
        );
        reply
    }

    fn ask(&self, method: &str, path: &str, (kind, body): (&str, &str)) -> Reply {
        let host = self.server.url().replace("http://", "");
        let mut stream = TcpStream::connect(&host).expect("Keycloak listens");
        let by = if self.token.is_empty() {
            String::new()
        } else {
            format!("Authorization: Bearer {}\r\n", self.token)
        };
        // By HTTP/1.0, whose answers are in one piece.
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\n{by}Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("Keycloak reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("Keycloak answers");
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer of HTTP");
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
        let headers = head.lines().filter_map(|line| line.split_once(": "));
        let mut headers = headers.filter(|(name, _)| name.eq_ignore_ascii_case("location"));
        let location = headers.next().map(|(_, value)| value.to_owned()).unwrap_or_default();
        Reply { status, location, body: serde_json::from_str(body).unwrap_or(Value::Null) }
    }
}

fn id(of: &Value) -> &str {
    of["id"].as_str().expect("an identifier")
}

fn membership(group: &str) -> String {
    format!("/users/{}/groups/{group}", Keycloak::user_id(USER))
}

/// Enters the provider as an administrator of the site does.
fn set(browser: &Browser, origin: &str, issuer: &str) {
    browser.open(&format!("{origin}/provider"));
    fill(browser, "#name", "Keycloak");
    fill(browser, "#issuer", issuer);
    fill(browser, "#client", CLIENT);
    fill(browser, "#secret", SECRET);
    fill(browser, "#groups", &format!("{} = admin", GROUPS[0]));
    browser.press(Key::Enter);
    format!("{} = viewer", GROUPS[1]).chars().for_each(|one| browser.press(one));
    browser.click("#set button.main");
    browser.wait_for("return document.querySelector('.verdict, .warning')");
    assert!(
        browser.text("[role=status]").contains("The provider answers"),
        "{}",
        browser.text("main")
    );
    looked_at(browser, "provider");
    sound(browser, origin, "provider");
}

/// Follows the button to Keycloak, and signs in there.
fn sign_in_there(browser: &Browser) {
    browser.click(SIGN_IN);
    browser.wait_for(
        "return document.getElementById('password') && location.pathname.includes('/realms/')",
    );
    fill(browser, "#username", &format!("user.{USER}"));
    fill(browser, "#password", "password");
    browser.press(Key::Enter);
}

/// Comes back to this page of the site.
fn comes_to(browser: &Browser, origin: &str, path: &str) {
    browser.wait_for(&format!(
        "return location.origin === {origin:?} && location.pathname === {path:?} && document.querySelector('main')"
    ));
}

/// Lets the site ask Keycloak about everybody at their next request.
fn let_it_be_due(site: &Path) {
    let database = Connection::open(site.join("brunt.db")).expect("the database is there");
    let changed =
        database.execute("UPDATE session SET checked = checked - 600", []).expect("it is ours");
    assert!(changed > 0, "nobody signed in at the provider");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn keycloak_sign_in_follows_groups_sign_out_and_outage() {
    if !require(&["keycloak", "java"]) {
        return;
    }
    let Some(browser) = Browser::start() else { return };
    let server = Keycloak::shared();
    let relay = Relay::to(&format!("{}/", server.url()));
    let issuer = format!("{}{}", relay.address().trim_end_matches('/'), server.path(""));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("site");
    let site = Site::start(&path);
    let origin = site.origin.as_str();
    let keycloak = Administered::new(&server);
    let groups = keycloak.furnish(origin);
    keycloak.put_into(&groups[0]);
    sign_in(&browser, &site);
    set(&browser, origin, &issuer);
    browser.click("form[action='/sign-out'] button");
    comes_to(&browser, origin, "/sign-in");
    looked_at(&browser, "sign-in-with");
    // The first time, from the link to a page.
    browser.open(&format!("{origin}/settings"));
    comes_to(&browser, origin, "/sign-in");
    sign_in_there(&browser);
    comes_to(&browser, origin, "/settings");
    browser.open(&format!("{origin}/account"));
    let account = browser.text("main");
    assert!(
        account.contains(&format!("User {USER}")) && account.contains("Your role is admin"),
        "{account}"
    );
    assert!(browser.text("#sessions").contains("this one"));
    looked_at(&browser, "account-sso");
    browser.open(&format!("{origin}/people"));
    assert!(browser.text("table.cards").contains(&format!("user.{USER}@example.com")));
    looked_at(&browser, "people-sso");
    changed_and_signed_out((&browser, origin), (&keycloak, &groups), &path);
    stopped(&browser, origin, &relay);
    browser.open(&format!("{origin}/audit"));
    let audit = browser.text("table.cards");
    for line in
        ["change role", "from admin to viewer", "signed out at Keycloak", "not permitted here"]
    {
        assert!(audit.contains(line), "{line}: {audit}");
    }
    keycloak.clear();
}

/// Groups that change, and signing out on either side.
fn changed_and_signed_out(
    (browser, origin): (&Browser, &str),
    (keycloak, groups): (&Administered<'_>, &[String]),
    site: &Path,
) {
    // Another group is another role, without signing in again.
    keycloak.take_from(&groups[0]);
    keycloak.put_into(&groups[1]);
    let_it_be_due(site);
    browser.open(&format!("{origin}/people"));
    assert!(browser.text("main").contains("Your role is viewer"), "{}", browser.text("main"));
    // Signing out here is signing out there: Keycloak asks for the password again.
    browser.click("form[action='/sign-out'] button");
    comes_to(browser, origin, "/sign-in");
    sign_in_there(browser);
    comes_to(browser, origin, "/");
    // Signing out there is signing out here.
    keycloak.sign_out();
    browser.open(&format!("{origin}/runs"));
    comes_to(browser, origin, "/sign-in");
    // In none of the groups.
    keycloak.take_from(&groups[1]);
    sign_in_there(browser);
    comes_to(browser, origin, "/sign-in/callback");
    assert!(
        browser.text("[role=alert]").contains("in none of its groups"),
        "{}",
        browser.text("main")
    );
}

/// A provider that cannot be reached.
fn stopped(browser: &Browser, origin: &str, relay: &Relay) {
    // It is stopped, and whoever has a password of the site signs in.
    relay.cut();
    let_it_pass(browser, origin);
    browser.click(SIGN_IN);
    comes_to(browser, origin, "/sign-in/provider");
    assert!(
        browser.text("[role=alert]").contains("Keycloak does not answer"),
        "{}",
        browser.text("main")
    );
    looked_at(browser, "sign-in-down");
    fill(browser, "#name", "admin");
    fill(browser, "#password", PASSWORD);
    browser.press(Key::Enter);
    comes_to(browser, origin, "/");
}

/// The site takes a provider that answered a moment ago to be reachable. This waits until it does not.
fn let_it_pass(browser: &Browser, origin: &str) {
    browser.wait_for(&format!(
        "const answer = new XMLHttpRequest(); answer.open('GET', '{origin}/sign-in/provider', false); \
         try {{ answer.send() }} catch {{ return false }} return answer.status === 503"
    ));
    browser.open(&format!("{origin}/sign-in"));
}
