//! Conversations with a provider that rotates its keys, has another clock, is down, or sends malformed answers.

use serde_json::json;

use super::scripted::{ISSUER, Scripted};
use super::*;
use crate::oidc::made::Pair;

const NOW: i64 = 1_800_000_000;

fn settings() -> ProviderSettings {
    ProviderSettings {
        name: "SSO".to_owned(),
        issuer: ISSUER.to_owned(),
        client: "brunt".to_owned(),
        scopes: "openid".to_owned(),
        claim: "groups".to_owned(),
        groups: vec![("admins".to_owned(), crate::auth::Role::Admin)],
        others: None,
        minutes: 5,
    }
}

/// What comes of a sign-in at this time.
fn sign_in(provider: &Provider, scripted: &Scripted, now: i64) -> Result<Person, Failure> {
    let settings = settings();
    let attempt = Attempt::new("/", now).unwrap();
    scripted.set(|state| {
        state.nonce = Some(attempt.nonce());
        state.now = now;
    });
    let conversation = provider.begin((&settings, "s3cret"), now)?;
    let reply = conversation.exchange("c", &attempt, "https://brunt.example/sign-in/callback")?;
    let id = reply.id_token.clone().unwrap();
    person_of(&conversation, &settings, (&reply, &id), Some(&attempt.nonce()))
}

#[test]
fn code_is_exchanged_with_verifier_and_secret() {
    let scripted = Scripted::new(NOW);
    let provider = Provider::new(scripted.fetcher());
    let person = sign_in(&provider, &scripted, NOW).unwrap();
    assert_eq!((person.name.as_str(), person.role), ("ada", Some(crate::auth::Role::Admin)));
    let form = scripted.form();
    assert_eq!(form["code"], "c");
    assert_eq!(form["redirect_uri"], "https://brunt.example/sign-in/callback");
    assert_eq!(form["code_verifier"].len(), 43);
    assert!(!form.contains_key("client_secret"));
    let by = scripted.0.lock().unwrap().by.clone();
    assert_eq!(by.as_deref(), Some("Basic YnJ1bnQ6czNjcmV0"));
    // Its metadata and keys are requested once.
    sign_in(&provider, &scripted, NOW + 10).unwrap();
    let documents = ["/.well-known/openid-configuration", "/keys", "/token"];
    assert_eq!(documents.map(|path| scripted.requested(path)), [1, 1, 2]);
    sign_in(&provider, &scripted, NOW + LASTS).unwrap();
    assert_eq!(documents.map(|path| scripted.requested(path)), [2, 2, 3]);
}

#[test]
fn rotated_keys_are_fetched_at_most_once_a_minute() {
    let scripted = Scripted::new(NOW);
    let provider = Provider::new(scripted.fetcher());
    sign_in(&provider, &scripted, NOW).unwrap();
    for (after, kind) in [(60, Pair::ed()), (120, Pair::rsa()), (180, Pair::ec())] {
        scripted.set(|state| state.key = (kind, format!("after {after}")));
        sign_in(&provider, &scripted, NOW + after).unwrap();
    }
    assert_eq!(scripted.requested("/keys"), 4);
    // A token with an invented key causes no more than one request a minute.
    scripted.set(|state| {
        let none = (200, "{\"keys\":[]}".to_owned());
        state.instead.insert("/keys".to_owned(), none);
        state.key = (Pair::ec(), "invented".to_owned());
    });
    for after in [190, 200, 239] {
        let failed = sign_in(&provider, &scripted, NOW + after);
        assert!(
            matches!(&failed, Err(Failure::Refused(why)) if why.contains("does not publish")),
            "{failed:?}"
        );
    }
    assert_eq!(scripted.requested("/keys"), 4);
    assert!(sign_in(&provider, &scripted, NOW + 241).is_err());
    assert_eq!(scripted.requested("/keys"), 5);
}

#[test]
fn clock_skew_of_a_minute_is_accepted() {
    for (ahead, is_fine) in [(60, true), (-60, true), (61, false), (-119, true), (-121, false)] {
        let scripted = Scripted::new(NOW);
        let provider = Provider::new(scripted.fetcher());
        scripted.set(|state| state.ahead = ahead);
        let found = sign_in(&provider, &scripted, NOW);
        assert_eq!(found.is_ok(), is_fine, "{ahead}: {found:?}");
    }
}

