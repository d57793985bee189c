//! Signing in at a provider, from the button to signing out there; what its groups decide; and what is refused.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::*;
use crate::auth::Tried;
use crate::provider::scripted::ISSUER;

const SET: &str = "name=SSO&issuer=https://sso.example.com/realms/load&client=brunt&secret=s3cret&\
                   scopes=openid&claim=groups&groups=admins+%3D+admin%0Arunners+%3D+runner&others=nobody&minutes=5";

/// A site with a local administrator, whose session is returned, and a provider.
fn site() -> (Server, Client) {
    let server = Server::start();
    let root = server.session(server.user("root", Role::Admin));
    let reply = server.send(&root, "/provider", SET);
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(reply.body.contains("Keys that can sign: 1."), "{}", reply.body);
    (server, root)
}

/// What follows a query's question mark.
fn query(url: &str) -> HashMap<String, String> {
    let (_, query) = url.split_once('?').unwrap();
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// A browser that was sent to the provider: the cookie of its attempt, and what the provider was asked.
fn begun(server: &Server, next: &str) -> (String, HashMap<String, String>) {
    let reply = server.see(&Client::Nobody, &format!("/sign-in/provider?next={next}"));
    assert_eq!(reply.status, 303, "{}", reply.body);
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.contains("; HttpOnly; SameSite=Lax; Max-Age=900"), "{cookie}");
    let requested = query(reply.header("location").unwrap());
    server.provider.set(|state| state.nonce = requested.get("nonce").cloned());
    (cookie.split(';').next().unwrap().to_owned(), requested)
}

/// The browser comes back with this query.
fn back(server: &Server, cookie: &str, query: &str) -> Reply {
    let more = format!("Cookie: {cookie}\r\n");
    server.request(&Client::Nobody, "GET", &format!("/sign-in/callback?{query}"), &more, "")
}

/// Signs in at the provider; the session, if there is one, and what was said.
fn sign_in(server: &Server) -> (Option<Client>, Reply) {
    let (cookie, requested) = begun(server, "/runs");
    let reply = back(server, &cookie, &format!("code=c&state={}", requested["state"]));
    let session = reply.head.lines().find_map(|line| line.strip_prefix("set-cookie: brunt="));
    let secret = session.and_then(|session| Secret::read(session.split(';').next()?));
    (secret.map(Client::Session), reply)
}

fn role(server: &Server, name: &str) -> Option<Role> {
    server.app.store.user_named(name).unwrap().map(|user| user.role)
}

/// The provider is asked again at the next request.
fn let_it_be_due(server: &Server, seconds: i64) {
    let change = "UPDATE session SET checked = checked - ?1";
    server.app.store.write(|file| Ok(file.execute(change, [seconds]).map(drop)?)).unwrap();
}

fn acts(server: &Server) -> Vec<String> {
    let lines = server.app.store.audit(100).unwrap();
    lines
        .into_iter()
        .rev()
        .map(|line| format!("{}: {} {}", line.who, line.act, line.what))
        .collect()
}

