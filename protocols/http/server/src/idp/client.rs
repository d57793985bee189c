//! Who a client is: by nothing, by a secret, or by a signed assertion (RFC 7523); and its registration (RFC 7591).

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use super::event::Event;
use super::jose::{PublicKey, Signed};
use crate::calendar;
use crate::call::Call;
use crate::oauth::{Refusal, refused};
use crate::reply::Reply;
use crate::script::LoginFault;

/// How an assertion of a client is called.
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// The most keys of a client.
const KEYS: usize = 4;
/// How far a clock may differ, and how long an assertion may be valid, in seconds.
pub(super) const TOLERANCE: u64 = 60;
const LONGEST: u64 = 300;
/// How slow the clock is that a script makes slow, in seconds.
const SLOW: u64 = 300;

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) id: Arc<str>,
    /// Whether it has proved that it is this one.
    pub(super) proven: bool,
    /// The thumbprint of the key whose possession the request proves.
    pub(super) key: Option<Arc<str>>,
}

/// The client of a request.
pub(super) fn authenticate(call: &Call<'_>) -> Result<Client, Refusal> {
    let wrong = refused(401, "invalid_client", "Invalid client or Invalid client credentials");
    if call.login_fault == Some(LoginFault::RefusedClient) {
        return Err(wrong);
    }
    let form = call.form();
    if let Some(assertion) = form.first("client_assertion") {
        if form.first("client_assertion_type").as_deref() != Some(ASSERTION) {
            return Err(refused(401, "invalid_client", "Parameter client_assertion_type is wrong"));
        }
        let signed = verified(call, &assertion, "invalid_client", 401)?;
        if signed.claim("sub") != signed.claim("iss") {
            return Err(refused(401, "invalid_client", "Token sub and iss differ"));
        }
        return Ok(Client { id: signed.claim("sub").into(), proven: true, key: None });
    }
    let (id, secret) = match call.basic() {
        Some((id, secret)) => (id, Some(secret)),
        None => match form.first("client_id") {
            Some(id) => (id.into_owned(), form.first("client_secret").map(Into::into)),
            None => return Err(wrong),
        },
    };
    let signs = keys(call, &id).is_some_and(|keys| !keys.is_empty());
    let right = secret.as_ref().is_none_or(|secret| *secret == call.realm.config.admin_password);
    if signs || !right || id.is_empty() || id.len() > 256 {
        return Err(wrong);
    }
    Ok(Client { id: id.into(), proven: secret.is_some(), key: None })
}

/// The keys of a client that has registered.
fn keys(call: &Call<'_>, client: &str) -> Option<Arc<[PublicKey]>> {
    let clients = &call.realm.provider.clients;
    clients.with(clients.number(client)?, call.now, |keys| Arc::clone(keys))
}

/// An assertion that a registered client has signed, which is meant for this provider, and not used before.
pub(super) fn verified<'a>(
    call: &Call<'_>,
    text: &'a str,
    error: &'static str,
    status: u16,
) -> Result<Signed<'a>, Refusal> {
    let wrong = |why| refused(status, error, why);
    let signed = Signed::read(text).ok_or(wrong("The assertion is no signed JWT"))?;
    let keys = keys(call, signed.claim("iss")).ok_or(wrong("The issuer has no keys here"))?;
    if !keys.iter().any(|key| signed.is_of(key)) {
        return Err(wrong("Token signature validation failed"));
    }
    let (issuer, now) = (call.issuer(), call.seconds_since_1970());
    let token = format!("{issuer}/token");
    if !signed.is_for(&[&issuer, &token]) {
        return Err(wrong("Invalid token audience"));
    }
    let latest = now + LONGEST + TOLERANCE;
    match signed.time("exp") {
        Some(until) if until + TOLERANCE <= now => return Err(wrong("Token is not active")),
        Some(until) if until <= latest => {}
        _ => return Err(wrong("Token expiration is missing or too far in the future")),
    }
    let early = |name| signed.time(name).is_some_and(|from| from > now + TOLERANCE);
    if early("iat") || early("nbf") {
        return Err(wrong("Token is not active yet"));
    }
    let (issuer, id) = (signed.claim("iss"), signed.claim("jti"));
    if id.is_empty() || !call.realm.provider.used.first(call.now, &["jti", issuer, id]) {
        return Err(wrong("Token reuse detected"));
    }
    Ok(signed)
}

/// POST `register`: a client with keys, or with the common secret.
pub(super) fn register(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let provider = &call.realm.provider;
    let registered = keys_to_register(call);
    provider.count(Event::Registered, registered.is_ok());
    let keys = registered?;
    let signs = !keys.is_empty();
    let id = provider.clients.issue(call.now, keys.into());
    let method = if signs { "private_key_jwt" } else { "client_secret_basic" };
    let mut answer = json!({
        "client_id": id,
        "client_id_issued_at": call.seconds_since_1970(),
        "token_endpoint_auth_method": method,
    });
    if !signs {
        answer["client_secret"] = call.realm.config.admin_password.clone().into();
        answer["client_secret_expires_at"] = 0.into();
    }
    reply.json(201, &answer);
    Ok(())
}

fn keys_to_register(call: &Call<'_>) -> Result<Vec<PublicKey>, Refusal> {
    let wrong = |why| refused(400, "invalid_client_metadata", why);
    let data: Value = serde_json::from_slice(call.request.body).unwrap_or_default();
    if !data.is_object() {
        return Err(wrong("the metadata is no JSON object"));
    }
    let Some(keys) = data.pointer("/jwks/keys") else { return Ok(Vec::new()) };
    let keys = keys.as_array().filter(|keys| keys.len() <= KEYS);
    let keys = keys.ok_or(wrong("a client has at most four keys"))?;
    let keys: Option<Vec<_>> = keys.iter().map(PublicKey::from_jwk).collect();
    keys.ok_or(wrong("a key is of a kind that is not supported, or is a private one"))
}

/// A time that is long past, if a script has that.
pub(super) fn slow_clock(call: &Call<'_>, reply: &mut Reply) {
    if call.login_fault == Some(LoginFault::RefusedClient) {
        reply.field("Date", date(call.seconds_since_1970().saturating_sub(SLOW)));
    }
}

/// A time in the form that HTTP has for it (RFC 9110 section 5.6.7).
fn date(seconds: u64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = calendar::date(seconds);
    let mut out = String::with_capacity(29);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    // Writing to memory does not fail.
    let _ = write!(
        out,
        "{}, {day:02} {} {year} {hour:02}:{minute:02}:{:02} GMT",
        DAYS[(days % 7) as usize],
        MONTHS[month - 1],
        second % 60
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_date_is_formatted() {
        for (seconds, expected) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }
}
