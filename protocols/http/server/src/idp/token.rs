//! Tokens: for a code, a refresh token, a client's own sake, a device, and an assertion about a user.

use std::sync::Arc;

use serde_json::json;

use super::client::{self, Client};
use super::device;
use super::event::Event;
use super::grant::Grant;
use super::jose::hash;
use super::proof;
use super::provider::Access;
use crate::call::Call;
use crate::oauth::{Refusal, refused};
use crate::reply::Reply;
use crate::script::LoginFault;

/// What a client gives for tokens.
type Exchange = fn(&Call<'_>, &Client) -> Result<Grant, Refusal>;

/// POST `token`.
pub(super) fn token(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let form = call.form();
    let (event, grant): (_, Exchange) = match form.first("grant_type").as_deref() {
        Some("authorization_code") => (Event::CodeToToken, by_code),
        Some("refresh_token") => (Event::RefreshToken, by_refresh_token),
        Some("client_credentials") => (Event::ClientLogin, for_itself),
        Some("urn:ietf:params:oauth:grant-type:device_code") => {
            (Event::DeviceToToken, device::exchange)
        }
        Some("urn:ietf:params:oauth:grant-type:jwt-bearer") => (Event::JwtGrant, by_assertion),
        Some(_) => {
            return Err(refused(400, "unsupported_grant_type", "Unsupported grant_type"));
        }
        None => return Err(refused(400, "invalid_request", "Missing form parameter: grant_type")),
    };
    let granted = (|| {
        let mut client = client::authenticate(call)?;
        proof::nonce(call, reply)?;
        client.key = proof::check(call, None)?;
        let grant = grant(call, &client)?;
        Ok((client, grant))
    })();
    call.realm.provider.count(event, granted.is_ok());
    let (client, grant) = granted?;
    issue(call, client, &grant, reply);
    Ok(())
}

fn issue(call: &Call<'_>, client: Client, grant: &Grant, reply: &mut Reply) {
    let provider = &call.realm.provider;
    let access = Access {
        subject: Arc::clone(&grant.subject),
        client: client.id,
        scope: Arc::clone(&grant.scope),
        session: grant.session,
        bound: client.key,
        since: call.now,
    };
    let identity = identity(call, &access, grant);
    let kind = if access.bound.is_some() { "DPoP" } else { "Bearer" };
    let mut answer = json!({
        "token_type": kind,
        "expires_in": call.lifetime(provider.access.lasts()),
        "scope": &*grant.scope,
    });
    if let Some(identity) = identity {
        answer["id_token"] = identity.into();
    }
    if grant.renewable {
        answer["refresh_token"] = provider.refresh.issue(call.now, access.clone()).into();
        answer["refresh_expires_in"] = call.lifetime(provider.refresh.lasts()).into();
    }
    answer["access_token"] = provider.access.issue(call.now, access).into();
    reply.json(200, &answer);
}

/// The ID token (OpenID Connect Core section 2), if the client requested it.
fn identity(call: &Call<'_>, access: &Access, grant: &Grant) -> Option<String> {
    let provider = &call.realm.provider;
    let session = grant.session?;
    if !grant.scope.split(' ').any(|word| word == "openid") {
        return None;
    }
    let (since, strong) = provider
        .sessions
        .with(session, call.now, |session| (session.since, session.second_factor))?;
    let (now, started) = (call.seconds_since_1970(), call.realm.started);
    let mut claims = json!({
        "iss": call.issuer(),
        "sub": &*access.subject,
        "aud": &*access.client,
        "exp": now + provider.access.lasts().as_secs(),
        "iat": now,
        "auth_time": started + since.as_secs(),
        "acr": if strong { "otp" } else { "1" },
        "sid": provider.sessions.text(session),
    });
    if let Some(nonce) = &grant.nonce {
        claims["nonce"] = (**nonce).into();
    }
    provider.key.sign(&claims)
}

/// For a code, once (RFC 6749 section 4.1.3), of whose challenge the client has the verifier (RFC 7636).
fn by_code(call: &Call<'_>, client: &Client) -> Result<Grant, Refusal> {
    let (form, provider) = (call.form(), &call.realm.provider);
    let wrong = |why| refused(400, "invalid_grant", why);
    let code = provider.codes.number(&form.first("code").unwrap_or_default());
    let code = code.and_then(|code| provider.codes.take(code, call.now));
    let code = code.filter(|_| call.login_fault != Some(LoginFault::ExpiredGrant));
    let code = code.ok_or(wrong("Code not valid"))?;
    let request = &code.request;
    if request.client != client.id {
        return Err(wrong("Auth error: the code is that of another client"));
    }
    if form.first("redirect_uri").as_deref() != Some(&*request.redirect) {
        return Err(wrong("Incorrect redirect_uri"));
    }
    match (&request.challenge, form.first("code_verifier")) {
        (Some(challenge), Some(verifier)) => {
            if hash(verifier.as_bytes()) != **challenge {
                return Err(wrong("PKCE verification failed: Code mismatch"));
            }
        }
        (Some(_), None) => return Err(wrong("PKCE code verifier not specified")),
        (None, Some(_)) => return Err(wrong("PKCE code verifier specified but no challenge")),
        (None, None) if client.proven => {}
        (None, None) => return Err(wrong("a public client must use PKCE")),
    }
    if !provider.is_open(code.session, call.now) {
        return Err(wrong("Session not active"));
    }
    Ok(Grant {
        subject: code.user,
        scope: Arc::clone(&request.scope),
        session: Some(code.session),
        nonce: request.nonce.clone(),
        renewable: true,
    })
}

/// For a refresh token, which is used once (RFC 9700 section 4.14.2).
fn by_refresh_token(call: &Call<'_>, client: &Client) -> Result<Grant, Refusal> {
    let (form, provider) = (call.form(), &call.realm.provider);
    let wrong = |why| refused(400, "invalid_grant", why);
    if call.login_fault == Some(LoginFault::ExpiredGrant) {
        return Err(wrong("Session not active"));
    }
    let token = form.first("refresh_token").unwrap_or_default();
    let number = provider.refresh.number(&token).ok_or(wrong("Invalid refresh token"))?;
    let access = provider.permitted(&provider.refresh, &token, call.now);
    let access = access.ok_or(wrong("Session not active"))?;
    if access.client != client.id {
        return Err(wrong("Invalid refresh token. Token client and authorized client don't match"));
    }
    if access.bound.is_some() && client.key != access.bound {
        return Err(wrong("DPoP proof and token binding verification failed"));
    }
    // It is used up, by one of several at once.
    provider.refresh.take(number, call.now).ok_or(wrong("Session not active"))?;
    Ok(Grant {
        subject: access.subject,
        scope: access.scope,
        session: access.session,
        nonce: None,
        renewable: true,
    })
}

/// For the client itself (RFC 6749 section 4.4).
fn for_itself(call: &Call<'_>, client: &Client) -> Result<Grant, Refusal> {
    if !client.proven {
        return Err(refused(401, "unauthorized_client", "Public client not allowed"));
    }
    Ok(without_session(call, client))
}

fn without_session(call: &Call<'_>, client: &Client) -> Grant {
    let scope = call.form().first("scope").filter(|scope| scope.len() <= 512);
    Grant {
        subject: Arc::clone(&client.id),
        scope: scope.unwrap_or_default().into(),
        session: None,
        nonce: None,
        renewable: false,
    }
}

/// For an assertion of a client about a user (RFC 7523 section 2.1).
fn by_assertion(call: &Call<'_>, client: &Client) -> Result<Grant, Refusal> {
    let form = call.form();
    let assertion = form.first("assertion").unwrap_or_default();
    let signed = client::verified(call, &assertion, "invalid_grant", 400)?;
    if signed.claim("iss") != &*client.id {
        return Err(refused(400, "invalid_grant", "The assertion is that of another client"));
    }
    let user = signed.claim("sub");
    if !call.realm.openam.holds(user) {
        return Err(refused(400, "invalid_grant", "The assertion is about nobody here"));
    }
    Ok(Grant { subject: user.into(), ..without_session(call, client) })
}