#[test]
fn sso_sign_in_and_sign_out_reach_the_requested_page() {
    let (server, root) = site();
    let page = server.see(&Client::Nobody, "/sign-in?next=%2Fruns").body;
    assert!(
        page.contains("href=\"/sign-in/provider?next=%2Fruns\">Sign in with SSO</a>"),
        "{page}"
    );
    let (_, requested) = begun(&server, "/runs");
    assert_eq!(
        (requested["client_id"].as_str(), requested["response_type"].as_str()),
        ("brunt", "code")
    );
    assert_eq!(
        (requested["code_challenge_method"].as_str(), requested["code_challenge"].len()),
        ("S256", 43)
    );
    assert_eq!(requested["redirect_uri"], format!("http://{}/sign-in/callback", server.at));
    let (session, reply) = sign_in(&server);
    let ada = session.unwrap();
    assert_eq!((reply.status, reply.header("location")), (303, Some("/runs")));
    assert!(reply.head.contains("set-cookie: brunt-attempt=; "), "{}", reply.head);
    assert_eq!(
        (server.see(&ada, "/people").status, role(&server, "ada")),
        (200, Some(Role::Admin))
    );
    // She has no password here, and no link to choose one.
    let account = server.see(&ada, "/account").body;
    assert!(account.contains(ISSUER) && !account.contains("Change password"), "{account}");
    assert_eq!(server.send(&ada, "/account/password", "current=x&password=y").status, 422);
    let people = server.see(&root, "/people").body;
    assert!(people.contains("at the provider") && !people.contains("New link for ada"), "{people}");
    assert_eq!(server.send(&root, "/people/link", "id=2").status, 422);
    assert_eq!(server.send(&root, "/people/change", "id=2&role=viewer").status, 422);
    let out = server.send(&ada, "/sign-out", "");
    let refresh = out.header("refresh").unwrap();
    assert!(refresh.starts_with(&format!("0; url={ISSUER}/logout?client_id=brunt&")), "{refresh}");
    let requested = query(refresh);
    assert_eq!(requested["post_logout_redirect_uri"], format!("http://{}/sign-in", server.at));
    assert_eq!(requested["id_token_hint"].matches('.').count(), 2);
    assert_eq!(server.see(&ada, "/").status, 303);
    // A local user is signed out here alone.
    assert_eq!(server.send(&root, "/sign-out", "").header("location"), Some("/sign-in"));
    let acts = acts(&server);
    for line in ["SSO: add user ada as admin", "ada: sign in at SSO, from 127.0.0.1"] {
        assert!(acts.iter().any(|act| act == line), "{acts:?}");
    }
}

#[test]
fn sso_answer_of_another_attempt_is_refused() {
    let (server, _) = site();
    let (cookie, requested) = begun(&server, "/");
    let (other, _) = begun(&server, "/");
    let right = format!("code=c&state={}", requested["state"]);
    let longer = format!("{cookie}x");
    for (cookie, query, status) in [
        ("a=b", right.as_str(), 400),
        (other.as_str(), right.as_str(), 400),
        (longer.as_str(), right.as_str(), 400),
        (cookie.as_str(), "code=c", 400),
        (cookie.as_str(), "code=c&state=x", 400),
    ] {
        let reply = back(&server, cookie, query);
        assert_eq!(reply.status, status, "{query}: {}", reply.body);
        assert!(reply.body.contains("begun in another browser"), "{}", reply.body);
        assert!(!reply.head.contains("set-cookie: brunt="), "{}", reply.head);
    }
    for (more, words) in [
        ("&error=access_denied%0A%3Cb%3E", "did not sign you in: access_denied &lt;b&gt;."),
        ("&iss=https%3A%2F%2Fevil.example", "another provider"),
    ] {
        let reply = back(&server, &cookie, &format!("{right}{more}"));
        assert!(reply.status == 403 && reply.body.contains(words), "{}", reply.body);
    }
    let used = back(&server, &cookie, &format!("code=used&state={}", requested["state"]));
    assert!(used.status == 403 && used.body.contains("invalid_grant"), "{}", used.body);
    assert_eq!(role(&server, "ada"), None);
    let failed = acts(&server).iter().filter(|act| act.contains("fail to sign in")).count();
    assert_eq!(failed, 3);
    // Whoever goes on waits.
    for _ in 0..50 {
        server.app.limiter.failed(&[Tried::Address([127, 0, 0, 1].into())], NOW);
    }
    assert_eq!(back(&server, &cookie, &right).status, 429);
    assert_eq!(server.see(&Client::Nobody, "/sign-in/provider").status, 429);
}

