//! OpenAM's REST API: sessions and identities, and an agent that requires a session.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Value, json};

use super::call::Call;
use super::crest::{self, Verb, brief};
use super::realm::{Principal, Realm};
use super::refusal::Refusal;
use super::reply::{JSON, Reply};
use super::tokens::{Grant, Kind};

/// The cookie and the field that carry a session's token.
const COOKIE: &str = "iPlanetDirectoryPro";
/// How long a session lasts.
const SESSION: Duration = Duration::from_secs(7200);
/// How long the callbacks of a login are valid.
const DIALOGUE: Duration = Duration::from_secs(300);

/// POST `authenticate`: by fields, or by callbacks that are filled in.
pub(super) fn authenticate(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    if call.request.method != "POST" {
        return Err(Refusal::wrong_method());
    }
    let (name, password) = if let Some(name) = call.field("x-openam-username") {
        (name, call.field("x-openam-password").unwrap_or_default())
    } else if let Some((name, password)) = filled_in(call)? {
        (name.into(), password.into())
    } else {
        send_callbacks(call, reply);
        return Ok(());
    };
    let principal = call.realm.identify(&call.realm.openam, &name, &password);
    let principal = principal.ok_or_else(|| Refusal::new(401, "Authentication Failed"))?;
    if call.query().first("noSession").is_some_and(|value| value == "true") {
        reply.json(200, &json!({"message": "Authentication Successful", "realm": "/"}));
        return Ok(());
    }
    let token =
        call.realm.tokens.issue(grant(Kind::Session, principal.subject(), call.now, SESSION));
    reply.field("Set-Cookie", format!("{COOKIE}={token}; Path=/; HttpOnly"));
    reply.content_type = JSON;
    for part in
        ["{\"tokenId\":\"", &token, "\",\"successUrl\":\"/openam/console\",\"realm\":\"/\"}"]
    {
        reply.body.extend_from_slice(part.as_bytes());
    }
    Ok(())
}

fn grant(kind: Kind, subject: std::sync::Arc<str>, now: Duration, lasts: Duration) -> Grant {
    Grant { kind, subject, client: None, scope: "".into(), since: now, until: now + lasts }
}

/// The name and password in the callbacks of the body, if it contains callbacks.
fn filled_in(call: &Call<'_>) -> Result<Option<(String, String)>, Refusal> {
    let body: Value = serde_json::from_slice(call.request.body).unwrap_or_default();
    let Some(callbacks) = body.get("callbacks").and_then(Value::as_array) else { return Ok(None) };
    let dialogue = body.get("authId").and_then(Value::as_str).unwrap_or_default();
    if call.realm.tokens.look_up(dialogue, Kind::Dialogue, call.now).is_none() {
        return Err(Refusal::new(401, "Session has timed out"));
    }
    call.realm.tokens.revoke(dialogue, Kind::Dialogue);
    let answer = |kind: &str| {
        let callback = callbacks.iter().find(|callback| callback["type"] == kind);
        let value = callback.and_then(|callback| callback["input"][0]["value"].as_str());
        value.unwrap_or_default().to_owned()
    };
    Ok(Some((answer("NameCallback"), answer("PasswordCallback"))))
}

/// Sends the callbacks for name and password.
fn send_callbacks(call: &Call<'_>, reply: &mut Reply) {
    let dialogue = grant(Kind::Dialogue, "".into(), call.now, DIALOGUE);
    let callback = |kind: &str, prompt: &str, n: u32| {
        json!({
            "type": kind,
            "output": [{"name": "prompt", "value": prompt}],
            "input": [{"name": format!("IDToken{n}"), "value": ""}],
        })
    };
    reply.json(
        200,
        &json!({
            "authId": call.realm.tokens.issue(dialogue),
            "template": "",
            "stage": "DataStore1",
            "header": "Sign in",
            "callbacks": [
                callback("NameCallback", "User Name:", 1),
                callback("PasswordCallback", "Password:", 2),
            ],
        }),
    );
}

