//! Verifying an ID token (OpenID Connect Core 1.0, section 3.1.3.7) and a logout token (OpenID Connect Back-Channel
//! Logout 1.0, section 2.6).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde::Deserialize;
use serde_json::Value;

use super::claims::{Claims, ClaimsError};
use super::keys::{Algorithm, KeyError, Keys};

/// How far the clocks of provider and site may be apart, in seconds.
const LEEWAY: i64 = 60;
/// The most bytes of a token.
const TOKEN_MAX: usize = 128 << 10;
/// The most characters of a provider's name for a user.
const SUBJECT_MAX: usize = 255;
/// The event of a logout token.
const LOGOUT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// What a token must contain.
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
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The provider may have made a new key.
    #[error("it is signed with a key that the provider does not publish")]
    UnknownKey,
    /// It is too long.
    #[error("it is longer than {TOKEN_MAX} bytes")]
    Long,
    /// It is not made of three parts in base64.
    #[error("it is not a signed token")]
    Form,
    /// Its header is no JSON object with an algorithm.
    #[error("its header cannot be read")]
    Header,
    /// Its header demands an extension (RFC 7515, section 4.1.11).
    #[error("it has an extension that is not known")]
    Extension,
    /// Its algorithm is none, or needs a shared secret.
    #[error("the signature '{0}' is not accepted")]
    Algorithm(String),
    /// It was signed by another key, or changed.
    #[error("its signature is wrong")]
    Signature,
    /// Its claims are no JSON object.
    #[error(transparent)]
    Claims(#[from] ClaimsError),
    /// `iss`.
    #[error("another issuer issued it")]
    Issuer,
    /// `aud` or `azp`.
    #[error("it was issued for another client")]
    Client,
    /// `exp` has passed.
    #[error("it has expired; the clocks may differ by {LEEWAY} s at most")]
    Expired,
    /// It has no `exp`.
    #[error("it never expires")]
    Endless,
    /// It has no `iat`.
    #[error("it does not say when it was issued")]
    Undated,
    /// `iat` or `nbf` is later than now.
    #[error("it is from the future; the clocks may differ by {LEEWAY} s at most")]
    Future,
    /// An ID token without `sub`, or with one that is too long.
    #[error("it does not say who signed in")]
    Subject,
    /// An ID token with another `nonce`.
    #[error("it belongs to another attempt to sign in")]
    Nonce,
    /// An ID token with another `at_hash`.
    #[error("it belongs to another access token")]
    AccessToken,
    /// A logout token without the event of a logout.
    #[error("it is not about a logout")]
    NoLogout,
    /// A logout token with a `nonce`, which only an ID token has.
    #[error("it has a nonce")]
    IdToken,
    /// A logout token without `sub` and `sid`.
    #[error("it names neither a person nor a session")]
    NoSession,
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
    addressed(&claims, expected)?;
    let subject = claims.subject();
    if subject.is_empty() || subject.len() > SUBJECT_MAX {
        return Err(TokenError::Subject);
    }
    if claims.time("exp").is_none() {
        return Err(TokenError::Endless);
    }
    if expected.nonce.is_some_and(|nonce| claims.text("nonce") != Some(nonce)) {
        return Err(TokenError::Nonce);
    }
    if let (Some(hash), Some(access)) = (claims.value("at_hash"), expected.access_token)
        && hash.as_str() != Some(&algorithm.half_hash(access))
    {
        return Err(TokenError::AccessToken);
    }
    Ok(claims)
}

/// The claims of a logout token that is valid: whose sessions end, or which.
pub fn verify_logout(
    token: &str,
    keys: &Keys,
    expected: &Expected<'_>,
) -> Result<Claims, TokenError> {
    let (claims, _) = signed(token, keys)?;
    addressed(&claims, expected)?;
    if claims.value("events").and_then(|events| events.get(LOGOUT)).is_none() {
        return Err(TokenError::NoLogout);
    }
    if claims.value("nonce").is_some() {
        return Err(TokenError::IdToken);
    }
    if claims.subject().is_empty() && claims.text("sid").is_none() {
        return Err(TokenError::NoSession);
    }
    Ok(claims)
}

/// The claims of a token whose signature is right, which nothing else is known of yet.
fn signed(token: &str, keys: &Keys) -> Result<(Claims, Algorithm), TokenError> {
    if token.len() > TOKEN_MAX {
        return Err(TokenError::Long);
    }
    let mut parts = token.split('.');
    let (Some(head), Some(body), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(TokenError::Form);
    };
    let decoded = |part: &str| BASE64.decode(part).map_err(|_| TokenError::Form);
    let header: Header = serde_json::from_slice(&decoded(head)?).map_err(|_| TokenError::Header)?;
    if header.crit.is_some() {
        return Err(TokenError::Extension);
    }
    let algorithm = Algorithm::named(&header.alg)
        .ok_or_else(|| TokenError::Algorithm(super::words(&header.alg)))?;
    let message = &token[..head.len() + 1 + body.len()];
    let by = (algorithm, header.kid.as_deref());
    keys.verify(by, message.as_bytes(), &decoded(signature)?).map_err(|error| match error {
        KeyError::Unknown => TokenError::UnknownKey,
        KeyError::Wrong => TokenError::Signature,
    })?;
    Ok((Claims::read(&decoded(body)?)?, algorithm))
}

/// What holds for every token: who issued it, for whom, and when it is valid.
fn addressed(claims: &Claims, expected: &Expected<'_>) -> Result<(), TokenError> {
    if claims.text("iss") != Some(expected.issuer) {
        return Err(TokenError::Issuer);
    }
    let (is_ours, others) = match claims.value("aud") {
        Some(Value::String(one)) => (one == expected.client, false),
        Some(Value::Array(all)) => (all.iter().any(|one| one == expected.client), all.len() > 1),
        _ => (false, false),
    };
    let party = claims.value("azp");
    let is_party = party.map_or(!others, |party| party == expected.client);
    if !is_ours || !is_party {
        return Err(TokenError::Client);
    }
    let now = expected.now;
    if claims.time("exp").is_some_and(|ends| now >= ends.saturating_add(LEEWAY)) {
        return Err(TokenError::Expired);
    }
    let issued = claims.time("iat").ok_or(TokenError::Undated)?;
    let begins = claims.time("nbf").unwrap_or(issued).max(issued);
    if begins > now.saturating_add(LEEWAY) {
        return Err(TokenError::Future);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
