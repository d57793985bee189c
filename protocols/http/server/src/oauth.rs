//! An authorization server of OAuth 2.0 (RFC 6749): tokens by password, by client credentials and by refresh token;
//! introspection (RFC 7662), revocation (RFC 7009), and OpenID Connect's userinfo.
//!
//! Every client id is accepted, with the administrators' password as its secret; a client without a secret is public.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::call::Call;
use super::query::Parameters;
use super::realm::Principal;
use super::reply::Reply;
use super::tokens::{Grant, Kind};

/// How long an access token lasts, and a refresh token.
const ACCESS: Duration = Duration::from_secs(3600);
const REFRESH: Duration = Duration::from_secs(7 * 24 * 3600);

/// The endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    AccessToken,
    Introspect,
    UserInfo,
    Revoke,
}

/// A refusal in the form of RFC 6749 section 5.2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refusal {
    status: u16,
    error: &'static str,
    description: &'static str,
}

pub(super) const fn refused(
    status: u16,
    error: &'static str,
    description: &'static str,
) -> Refusal {
    Refusal { status, error, description }
}

impl Refusal {
    pub(super) const fn wrong_method() -> Self {
        refused(405, "invalid_request", "the method is not supported here")
    }

    /// Writes the refusal as an answer.
    pub(super) fn answer(&self, reply: &mut Reply) {
        let Self { status, error, description } = *self;
        reply.json(status, &json!({"error": error, "error_description": description}));
        if status == 401 {
            let scheme = match error {
                "invalid_client" => "Basic realm=\"brunt\",",
                "invalid_dpop_proof" | "use_dpop_nonce" => "DPoP",
                _ => "Bearer realm=\"brunt\",",
            };
            let value = format!("{scheme} error=\"{error}\", error_description=\"{description}\"");
            reply.field("WWW-Authenticate", value);
        }
    }
}

/// Executes a request to an endpoint.
pub(super) fn answer(call: &Call<'_>, endpoint: Endpoint, reply: &mut Reply) {
    let result = match endpoint {
        Endpoint::UserInfo => user_info(call, reply),
        _ if call.request.method != "POST" => Err(Refusal::wrong_method()),
        Endpoint::AccessToken => access_token(call, reply),
        Endpoint::Introspect => introspect(call, reply),
        Endpoint::Revoke => revoke(call, reply),
    };
    if let Err(refused) = result {
        refused.answer(reply);
    }
    reply.field("Cache-Control", "no-store".to_owned());
}

/// The client of the request, and whether it has proved that it knows its secret.
fn client<'a>(call: &Call<'a>, form: &Parameters<'a>) -> Result<(Arc<str>, bool), Refusal> {
    let wrong = refused(401, "invalid_client", "Client authentication failed");
    let (name, secret): (Cow<'_, str>, Option<Cow<'_, str>>) = match call.basic() {
        Some((name, secret)) => (name.into(), Some(secret.into())),
        None => match form.first("client_id") {
            Some(name) => (name, form.first("client_secret")),
            None => return Err(wrong),
        },
    };
    match secret {
        Some(secret) if *secret != *call.realm.config.admin_password => Err(wrong),
        secret => Ok((name.into(), secret.is_some())),
    }
}

fn access_token(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let form = Parameters::new(call.request.body);
    let tokens = &call.realm.tokens;
    let (client, confidential) = client(call, &form)?;
    let requested = || Arc::from(form.first("scope").unwrap_or_default());
    let (subject, scope): (Arc<str>, Arc<str>) = match form.first("grant_type").as_deref() {
        Some("password") => {
            let value = |name| form.first(name).unwrap_or_default();
            let who =
                call.realm.identify(&call.realm.openam, &value("username"), &value("password"));
            let wrong = refused(400, "invalid_grant", "The provided access grant is invalid");
            (who.ok_or(wrong)?.subject(), requested())
        }
        Some("client_credentials") if confidential => (Arc::clone(&client), requested()),
        Some("client_credentials") => {
            return Err(refused(401, "invalid_client", "Client authentication failed"));
        }
        Some("refresh_token") => {
            let token = form.first("refresh_token").unwrap_or_default();
            let grant = tokens.look_up(&token, Kind::Refresh, call.now);
            let grant = grant.filter(|grant| grant.client.as_ref() == Some(&client));
            // A refresh token is used once (RFC 9700 section 4.14.2).
            let grant = grant.filter(|_| tokens.revoke(&token, Kind::Refresh));
            let wrong = refused(400, "invalid_grant", "grant is invalid");
            let grant = grant.ok_or(wrong)?;
            (grant.subject, grant.scope)
        }
        Some(_) => {
            return Err(refused(400, "unsupported_grant_type", "Grant type is not supported"));
        }
        None => return Err(refused(400, "invalid_request", "Grant type is not set")),
    };
    let for_itself = subject == client;
    let grant = |kind, lasts| Grant {
        kind,
        subject: Arc::clone(&subject),
        client: Some(Arc::clone(&client)),
        scope: Arc::clone(&scope),
        since: call.now,
        until: call.now + lasts,
    };
    let mut answer = json!({
        "access_token": tokens.issue(grant(Kind::Access, ACCESS)),
        "scope": &*scope,
        "token_type": "Bearer",
        "expires_in": ACCESS.as_secs() - 1,
    });
    // A client that acts for itself asks again (RFC 6749 section 4.4.3).
    if !for_itself {
        answer["refresh_token"] = tokens.issue(grant(Kind::Refresh, REFRESH)).into();
    }
    reply.json(200, &answer);
    Ok(())
}

fn introspect(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let form = Parameters::new(call.request.body);
    client(call, &form)?;
    let token = form.first("token").unwrap_or_default();
    let look_up = |kind| call.realm.tokens.look_up(&token, kind, call.now);
    let Some(grant) = look_up(Kind::Access).or_else(|| look_up(Kind::Refresh)) else {
        reply.json(200, &json!({"active": false}));
        return Ok(());
    };
    reply.json(
        200,
        &json!({
            "active": true,
            "scope": &*grant.scope,
            "client_id": grant.client.as_deref(),
            "username": &*grant.subject,
            "sub": &*grant.subject,
            "token_type": if grant.kind == Kind::Access { "Bearer" } else { "refresh_token" },
            "iat": call.realm.started + grant.since.as_secs(),
            "exp": call.realm.started + grant.until.as_secs(),
        }),
    );
    Ok(())
}

fn user_info(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let grant = call
        .bearer()
        .and_then(|token| call.realm.tokens.look_up(token, Kind::Access, call.now))
        .ok_or(refused(401, "invalid_token", "The access token provided is expired or invalid"))?;
    let subject = &*grant.subject;
    let mut answer = json!({"sub": subject});
    if Principal::new(&grant.subject).is(subject) && call.realm.openam.holds(subject) {
        answer["preferred_username"] = subject.into();
        answer["email"] = format!("{subject}@example.com").into();
    }
    reply.json(200, &answer);
    Ok(())
}

fn revoke(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let form = Parameters::new(call.request.body);
    client(call, &form)?;
    let token = form.first("token").unwrap_or_default();
    // A token without a grant is as good as revoked (RFC 7009 section 2.2).
    let _ = call.realm.tokens.revoke(&token, Kind::Access)
        || call.realm.tokens.revoke(&token, Kind::Refresh);
    reply.json(200, &json!({}));
    Ok(())
}
