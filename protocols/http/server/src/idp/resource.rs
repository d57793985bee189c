//! What tokens are for: who somebody is, what a token is worth, and the end of it.

use serde_json::json;

use super::client;
use super::event::Event;
use super::page::{message_page, redirect, with_parameters};
use super::provider::Access;
use super::{login, proof};
use crate::call::Call;
use crate::oauth::{Refusal, refused};
use crate::reply::Reply;
use crate::script::LoginFault;

/// GET or POST `userinfo`.
pub(super) fn user_info(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let access = presented(call, reply);
    call.realm.provider.count(Event::UserInfo, access.is_ok());
    let access = access?;
    let subject = &*access.subject;
    let mut answer = json!({"sub": subject});
    if call.realm.openam.holds(subject) {
        answer["preferred_username"] = subject.into();
        answer["email"] = format!("{subject}@example.com").into();
    }
    reply.json(200, &answer);
    Ok(())
}

/// What the request's token permits, with its proof if it is bound to a key.
fn presented(call: &Call<'_>, reply: &mut Reply) -> Result<Access, Refusal> {
    let provider = &call.realm.provider;
    let wrong = refused(401, "invalid_token", "Token verification failed");
    let field = call.request.fields.text("authorization").unwrap_or_default();
    let (scheme, token) = field.split_once(' ').unwrap_or_default();
    let by_proof = scheme.eq_ignore_ascii_case("dpop");
    if !by_proof && !scheme.eq_ignore_ascii_case("bearer") {
        return Err(wrong);
    }
    if call.login_fault == Some(LoginFault::ExpiredToken) {
        return Err(refused(401, "invalid_token", "Token is not active"));
    }
    let access = provider.permitted(&provider.access, token.trim(), call.now).ok_or(wrong)?;
    if access.bound.is_some() != by_proof {
        return Err(refused(401, "invalid_token", "the token's scheme is another one"));
    }
    if by_proof {
        proof::nonce(call, reply)?;
        if proof::check(call, Some(token.trim()))? != access.bound {
            let why = "DPoP proof and token binding verification failed";
            return Err(refused(401, "invalid_token", why));
        }
    }
    Ok(access)
}

/// POST `introspect` (RFC 7662).
pub(super) fn introspect(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let provider = &call.realm.provider;
    let client = client::authenticate(call).and_then(|client| {
        let wrong = refused(401, "invalid_client", "Client not allowed.");
        client.proven.then_some(client).ok_or(wrong)
    });
    let token = call.form().first("token").unwrap_or_default();
    let look_up = |shelf| provider.permitted(shelf, &token, call.now);
    let access = look_up(&provider.access).map(|access| (access, provider.access.lasts()));
    let access = access.or_else(|| Some((look_up(&provider.refresh)?, provider.refresh.lasts())));
    provider.count(Event::Introspect, client.is_ok() && access.is_some());
    client?;
    let Some((access, lasts)) = access else {
        reply.json(200, &json!({"active": false}));
        return Ok(());
    };
    let mut answer = json!({
        "active": true,
        "iss": call.issuer(),
        "scope": &*access.scope,
        "client_id": &*access.client,
        "sub": &*access.subject,
        "username": &*access.subject,
        "token_type": if access.bound.is_some() { "DPoP" } else { "Bearer" },
        "iat": call.realm.started + access.since.as_secs(),
        "exp": call.realm.started + (access.since + lasts).as_secs(),
    });
    if let Some(key) = &access.bound {
        answer["cnf"] = json!({"jkt": &**key});
    }
    reply.json(200, &answer);
    Ok(())
}

/// POST `revoke` (RFC 7009). The end of a refresh token is that of its session.
pub(super) fn revoke(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let provider = &call.realm.provider;
    let revoked = client::authenticate(call).map(|client| {
        let token = call.form().first("token").unwrap_or_default();
        let own = |access: &Access| access.client == client.id;
        if let Some(number) = provider.access.number(&token) {
            if provider.access.with(number, call.now, |access| own(access)) == Some(true) {
                provider.access.take(number, call.now);
            }
        } else if let Some(number) = provider.refresh.number(&token)
            && provider.refresh.with(number, call.now, |access| own(access)) == Some(true)
        {
            let session = provider.refresh.take(number, call.now).and_then(|it| it.session);
            session.map(|session| provider.sessions.take(session, call.now));
        }
    });
    provider.count(Event::Revoke, revoked.is_ok());
    revoked?;
    reply.json(200, &json!({}));
    Ok(())
}

/// POST `logout`, by a client with a refresh token.
pub(super) fn end_session(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let provider = &call.realm.provider;
    let ended = client::authenticate(call).and_then(|client| {
        let token = call.form().first("refresh_token").unwrap_or_default();
        let access = provider.permitted(&provider.refresh, &token, call.now);
        let own = access.filter(|access| access.client == client.id);
        let session = own.and_then(|access| access.session);
        let session = session.and_then(|session| provider.sessions.take(session, call.now));
        session.ok_or(refused(400, "invalid_grant", "Invalid refresh token"))
    });
    provider.count(Event::Logout, ended.is_ok());
    ended?;
    reply.status = 204;
    Ok(())
}

/// GET `logout`, by the browser (OpenID Connect RP-Initiated Logout 1.0).
pub(super) fn log_out(call: &Call<'_>, reply: &mut Reply) {
    let provider = &call.realm.provider;
    let query = call.query();
    let hint = query.first("id_token_hint").unwrap_or_default();
    let hinted = provider.key.verified(&hint);
    let session = match &hinted {
        Some(token) => provider.sessions.number(token.claim("sid")),
        None => login::session(call).map(|session| session.number),
    };
    let ended = session.and_then(|session| provider.sessions.take(session, call.now));
    provider.count(Event::Logout, ended.is_some());
    reply.field("Set-Cookie", "IDP_SESSION=; Max-Age=0; Path=/idp".to_owned());
    let back = query.first("post_logout_redirect_uri").filter(|url| {
        let web = url.starts_with("http://") || url.starts_with("https://");
        hinted.is_some() && web && url.bytes().all(|byte| byte.is_ascii_graphic())
    });
    match (back, query.first("state")) {
        (Some(back), Some(state)) => redirect(reply, with_parameters(&back, &[("state", &state)])),
        (Some(back), None) => redirect(reply, back.into_owned()),
        (None, _) if ended.is_some() => {
            message_page(reply, 200, "Signed out", "You are signed out.", false);
        }
        (None, _) => {
            message_page(reply, 400, "We are sorry...", "Invalid parameter: id_token_hint", true);
        }
    }
}