#[test]
fn sso_group_change_updates_the_role_or_ends_the_session() {
    let (server, _) = site();
    let (session, _) = sign_in(&server);
    let ada = session.unwrap();
    let requests = server.provider.requested("/token");
    server.provider.set(|state| state.claims["groups"] = json!(["runners", "others"]));
    // Nobody asks before it is due.
    assert_eq!(
        (server.see(&ada, "/people").status, server.provider.requested("/token")),
        (200, requests)
    );
    let_it_be_due(&server, 300);
    assert_eq!(
        (server.see(&ada, "/people").status, role(&server, "ada")),
        (403, Some(Role::Runner))
    );
    assert_eq!(server.see(&ada, "/people").status, 403);
    assert_eq!(server.provider.requested("/token"), requests + 1);
    // The refresh token of the first renewal is the one of the second.
    let_it_be_due(&server, 300);
    assert_eq!(server.see(&ada, "/").status, 200);
    assert_eq!(server.provider.form()["refresh_token"], "r2");
    server.provider.set(|state| state.claims["groups"] = json!(["others"]));
    let_it_be_due(&server, 300);
    assert_eq!(server.see(&ada, "/").status, 303);
    let (session, reply) = sign_in(&server);
    assert!(session.is_none() && reply.status == 403, "{}", reply.body);
    assert!(reply.body.contains("in none of its groups"), "{}", reply.body);
    let acts = acts(&server);
    for line in [
        "SSO: change role ada from admin to runner",
        "SSO: end session of ada: they are in none of the groups that may sign in",
    ] {
        assert!(acts.iter().any(|act| act == line), "{acts:?}");
    }
}

#[test]
fn sso_logout_at_the_provider_ends_the_session() {
    let (server, root) = site();
    let (first, second) = (sign_in(&server).0.unwrap(), sign_in(&server).0.unwrap());
    // The provider reports it.
    let told = |token: &str| {
        let body = format!("logout_token={token}");
        let none = server.request(&Client::Nobody, "POST", "/sign-in/logout", "", &body);
        (none.status, server.see(&second, "/").status)
    };
    let token = server.provider.logout(&json!({ "sid": "other" }));
    assert_eq!([told("x"), told(&token)], [(400, 200), (200, 200)]);
    let token = server.provider.logout(&json!({ "sub": "1" }));
    assert_eq!(told(&token), (200, 303));
    assert_eq!(server.see(&first, "/").status, 303);
    // Or it says so when it is asked.
    let third = sign_in(&server).0.unwrap();
    server.provider.set(|state| state.refresh = None);
    let_it_be_due(&server, 300);
    assert_eq!(server.see(&third, "/").status, 303);
    server.provider.set(|state| state.refresh = Some(1));
    let fourth = sign_in(&server).0.unwrap();
    server.provider.set(|state| state.claims["sub"] = json!("2"));
    let_it_be_due(&server, 300);
    assert_eq!(server.see(&fourth, "/").status, 303);
    // A disabled person stays out, and comes in again when that is lifted.
    server.provider.set(|state| state.claims["sub"] = json!("1"));
    let fifth = sign_in(&server).0.unwrap();
    assert_eq!(server.send(&root, "/people/change", "id=2&role=admin&disabled=1").status, 303);
    assert_eq!(server.see(&fifth, "/").status, 303);
    assert_eq!(sign_in(&server).1.status, 403);
    assert_eq!(server.send(&root, "/people/change", "id=2&role=admin").status, 303);
    assert_eq!(sign_in(&server).1.status, 303);
}