/// POST `sessions`: validate, logout and the other actions on a session.
pub(super) fn sessions(
    call: &Call<'_>,
    id: Option<&str>,
    reply: &mut Reply,
) -> Result<(), Refusal> {
    if call.request.method != "POST" {
        return Err(Refusal::wrong_method());
    }
    let token = session_token(call, id);
    let look_up = || {
        let token = token.as_deref()?;
        call.realm.tokens.look_up(token, Kind::Session, call.now)
    };
    let denied = || Refusal::new(401, "Access Denied");
    match call.query().first("_action").as_deref() {
        Some("validate") => match look_up() {
            Some(grant) => {
                reply.json(200, &json!({"valid": true, "uid": &*grant.subject, "realm": "/"}));
            }
            None => reply.json(200, &json!({"valid": false})),
        },
        Some("isActive") => reply.json(200, &json!({"active": look_up().is_some()})),
        Some("getSessionInfo" | "getSessionProperties") => {
            let grant = look_up().ok_or_else(denied)?;
            reply.json(200, &information(call.realm, &grant));
        }
        Some("logout") => {
            let ended = token.is_some_and(|token| call.realm.tokens.revoke(&token, Kind::Session));
            if !ended {
                return Err(denied());
            }
            reply.json(200, &json!({"result": "Successfully logged out"}));
        }
        Some(other) => {
            let message = format!("the action {} is not supported here", brief(other));
            return Err(Refusal::new(501, message));
        }
        None => return Err(Refusal::new(400, "sessions are asked with an _action")),
    }
    Ok(())
}

fn information(realm: &Realm, grant: &Grant) -> Value {
    json!({
        "username": &*grant.subject,
        "universalId": format!("id={},ou=user,dc=example,dc=com", grant.subject),
        "realm": "/",
        "createdAt": realm.started + grant.since.as_secs(),
        "maxSessionExpirationTime": realm.started + grant.until.as_secs(),
        "properties": {},
    })
}

/// The token of the session that a request is about: from the path, the query, a field, a cookie or the body.
fn session_token<'a>(call: &Call<'a>, id: Option<&'a str>) -> Option<Cow<'a, str>> {
    let of_query = || {
        let mut pairs = call.query().pairs();
        pairs.find_map(|(name, value)| match &*name {
            "tokenId" => Some(value),
            // Written as a parameter without a value.
            _ => (value.is_empty() && name.starts_with("AQIC5")).then_some(name),
        })
    };
    let of_body = || {
        let body: Value = serde_json::from_slice(call.request.body).ok()?;
        body.get("tokenId")?.as_str().map(|token| token.to_owned().into())
    };
    id.map(Cow::Borrowed).or_else(of_query).or_else(|| own_token(call)).or_else(of_body)
}

/// The token of the client.
fn own_token<'a>(call: &Call<'a>) -> Option<Cow<'a, str>> {
    call.field("iplanetdirectorypro").or_else(|| call.cookie(COOKIE).map(Cow::Borrowed))
}

/// `users`: for clients that have a session.
pub(super) fn users(call: &Call<'_>, id: Option<&str>, reply: &mut Reply) -> Result<(), Refusal> {
    let grant = own_token(call)
        .and_then(|token| call.realm.tokens.look_up(&token, Kind::Session, call.now))
        .ok_or_else(|| Refusal::new(401, "Access Denied"))?;
    let own = call.query().first("_action").is_some_and(|action| action == "idFromSession");
    if own && id.is_none() && call.request.method == "POST" {
        let subject = &*grant.subject;
        reply.json(200, &json!({"id": subject, "realm": "/", "successURL": "/openam/console"}));
        return Ok(());
    }
    let verb = Verb::new(&call.request, id.is_some())?;
    permit(&Principal::new(&grant.subject), verb, id)?;
    crest::answer(&call.realm.openam, verb, id.unwrap_or_default(), &call.request, reply)
}

/// Administrators may do everything; users may read and change themselves.
pub(super) fn permit(principal: &Principal, verb: Verb, id: Option<&str>) -> Result<(), Refusal> {
    let about_oneself = id.is_some_and(|id| principal.is(id));
    match (principal, verb) {
        (Principal::Administrator, _) => Ok(()),
        (Principal::User(_), Verb::Read | Verb::Update | Verb::Patch) if about_oneself => Ok(()),
        _ => Err(Refusal::new(403, "The user has insufficient privileges")),
    }
}

/// A policy agent in front of a resource: it requires a valid token.
pub(super) fn agent(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let session = |token: &str| call.realm.tokens.look_up(token, Kind::Session, call.now);
    let access = |token: &str| call.realm.tokens.look_up(token, Kind::Access, call.now);
    let bearer = call.bearer();
    let grant = own_token(call)
        .and_then(|token| session(&token))
        .or_else(|| bearer.and_then(|token| session(token).or_else(|| access(token))));
    let grant = grant.ok_or_else(|| Refusal::new(403, "Forbidden"))?;
    reply.json(200, &json!({"user": &*grant.subject, "resource": call.request.path()}));
    Ok(())
}