#[test]
fn unreachable_provider_is_retried_after_a_pause() {
    let scripted = Scripted::new(NOW);
    let provider = Provider::new(scripted.fetcher());
    scripted.set(|state| state.is_down = true);
    let settings = settings();
    let down = Err(Failure::Down("connection refused".to_owned()));
    for after in [0, 1, 9] {
        assert_eq!(sign_in(&provider, &scripted, NOW + after), down);
    }
    assert_eq!(scripted.requested("/.well-known/openid-configuration"), 1);
    scripted.set(|state| state.is_down = false);
    assert_eq!(sign_in(&provider, &scripted, NOW + 9), down);
    assert!(sign_in(&provider, &scripted, NOW + 10).is_ok());
    // No browser is sent to it while it is down, though its metadata is cached.
    scripted.set(|state| state.is_down = true);
    let reached = |now| provider.begin((&settings, ""), now).unwrap().reached();
    assert!(reached(NOW + 11).is_ok());
    assert_eq!(reached(NOW + 30).err(), down.err());
    assert!(provider.begin((&settings, ""), NOW + 50).unwrap().metadata().is_ok());
}

#[test]
fn malformed_provider_answers_are_refused() {
    let huge = "[".repeat(200_000);
    let deep = format!("{{\"id_token\": {huge}");
    let texts =
        ["", "{}", "null", "\"x\"", "<html>", &huge, &deep, "{\"keys\": [{\"kty\": []}]}", "\u{0}"];
    for path in ["/.well-known/openid-configuration", "/keys", "/token"] {
        for text in texts {
            for status in [200, 302, 404, 503] {
                let scripted = Scripted::new(NOW);
                let provider = Provider::new(scripted.fetcher());
                let answer = (status, text.to_owned());
                scripted.set(|state| drop(state.instead.insert(path.to_owned(), answer)));
                let settings = settings();
                let attempt = Attempt::new("/", NOW).unwrap();
                scripted.set(|state| state.nonce = Some(attempt.nonce()));
                let conversation = provider.begin((&settings, ""), NOW).unwrap();
                let found =
                    conversation.exchange("c", &attempt, "https://b.example/").and_then(|reply| {
                        let id = reply.id_token.clone().ok_or(Failure::Refused(String::new()))?;
                        person_of(&conversation, &settings, (&reply, &id), Some(&attempt.nonce()))
                    });
                assert!(found.is_err(), "{path} {status} {text:.30}");
            }
        }
    }
}

#[test]
fn groups_are_fetched_from_userinfo_if_not_in_the_token() {
    let scripted = Scripted::new(NOW);
    let provider = Provider::new(scripted.fetcher());
    scripted.set(|state| state.claims = json!({ "sub": "1", "preferred_username": "ada" }));
    let userinfo = json!({ "sub": "1", "groups": ["admins"], "email": "a@example.com" });
    scripted.set(|state| state.userinfo = userinfo);
    let person = sign_in(&provider, &scripted, NOW).unwrap();
    assert_eq!(person.role, Some(crate::auth::Role::Admin));
    assert_eq!(person.identity.mail, "a@example.com");
    scripted.set(|state| state.userinfo["sub"] = json!("2"));
    let failed = sign_in(&provider, &scripted, NOW);
    assert!(
        matches!(&failed, Err(Failure::Refused(why)) if why.contains("somebody else")),
        "{failed:?}"
    );
    scripted.set(|state| state.userinfo = json!({ "sub": "1" }));
    assert_eq!(sign_in(&provider, &scripted, NOW).unwrap().role, None);
}

#[test]
fn used_code_and_stolen_token_are_refused() {
    let scripted = Scripted::new(NOW);
    let provider = Provider::new(scripted.fetcher());
    let settings = settings();
    let attempt = Attempt::new("/", NOW).unwrap();
    let conversation = provider.begin((&settings, ""), NOW).unwrap();
    let found = conversation.exchange("used", &attempt, "https://b.example/").err();
    assert_eq!(found, Some(Failure::Ended("invalid_grant (not active)".to_owned())));
    // A public client names itself in the form.
    assert_eq!(scripted.form()["client_id"], "brunt");
    scripted.set(|state| state.nonce = Some("other".to_owned()));
    let reply = conversation.exchange("c", &attempt, "https://b.example/").unwrap();
    let found = conversation.claims(&reply.id_token.unwrap(), Some(&attempt.nonce()), None);
    assert!(
        matches!(&found, Err(Failure::Refused(why)) if why.contains("another attempt")),
        "{found:?}"
    );
}