#[test]
fn sso_outage_keeps_sessions_for_an_hour_and_local_sign_in() {
    let (server, root) = site();
    let ada = sign_in(&server).0.unwrap();
    let (cookie, requested) = begun(&server, "/runs");
    server.provider.set(|state| state.is_down = true);
    let_it_be_due(&server, 300 + 3_599);
    assert_eq!(server.see(&ada, "/people").status, 200);
    let_it_be_due(&server, 1);
    assert_eq!(server.see(&ada, "/people").status, 303);
    assert_eq!(server.see(&Client::Nobody, "/sign-in/provider").status, 503);
    let reply = back(&server, &cookie, &format!("code=c&state={}", requested["state"]));
    assert_eq!(reply.status, 503, "{}", reply.body);
    assert!(reply.body.contains("SSO does not answer") && reply.body.contains("id=\"password\""));
    assert!(!reply.body.contains("connection refused"), "{}", reply.body);
    // The page that was asked for is opened all the same.
    assert!(reply.body.contains("name=\"next\" value=\"/runs\""), "{}", reply.body);
    let form = "name=root&password=correct+horse+battery";
    assert_eq!(server.send(&Client::Nobody, "/sign-in", form).status, 303);
    assert_eq!(server.send(&root, "/people/change", "id=1&role=viewer").status, 422);
    // Settings can be saved meanwhile, and say what is wrong. The secret is kept.
    let again = SET.replace("secret=s3cret", "secret=").replace("minutes=5", "minutes=7");
    let reply = server.send(&root, "/provider", &again);
    assert!(reply.status == 200 && reply.body.contains("connection refused"), "{}", reply.body);
    let (settings, sealed) = server.app.store.provider().unwrap().unwrap();
    let secret = crate::provider::client_secret(&server.app, &settings, &sealed);
    assert_eq!((settings.minutes, secret.as_deref()), (7, Ok("s3cret")));
    let elsewhere = again.replace("/realms/load", "/realms/other");
    let reply = server.send(&root, "/provider", &elsewhere);
    assert!(reply.status == 422 && reply.body.contains("id=\"secret-fault\""), "{}", reply.body);
}

#[test]
fn sso_tokens_pause_after_a_month_of_absence() {
    let (server, _) = site();
    let (ada, _) = sign_in(&server);
    let user = server.app.store.user_named("ada").unwrap().unwrap().id;
    let token = server.token(user, Scope::Read);
    let status = || server.see(&token, "/api/v1/me").status;
    assert_eq!((ada.is_some(), status()), (true, 200));
    let away = "UPDATE identity SET confirmed = confirmed - 2592001";
    server.app.store.write(|file| Ok(file.execute(away, []).map(drop)?)).unwrap();
    assert_eq!(status(), 401);
    assert_eq!((sign_in(&server).1.status, status()), (303, 200));
}

#[test]
fn sso_provider_removal_signs_its_users_out() {
    let (server, root) = site();
    let ada = sign_in(&server).0.unwrap();
    assert_eq!(server.send(&root, "/provider/end", "").status, 303);
    assert_eq!([&ada, &root].map(|client| server.see(client, "/").status), [303, 200]);
    assert_eq!(server.see(&Client::Nobody, "/sign-in/provider").status, 404);
    assert!(!server.see(&Client::Nobody, "/sign-in").body.contains("SSO"));
}

#[test]
fn provider_groups_show_and_hide_projects() {
    use crate::store::Members;
    let (server, _) = site();
    let store = &server.app.store;
    let members = Members { users: Vec::new(), groups: vec!["orchids".to_owned()] };
    let project = store.add_project("house", &members).unwrap();
    store.add_plan_to(("orchid", project), ("", ""), ("root", NOW)).unwrap();
    let claims = |groups: Value| server.provider.set(|state| state.claims["groups"] = groups);
    claims(json!(["runners", "orchids"]));
    let (session, _) = sign_in(&server);
    let ada = session.unwrap();
    let token = server.token(store.user_named("ada").unwrap().unwrap().id, Scope::Read);
    let seen =
        || [server.see(&ada, "/plans/1").status, server.see(&token, "/api/v1/plans/1").status];
    assert_eq!(seen(), [200, 200]);
    // A name that is too long to be stored is no other name.
    claims(json!(["runners", format!("orchids{}", "x".repeat(300))]));
    assert_eq!(seen(), [200, 200], "the provider was not asked again yet");
    let_it_be_due(&server, 301);
    assert_eq!(seen(), [404, 404]);
    claims(json!(["orchids", "runners"]));
    let_it_be_due(&server, 301);
    assert_eq!(seen(), [200, 200]);
    // Whoever may no longer sign in loses the groups too, which their tokens had.
    claims(json!([]));
    let_it_be_due(&server, 301);
    assert_eq!((server.see(&ada, "/plans/1").status, seen()[1]), (303, 404));
}
