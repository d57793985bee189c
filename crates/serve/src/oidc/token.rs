//! Verifying an ID token (OpenID Connect Core 1.0, section 3.1.3.7) and a logout token (OpenID Connect Back-Channel
//! Logout 1.0, section 2.6).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde::Deserialize;
use serde_json::Value;

use super::claims::Claims;
use super::keys::{Algorithm, KeyError, Keys};

/// How far the clocks of provider and site may be apart, in seconds.
const LEEWAY: i64 = 60;
/// The most bytes of a token.
const TOKEN_MAX: usize = 128 << 10;
/// The most characters of the name that a provider has for somebody.
const SUBJECT_MAX: usize = 255;
/// The event of a logout token.
const LOGOUT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// What a token has to say.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// Who issued it.
    pub issuer: &'a str,
    /// For which client.
    pub client: &'a str,
    /// For which attempt to sign in; `None` for a token that renews another.
    pub nonce: Option<&'a str>,
    /// The access token that came with it.
    pub access_token: Option<&'a str>,
    /// The current time, in seconds since 1970.
    pub now: i64,
}

/// Why a token is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// It is signed with a key that is not known: the provider may have made a new one.
    UnknownKey,
    /// It is not what was expected.
    Refused(String),
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    crit: Option<Value>,
}

/// The claims of an ID token that is valid.
pub fn verify(token: &str, keys: &Keys, expected: &Expected<'_>) -> Result<Claims, TokenError> {
    let (claims, algorithm) = signed(token, keys)?;
    checked(&claims, algorithm, expected).map_err(TokenError::Refused)?;
    Ok(claims)
}

/// The claims of a logout token that is valid: whose sessions end, or which.
pub fn verify_logout(
    token: &str,
    keys: &Keys,
    expected: &Expected<'_>,
) -> Result<Claims, TokenError> {
    let (claims, _) = signed(token, keys)?;
    let refused = |why: &str| Err(TokenError::Refused(why.to_owned()));
    addressed(&claims, expected).map_err(TokenError::Refused)?;
    if claims.value("events").and_then(|events| events.get(LOGOUT)).is_none() {
        return refused("it is not about a logout");
    }
    // So that no ID token passes for one.
    if claims.value("nonce").is_some() {
        return refused("it has a nonce");
    }
    if claims.subject().is_empty() && claims.text("sid").is_none() {
        return refused("it names neither a person nor a session");
    }
    Ok(claims)
}

/// The claims of a token whose signature is right, which nothing else is known of yet.
fn signed(token: &str, keys: &Keys) -> Result<(Claims, Algorithm), TokenError> {
    let refused = |why: String| TokenError::Refused(why);
    if token.len() > TOKEN_MAX {
        return Err(refused(format!("it is longer than {TOKEN_MAX} bytes")));
    }
    let mut parts = token.split('.');
    let (Some(head), Some(body), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(refused("it is not a signed token".to_owned()));
    };
    let decoded = |part: &str| {
        BASE64.decode(part).map_err(|_| refused("it is not a signed token".to_owned()))
    };
    let header: Header = serde_json::from_slice(&decoded(head)?)
        .map_err(|_| refused("its header cannot be read".to_owned()))?;
    if header.crit.is_some() {
        return Err(refused("it has an extension that is not known".to_owned()));
    }
    let algorithm = Algorithm::named(&header.alg).ok_or_else(|| {
        refused(format!("the signature '{}' is not accepted", super::words(&header.alg)))
    })?;
    let message = &token[..head.len() + 1 + body.len()];
    let by = (algorithm, header.kid.as_deref());
    keys.verify(by, message.as_bytes(), &decoded(signature)?).map_err(|fault| match fault {
        KeyError::Unknown => TokenError::UnknownKey,
        KeyError::Wrong => refused("its signature is wrong".to_owned()),
    })?;
    Ok((Claims::read(&decoded(body)?).map_err(refused)?, algorithm))
}

fn checked(claims: &Claims, algorithm: Algorithm, expected: &Expected<'_>) -> Result<(), String> {
    addressed(claims, expected)?;
    let subject = claims.subject();
    if subject.is_empty() || subject.len() > SUBJECT_MAX {
        return Err("it does not say who signed in".to_owned());
    }
    if claims.time("exp").is_none() {
        return Err("it never expires".to_owned());
    }
    if let Some(nonce) = expected.nonce
        && claims.text("nonce") != Some(nonce)
    {
        return Err("it belongs to another attempt to sign in".to_owned());
    }
    if let (Some(hash), Some(access)) = (claims.value("at_hash"), expected.access_token)
        && hash.as_str() != Some(&algorithm.half_hash(access))
    {
        return Err("it belongs to another access token".to_owned());
    }
    Ok(())
}

/// What holds for every token: who issued it, for whom, and when it is valid.
fn addressed(claims: &Claims, expected: &Expected<'_>) -> Result<(), String> {
    if claims.text("iss") != Some(expected.issuer) {
        return Err("another issuer issued it".to_owned());
    }
    let (is_ours, others) = match claims.value("aud") {
        Some(Value::String(one)) => (one == expected.client, false),
        Some(Value::Array(all)) => (all.iter().any(|one| one == expected.client), all.len() > 1),
        _ => (false, false),
    };
    let party = claims.value("azp");
    let is_party = party.map_or(!others, |party| party == expected.client);
    if !is_ours || !is_party {
        return Err("it was issued for another client".to_owned());
    }
    let now = expected.now;
    if claims.time("exp").is_some_and(|ends| now >= ends.saturating_add(LEEWAY)) {
        return Err(format!("it has expired; the clocks may differ by {LEEWAY} s at most"));
    }
    let issued = claims.time("iat").ok_or("it does not say when it was issued")?;
    let begins = claims.time("nbf").unwrap_or(issued).max(issued);
    if begins > now.saturating_add(LEEWAY) {
        return Err(format!("it is from the future; the clocks may differ by {LEEWAY} s at most"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
